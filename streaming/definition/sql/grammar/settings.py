"""The settings of ADVANCE TIME: a row for each, grouped by the line on which they are printed."""

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
            *("EVERY", "generate.every", "The interval of CTIs", "100 | 10s"),
            "A CTI after that many events, or after that much time.",
        ),
        length(
            *("DELAY", "generate.delay", "The delay", "5s"),
            "How much earlier a CTI is than the event that it follows.",
        ),
        choice(
            *("BASIS", "generate.basis", "basis", "Sets if CTIs follow the last event or the largest start."),
            *("LAST", "MAX"),
        ),
        ArgumentRow(
            words="FINAL",
            help="When the binding stops, emits everything that is pending.",
            field="generate.final",
            takes=ArgumentKind.NOTHING,
        ),
    ),
    (
        ArgumentRow(
            words="IMPORT FROM",
            form="input",
            help="Uses the CTIs of another input.",
            field="import_from",
            takes=ArgumentKind.NAME,
            what="The input to import from",
        ),
    ),
    (
        choice(
            *("LATE", "late", "LATE policy", "The policy for events that start before the CTI."),
            ("DROP", "Late events are dropped."),
            ("ADJUST", "Late events are cut to start at the CTI; points are dropped."),
            ("SHIFT", "Late events are moved to the CTI."),
            ("KEEP", "Late events are passed on unchanged; windows need a grace."),
        ),
        choice(
            *("LATE END", "late_end", "LATE END policy"),
            "The policy for an edge whose end was dropped as late.",
            *("LEAVE_OPEN", "CLOSE_AT_CTI"),
        ),
    ),
    (
        ArgumentRow(
            words="OVER", form="expression", help="A clock for each value.", field="over", takes=ArgumentKind.EXPRESSION
        ),
    ),
    (
        length(*("IDLE AFTER", "idle_after", "The duration", "30s", "The silence after which a lane counts as idle.")),
        choice(
            *("IDLE", "idle", "IDLE policy", "The policy for an idle lane."),
            *("LEAVE_OUT", "ADVANCE"),
        ),
    ),
    (
        length(
            *("MAX AHEAD", "max_ahead", "The limit", "5m", "How far the time of an event may be ahead of its arrival.")
        ),
        choice(
            *("FUTURE", "future", "FUTURE policy"),
            "The policy for events that are further ahead.",
            *("ACCEPT", "HOLD", "DROP"),
        ),
    ),
)
SETTINGS: Final = tuple(each for line in LINES for each in line)
