"""Windows of so many distinct starts."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import CountWindow
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.facts import ANY_LENGTH, POINT, Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.windows.kind import Windowed, WindowKind, groups, needed_events, per_group, plus
from streaming.temporal.ticks import Ticks


def _window(node: Windowed) -> CountWindow:
    if not isinstance(node.window, CountWindow):
        raise TypeError(f"{node.id!r} has no count windows")
    return node.window


def _life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    return POINT if _window(node).n == 1 else ANY_LENGTH


def _hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the oldest incomplete window)"
    if _window(node).n == 1:
        return HoldBound(formula, grace, grace)
    because = f"a group may never get the {_window(node).n} distinct starts that complete a window"
    return HoldBound.unbounded(formula, because, grace)


def _state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    n, closing = _window(node).n, plus("n-th start", facts.grace(node))
    if n == 1:
        yield ExplainedState(
            what=needed_events(node),
            per=f"{per_group(node)}start",
            until=f"{plus('start', facts.grace(node))} < c",
            formula=f"events with {plus('start', facts.grace(node))} >= c",
            bounded_by="cti",
        )
        return
    yield ExplainedState(
        what="events of windows that wait for further starts",
        per=f"{per_group(node)}start",
        until=f"{closing} < c; a group that gets no more events keeps its last {n - 1} starts for ever",
        formula=f"{groups(node)} ever seen x up to {n - 1} starts, and what is beyond c",
        bounded_by="next_event",
    )


COUNT: Final = WindowKind(
    lambda of: f"run of {counted(of.n, 'distinct start')}",
    _life,
    CtiRule(
        "min(c minus the grace, start of the oldest incomplete window)",
        "A window that still waits for its last start will give a row that starts at its first.",
    ),
    _hold,
    _state,
)
