"""The batch query: the result of a graph for all events at once, by checking every tick or every pair.

No clock, no CTI, no state, and no code of the operators that it judges.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.graph import (
    AntiJoinNode,
    AsofJoinNode,
    ChopNode,
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
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
    sources,
)
from tests.reference.batch.analytic import analytic
from tests.reference.batch.cutting import chop, stitch
from tests.reference.batch.joins import anti_join, asof_join, clip, join, semi_join
from tests.reference.batch.lives import FOREVER, Life, Lives, ticks
from tests.reference.batch.meanings import MEANINGS
from tests.reference.batch.windows import top_k, window


def batch(graph: QueryGraph, inputs: Mapping[str, Lives]) -> dict[str, Sequence[Life]]:
    """Return the lifetimes at each output, from those that each input node admitted."""
    found = every_node(graph, inputs)
    return {node.id: found[node.id].all for node in graph.nodes if isinstance(node, OutputNode)}


def every_node(graph: QueryGraph, inputs: Mapping[str, Lives]) -> dict[str, Lives]:
    """Return the lifetimes that leave each node."""
    found: dict[str, Lives] = {}
    for node in graph.nodes:  # drawn graphs name nodes only after them
        if isinstance(node, InputNode):
            found[node.id] = inputs[node.id]
        else:
            found[node.id] = QUERIES[type(node)](node, *(found[source] for source in sources(node)))
    return found


Rule = Callable[[Any, Life], Life | None]


def each(rule: Rule, *, starts_alone: bool = False, takes_back: bool = True) -> Callable[[Any, Lives], Lives]:
    """Return the query of a rule for one lifetime.

    `starts_alone`: it reads no ends, so a vanished edge counts like others. `takes_back`: a vanishing edge is retracted
    after it; otherwise it never appears there.
    """

    def query(node: Any, lives: Lives) -> Lives:
        living = _applied(rule, node, [*lives.all, *(lives.vanished if starts_alone else ())])
        vanished = _applied(rule, node, lives.vanished) if takes_back and not starts_alone else []
        return Lives([life for life in living if life.end > life.start], lives.horizon, vanished)

    return query


def _applied(rule: Rule, node: Any, lives: Sequence[Life]) -> list[Life]:
    return [found for life in lives if (found := rule(node, life)) is not None]


def _filter(node: FilterNode, life: Life) -> Life | None:
    return life if MEANINGS[node.where](life.payload) is True else None


def _project(node: ProjectNode, life: Life) -> Life:
    return replace(life, payload={column.name: MEANINGS[column.of](life.payload) for column in node.columns})


def _shift(node: ShiftNode, lives: Lives) -> Lives:
    by = ticks(node.by)

    def moved(life: Life) -> Life:
        return replace(life, start=life.start + by, end=later(life.end, by), stamp=life.stamp + by)

    return Lives(list(map(moved, lives.all)), lives.horizon + by, list(map(moved, lives.vanished)))


def _set_duration(node: SetDurationNode, life: Life) -> Life | None:
    length = ticks(node.duration) if node.expression is None else MEANINGS[node.expression](life.payload)
    return None if length is None else replace(life, end=life.start + length, open=False)


def _point_at_end(node: PointAtEndNode | OutputNode, life: Life) -> Life | None:
    return None if life.end == FOREVER else replace(life, start=life.end, end=life.end + 1)


def _unchanged(node: ToIntervalsNode | OrderEdgesNode, life: Life) -> Life:
    return life


def _union(node: UnionNode, *inputs: Lives) -> Lives:
    living = [life for lives in inputs for life in lives.all]
    vanished = [life for lives in inputs for life in lives.vanished]
    return Lives(living, max(lives.horizon for lives in inputs), vanished)


def _extend(node: ExtendNode, lives: Lives) -> Lives:
    """Return the extended lifetimes.

    With a negative `by` open edges wait for their end, so a vanished one never appears.
    """
    by = ticks(node.by)
    return each(_extended, takes_back=by > 0)(node, lives)


def _extended(node: ExtendNode, life: Life) -> Life:
    return replace(life, end=later(life.end, ticks(node.by)))


def _output(node: OutputNode, lives: Lives) -> Lives:
    if node.timestamp == "latest_input":
        return each(_latest_input, starts_alone=True)(node, lives)
    return each(_point_at_end)(node, lives) if node.timestamp == "point_at_end" else lives


def _latest_input(node: OutputNode, life: Life) -> Life:
    at = max(life.stamp, life.start)
    return replace(life, start=at, end=at + 1)


def later(end: int, by: int) -> int:
    """Return `end` moved by `by`; an endless one stays."""
    return end if end == FOREVER else end + by


QUERIES: Final[Mapping[type[Any], Callable[..., Lives]]] = {
    FilterNode: each(_filter),
    ProjectNode: each(_project),
    ShiftNode: _shift,
    SetDurationNode: each(_set_duration, starts_alone=True),
    ExtendNode: _extend,
    ChopNode: chop,
    StitchNode: stitch,
    AnalyticNode: analytic,
    PointAtEndNode: each(_point_at_end, takes_back=False),
    ToIntervalsNode: each(_unchanged, takes_back=False),
    OrderEdgesNode: each(_unchanged),
    OutputNode: _output,
    UnionNode: _union,
    JoinNode: join,
    AntiJoinNode: anti_join,
    SemiJoinNode: semi_join,
    AsofJoinNode: asof_join,
    ClipNode: clip,
    WindowNode: window,
    TopKNode: top_k,
}
