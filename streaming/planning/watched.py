"""Which received rows the feed has to watch, because windows behind the shuffle may yet refuse them (T12, T24)."""

from collections.abc import Iterator
from typing import Final

from streaming.planning.plan import Branch, LifetimeSpec, MatchSpec, NodePlan, QueryPlan, TopKSpec, WindowSpec
from streaming.planning.steps import ExtendStep, SetDurationStep, Step
from streaming.temporal.events import Shape
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows

_NEVER: Final = 2**62
"""A length that no lifetime has."""


def watches(plan: QueryPlan, input_id: str) -> bool:
    """Whether rows of the input reach a window as events, so that only there it is known which late ones it takes."""
    return any(True for _ in _ways(plan, input_id))


def watch_longer(plan: QueryPlan, input_id: str) -> int | None:
    """The lifetime above which a row of the input may be in too many windows as an event; None if none can.

    Joins take what they get, so that no window behind them decides its outcome.
    """
    found = []
    for window, steps, joined in _ways(plan, input_id):
        if not joined and isinstance(window, HoppingWindows):
            longest = (MAX_WINDOWS_PER_EVENT - 1) * window.hop - window.size
            found.append(_received(longest, steps, plan.inputs[input_id].shape))
    shortest = min(found, default=_NEVER)
    return None if shortest >= _NEVER else max(shortest, 0)


def _received(longest: int, steps: tuple[Step | LifetimeSpec, ...], shape: Shape) -> int:
    """How long a received row may live so that it lives no longer than `longest` behind `steps`."""
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
            case _:
                continue
    return 0 if shape is Shape.EDGE else longest


def _ways(plan: QueryPlan, input_id: str) -> Iterator[tuple[object, tuple[Step | LifetimeSpec, ...], bool]]:
    """Each window that rows of the input reach as events, with what is on the way, and whether a join is."""
    for branch in plan.inputs[input_id].branches:
        if branch.window is None:
            yield from _behind(plan, branch, branch.steps, joined=False)


def _behind(
    plan: QueryPlan, source: Branch | NodePlan, steps: tuple[Step | LifetimeSpec, ...], *, joined: bool
) -> Iterator[tuple[object, tuple[Step | LifetimeSpec, ...], bool]]:
    for node in plan.nodes:
        for wire in node.ports:
            if wire.source != source.id:
                continue
            spec = node.spec
            way = (*steps, *wire.steps)
            if isinstance(spec, WindowSpec | TopKSpec):
                yield spec.panes, way, joined
            else:
                further = (*way, spec) if isinstance(spec, LifetimeSpec) else way
                yield from _behind(plan, node, further, joined=joined or isinstance(spec, MatchSpec))
