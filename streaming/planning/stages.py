"""Division of a plan into buckets, and into two stages if no single key covers all rows that meet.

The first stage runs in buckets by its own keys. Rows on the cut wires go through a second exchange to the buckets of
the second stage, by that stage's keys. The buckets of the first stage then act like lanes of an input: the CTI of a cut
wire is the smallest of all of them, and a bucket without a CTI delays it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from streaming.definition.payload.types import Fields, is_ordered
from streaming.planning.keys import Key, NoKeyError, alike, before, branches_of
from streaming.planning.plan import (
    AnalyticSpec,
    Branch,
    ChopSpec,
    CutPlan,
    InputPlan,
    LifetimeSpec,
    MatchSpec,
    NodePlan,
    NodeSpec,
    QueryPlan,
    SecondStage,
    StitchSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
    Wire,
    tells_complete,
)
from streaming.planning.sequences import SequenceSpec
from streaming.planning.steps import ExtendStep, SetDurationStep
from streaming.temporal.events import Shape
from streaming.temporal.settings import Late

Needs = Mapping[str, Key | None]
"""The key that the readers of each branch or node need: () for all rows in one bucket, None for any bucket."""


def staged(plan: QueryPlan, buckets: int, stages: int) -> QueryPlan:
    """Return `plan` in `buckets` buckets and, if rows meet by different keys, in two `stages`; else in one bucket.

    A node is in the first stage if one bucket can contain all rows that it needs; all others are in the second stage,
    which has one bucket if it would need a third stage. Rows without a key are in the first bucket of their stage. A
    plan stays unchanged if it needs more `stages`, if no rows meet by a key, or if the order of rows and CTIs affects
    windows (`ordered`). It also stays unchanged if a window after the cut emits complete panes (`trailing`: rows after
    the last CTI cannot be recognised there), or if a row whose outcome is still open could reach the cut (T12), because
    a single stage must decide it.
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
    """The `nodes` of the second stage, and the wires that they read through the exchange, by source and new name."""

    nodes: tuple[NodePlan, ...]
    wires: Mapping[str, tuple[tuple[str, Wire], ...]]

    @classmethod
    def before(cls, second: Sequence[NodePlan]) -> "_Cut":
        """Return the cut through all wires from other nodes to the nodes `second`."""
        inside = {node.id for node in second}
        wires: dict[str, tuple[tuple[str, Wire], ...]] = {}
        nodes = []
        for node in second:
            ports = list(node.ports)
            for number, wire in enumerate(node.ports):
                if wire.source not in inside:
                    name = f"{node.id}#{number}"
                    wires[wire.source] = (*wires.get(wire.source, ()), (name, wire))
                    ports[number] = Wire(name, (), wire.fields)
            nodes.append(NodePlan(node.spec, tuple(ports)))
        return cls(tuple(nodes), wires)

    def stage(self, first: QueryPlan, needs: Needs, buckets: int) -> SecondStage:
        """Return the second stage after `first`, in `buckets` buckets by the keys that its nodes need."""
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
    """Return the nodes of the first stage, and the keys that their readers in it need."""
    first: list[NodePlan] = []
    needs: Needs = {}
    second: set[str] = set()
    for node in nodes:
        try:
            if any(wire.source in second for wire in node.ports):
                raise NoKeyError
            needs = _needs_of([*first, node])
            first.append(node)
        except NoKeyError:
            second.add(node.id)
    return first, needs


def _needs_of(nodes: Sequence[NodePlan]) -> Needs:
    """Return the keys that readers among `nodes` need from each other and from their inputs. Raises `NoKeyError`."""
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


def _need(spec: NodeSpec, of_readers: Key | None) -> Key | None:
    """Return the key that a node needs from its ports if its readers need `of_readers`. Raises `NoKeyError`."""
    match spec:
        case WindowSpec() | TopKSpec() | SequenceSpec() | AnalyticSpec():
            own: Key = spec.group_by
        case MatchSpec():
            own = spec.keys
        case StitchSpec():
            own = tuple(name for name, of in spec.fields.items() if is_ordered(of))
        case _:
            return of_readers
    if of_readers is None:
        return own
    if bool(own) != bool(of_readers) or not set(of_readers) <= set(own):
        raise NoKeyError
    return of_readers


def _inputs(plan: QueryPlan, needs: Needs, further: Needs) -> Mapping[str, InputPlan] | None:
    """Return the inputs with the keys of their branches; None if the paths of a watched row need different keys.

    A branch that no node of the first stage reads is distributed by the key that the second stage needs.
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
    """Return whether a single task must decide which late or long rows windows accept.

    The versions of one row of a table have several keys, so their paths may end in several buckets (T48).
    """
    if any(each.shape is Shape.TABLE and each.watch_longer is not None for each in plan.inputs.values()):
        return True
    trailing = plan.trailing and any(tells_complete(node) for node in cut.nodes)
    return plan.ordered or trailing or _open_at_the_cut(plan, first, cut)


def _open_at_the_cut(plan: QueryPlan, first: Iterable[NodePlan], cut: _Cut) -> bool:
    """Return whether a received row may reach a cut wire before a node has accepted or refused it."""
    reached = {branch.id for each in plan.inputs.values() if _watches(plan, each) for branch in each.branches}
    for node in first:
        passes = isinstance(node.spec, UnionSpec | LifetimeSpec | ChopSpec)
        if passes and any(wire.source in reached for wire in node.ports):
            reached.add(node.id)
    return not reached.isdisjoint(cut.wires)


def _watches(plan: QueryPlan, each: InputPlan) -> bool:
    """Return whether a window can refuse some row of the input: late_kept, or in too many windows."""
    if plan.watched and each.advance.late is Late.KEEP:
        return True
    if each.shape is not Shape.POINT:
        return each.watch_longer is not None or any(branch.window is not None for branch in each.branches)
    lengthened = (isinstance(step, SetDurationStep | ExtendStep) for branch in each.branches for step in branch.steps)
    return any(lengthened) or (each.watch_longer is not None and each.watch_longer < 1)
