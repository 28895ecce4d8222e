"""The registry: every kind of node, one entry each. A test says that none is missing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.planning.explain import doings, holds, lifetimes, states, window_states
from streaming.planning.explain.facts import Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.lifetimes import Before, Streams
from streaming.planning.explain.model import ExplainedState


@dataclass(frozen=True)
class ExplainedKind:
    """A kind of node: what it `does`, how long its events live (`life`), what it holds back and what it keeps."""

    does: Callable[[Any, Facts], str]
    life: Callable[[Any, Before, Streams], LifetimeBound]
    hold: Callable[[Any, Facts], HoldBound]
    state: Callable[[Any, Facts], Iterable[ExplainedState]]


KINDS: Final[Mapping[type[Any], ExplainedKind]] = {
    InputNode: ExplainedKind(doings.of_input, lifetimes.of_input, holds.of_input, states.of_input),
    FilterNode: ExplainedKind(doings.of_filter, lifetimes.kept, holds.nothing, states.nothing),
    ProjectNode: ExplainedKind(doings.of_project, lifetimes.kept, holds.nothing, states.nothing),
    ShiftNode: ExplainedKind(doings.of_shift, lifetimes.kept, holds.of_shift, states.nothing),
    SetDurationNode: ExplainedKind(doings.of_set_duration, lifetimes.of_set_duration, holds.nothing, states.nothing),
    ExtendNode: ExplainedKind(doings.of_extend, lifetimes.of_extend, holds.of_extend, states.of_extend),
    ClipNode: ExplainedKind(doings.of_clip, lifetimes.closed, holds.of_pieces, states.of_clip),
    PointAtEndNode: ExplainedKind(doings.of_point_at_end, lifetimes.of_point_at_end, holds.nothing, states.of_edges),
    ToIntervalsNode: ExplainedKind(doings.of_to_intervals, lifetimes.closed, holds.of_to_intervals, states.of_edges),
    OrderEdgesNode: ExplainedKind(doings.of_order_edges, lifetimes.kept, holds.nothing, states.of_order_edges),
    UnionNode: ExplainedKind(doings.of_union, lifetimes.longest, holds.of_all, states.of_union),
    JoinNode: ExplainedKind(doings.of_join, lifetimes.of_join, holds.of_pieces, states.of_pairs),
    AntiJoinNode: ExplainedKind(doings.of_anti_join, lifetimes.closed, holds.of_pieces, states.of_pairs),
    SemiJoinNode: ExplainedKind(doings.of_semi_join, lifetimes.closed, holds.of_pieces, states.of_pairs),
    AsofJoinNode: ExplainedKind(doings.of_asof_join, lifetimes.kept, holds.of_all, states.of_asof),
    WindowNode: ExplainedKind(doings.of_window, lifetimes.of_window, holds.of_window, window_states.of_window),
    TopKNode: ExplainedKind(doings.of_top_k, lifetimes.of_window, holds.of_window, window_states.of_window),
    OutputNode: ExplainedKind(doings.of_output, lifetimes.of_output, holds.nothing, states.of_output),
}
"""From the type of a node to its explanation."""


def kind_of(node: object) -> ExplainedKind:
    """The entry of `node`."""
    return KINDS[type(node)]
