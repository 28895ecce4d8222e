"""Received rows that the feed has to watch, because windows after the shuffle may still refuse them (T12, T24)."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.windows import FixedPanes
from streaming.planning.plan import (
    AnalyticSpec,
    Branch,
    ChopSpec,
    LifetimeSpec,
    MatchSpec,
    NodePlan,
    QueryPlan,
    StitchSpec,
    TopKSpec,
    WindowSpec,
)
from streaming.planning.sequences import SequenceSpec
from streaming.planning.steps import ExtendStep, SetDurationStep, Step
from streaming.temporal.events import Shape
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT

_NEVER: Final = 2**62
"""A length that no lifetime has."""
_Way = tuple[Step | LifetimeSpec | ChopSpec, ...]


def watches(plan: QueryPlan, input_id: str) -> bool:
    """Return whether rows of the input reach a window as events, so that only the window can decide about late ones."""
    return any(not isinstance(decider, ChopSpec) for decider, _, _ in _ways(plan, input_id))


def watch_longer(plan: QueryPlan, input_id: str) -> int | None:
    """Return the lifetime above which a row of the input may be in too many windows or pieces; None if none can.

    Joins accept all rows, so no window after a join decides the outcome of a row.
    """
    lengths = []
    for decider, steps, joined in _ways(plan, input_id):
        window = decider.pieces if isinstance(decider, ChopSpec) else decider
        if not joined and isinstance(window, FixedPanes):
            longest = (MAX_WINDOWS_PER_EVENT - 1) * window.hop - window.size
            lengths.append(_longest_received(longest, steps, plan.inputs[input_id].shape))
    shortest = min(lengths, default=_NEVER)
    return None if shortest >= _NEVER else max(shortest, 0)


def _longest_received(longest: int, steps: _Way, shape: Shape) -> int:
    """Return how long a received row may live so that it lives at most `longest` after `steps`."""
    for step in reversed(steps):
        match step:
            case ExtendStep(by=by):
                longest -= by
            case SetDurationStep(duration=int(duration)):
                return _NEVER if duration <= longest else 0
            case SetDurationStep():
                return 0
            case LifetimeSpec(kind="point_at_end"):
                return _NEVER
            case ChopSpec(pieces=pieces) if pieces.size <= longest:
                return _NEVER
            case _:
                continue
    return 0 if shape in (Shape.EDGE, Shape.TABLE) else longest


def _ways(plan: QueryPlan, input_id: str) -> Iterator[tuple[object, _Way, bool]]:
    """Yield each window or chop that rows of the input reach as events, the path, and if the path contains a join.

    Windows for which the feed folds decide at once, except about rows of tables, whose versions come later (T48).
    """
    each = plan.inputs[input_id]
    for branch in each.branches:
        if branch.window is not None and each.shape is Shape.TABLE:
            yield branch.window.panes, branch.steps, False
        elif branch.window is None:
            yield from _windows_after(plan, branch, branch.steps, joined=False)


def _windows_after(
    plan: QueryPlan, source: Branch | NodePlan, steps: _Way, *, joined: bool
) -> Iterator[tuple[object, _Way, bool]]:
    for node in plan.nodes:
        for wire in node.ports:
            if wire.source != source.id:
                continue
            spec = node.spec
            way = (*steps, *wire.steps)
            if isinstance(spec, SequenceSpec):
                yield None, way, joined
            elif isinstance(spec, WindowSpec | TopKSpec):
                yield spec.panes, way, joined
                continue
            if isinstance(spec, AnalyticSpec):
                yield spec, way, joined
                continue
            if isinstance(spec, ChopSpec):
                yield spec, way, joined
            further = (*way, spec) if isinstance(spec, LifetimeSpec | ChopSpec) else way
            yield from _windows_after(plan, node, further, joined=joined or isinstance(spec, MatchSpec | StitchSpec))
