"""A plan in several buckets, and cut into two stages where no one key says of all rows which ever meet.

The first stage runs in buckets by its own keys; what leaves the wires that are cut goes through a second exchange to
the buckets of the second, by the keys of that one. There the buckets of the first stage are what lanes of an input are
to the first: the CTI of a cut wire is the smallest over all of them, and one that has not spoken holds it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from streaming.definition.types import Fields
from streaming.planning.keys import Key, NoKeyError, alike, before, branches_of
from streaming.planning.plan import (
    Branch,
    CutPlan,
    InputPlan,
    LifetimeSpec,
    MatchSpec,
    NodePlan,
    NodeSpec,
    QueryPlan,
    SecondStage,
    TopKSpec,
    UnionSpec,
    WindowSpec,
    Wire,
    tells_complete,
)
from streaming.planning.steps import ExtendStep, SetDurationStep
from streaming.temporal.events import Shape
from streaming.temporal.settings import Late

Needs = Mapping[str, Key | None]
"""By branch or node the key that its readers need: () for all rows in one bucket, None where any bucket will do."""


def staged(plan: QueryPlan, buckets: int, stages: int) -> QueryPlan:
    """`plan` in `buckets` buckets and, where its nodes meet by different keys, in two `stages`; else in one bucket.

    Nodes are in the first stage as long as one bucket can have all that they need; all others are in the second, which
    has one bucket if it would need a third stage. What has no key is in the first bucket of its stage. A plan stays as
    it is if it would need more `stages`, if nothing meets by a key, if windows hang on the order of rows and CTIs
    (`ordered`), if a window behind the cut tells of complete panes (`trailing`: what comes behind the last CTI is not
    known there), or if a row could come to the cut whose outcome is still open (T12): one stage alone decides it.
    """
    if buckets == 1:
        return plan
    first, needs = _first_stage(plan.nodes)
    cut = _Cut.before([node for node in plan.nodes if node not in first])
    if _one_place_decides(plan, first, cut):
        return replace(plan, one_bucket="one_place")
    try:
        further = _needs_of(cut.nodes)
    except NoKeyError:
        further = {}
    if (cut.nodes and stages == 1) or not (any(further.values()) or any(needs.values())):
        return replace(plan, one_bucket="no_key")
    inputs = _inputs(plan, needs, further)
    if inputs is None:
        return replace(plan, one_bucket="one_place")
    spread = replace(plan, inputs=inputs, nodes=tuple(first), buckets=buckets, one_bucket=None)
    if not cut.nodes:
        return spread
    return replace(spread, second=cut.stage(spread, further, buckets if any(further.values()) else 1))


@dataclass(frozen=True)
class _Cut:
    """The `nodes` of the second stage, and by source the wires that they read through the exchange, by new names."""

    nodes: tuple[NodePlan, ...]
    wires: Mapping[str, tuple[tuple[str, Wire], ...]]

    @classmethod
    def before(cls, behind: Sequence[NodePlan]) -> "_Cut":
        """The cut through all wires to the nodes `behind` from others."""
        inside = {node.id for node in behind}
        wires: dict[str, tuple[tuple[str, Wire], ...]] = {}
        nodes = []
        for node in behind:
            ports = list(node.ports)
            for number, wire in enumerate(node.ports):
                if wire.source not in inside:
                    name = f"{node.id}#{number}"
                    wires[wire.source] = (*wires.get(wire.source, ()), (name, wire))
                    ports[number] = Wire(name, (), wire.fields)
            nodes.append(NodePlan(node.spec, tuple(ports)))
        return cls(tuple(nodes), wires)

    def stage(self, first: QueryPlan, needs: Needs, buckets: int) -> SecondStage:
        """The second stage behind `first`, in `buckets` buckets by what its nodes need."""
        fields: dict[str, Fields] = {node.id: node.spec.fields for node in first.nodes}
        fields |= {branch.id: branch.fields for branch in branches_of(first)}
        lanes = tuple(map(str, range(first.buckets)))
        inputs = {
            source: CutPlan(
                source,
                lanes,
                tuple(
                    Branch(name, wire.steps, fields[source], wire.fields, keys=needs.get(name) or ())
                    for name, wire in wires
                ),
            )
            for source, wires in self.wires.items()
        }
        return SecondStage(inputs, self.nodes, buckets)


def _first_stage(nodes: Sequence[NodePlan]) -> tuple[list[NodePlan], Needs]:
    """The nodes of the first stage, and what their readers in it need."""
    first: list[NodePlan] = []
    needs: Needs = {}
    behind: set[str] = set()
    for node in nodes:
        try:
            if any(wire.source in behind for wire in node.ports):
                raise NoKeyError
            needs = _needs_of([*first, node])
            first.append(node)
        except NoKeyError:
            behind.add(node.id)
    return first, needs


def _needs_of(nodes: Sequence[NodePlan]) -> Needs:
    """What the readers among `nodes` need of each other and of what they hear. Raises `NoKeyError`."""
    needs: dict[str, Key | None] = {}
    for node in reversed(nodes):
        own = _need(node.spec, needs.get(node.id))
        for wire in node.ports:
            key = None if own is None else before(own, wire.steps)
            known = needs.setdefault(wire.source, key)
            if known is None:
                needs[wire.source] = key
            elif key not in (None, known):
                raise NoKeyError
    return needs


def _need(spec: NodeSpec, behind: Key | None) -> Key | None:
    """What a node needs of its ports, where its readers need `behind` of it. Raises `NoKeyError`."""
    match spec:
        case WindowSpec() | TopKSpec():
            own: Key = spec.group_by
        case MatchSpec():
            own = spec.keys
        case _:
            return behind
    if behind is None:
        return own
    if bool(own) != bool(behind) or not set(behind) <= set(own):
        raise NoKeyError
    return behind


def _inputs(plan: QueryPlan, needs: Needs, further: Needs) -> Mapping[str, InputPlan] | None:
    """The inputs with the keys of their branches; None where the ways of a row that is watched need different ones.

    A branch that no node of the first stage reads is spread as the second one wants it.
    """
    found = {branch.id: needs.get(branch.id, further.get(branch.id)) for branch in branches_of(plan)}
    try:
        for each in plan.inputs.values():
            if _watches(plan, each):
                found.update(alike(each.branches, found))
    except NoKeyError:
        return None
    return {
        name: replace(each, branches=tuple(replace(one, keys=found[one.id] or ()) for one in each.branches))
        for name, each in plan.inputs.items()
    }


def _one_place_decides(plan: QueryPlan, first: Iterable[NodePlan], cut: _Cut) -> bool:
    """Whether what windows take of late or long rows hangs on more than one bucket, or one of two stages, can know."""
    trailing = plan.trailing and any(tells_complete(node) for node in cut.nodes)
    return plan.ordered or trailing or _open_at_the_cut(plan, first, cut)


def _open_at_the_cut(plan: QueryPlan, first: Iterable[NodePlan], cut: _Cut) -> bool:
    """Whether a received row may come to a cut wire before a node has taken or refused it."""
    reached = {branch.id for each in plan.inputs.values() if _watches(plan, each) for branch in each.branches}
    for node in first:
        passes = isinstance(node.spec, UnionSpec | LifetimeSpec)
        if passes and any(wire.source in reached for wire in node.ports):
            reached.add(node.id)
    return not reached.isdisjoint(cut.wires)


def _watches(plan: QueryPlan, each: InputPlan) -> bool:
    """Whether some row of the input can be refused by a window: late_kept, or in too many windows."""
    if plan.watched and each.advance.late is Late.KEEP:
        return True
    if each.shape is not Shape.POINT:
        return each.watch_longer is not None or any(branch.window is not None for branch in each.branches)
    lengthened = (isinstance(step, SetDurationStep | ExtendStep) for branch in each.branches for step in branch.steps)
    return any(lengthened) or (each.watch_longer is not None and each.watch_longer < 1)
