"""Window and top_k nodes: their groups, aggregates, when rows appear, empty windows, and the fields that leave them."""

from streaming.definition.aggregate_checks import check_aggregate
from streaming.definition.faults import FaultCode, nearest
from streaming.definition.findings import CheckFindings, sound
from streaming.definition.graph import Aggregate, TopKNode, WindowNode
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.types import Fields, Null, Type, is_ordered
from streaming.definition.window_checks import check_grace, check_length, check_window
from streaming.definition.windows import FixedWindow, TimeIntervalWindow
from streaming.temporal.ticks import parse_duration


def check_windowed(node: WindowNode, findings: CheckFindings) -> Fields | None:
    """Sizes, grace, emission, empty windows, groups, aggregates; the groups and the aggregates leave it."""
    fields = findings.schemas.get(node.input)
    findings.faults.extend(check_window(node))
    _check_node_grace(node, findings)
    if node.retract and node.emit == "final":
        message = "With 'emit: final' no row is ever replaced, so there is none to take back."
        remedy = "Leave 'retract' out, or choose 'emit: on_complete' or 'running'."
        findings.warn(FaultCode.NO_EFFECT, message, remedy, node.id, "retract")
    names = [*node.group_by, *(aggregate.name for aggregate in node.aggregates)]
    findings.names(names, node.id, "aggregates", given=frozenset(node.group_by))
    types = _groups(node, fields, findings)
    _check_empty(node, sound(types), findings)
    for index, aggregate in enumerate(node.aggregates):
        types[aggregate.name] = _aggregate(aggregate, fields, findings, node.id, f"aggregates[{index}]")
    return sound(types)


def _check_node_grace(node: WindowNode, findings: CheckFindings) -> None:
    if node.grace is None:
        return
    findings.faults.extend(check_grace(parse_duration(node.grace), node.id, "grace"))
    if isinstance(node.window, TimeIntervalWindow):
        message = "How long windows stay open is said twice: the 'discard_age' of a time_interval is its grace."
        remedy = "Leave 'grace' out, and say it in 'window.discard_age'."
        findings.refuse(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node.id, "grace")


def check_top_k(node: TopKNode, findings: CheckFindings) -> Fields | None:
    """Sizes, groups, and a `by` whose values have an order; the fields stay as they are."""
    fields = findings.schemas.get(node.input)
    findings.faults.extend(check_window(node))
    findings.names(node.group_by, node.id, "group_by", given=frozenset(node.group_by))
    _groups(node, fields, findings)
    by = findings.type_of(node.by, fields, node.id, "by")
    if by is not None and (isinstance(by, Null) or not is_ordered(by)):
        message = f"Events are ranked by something with an order; this expression is of type {by}."
        remedy = "Rank by a number, a text, a boolean or a timestamp."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, "by")
    return fields


def _groups(node: WindowNode | TopKNode, fields: Fields | None, findings: CheckFindings) -> dict[str, Type | None]:
    """The type of each field in `group_by`, None where it is not known."""
    return {
        name: _group(name, fields, findings, node.id, f"group_by[{index}]") for index, name in enumerate(node.group_by)
    }


def _group(name: str, fields: Fields | None, findings: CheckFindings, node: str, path: str) -> Type | None:
    if fields is None:
        return None
    of = fields.get(name)
    if of is None:
        remedy = nearest(name, fields, f"Group by one of: {', '.join(fields) or 'no field is there'}.")
        findings.refuse(FaultCode.UNKNOWN_FIELD, f"There is no field {name!r} to group by.", remedy, node, path)
    elif not is_ordered(of):
        message = f"The field {name!r} is of type {of}; it cannot be grouped by."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, "Compute a scalar from it in a project node.", node, path)
        return None
    return of


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
    """Which windows without events give rows, for which groups, how far apart (T21); `groups`: fields of `group_by`."""
    if node.empty == "skip":
        _check_skipped_empties(node, findings)
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
        _check_empty_groups(node, groups, findings)


def _check_skipped_empties(node: WindowNode, findings: CheckFindings) -> None:
    for path, value in (("empty_gap", node.empty_gap), ("empty_groups", node.empty_groups)):
        if value is not None:
            message = f"Empty windows are skipped, so {path!r} has no effect."
            remedy = "Set 'empty: default', or leave it out."
            findings.warn(FaultCode.NO_EFFECT, message, remedy, node.id, path)


def _check_empty_groups(node: WindowNode, groups: Fields, findings: CheckFindings) -> None:
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
