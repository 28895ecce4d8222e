"""`empty: default`: which windows without events give rows, for which groups, and how far apart (T21)."""

from streaming.definition.faults import FaultCode
from streaming.definition.findings import CheckFindings
from streaming.definition.graph import WindowNode
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.types import Fields
from streaming.definition.window_checks import FixedWindow, check_length
from streaming.temporal.ticks import parse_duration


def check_empty(node: WindowNode, groups: Fields | None, findings: CheckFindings) -> None:
    """All faults of `empty`, `empty_gap` and `empty_groups`; `groups` are the fields of `group_by`, if known."""
    if node.empty == "skip":
        _check_skipped(node, findings)
        return
    if not isinstance(node.window, FixedWindow):
        message = f"Windows of kind {node.window.kind} are made by events, so none of them is ever empty."
        remedy = "Leave 'empty' out, or choose tumbling, hopping or time_interval windows."
        findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, "empty")
    if node.empty_gap is None:
        message = "How long a run of empty windows may be is not said."
        remedy = "Set 'empty_gap', such as '1h'; without a bound one wrong time would give rows without end."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "empty_gap")
    else:
        findings.faults.extend(check_length(parse_duration(node.empty_gap), "The gap", node.id, "empty_gap"))
    if node.group_by and not node.empty_groups:
        message = "For which groups empty windows give rows is not said."
        remedy = f"List them in 'empty_groups', each as an object with {', '.join(node.group_by)}."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "empty_groups")
    elif node.empty_groups is not None and not node.group_by:
        message = "Groups are listed, and events are not grouped."
        findings.refuse(FaultCode.BAD_EMPTY, message, "Leave 'empty_groups' out.", node.id, "empty_groups")
    elif groups is not None:
        _check_groups(node, groups, findings)


def _check_skipped(node: WindowNode, findings: CheckFindings) -> None:
    for path, value in (("empty_gap", node.empty_gap), ("empty_groups", node.empty_groups)):
        if value is not None:
            message = f"Empty windows are skipped, so {path!r} has no effect."
            remedy = "Set 'empty: default', or leave it out."
            findings.warn(FaultCode.NO_EFFECT, message, remedy, node.id, path)


def _check_groups(node: WindowNode, groups: Fields, findings: CheckFindings) -> None:
    """Each listed group has exactly the fields of `group_by`, values of their types, and stands once."""
    seen: list[dict[str, object]] = []
    for index, group in enumerate(node.empty_groups or ()):
        path = f"empty_groups[{index}]"
        remedy = f"Write an object with {', '.join(node.group_by)}, and nothing else."
        if set(group) != set(node.group_by):
            shown = ", ".join(group) or "no field"
            message = f"This group has {shown} instead of {', '.join(node.group_by)}."
            findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, path)
            continue
        read = read_payload(group, groups)
        if isinstance(read, BadPayload):
            message = f"This group cannot be one: {read.message}."
            remedy = f"Write a value of type {groups[read.field]}." if read.field in groups else remedy
            findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, f"{path}.{read.field}")
        elif read in seen:
            remedy = "Name each group once."
            findings.refuse(FaultCode.BAD_EMPTY, "This group is listed twice.", remedy, node.id, path)
        else:
            seen.append(read)
