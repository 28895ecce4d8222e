"""The settings of ADVANCE TIME: a row for each, those that are printed on one line side by side."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentRow, KeywordRow, Takes

_LATE: Final = (
    KeywordRow("DROP", help="Late events are dropped."),
    KeywordRow("ADJUST", help="Late events are cut to begin at the CTI; points are dropped."),
    KeywordRow("SHIFT", help="Late events are moved to the CTI."),
    KeywordRow("KEEP", help="Late events are passed on as they are; windows need a grace."),
)
_GENERATE: Final = (
    ArgumentRow(
        words="EVERY",
        form="EVERY 100 | EVERY 10s",
        help="A CTI after so many events, or after so much time.",
        field="generate.every",
        what="How often",
    ),
    ArgumentRow(
        words="DELAY",
        form="DELAY 5s",
        help="How far CTIs stay behind the event that they follow.",
        field="generate.delay",
        what="The delay",
    ),
    ArgumentRow(
        words="BASIS",
        help="Whether CTIs follow the last event or the largest start.",
        field="generate.basis",
        takes=Takes.CHOICE,
        what="basis",
        choices=(KeywordRow("LAST"), KeywordRow("MAX")),
    ),
    ArgumentRow(words="FINAL", help="A stop flushes everything.", field="generate.final", takes=Takes.NOTHING),
)
LINES: Final = (
    (
        ArgumentRow(
            words="PRESET", form="PRESET watermark(5s)", help="Settings by name.", field="preset", takes=Takes.PRESET
        ),
    ),
    _GENERATE,
    (
        ArgumentRow(
            words="IMPORT FROM",
            form="IMPORT FROM input",
            help="Takes over the CTIs of another input.",
            field="import_from",
            takes=Takes.NAME,
            what="The input to import from",
        ),
    ),
    (
        ArgumentRow(
            words="LATE",
            help="What becomes of events before the CTI.",
            field="late",
            takes=Takes.CHOICE,
            what="way to treat late events",
            choices=_LATE,
        ),
        ArgumentRow(
            words="LATE END",
            help="What becomes of an edge whose end was dropped as late.",
            field="late_end",
            takes=Takes.CHOICE,
            what="way to treat late ends",
            choices=(KeywordRow("LEAVE_OPEN"), KeywordRow("CLOSE_AT_CTI")),
        ),
    ),
    (
        ArgumentRow(
            words="OVER",
            form="OVER expression",
            help="A clock for each value.",
            field="over",
            takes=Takes.EXPRESSION,
        ),
    ),
    (
        ArgumentRow(
            words="IDLE AFTER",
            form="IDLE AFTER 30s",
            help="After what silence a lane counts as idle.",
            field="idle_after",
            what="The time of silence",
        ),
        ArgumentRow(
            words="IDLE",
            help="What becomes of an idle lane.",
            field="idle",
            takes=Takes.CHOICE,
            what="way to treat silent lanes",
            choices=(KeywordRow("LEAVE_OUT"), KeywordRow("ADVANCE")),
        ),
    ),
    (
        ArgumentRow(
            words="MAX AHEAD",
            form="MAX AHEAD 5m",
            help="How far an event may be ahead of its arrival.",
            field="max_ahead",
            what="How far ahead",
        ),
        ArgumentRow(
            words="FUTURE",
            help="What becomes of events that are further ahead.",
            field="future",
            takes=Takes.CHOICE,
            what="way to treat events from the future",
            choices=(KeywordRow("ACCEPT"), KeywordRow("HOLD"), KeywordRow("DROP", help="They are dropped.")),
        ),
    ),
)
SETTINGS: Final = tuple(each for line in LINES for each in line)
