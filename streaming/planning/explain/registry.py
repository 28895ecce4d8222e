"""The registry of explanations: one entry for each kind of node. A test checks that none is missing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
    SemiJoinNode,
    SetDurationNode,
    ShiftNode,
    StitchNode,
    ToIntervalsNode,
    TopKNode,
    UnionNode,
    WindowNode,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.planning.explain import descriptions, hold_bounds, lifetimes, states, window_states
from streaming.planning.explain.explain_facts import Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound
from streaming.planning.explain.lifetimes import Before, Streams
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.rows import analytic, sequences


@dataclass(frozen=True)
class ExplainedKind:
    """A kind of node: what it `does`, the lifetime of its events (`life`), the delay of CTIs (`hold`) and its state."""

    does: Callable[[Any, Facts], str]
    life: Callable[[Any, Before, Streams], LifetimeBound]
    hold: Callable[[Any, Facts], HoldBound]
    state: Callable[[Any, Facts], Iterable[ExplainedState]]


KINDS: Final[Mapping[type[Any], ExplainedKind]] = {
    InputNode: ExplainedKind(descriptions.of_input, lifetimes.of_input, hold_bounds.of_input, states.of_input),
    FilterNode: ExplainedKind(descriptions.of_filter, lifetimes.unchanged, hold_bounds.nothing, states.nothing),
    ProjectNode: ExplainedKind(descriptions.of_project, lifetimes.unchanged, hold_bounds.nothing, states.nothing),
    ShiftNode: ExplainedKind(descriptions.of_shift, lifetimes.unchanged, hold_bounds.of_shift, states.nothing),
    SetDurationNode: ExplainedKind(
        descriptions.of_set_duration, lifetimes.of_set_duration, hold_bounds.nothing, states.nothing
    ),
    ExtendNode: ExplainedKind(descriptions.of_extend, lifetimes.of_extend, hold_bounds.of_extend, states.of_extend),
    ClipNode: ExplainedKind(descriptions.of_clip, lifetimes.closed, hold_bounds.of_pieces, states.of_clip),
    PointAtEndNode: ExplainedKind(
        descriptions.of_point_at_end, lifetimes.of_point_at_end, hold_bounds.nothing, states.of_edges
    ),
    ToIntervalsNode: ExplainedKind(
        descriptions.of_to_intervals, lifetimes.closed, hold_bounds.of_to_intervals, states.of_edges
    ),
    OrderEdgesNode: ExplainedKind(
        descriptions.of_order_edges, lifetimes.unchanged, hold_bounds.nothing, states.of_order_edges
    ),
    ChopNode: ExplainedKind(descriptions.of_chop, lifetimes.of_chop, hold_bounds.nothing, states.of_edges),
    StitchNode: ExplainedKind(descriptions.of_stitch, lifetimes.of_stitch, hold_bounds.of_stitch, states.of_stitch),
    UnionNode: ExplainedKind(descriptions.of_union, lifetimes.longest, hold_bounds.of_all, states.of_union),
    JoinNode: ExplainedKind(descriptions.of_join, lifetimes.of_join, hold_bounds.of_pieces, states.of_pairs),
    AntiJoinNode: ExplainedKind(descriptions.of_anti_join, lifetimes.closed, hold_bounds.of_pieces, states.of_pairs),
    SemiJoinNode: ExplainedKind(descriptions.of_semi_join, lifetimes.closed, hold_bounds.of_pieces, states.of_pairs),
    AsofJoinNode: ExplainedKind(descriptions.of_asof_join, lifetimes.unchanged, hold_bounds.of_all, states.of_asof),
    WindowNode: ExplainedKind(
        descriptions.of_window, lifetimes.of_window, hold_bounds.of_window, window_states.of_window
    ),
    TopKNode: ExplainedKind(descriptions.of_top_k, lifetimes.of_window, hold_bounds.of_window, window_states.of_window),
    MatchRecognizeNode: ExplainedKind(sequences.of_sequence, sequences.life, sequences.hold, sequences.state),
    AnalyticNode: ExplainedKind(
        analytic.of_analytic, lifetimes.unchanged, analytic.hold_of_analytic, analytic.state_of_analytic
    ),
    OutputNode: ExplainedKind(descriptions.of_output, lifetimes.of_output, hold_bounds.nothing, states.of_output),
}
"""The explanation for each type of node."""


def kind_of(node: object) -> ExplainedKind:
    """Return the entry of `node`."""
    return KINDS[type(node)]
