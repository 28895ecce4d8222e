"""The settings of ADVANCE TIME: a row for each, those that are printed on one line side by side."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, choice, length

LINES: Final = (
    (
        ArgumentRow(
            words="PRESET", form="watermark(5s)", help="Settings by name.", field="preset", takes=ArgumentKind.PRESET
        ),
    ),
    (
        length(
            *("EVERY", "generate.every", "How often", "100 | 10s"),
            "A CTI after so many events, or after so much time.",
        ),
        length(
            *("DELAY", "generate.delay", "The delay", "5s"),
            "How far CTIs stay behind the event that they follow.",
        ),
        choice(
            *("BASIS", "generate.basis", "basis", "Whether CTIs follow the last event or the largest start."),
            *("LAST", "MAX"),
        ),
        ArgumentRow(
            words="FINAL", help="A stop flushes everything.", field="generate.final", takes=ArgumentKind.NOTHING
        ),
    ),
    (
        ArgumentRow(
            words="IMPORT FROM",
            form="input",
            help="Takes over the CTIs of another input.",
            field="import_from",
            takes=ArgumentKind.NAME,
            what="The input to import from",
        ),
    ),
    (
        choice(
            *("LATE", "late", "way to treat late events", "What becomes of events before the CTI."),
            ("DROP", "Late events are dropped."),
            ("ADJUST", "Late events are cut to begin at the CTI; points are dropped."),
            ("SHIFT", "Late events are moved to the CTI."),
            ("KEEP", "Late events are passed on as they are; windows need a grace."),
        ),
        choice(
            *("LATE END", "late_end", "way to treat late ends"),
            "What becomes of an edge whose end was dropped as late.",
            *("LEAVE_OPEN", "CLOSE_AT_CTI"),
        ),
    ),
    (
        ArgumentRow(
            words="OVER", form="expression", help="A clock for each value.", field="over", takes=ArgumentKind.EXPRESSION
        ),
    ),
    (
        length(
            *("IDLE AFTER", "idle_after", "The time of silence", "30s", "After what silence a lane counts as idle.")
        ),
        choice(
            *("IDLE", "idle", "way to treat silent lanes", "What becomes of an idle lane."),
            *("LEAVE_OUT", "ADVANCE"),
        ),
    ),
    (
        length(*("MAX AHEAD", "max_ahead", "How far ahead", "5m", "How far an event may be ahead of its arrival.")),
        choice(
            *("FUTURE", "future", "way to treat events from the future"),
            "What becomes of events that are further ahead.",
            *("ACCEPT", "HOLD", "DROP"),
        ),
    ),
)
SETTINGS: Final = tuple(each for line in LINES for each in line)
