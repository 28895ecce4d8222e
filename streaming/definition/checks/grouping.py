"""Checks of window and top_k nodes: groups, aggregates, emission, empty windows and output fields."""

from streaming.definition.checks.aggregates import check_aggregate
from streaming.definition.checks.findings import CheckFindings, sound
from streaming.definition.checks.window_sizes import check_grace, check_length, check_window
from streaming.definition.faults import FaultCode
from streaming.definition.graph import Aggregate, TopKNode, WindowNode
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.types import Fields, Null, Type, is_ordered
from streaming.definition.windows import FixedWindow, TimeIntervalWindow
from streaming.temporal.ticks import parse_duration


def check_windowed(node: WindowNode, findings: CheckFindings) -> Fields | None:
    """Check a window node; its output fields are the groups and the aggregates."""
    fields = findings.schemas.get(node.input)
    findings.faults.extend(check_window(node))
    _check_node_grace(node, findings)
    if node.retract and node.emit == "final":
        message = "With 'emit: final' no row is ever replaced, so 'retract' has no effect."
        remedy = "Leave 'retract' out, or choose 'emit: on_complete' or 'running'."
        findings.warn(FaultCode.NO_EFFECT, message, remedy, node.id, "retract")
    names = [*node.group_by, *(aggregate.name for aggregate in node.aggregates)]
    findings.names(names, node.id, "aggregates", existing=frozenset(node.group_by))
    types = findings.groups(node.id, node.group_by, fields)
    _check_empty(node, sound(types), findings)
    for index, aggregate in enumerate(node.aggregates):
        types[aggregate.name] = _aggregate(aggregate, fields, findings, node.id, f"aggregates[{index}]")
    return sound(types)


def _check_node_grace(node: WindowNode, findings: CheckFindings) -> None:
    if node.grace is None:
        return
    findings.faults.extend(check_grace(parse_duration(node.grace), node.id, "grace"))
    if isinstance(node.window, TimeIntervalWindow):
        message = "A time_interval window has its grace in 'discard_age', so 'grace' cannot be set as well."
        remedy = "Leave 'grace' out, and set 'window.discard_age'."
        findings.refuse(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node.id, "grace")


def check_top_k(node: TopKNode, findings: CheckFindings) -> Fields | None:
    """Check a top_k node: sizes, groups, and a `by` whose values have an order; it does not change the fields."""
    fields = findings.schemas.get(node.input)
    findings.faults.extend(check_window(node))
    findings.names(node.group_by, node.id, "group_by", existing=frozenset(node.group_by))
    findings.groups(node.id, node.group_by, fields)
    by = findings.type_of(node.by, fields, node.id, "by")
    if by is not None and (isinstance(by, Null) or not is_ordered(by)):
        message = f"'by' needs values that can be ordered; this expression is of type {by}."
        remedy = "Rank by a number, a text, a boolean or a timestamp."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, "by")
    return fields


def _aggregate(
    aggregate: Aggregate, fields: Fields | None, findings: CheckFindings, node: str, path: str
) -> Type | None:
    if aggregate.filter is not None:
        findings.condition(aggregate.filter, fields, node, f"{path}.filter")
    of = None if aggregate.of is None else findings.type_of(aggregate.of, fields, node, f"{path}.of")
    result, faults = check_aggregate(aggregate, of, path, node)
    findings.faults.extend(faults)
    return result


def _check_empty(node: WindowNode, groups: Fields | None, findings: CheckFindings) -> None:
    """Check the settings of rows for windows without events (T21); `groups` are the fields of `group_by`."""
    if node.empty == "skip":
        _check_skipped_empties(node, findings)
        return
    if not isinstance(node.window, FixedWindow):
        message = f"Events create the windows of kind {node.window.kind}, so none of them is ever empty."
        remedy = "Leave 'empty' out, or choose tumbling, hopping, time_interval or calendar windows."
        findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, "empty")
    if node.empty_gap is None:
        message = "'empty: default' needs 'empty_gap', the longest run of empty windows."
        remedy = "Set 'empty_gap', such as '1h'; without it, one wrong time would produce an endless number of rows."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "empty_gap")
    else:
        findings.faults.extend(check_length(parse_duration(node.empty_gap), "The gap", node.id, "empty_gap"))
    if node.group_by and not node.empty_groups:
        message = "'empty: default' with 'group_by' needs 'empty_groups', the groups that get rows for empty windows."
        remedy = f"List them in 'empty_groups', each as an object with {', '.join(node.group_by)}."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node.id, "empty_groups")
    elif node.empty_groups is not None and not node.group_by:
        message = "'empty_groups' is set, but the node has no 'group_by'."
        findings.refuse(FaultCode.BAD_EMPTY, message, "Leave 'empty_groups' out.", node.id, "empty_groups")
    elif groups is not None:
        _check_empty_groups(node, groups, findings)


def _check_skipped_empties(node: WindowNode, findings: CheckFindings) -> None:
    for path, value in (("empty_gap", node.empty_gap), ("empty_groups", node.empty_groups)):
        if value is not None:
            message = f"Empty windows are skipped, so {path!r} has no effect."
            remedy = "Set 'empty: default', or leave it out."
            findings.warn(FaultCode.NO_EFFECT, message, remedy, node.id, path)


def _check_empty_groups(node: WindowNode, groups: Fields, findings: CheckFindings) -> None:
    """Check that each listed group has exactly the fields of `group_by`, with values of their types, and is unique."""
    seen: list[dict[str, object]] = []
    for index, group in enumerate(node.empty_groups or ()):
        path = f"empty_groups[{index}]"
        remedy = f"Write an object with {', '.join(node.group_by)}, and nothing else."
        if set(group) != set(node.group_by):
            names = ", ".join(group) or "no field"
            message = f"This group has {names} instead of {', '.join(node.group_by)}."
            findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, path)
            continue
        read = read_payload(group, groups)
        if isinstance(read, BadPayload):
            message = f"This group is not valid: {read.message}."
            remedy = f"Write a value of type {groups[read.field]}." if read.field in groups else remedy
            findings.refuse(FaultCode.BAD_EMPTY, message, remedy, node.id, f"{path}.{read.field}")
        elif read in seen:
            remedy = "List each group once."
            findings.refuse(FaultCode.BAD_EMPTY, "This group is listed twice.", remedy, node.id, path)
        else:
            seen.append(read)
