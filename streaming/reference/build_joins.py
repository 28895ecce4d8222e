"""From nodes that read several others to their operators."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.definition.graph import AntiJoinNode, AsofJoinNode, ClipNode, JoinNode, SemiJoinNode, UnionNode
from streaming.reference.anti_join import AntiJoin
from streaming.reference.asof_join import AsofJoin
from streaming.reference.clip import Clip
from streaming.reference.flow import Operator
from streaming.reference.join import Join
from streaming.reference.left_outer import WithoutPartner
from streaming.reference.many_ports import ManyPorts
from streaming.reference.matching import Matching
from streaming.reference.parts import Parts
from streaming.reference.plan import Plan, expression
from streaming.reference.ports import RIGHT, Ports
from streaming.reference.semi_join import SemiJoin
from streaming.reference.union import Union

TwoInputs = JoinNode | AntiJoinNode | SemiJoinNode | AsofJoinNode


def _union(node: UnionNode, plan: Plan) -> Operator:
    return ManyPorts(Ports.of(len(node.inputs)), [Union(list(plan.schemas[node.id]))])


def _join(node: JoinNode, plan: Plan) -> Operator:
    matching = _matching(node, plan)
    if node.type == "inner":
        return ManyPorts(Ports.of(2), [Join(node.id, matching)])
    without_partner = Parts(node.id, matching, WithoutPartner(matching))
    return ManyPorts(Ports.of(2), [Join(node.id, matching, tells=(RIGHT,)), without_partner])


def _anti_join(node: AntiJoinNode, plan: Plan) -> Operator:
    matching = _matching(node, plan)
    return ManyPorts(Ports.of(2), [Parts(node.id, matching, AntiJoin(matching))])


def _semi_join(node: SemiJoinNode, plan: Plan) -> Operator:
    matching = _matching(node, plan)
    return ManyPorts(Ports.of(2), [Parts(node.id, matching, SemiJoin(matching))])


def _asof_join(node: AsofJoinNode, plan: Plan) -> Operator:
    return ManyPorts(Ports.of(2), [AsofJoin(node.id, _matching(node, plan), node.type == "left_outer")])


def _clip(node: ClipNode, plan: Plan) -> Operator:
    del plan
    matching = Matching(node.id, node.input, node.by, node.keys, ())
    return ManyPorts(Ports.of(2), [Parts(node.id, matching, Clip(matching))])


def _matching(node: TwoInputs, plan: Plan) -> Matching:
    """`where` sees the fields of the left, then those of the right that are no keys."""
    left, right = plan.schemas[node.left], plan.schemas[node.right]
    added = {name: of for name, of in right.items() if name not in node.keys}
    where = None if isinstance(node, AsofJoinNode) else node.where
    tree = None if where is None else expression(where, {**left, **added})
    return Matching(node.id, node.left, node.right, node.keys, list(added), tree)


JOINS: Final[Mapping[type[Any], Callable[[Any, Plan], Operator]]] = {
    UnionNode: _union,
    JoinNode: _join,
    AntiJoinNode: _anti_join,
    SemiJoinNode: _semi_join,
    AsofJoinNode: _asof_join,
    ClipNode: _clip,
}
