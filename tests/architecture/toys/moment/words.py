"""Every start separately."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.graph import Windowed
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.explain_facts import POINT, Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import WindowKind, needed_events, per_group, plus
from streaming.temporal.ticks import Ticks


def _moment_life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del node, before
    return POINT


def _moment_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del node, life
    return HoldBound(moved_by("c", Ticks(-grace)), grace, grace)


def _moment_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    starts = plus("start", facts.grace(node))
    yield ExplainedState(
        what=needed_events(node),
        per=f"{per_group(node)}start",
        until=f"{starts} < c",
        formula=f"events with {starts} >= c",
        bounded_by="cti",
    )


_MOMENT: Final = WindowKind(
    lambda _: "moment",
    _moment_life,
    CtiRule("c minus the grace", "What starts before that is in windows that are closed."),
    _moment_hold,
    _moment_state,
)
