"""Faults of the keys by which two inputs of a node are matched."""

from collections import Counter

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode, nearest
from streaming.definition.findings import CheckFindings
from streaming.definition.graph import AntiJoinNode, AsofJoinNode, ClipNode, JoinNode, SemiJoinNode, sources
from streaming.definition.types import Fields, is_ordered

AnyJoin = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


def check_keys(node: AnyJoin | ClipNode, left: Fields | None, right: Fields | None, findings: CheckFindings) -> bool:
    """Each key stands once, exists on both sides, and is of one type there that can be compared; whether all do."""
    before = len(findings.faults)
    for name, count in Counter(node.keys).items():
        if count > 1:
            message = f"The key {name!r} is named {counted(count, 'time')}."
            findings.refuse(FaultCode.DUPLICATE_NAME, message, "Name each key once.", node.id, "keys")
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
        remedy = "Cast one of them in a project node, so that both have one type."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)
    elif not is_ordered(left[name]):
        message = f"The key {name!r} is of type {left[name]}, which cannot be a key."
        remedy = "Compute a scalar from it in a project node."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)
