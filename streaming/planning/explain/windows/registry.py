"""One entry for each kind of windows: first the fixed ones, then those that the events of a group create.

A test checks that none is missing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from streaming.definition.checks.window_sizes import fixed_panes, hopping_windows
from streaming.definition.counts import counted
from streaming.definition.graph import Windowed, WindowNode
from streaming.definition.windows import (
    CalendarWindow,
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TumblingWindow,
)
from streaming.planning.explain.cti_rules import CtiRule
from streaming.planning.explain.explain_facts import ANY_LENGTH, POINT, Facts, LifetimeBound
from streaming.planning.explain.held import OPEN_EDGES, HoldBound, moved_by
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.slices import slices_of
from streaming.planning.explain.windows.kind import WindowKind, groups, needed_events, per_group, plus
from streaming.planning.explain.words import code, spoken, spoken_length
from streaming.temporal.ticks import ONE_TICK, Ticks, parse_duration

_FIXED_RULE: Final = CtiRule(
    "start of the earliest window that is still open at `c` minus the grace",
    "Every later row belongs to a window that is still open, and starts where that window starts.",
)


def _fixed_life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    return LifetimeBound(fixed_panes(node).size)


def _fixed_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    windows = hopping_windows(node)
    phase = windows.offset % windows.hop
    start = f"k x {spoken(windows.hop)}" + (f" + {spoken(phase)}" if phase else "")
    of = f"[{start}, + {spoken(windows.size)})"
    formula = f"start of the earliest window {of} that ends after {moved_by('c', Ticks(-grace))}"
    return HoldBound(formula, Ticks(grace + windows.size - windows.hop), Ticks(grace + windows.size - 1))


def _fixed_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    windows, grace = hopping_windows(node), facts.grace(node)
    slices = slices_of(node, facts.lives[node.input])
    closing = plus("window end", grace)
    unit = f"slices of {' and '.join(spoken(length) for length in slices.lengths)}"
    after = f"after c - {spoken(windows.size + grace)}" if windows.hop <= windows.size else "in open windows"
    if node.id in facts.folded and facts.lives[node.input].longest == ONE_TICK:
        what, per = "partial results of each slice", f"{per_group(node)}slice"
        formula = f"{groups(node)} x {unit} {after}"
    elif node.id in facts.folded:
        what, per = "partial results of events that are in the same windows", f"{per_group(node)}run of windows"
        formula = f"{groups(node)} x runs of windows with an open one"
    else:
        what, per = needed_events(node), f"{per_group(node)}event"
        formula = f"events that end {after}"
    yield ExplainedState(
        what=what, per=per, until=f"{closing} <= c for all windows over it", formula=formula, bounded_by="cti"
    )
    yield from _filling_state(node)


def _filling_state(node: Windowed) -> Iterator[ExplainedState]:
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
    return f", starting {spoken(ticks)} from 1970-01-01T00:00Z" if ticks else ""


def _time_interval(of: TimeIntervalWindow) -> str:
    every = spoken_length(of.period or of.duration)
    return f"time interval of {spoken_length(of.duration)}, one every {every}{_from(of.offset)}"


_TUMBLING: Final = WindowKind(
    lambda of: f"tumbling window of {spoken_length(of.size)}{_from(of.offset)}",
    _fixed_life,
    _FIXED_RULE,
    _fixed_hold,
    _fixed_state,
)
_HOPPING: Final = WindowKind(
    lambda of: f"hopping window of {spoken_length(of.size)}, one every {spoken_length(of.hop)}{_from(of.offset)}",
    _fixed_life,
    _FIXED_RULE,
    _fixed_hold,
    _fixed_state,
)
_TIME_INTERVAL: Final = WindowKind(_time_interval, _fixed_life, _FIXED_RULE, _fixed_hold, _fixed_state)


def _calendar(node: Windowed) -> CalendarWindow:
    if not isinstance(node.window, CalendarWindow):
        raise TypeError(f"{node.id!r} has no calendar windows")
    return node.window


def _calendar_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    of = _calendar(node)
    formula = f"start of the earliest {of.unit} in {of.zone} that ends after {moved_by('c', Ticks(-grace))}"
    return HoldBound(formula, grace, Ticks(grace + of.panes().size - 1))


def _calendar_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    of, closing = _calendar(node), plus("window end", facts.grace(node))
    folded = node.id in facts.folded
    yield ExplainedState(
        what=f"partial results of each {of.unit}" if folded else needed_events(node),
        per=f"{per_group(node)}{of.unit if folded else 'event'}",
        until=f"{closing} <= c for all windows over it",
        formula=f"{groups(node)} x open {of.unit}s" if folded else f"events in an open {of.unit}",
        bounded_by="cti",
    )
    yield from _filling_state(node)


_CALENDAR: Final = WindowKind(
    lambda of: f"calendar window: each {of.unit} in {of.zone}",
    _fixed_life,
    _FIXED_RULE,
    _calendar_hold,
    _calendar_state,
)


def _session(node: Windowed) -> SessionWindow:
    if not isinstance(node.window, SessionWindow):
        raise TypeError(f"{node.id!r} has no sessions")
    return node.window


def _session_life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    cap = _session(node).max
    return ANY_LENGTH if cap is None else LifetimeBound(parse_duration(cap))


def _session_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the earliest open session)"
    cap = _session(node).max
    if cap is None:
        gap = spoken(parse_duration(_session(node).gap))
        because = f"a session stays open until its group pauses for {gap}, and no `max` limits it"
        return HoldBound.unbounded(formula, because, grace)
    return HoldBound(formula, grace, Ticks(grace + parse_duration(cap) - 1))


def _session_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    gap, grace = parse_duration(_session(node).gap), facts.grace(node)
    closing = f"{plus('last start + ' + spoken(gap), grace)} <= c"
    cap = _session(node).max
    if cap is not None:
        yield ExplainedState(
            what=needed_events(node),
            per=f"{per_group(node)}open session",
            until=f"{closing}, at most {cap} of events",
            formula=f"events of open sessions, none longer than {spoken(parse_duration(cap))}",
            bounded_by="cti",
        )
        return
    paused = f"{closing}: its group has paused for {spoken(gap)}"
    yield ExplainedState(
        what=needed_events(node),
        per=f"{per_group(node)}open session",
        until=f"{paused}; unbounded until then, because no `max` limits the session",
        formula="events of open sessions",
        bounded_by="pause",
    )


def _session_words(of: SessionWindow) -> str:
    cap = "" if of.max is None else f", at most {spoken_length(of.max)} long"
    return f"session that ends with a gap of {spoken_length(of.gap)}{cap}"


_SESSION: Final = WindowKind(
    _session_words,
    _session_life,
    CtiRule(
        "min(c minus the grace, start of the earliest open session)",
        "An open session may still grow, and its row will start where it started.",
    ),
    _session_hold,
    _session_state,
)


def _snapshot_life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del node
    return LifetimeBound(before.longest)


def _snapshot_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the unfinished snapshot)"
    if life.longest is None or life.edges:
        whose = OPEN_EDGES if life.edges else f"an event of {code(node.input)} may live for any length of time"
        return HoldBound.unbounded(formula, f"{whose}, and a snapshot lasts until an event starts or ends", grace)
    return HoldBound(formula, grace, Ticks(grace + life.longest - 1))


def _snapshot_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    yield ExplainedState(
        what="live events",
        per=f"{per_group(node)}event",
        until=f"{plus('end', facts.grace(node))} <= c",
        formula=f"events with {plus('end', facts.grace(node))} > c",
        bounded_by="cti",
    )


_SNAPSHOT: Final = WindowKind(
    lambda _: "snapshot between adjacent starts and ends",
    _snapshot_life,
    CtiRule(
        "min(c minus the grace, start of the unfinished snapshot)",
        "The snapshot that contains `c` ends at a start or an end that is not known yet.",
    ),
    _snapshot_hold,
    _snapshot_state,
)


def _count(node: Windowed) -> CountWindow:
    if not isinstance(node.window, CountWindow):
        raise TypeError(f"{node.id!r} has no count windows")
    return node.window


def _count_life(node: Windowed, before: LifetimeBound) -> LifetimeBound:
    del before
    return POINT if _count(node).n == 1 else ANY_LENGTH


def _count_hold(node: Windowed, grace: Ticks, life: LifetimeBound) -> HoldBound:
    del life
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the oldest incomplete window)"
    if _count(node).n == 1:
        return HoldBound(formula, grace, grace)
    because = f"a group may never get the {_count(node).n} distinct starts that complete a window"
    return HoldBound.unbounded(formula, because, grace)


def _count_state(node: Windowed, facts: Facts) -> Iterator[ExplainedState]:
    n, closing = _count(node).n, plus("n-th start", facts.grace(node))
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
        until=f"{closing} < c; a group without further events keeps its last {n - 1} starts forever",
        formula=f"{groups(node)} ever seen x up to {n - 1} starts, and all events after c",
        bounded_by="next_event",
    )


_COUNT: Final = WindowKind(
    lambda of: f"run of {counted(of.n, 'distinct start')}",
    _count_life,
    CtiRule(
        "min(c minus the grace, start of the oldest incomplete window)",
        "A window that still waits for its last start will emit a row that starts at its first.",
    ),
    _count_hold,
    _count_state,
)
WINDOW_KINDS: Final[Mapping[type[Any], WindowKind]] = {
    TumblingWindow: _TUMBLING,
    HoppingWindow: _HOPPING,
    TimeIntervalWindow: _TIME_INTERVAL,
    CalendarWindow: _CALENDAR,
    SessionWindow: _SESSION,
    SnapshotWindow: _SNAPSHOT,
    CountWindow: _COUNT,
}


def window_kind(node: Windowed) -> WindowKind:
    """Return the entry of the windows of `node`."""
    return WINDOW_KINDS[type(node.window)]
