"""Checks of nodes with several inputs (unions, joins, clip): their keys and output fields."""

from collections import Counter
from collections.abc import Iterator

from streaming.definition.checks.findings import CheckFindings
from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode, nearest
from streaming.definition.graph import AntiJoinNode, AsofJoinNode, ClipNode, JoinNode, SemiJoinNode, UnionNode, sources
from streaming.definition.payload.types import Fields, is_ordered

AnyJoin = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


def check_union(node: UnionNode, findings: CheckFindings) -> Fields | None:
    """Check that every input has the names and types of the first, in any order; return the fields of the first."""
    first = findings.schemas.get(node.inputs[0])
    for index, source in enumerate(node.inputs[1:], start=1):
        fields = findings.schemas.get(source)
        if first is None or fields is None or dict(first) == dict(fields):
            continue
        message = (
            f"The fields of {source!r} differ from those of {node.inputs[0]!r}: {'; '.join(_differ(first, fields))}."
        )
        remedy = f"Put a project node before {source!r} that gives it the fields of {node.inputs[0]!r}."
        findings.refuse(FaultCode.FIELDS_DIFFER, message, remedy, node.id, f"inputs[{index}]")
    return first


def _differ(first: Fields, other: Fields) -> Iterator[str]:
    for name in first:
        if name not in other:
            yield f"{name!r} is missing"
        elif first[name] != other[name]:
            yield f"{name!r} is {other[name]} instead of {first[name]}"
    for name in other:
        if name not in first:
            yield f"{name!r} is extra"


def check_pairing(node: JoinNode | AsofJoinNode, findings: CheckFindings) -> Fields | None:
    """Check a join whose rows hold both sides: keys, names that both sides have, the condition."""
    joined = _joined(node, findings)
    if isinstance(node, JoinNode) and node.where is not None:
        findings.condition(node.where, joined, node.id, "where")
    return joined


def check_filtering(node: AntiJoinNode | SemiJoinNode, findings: CheckFindings) -> Fields | None:
    """Check a join whose rows hold the left side only; names must differ only if a condition reads both sides."""
    if node.where is None:
        _check_sides(node, findings)
    else:
        findings.condition(node.where, _joined(node, findings), node.id, "where")
    return findings.schemas.get(node.left)


def check_clip(node: ClipNode, findings: CheckFindings) -> Fields | None:
    """Check that the keys exist on both sides with one type; the fields are those of the clipped events."""
    fields = findings.schemas.get(node.input)
    _check_keys(node, fields, findings.schemas.get(node.by), findings)
    return fields


def joined_fields(left: Fields, right: Fields, keys: list[str]) -> Fields:
    """Return the fields of a pair: all of the left, then those of the right that are not `keys`, with unique names."""
    return {**left, **{name: of for name, of in right.items() if name not in keys}}


def _joined(node: AnyJoin, findings: CheckFindings) -> Fields | None:
    """Return the fields of a pair; None if faults were recorded, or if a side or a key is unknown."""
    left, right = findings.schemas.get(node.left), findings.schemas.get(node.right)
    if not _check_sides(node, findings) or left is None or right is None:
        return None
    both = [name for name in right if name in left and name not in node.keys]
    for name in both:
        message = f"Both sides have a field {name!r} that isn't a key; a pair cannot hold both."
        remedy = f"Rename one of them in a project node before the join, or add {name!r} to the keys."
        findings.refuse(FaultCode.DUPLICATE_NAME, message, remedy, node.id, "right")
    return None if both else joined_fields(left, right, node.keys)


def _check_sides(node: AnyJoin, findings: CheckFindings) -> bool:
    if not node.keys:
        message = "Without keys, every event is compared with all events of the other side, in a single task."
        remedy = "Add the fields that both sides share to 'keys', unless the sides are small."
        findings.warn(FaultCode.JOIN_WITHOUT_KEYS, message, remedy, node.id, "keys")
    return _check_keys(node, findings.schemas.get(node.left), findings.schemas.get(node.right), findings)


def _check_keys(node: AnyJoin | ClipNode, left: Fields | None, right: Fields | None, findings: CheckFindings) -> bool:
    """Check that each key is unique, exists on both sides, and has one comparable type; return whether all do."""
    before = len(findings.faults)
    for name, count in Counter(node.keys).items():
        if count > 1:
            message = f"The key {name!r} is listed {counted(count, 'time')}."
            findings.refuse(FaultCode.DUPLICATE_NAME, message, "List each key once.", node.id, "keys")
    for index, name in enumerate(node.keys):
        if node.keys.index(name) == index:
            _check_key(node, index, left, right, findings)
    return len(findings.faults) == before


def _check_key(
    node: AnyJoin | ClipNode, index: int, left: Fields | None, right: Fields | None, findings: CheckFindings
) -> None:
    name, path = node.keys[index], f"keys[{index}]"
    first, second = sources(node)
    missing = False
    for side, fields in ((first, left), (second, right)):
        if fields is not None and name not in fields:
            missing = True
            message = f"There is no field {name!r} in {side!r}."
            remedy = nearest(name, fields, f"Rename the field to {name!r} in a project node, or choose another key.")
            findings.refuse(FaultCode.UNKNOWN_FIELD, message, remedy, node.id, path)
    if missing or left is None or right is None:
        return
    if left[name] != right[name]:
        message = f"The key {name!r} is {left[name]} in {first!r} and {right[name]} in {second!r}."
        remedy = "Cast one of them in a project node, so that both have the same type."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)
    elif not is_ordered(left[name]):
        message = f"The key {name!r} is of type {left[name]}, which cannot be a key."
        remedy = "Compute a scalar from it in a project node."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)
