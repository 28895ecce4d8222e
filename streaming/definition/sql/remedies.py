"""Remedies in the words of the text: what the graph calls a field, the text writes as a clause."""

from collections.abc import Callable, Mapping
from typing import Final

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.sql.printing.words import name
from streaming.definition.sql.script import Script


def in_sql(fault: Fault, script: Script) -> Fault:
    """`fault` with a remedy that shows what to write, and a place at the last statement if it has none."""
    remedy = _REMEDIES.get((fault.code, _last(fault.field)))
    changed: dict[str, object] = {} if remedy is None else {"remedy": remedy(fault)}
    if fault.span is None and fault.node is None and script.statements:
        changed["span"] = script.statements[-1].span
    return fault.model_copy(update=changed) if changed else fault


def _last(field: str | None) -> str:
    """The last name of a path, without an index: `grace` of `window.grace`, `keys` of `keys[0]`."""
    return (field or "").rpartition(".")[2].partition("[")[0]


def _says(text: str) -> Callable[[Fault], str]:
    return lambda fault: text.format(node=name(fault.node or ""))


_MORE_GRACE: Final = (
    "Write GRACE BY 30s behind the window, or as long as late events are to count; GRACE BY 0s for none."
)
_NO_GRACE: Final = "Leave {what} out, or write LATE KEEP in the ADVANCE TIME of an input."
_NO_CIRCLE: Final = (
    "A name is that of the text before it is that of a stream: write STREAM and the name for the stream, "
    "or give what is made here another name."
)
_ALIGN: Final = "Give both windows one size, hop and ALIGN"


def _alignment(fault: Fault) -> str:
    ends = "POINT AT END behind both windows lets only rows of windows meet that end together."
    return f"{_ALIGN}. {ends}" if "point_at_end" in fault.remedy else f"{_ALIGN}."


def _overlapping(fault: Fault) -> str:
    if "overlap" in fault.message:
        return "Put POINT AT END behind both windows, so that only rows of windows meet that end together."
    return _alignment(fault)


def _clock(fault: Fault) -> str:
    """The statements that give the inputs clocks, which stand first in the message."""
    stopped = fault.message.partition(", so ")[0].split("'")[1::2]
    statements = " ".join(f"ADVANCE TIME {name(each)} EVERY 100 DELAY 10s LATE DROP;" for each in stopped)
    return f"Write for example {statements}"


_REMEDIES: Final[Mapping[tuple[FaultCode, str], Callable[[Fault], str]]] = {
    (FaultCode.NO_OUTPUT, ""): _says("Write INSERT INTO out SELECT STREAM * FROM the step whose results you want;"),
    **{(FaultCode.CYCLE, each): _says(_NO_CIRCLE) for each in ("input", "inputs", "left", "right", "by")},
    (FaultCode.NO_EFFECT, "grace"): _says(_NO_GRACE.format(what="GRACE BY")),
    (FaultCode.NO_EFFECT, "discard_age"): _says(_NO_GRACE.format(what="DISCARD")),
    (FaultCode.KEEP_WITHOUT_GRACE, "grace"): _says(_MORE_GRACE),
    (FaultCode.KEEP_WITHOUT_GRACE, "discard_age"): _says("Write DISCARD 30s, or however long late events are taken."),
    (FaultCode.KEEP_WITHOUT_GRACE, "window"): _says("Write WINDOW BY TIMEINTERVAL with DISCARD 30s, or LATE DROP."),
    (FaultCode.LATE_RESULTS, "grace"): _says("Write GRACE BY 30s or EMIT ON COMPLETE, if results are to come sooner."),
    (FaultCode.JOIN_WITHOUT_KEYS, "keys"): _says(
        "Write ON a.k = b.k, and SELECT a.x, b.y with the source before each field if keys have two names, unless the "
        "sides are small."
    ),
    (FaultCode.DUPLICATE_NAME, "right"): _says(
        "Write which fields you want, each with its source: SELECT a.x, b.x AS other; or add it to the keys."
    ),
    (FaultCode.TYPE_MISMATCH, "keys"): _says("Give both one type with CAST in a step before the join."),
    (FaultCode.WINDOWS_NOT_ALIGNED, "right"): _overlapping,
    (FaultCode.WINDOWS_NOT_ALIGNED, "inputs"): _says("Give both windows one ALIGN."),
    (FaultCode.NO_CLOCK, "window"): _clock,
    (FaultCode.NO_CLOCK, "left"): _clock,
    (FaultCode.NO_CLOCK, "right"): _clock,
    (FaultCode.NO_CLOCK, "input"): _clock,
    (FaultCode.NO_CLOCK, "by"): _clock,
    (FaultCode.NO_CLOCK, "inputs"): _clock,
    (FaultCode.EQUAL_TIMES_LATE, "delay"): _says("Write DELAY 0s or more, if several events may have the same start."),
    (FaultCode.LATE_NOT_SAID, "late"): _says("Write LATE DROP, LATE ADJUST, LATE SHIFT or LATE KEEP."),
    (FaultCode.LATE_KEEP_REFUSED, "late"): _says(
        "Write LATE DROP, ADJUST or SHIFT, or join with the rows of a window."
    ),
}
"""By the code of a fault and the last name of its field."""
