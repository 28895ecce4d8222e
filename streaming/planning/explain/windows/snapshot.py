"""Snapshots, between neighbouring starts and ends."""

from collections.abc import Iterator
from typing import Final

from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.facts import Facts, LifetimeBound
from streaming.planning.explain.held import OPEN_EDGES, HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import Windowed, WindowKind, per_group, plus
from streaming.planning.explain.words import code
from streaming.temporal.ticks import Ticks


def _life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del node
    return LifetimeBound(before.longest)


def _hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the unfinished snapshot)"
    if life.longest is None or life.edges:
        whose = OPEN_EDGES if life.edges else f"an event of {code(node.input)} may live for any length of time"
        return HoldBound.unbounded(
            formula, f"{whose}, and a snapshot lasts for as long as nothing begins or ends", grace
        )
    return HoldBound(formula, grace, Ticks(grace + life.longest - 1))


def _state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    yield ExplainedState(
        what="events that are alive",
        per=f"{per_group(node)}event",
        until=f"{plus('end', facts.grace(node))} <= c",
        formula=f"events with {plus('end', facts.grace(node))} > c",
        bounded_by="cti",
    )


SNAPSHOT: Final = WindowKind(
    lambda _: "snapshot between neighbouring starts and ends",
    _life,
    CtiRule(
        "min(c minus the grace, start of the unfinished snapshot)",
        "The snapshot in which `c` lies ends at a start or an end that is not known yet.",
    ),
    _hold,
    _state,
)
