"""The kinds of windows: a row for each."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, WindowRow, choice, length

_OFFSET: Final = ", offset {offset}"
ALIGN: Final = length(
    "ALIGN",
    "offset",
    "The offset",
    "offset",
    "The offset of windows, counted from 1970-01-01T00:00Z.",
    summary=_OFFSET,
)
DISCARD: Final = length("DISCARD", "discard_age", "The discard age", summary=", discarded {discard_age} after its end")
IN_ZONE: Final = ArgumentRow(
    words="ZONE",
    field="zone",
    what="The zone",
    takes=ArgumentKind.QUOTED,
    form="'zone'",
    help="The time zone as an IANA name, such as 'Europe/Zurich'; UTC by default.",
    summary=" in {zone}",
)
_SIZE: Final = length("", "size", "The size of the windows")

WINDOWS: Final = (
    WindowRow(
        words="HOP",
        form="size,hop",
        help="Windows of one size that start every hop.",
        kind="hopping",
        choice="hopping: overlapping",
        summary="hopping {size} every {hop}",
        arguments=(_SIZE, length("", "hop", "The hop of the windows")),
        least=2,
        options=(ALIGN,),
        example="HOP 5m,1m",
        others="HOPPING HOPPINGWINDOW SLIDE SLIDING SLIDINGWINDOW",
        too_few="Write both, such as HOP 5m,1m. If windows don't overlap, write TUMBLE 5m.",
    ),
    WindowRow(
        words="TUMBLE",
        form="size",
        help="Windows of one size, one after the other.",
        kind="tumbling",
        choice="tumbling: one after the other",
        summary="tumbling {size}",
        arguments=(_SIZE,),
        options=(ALIGN,),
        example="TUMBLE 5m",
        others="TUMBLING TUMBLINGWINDOW WINDOW",
        too_many="For windows that overlap, write HOP 5m,1m.",
    ),
    WindowRow(
        words="CALENDAR",
        form="unit [ZONE 'zone']",
        help="The days, weeks (from Monday), months, quarters or years of a time zone.",
        kind="calendar",
        choice="calendar: days, weeks or months",
        summary="each {unit}",
        arguments=(choice("", "unit", "calendar unit", "", "day", "week", "month", "quarter", "year"),),
        options=(IN_ZONE,),
        example="CALENDAR month",
        others="",
    ),
    WindowRow(
        words="SESSION",
        form="gap [MAX length]",
        help="A window that lasts while events follow each other within the gap.",
        kind="session",
        choice="sessions: until a gap",
        summary="sessions with gaps of {gap}",
        arguments=(length("", "gap", "The gap of the sessions"),),
        options=(length("MAX", "max", "The longest session", summary=", at most {max} long"),),
        example="SESSION 5m",
        others="SESSIONWINDOW SESSION_WINDOW",
    ),
    WindowRow(
        words="SNAPSHOT",
        help="A window between any two adjacent starts or ends.",
        kind="snapshot",
        choice="snapshots: between adjacent starts or ends",
        summary="snapshots",
        least=0,
        example="SNAPSHOT",
        others="SNAPSHOTWINDOW",
    ),
    WindowRow(
        words="COUNT",
        form="n",
        help="A window over n distinct starts.",
        kind="count",
        choice="counts: a number of starts",
        summary="every {n} starts",
        arguments=(ArgumentRow(field="n", takes=ArgumentKind.WHOLE, what="The count of a window"),),
        example="COUNT 10",
        others="CUMULATE",
    ),
    WindowRow(
        words="TIMEINTERVAL",
        form="duration[,period[,offset]] [DISCARD age]",
        help="SPL panes: windows of a duration, one each period.",
        kind="time_interval",
        choice="panes: duration and period",
        summary="panes of {duration}",
        arguments=(
            length("", "duration", "The duration of the windows"),
            length("", "period", "The period of the windows", summary=" every {period}"),
            length("", "offset", "The offset of the windows", summary=_OFFSET),
        ),
        options=(DISCARD, ALIGN),
        example="TIMEINTERVAL 5m,1m",
        others="TIME_INTERVAL",
    ),
)
WINDOW_BY_WORD: Final = {word: form for form in WINDOWS for word in (form.words, *form.others.split())}
"""The kinds of windows by their words here and in other systems."""
