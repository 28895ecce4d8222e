"""Nodes that change lifetimes: shift, extend, set_duration."""

from streaming.definition.faults import FaultCode
from streaming.definition.findings import CheckFindings
from streaming.definition.graph import ExtendNode, SetDurationNode, ShiftNode
from streaming.definition.types import LONG, Fields
from streaming.definition.window_checks import LONGEST, check_length
from streaming.temporal.ticks import format_duration, parse_duration


def check_shift(node: ShiftNode, findings: CheckFindings) -> Fields | None:
    """A signed duration that does not lead out of the years 1 to 9999; zero is a warning."""
    return _moved(node, findings, "Nothing is moved")


def check_extend(node: ExtendNode, findings: CheckFindings) -> Fields | None:
    """A signed duration that does not lead out of the years 1 to 9999; zero is a warning."""
    return _moved(node, findings, "No end is moved")


def _moved(node: ShiftNode | ExtendNode, findings: CheckFindings, nothing: str) -> Fields | None:
    by = parse_duration(node.by)
    if abs(by) > LONGEST:
        message = f"To move by {format_duration(by)} leads out of the years 1 to 9999."
        findings.refuse(FaultCode.BAD_DURATION, message, "Write a shorter duration, such as '5m'.", node.id, "by")
    elif by == 0:
        remedy = "Write a duration that is not zero, or remove the node."
        findings.warn(FaultCode.NO_EFFECT, f"{nothing}: 'by' is zero.", remedy, node.id, "by")
    return findings.schemas.get(node.input)


def check_set_duration(node: SetDurationNode, findings: CheckFindings) -> Fields | None:
    """Exactly one of a duration above zero and an expression of type long."""
    fields = findings.schemas.get(node.input)
    if node.duration is None and node.expression is None:
        message = "How long events are to last is not said."
        remedy = "Set 'duration', such as '5m', or 'expression', a long in microseconds."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "duration")
    elif node.duration is not None and node.expression is not None:
        message = "How long events are to last is said twice, by 'duration' and by 'expression'."
        remedy = "Leave one of them out."
        findings.refuse(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node.id, "expression")
    if node.duration is not None:
        findings.faults.extend(check_length(parse_duration(node.duration), "The duration", node.id, "duration"))
    if node.expression is not None:
        of = findings.type_of(node.expression, fields, node.id, "expression")
        if of is not None and of != LONG:
            message = f"A duration is a long, a count of microseconds; this expression is of type {of}."
            remedy = "Write cast(... as long), or compute whole microseconds."
            findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, "expression")
    return fields
