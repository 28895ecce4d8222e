"""The batch query: what a graph says of all events at once, by looking at every tick or every pair.

No clock, no CTI, no state, and nothing of the operators that it judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ClipNode,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    QueryGraph,
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from tests.reference.batch_joins import anti_join, asof_join, clip, join, semi_join
from tests.reference.batch_windows import top_k, window
from tests.reference.lives import FOREVER, Life, Lives
from tests.reference.meanings import MEANINGS


def batch(graph: QueryGraph, inputs: Mapping[str, Lives]) -> dict[str, Sequence[Life]]:
    """The lifetimes at each output, from those that each input node let through."""
    found = every_node(graph, inputs)
    return {node.id: found[node.id].all for node in graph.nodes if isinstance(node, OutputNode)}


def every_node(graph: QueryGraph, inputs: Mapping[str, Lives]) -> dict[str, Lives]:
    """The lifetimes that leave each node."""
    found: dict[str, Lives] = {}
    for node in graph.nodes:  # drawn graphs name nodes only after them
        if isinstance(node, InputNode):
            found[node.id] = inputs[node.id]
        else:
            found[node.id] = QUERIES[type(node)](node, *(found[source] for source in sources(node)))
    return found


def each(rule: Callable[[Any, Life], Life | None]) -> Callable[[Any, Lives], Lives]:
    """The query of a rule for one lifetime."""

    def query(node: Any, lives: Lives) -> Lives:
        kept = (rule(node, life) for life in lives.all)
        return lives.of([life for life in kept if life is not None and life.end > life.start])

    return query


def _filter(node: FilterNode, life: Life) -> Life | None:
    return life if MEANINGS[node.where](life.payload) is True else None


def _project(node: ProjectNode, life: Life) -> Life:
    return replace(life, payload={column.name: MEANINGS[column.of](life.payload) for column in node.columns})


def _shift(node: ShiftNode, lives: Lives) -> Lives:
    by = ticks(node.by)
    moved = [replace(life, start=life.start + by, end=later(life.end, by), stamp=life.stamp + by) for life in lives.all]
    return Lives(moved, lives.horizon + by)


def _set_duration(node: SetDurationNode, life: Life) -> Life | None:
    length = ticks(node.duration) if node.expression is None else MEANINGS[node.expression](life.payload)
    return None if length is None else replace(life, end=life.start + length, open=False)


def _extend(node: ExtendNode, life: Life) -> Life:
    return replace(life, end=later(life.end, ticks(node.by)), open=life.open and ticks(node.by) > 0)


def _point_at_end(node: PointAtEndNode, life: Life) -> Life | None:
    return None if life.end == FOREVER else replace(life, start=life.end, end=life.end + 1)


def _to_intervals(node: ToIntervalsNode, life: Life) -> Life:
    return replace(life, open=False)


def _order_edges(node: OrderEdgesNode, life: Life) -> Life:
    return life


def _union(node: UnionNode, *inputs: Lives) -> Lives:
    return Lives([life for lives in inputs for life in lives.all], max(lives.horizon for lives in inputs))


def _output(node: OutputNode, life: Life) -> Life | None:
    if node.timestamp == "latest_input":
        at = max(life.stamp, life.start)
        return replace(life, start=at, end=at + 1)
    if node.timestamp == "point_at_end":
        return None if life.end == FOREVER else replace(life, start=life.end, end=life.end + 1)
    return life


def ticks(duration: int | str | None) -> int:
    """A drawn duration, which is a count of ticks."""
    assert isinstance(duration, int)
    return duration


def later(end: int, by: int) -> int:
    """`end` moved by `by`; what never ends stays."""
    return end if end == FOREVER else end + by


QUERIES: Final[Mapping[type[Any], Callable[..., Lives]]] = {
    FilterNode: each(_filter),
    ProjectNode: each(_project),
    ShiftNode: _shift,
    SetDurationNode: each(_set_duration),
    ExtendNode: each(_extend),
    PointAtEndNode: each(_point_at_end),
    ToIntervalsNode: each(_to_intervals),
    OrderEdgesNode: each(_order_edges),
    OutputNode: each(_output),
    UnionNode: _union,
    JoinNode: join,
    AntiJoinNode: anti_join,
    SemiJoinNode: semi_join,
    AsofJoinNode: asof_join,
    ClipNode: clip,
    WindowNode: window,
    TopKNode: top_k,
}
