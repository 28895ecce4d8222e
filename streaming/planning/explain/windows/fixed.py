"""Windows whose places are known beforehand: tumbling, hopping, and time intervals."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.graph import TimeIntervalWindow, WindowNode
from streaming.definition.window_checks import hopping_windows
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.facts import Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.slices import slices_of
from streaming.planning.explain.windows.kind import Windowed, WindowKind, groups, needed_events, per_group, plus
from streaming.planning.explain.words import spoken, spoken_length
from streaming.temporal.ticks import ONE_TICK, Ticks, parse_duration

_RULE: Final = CtiRule(
    "start of the earliest window that is not closed, at `c` minus the grace",
    "Every later row is one of a window that is still open, and starts where that window starts.",
)


def _life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    return LifetimeBound(hopping_windows(node).size)


def _hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    windows = hopping_windows(node)
    phase = windows.offset % windows.hop
    start = f"k x {spoken(windows.hop)}" + (f" + {spoken(phase)}" if phase else "")
    of = f"[{start}, + {spoken(windows.size)})"
    formula = f"start of the earliest window {of} that ends after {moved_by('c', Ticks(-grace))}"
    return HoldBound(formula, Ticks(grace + windows.size - windows.hop), Ticks(grace + windows.size - 1))


def _state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    windows, grace = hopping_windows(node), facts.grace(node)
    slices = slices_of(node, facts.lives[node.input])
    closing = plus("window end", grace)
    unit = f"slices of {' and '.join(spoken(length) for length in slices.lengths)}"
    behind = f"after c - {spoken(windows.size + grace)}" if windows.hop <= windows.size else "in open windows"
    if node.id in facts.folded and facts.lives[node.input].longest == ONE_TICK:
        what, per = "folded values of each slice", f"{per_group(node)}slice"
        formula = f"{groups(node)} x {unit} {behind}"
    elif node.id in facts.folded:
        what, per = "folded values of the events that are in the same windows", f"{per_group(node)}run of windows"
        formula = f"{groups(node)} x runs of windows of which one is open"
    else:
        what, per = needed_events(node), f"{per_group(node)}event"
        formula = f"events that end {behind}"
    yield ExplainedState(
        what=what, per=per, until=f"{closing} <= c for all windows over it", formula=formula, bounded_by="cti"
    )
    if isinstance(node, WindowNode) and node.empty == "default":
        yield ExplainedState(
            what="the last window with events",
            per="listed group",
            until="the end of the run",
            formula=counted(len(node.empty_groups or [{}]), "listed group"),
            bounded_by="keys",
        )


def _from(offset: int | str) -> str:
    ticks = parse_duration(offset)
    return f", beginning {spoken(ticks)} from 1970-01-01T00:00Z" if ticks else ""


def _time_interval(of: TimeIntervalWindow) -> str:
    every = spoken_length(of.period or of.duration)
    return f"time interval of {spoken_length(of.duration)}, one every {every}{_from(of.offset)}"


TUMBLING: Final = WindowKind(
    lambda of: f"tumbling window of {spoken_length(of.size)}{_from(of.offset)}", _life, _RULE, _hold, _state
)
HOPPING: Final = WindowKind(
    lambda of: f"hopping window of {spoken_length(of.size)}, one every {spoken_length(of.hop)}{_from(of.offset)}",
    _life,
    _RULE,
    _hold,
    _state,
)
TIME_INTERVAL: Final = WindowKind(_time_interval, _life, _RULE, _hold, _state)
