"""The kinds of windows: a row for each."""

from typing import Final

from streaming.definition.sql.grammar.rows import ArgumentRow, Takes, WindowRow

ALIGN: Final = ArgumentRow(
    words="ALIGN",
    form="ALIGN offset",
    help="Where windows begin, counted from 1970-01-01T00:00Z.",
    field="offset",
    what="The offset",
)
DISCARD: Final = ArgumentRow(words="DISCARD", field="discard_age", what="The discard age")
_SIZE: Final = ArgumentRow(field="size", what="The size of the windows")

WINDOWS: Final = (
    WindowRow(
        "HOP",
        "HOP size,hop",
        "Windows of one size that begin every hop.",
        "hopping",
        (_SIZE, ArgumentRow(field="hop", what="The hop of the windows")),
        least=2,
        options=(ALIGN,),
        example="HOP 5m,1m",
        others=("HOPPING", "HOPPINGWINDOW", "SLIDE", "SLIDING", "SLIDINGWINDOW"),
        too_few="Write both, such as HOP 5m,1m; TUMBLE 5m if they follow each other.",
    ),
    WindowRow(
        "TUMBLE",
        "TUMBLE size",
        "Windows of one size, one behind the other.",
        "tumbling",
        (_SIZE,),
        options=(ALIGN,),
        example="TUMBLE 5m",
        others=("TUMBLING", "TUMBLINGWINDOW", "WINDOW"),
        too_many="Write HOP 5m,1m for windows that overlap.",
    ),
    WindowRow(
        "SESSION",
        "SESSION gap [MAX length]",
        "A window as long as events follow each other within the gap.",
        "session",
        (ArgumentRow(field="gap", what="The gap of the sessions"),),
        options=(ArgumentRow(words="MAX", field="max", what="The greatest length of a session"),),
        example="SESSION 5m",
        others=("SESSIONWINDOW", "SESSION_WINDOW"),
    ),
    WindowRow(
        "SNAPSHOT",
        "SNAPSHOT",
        "A window between any two neighbouring starts or ends.",
        "snapshot",
        least=0,
        example="SNAPSHOT",
        others=("SNAPSHOTWINDOW",),
    ),
    WindowRow(
        "COUNT",
        "COUNT n",
        "A window over n distinct starts.",
        "count",
        (ArgumentRow(field="n", takes=Takes.WHOLE, what="The count of a window"),),
        example="COUNT 10",
        others=("CUMULATE",),
    ),
    WindowRow(
        "TIMEINTERVAL",
        "TIMEINTERVAL duration[,period[,offset]] [DISCARD age]",
        "SPL panes: windows of a duration, one each period.",
        "time_interval",
        (
            ArgumentRow(field="duration", what="The duration of the windows"),
            ArgumentRow(field="period", what="The period of the windows"),
            ArgumentRow(field="offset", what="The offset of the windows"),
        ),
        options=(DISCARD, ALIGN),
        example="TIMEINTERVAL 5m,1m",
        others=("TIME_INTERVAL",),
    ),
)
MEANT: Final = {word: form for form in WINDOWS for word in (form.words, *form.others)}
"""The kinds of windows by what they are called here and in other systems."""
