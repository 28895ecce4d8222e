"""Remedies for a text: they name clauses, where a graph has fields."""

from collections.abc import Callable, Mapping
from typing import Final

from streaming.definition.faults import Fault, FaultCode
from streaming.definition.sql.printing.words import name
from streaming.definition.sql.script import Script


def in_sql(fault: Fault, script: Script) -> Fault:
    """Return `fault` with a remedy that shows what to write; without a place, it gets that of the last statement."""
    remedy = _REMEDIES.get((fault.code, _last(fault.field)))
    changed: dict[str, object] = {} if remedy is None else {"remedy": remedy(fault)}
    if fault.span is None and fault.node is None and script.statements:
        changed["span"] = script.statements[-1].span
    return fault.model_copy(update=changed) if changed else fault


def _last(field: str | None) -> str:
    """Return the last name of a path, without an index: `grace` of `window.grace`, `keys` of `keys[0]`."""
    return (field or "").rpartition(".")[2].partition("[")[0]


def _template(text: str) -> Callable[[Fault], str]:
    return lambda fault: text.format(node=name(fault.node or ""))


_MORE_GRACE: Final = (
    "Write GRACE BY 30s after the window, or the time for which it accepts late events; GRACE BY 0s for none."
)
_NO_GRACE: Final = "Leave {what} out, or write LATE KEEP in the ADVANCE TIME of an input."
_NO_CYCLE: Final = (
    "A name means a step or output of this text before it means a stream. To read the stream, write STREAM and its "
    "name, or rename the step or output."
)
_ALIGN: Final = "Give both windows the same size, hop and ALIGN"


def _alignment(fault: Fault) -> str:
    ends = "To join only rows of windows that end together, write POINT AT END after both windows."
    return f"{_ALIGN}. {ends}" if "point_at_end" in fault.remedy else f"{_ALIGN}."


def _overlapping(fault: Fault) -> str:
    if "overlap" in fault.message:
        return "To join only rows of windows that end together, write POINT AT END after both windows."
    return _alignment(fault)


def _ranks(fault: Fault) -> str:
    return fault.remedy.replace("a group_by", "GROUP BY").replace("point_at_end", "POINT AT END")


def _clock(fault: Fault) -> str:
    """Return statements that give clocks to the inputs, which come first in the message."""
    stopped = fault.message.partition(", so ")[0].split("'")[1::2]
    statements = " ".join(f"ADVANCE TIME {name(each)} EVERY 100 DELAY 10s LATE DROP;" for each in stopped)
    return f"Write for example {statements}"


_REMEDIES: Final[Mapping[tuple[FaultCode, str], Callable[[Fault], str]]] = {
    (FaultCode.NO_OUTPUT, ""): _template(
        "Write INSERT INTO out SELECT STREAM * FROM step; with the step whose results you want."
    ),
    **{(FaultCode.CYCLE, each): _template(_NO_CYCLE) for each in ("input", "inputs", "left", "right", "by")},
    (FaultCode.NO_EFFECT, "grace"): _template(_NO_GRACE.format(what="GRACE BY")),
    (FaultCode.NO_EFFECT, "discard_age"): _template(_NO_GRACE.format(what="DISCARD")),
    (FaultCode.KEEP_WITHOUT_GRACE, "grace"): _template(_MORE_GRACE),
    (FaultCode.KEEP_WITHOUT_GRACE, "discard_age"): _template(
        "Write DISCARD 30s, or the time for which windows accept late events."
    ),
    (FaultCode.KEEP_WITHOUT_GRACE, "window"): _template("Write WINDOW BY TIMEINTERVAL with DISCARD 30s, or LATE DROP."),
    (FaultCode.LATE_RESULTS, "grace"): _template("Write GRACE BY 30s or EMIT ON COMPLETE to get results sooner."),
    (FaultCode.JOIN_WITHOUT_KEYS, "keys"): _template(
        "Write ON a.k = b.k, unless the sides are small. If the keys have different names, write the source before "
        "each field: SELECT a.x, b.y."
    ),
    (FaultCode.DUPLICATE_NAME, "right"): _template(
        "List the fields that you want, each with its source: SELECT a.x, b.x AS other. Or add the field to the keys."
    ),
    (FaultCode.TYPE_MISMATCH, "keys"): _template("Give both the same type with CAST in a step before the join."),
    (FaultCode.WINDOWS_NOT_ALIGNED, "right"): _overlapping,
    (FaultCode.WINDOWS_NOT_ALIGNED, "inputs"): _template("Give both windows the same ALIGN."),
    (FaultCode.OVERLAPPING_RANKS, "window"): _ranks,
    (FaultCode.NO_EFFECT, "idle"): _template(
        "Write IDLE ADVANCE, which moves the CTI with the wall clock while the lane is silent."
    ),
    (FaultCode.NO_CLOCK, "window"): _clock,
    (FaultCode.NO_CLOCK, "left"): _clock,
    (FaultCode.NO_CLOCK, "right"): _clock,
    (FaultCode.NO_CLOCK, "input"): _clock,
    (FaultCode.NO_CLOCK, "by"): _clock,
    (FaultCode.NO_CLOCK, "inputs"): _clock,
    (FaultCode.EQUAL_TIMES_LATE, "delay"): _template(
        "Write DELAY 0s or more if several events may have the same start."
    ),
    (FaultCode.LATE_NOT_SAID, "late"): _template("Write LATE DROP, LATE ADJUST, LATE SHIFT or LATE KEEP."),
    (FaultCode.LATE_KEEP_REFUSED, "late"): _template(
        "Write LATE DROP, ADJUST or SHIFT, or join with the rows of a window."
    ),
}
"""Remedies by the code of a fault and the last name of its field."""
