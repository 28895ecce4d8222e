"""Checks of nodes that change lifetimes: shift, extend, set_duration, chop."""

from streaming.definition.checks.findings import CheckFindings
from streaming.definition.checks.window_sizes import LONGEST, check_length
from streaming.definition.faults import FaultCode
from streaming.definition.graph import ChopNode, ExtendNode, SetDurationNode, ShiftNode
from streaming.definition.payload.types import LONG, Fields
from streaming.temporal.ticks import format_duration, parse_duration


def check_shift(node: ShiftNode, findings: CheckFindings) -> Fields | None:
    """Check `by`: a signed duration that stays within the years 1 to 9999; zero is a warning."""
    return _check_move(node, findings, "This node moves nothing")


def check_extend(node: ExtendNode, findings: CheckFindings) -> Fields | None:
    """Check `by`: a signed duration that stays within the years 1 to 9999; zero is a warning."""
    return _check_move(node, findings, "This node moves no end")


def _check_move(node: ShiftNode | ExtendNode, findings: CheckFindings, nothing: str) -> Fields | None:
    by = parse_duration(node.by)
    if abs(by) > LONGEST:
        message = f"A move by {format_duration(by)} leaves the years 1 to 9999."
        findings.refuse(FaultCode.BAD_DURATION, message, "Write a shorter duration, such as '5m'.", node.id, "by")
    elif by == 0:
        remedy = "Write a duration that is not zero, or remove the node."
        findings.warn(FaultCode.NO_EFFECT, f"{nothing}: 'by' is zero.", remedy, node.id, "by")
    return findings.schemas.get(node.input)


def check_set_duration(node: SetDurationNode, findings: CheckFindings) -> Fields | None:
    """Check that either a duration above zero or an expression of type long is set."""
    fields = findings.schemas.get(node.input)
    if node.duration is None and node.expression is None:
        message = "The new duration of events is missing."
        remedy = "Set 'duration', such as '5m', or 'expression', a long in microseconds."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "duration")
    elif node.duration is not None and node.expression is not None:
        message = "'duration' and 'expression' are both set."
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


def check_chop(node: ChopNode, findings: CheckFindings) -> Fields | None:
    """Check the period, which is above zero, and the offset, which is no longer than the years 1 to 9999."""
    findings.faults.extend(check_length(parse_duration(node.period), "The period", node.id, "period"))
    offset = parse_duration(node.offset)
    if abs(offset) > LONGEST:
        message = f"The offset is {format_duration(offset)}, which is too long."
        remedy = "Write an offset between zero and the period; longer ones define the same cuts."
        findings.refuse(FaultCode.BAD_DURATION, message, remedy, node.id, "offset")
    return findings.schemas.get(node.input)
