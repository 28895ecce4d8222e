"""What windows remember: partials by slice, or events, and what bounds either."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.counts import counted
from streaming.definition.graph import (
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TopKNode,
    TumblingWindow,
    WindowNode,
)
from streaming.definition.window_checks import hopping_windows
from streaming.planning.explain.facts import Facts
from streaming.planning.explain.model import Kept
from streaming.planning.explain.slices import slices_of
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.ticks import ONE_TICK, parse_duration

Windowed = WindowNode | TopKNode


def of_window(node: Windowed, facts: Facts) -> Iterator[Kept]:
    """What its windows need, and what its rows do that may still change."""
    yield from STATES[type(node.window)](node, facts)
    if facts.edges_reach(node):
        until = "its end comes; an edge that nobody closes stays for ever"
        yield Kept(what=_OPEN, per="open edge", until=until, formula="edges that are open", bounded_by="open_edges")
    if isinstance(node, WindowNode):
        yield from _rows(node)


_OPEN: Final = "open edges, which are in each window from their start on"


def _fixed(node: Windowed, facts: Facts) -> Iterator[Kept]:
    windows, grace = hopping_windows(node), facts.grace(node)
    slices = slices_of(node, facts.lives[node.input])
    closing = _sum("window end", grace)
    unit = f"slices of {' and '.join(spoken(length) for length in slices.lengths)}"
    behind = f"after c - {spoken(windows.size + grace)}" if windows.hop <= windows.size else "in open windows"
    if node.id in facts.folded and facts.lives[node.input].longest == ONE_TICK:
        what, per, formula = "folded values of each slice", f"{_group(node)}slice", f"{_groups(node)} x {unit} {behind}"
    elif node.id in facts.folded:
        what, per = "folded values of the events that are in the same windows", f"{_group(node)}run of windows"
        formula = f"{_groups(node)} x runs of windows of which one is open"
    else:
        what, per = _events(node), f"{_group(node)}event"
        formula = f"events that end {behind}"
    yield Kept(what=what, per=per, until=f"{closing} <= c for all windows over it", formula=formula, bounded_by="cti")
    if isinstance(node, WindowNode) and node.empty == "default":
        yield Kept(
            what="the last window with events",
            per="listed group",
            until="the end of the run",
            formula=counted(len(node.empty_groups or [{}]), "listed group"),
            bounded_by="keys",
        )


def _session(node: Windowed, facts: Facts) -> Iterator[Kept]:
    if not isinstance(node.window, SessionWindow):
        raise TypeError(f"{node.id!r} has no sessions")
    gap, grace = parse_duration(node.window.gap), facts.grace(node)
    closing = f"{_sum('last start + ' + spoken(gap), grace)} <= c"
    if node.window.max is not None:
        yield Kept(
            what=_events(node),
            per=f"{_group(node)}open session",
            until=f"{closing}, at most {node.window.max} of events",
            formula=f"events of open sessions, none longer than {spoken(parse_duration(node.window.max))}",
            bounded_by="cti",
        )
        return
    paused = f"{closing}: its group has paused for {spoken(gap)}"
    yield Kept(
        what=_events(node),
        per=f"{_group(node)}open session",
        until=f"{paused}; unbounded while it does not, for `max` caps no session",
        formula="events of open sessions",
        bounded_by="pause",
    )


def _snapshot(node: Windowed, facts: Facts) -> Iterator[Kept]:
    yield Kept(
        what="events that are alive",
        per=f"{_group(node)}event",
        until=f"{_sum('end', facts.grace(node))} <= c",
        formula=f"events with {_sum('end', facts.grace(node))} > c",
        bounded_by="cti",
    )


def _count(node: Windowed, facts: Facts) -> Iterator[Kept]:
    if not isinstance(node.window, CountWindow):
        raise TypeError(f"{node.id!r} has no count windows")
    n, closing = node.window.n, _sum("n-th start", facts.grace(node))
    if n == 1:
        yield Kept(
            what=_events(node),
            per=f"{_group(node)}start",
            until=f"{_sum('start', facts.grace(node))} < c",
            formula=f"events with {_sum('start', facts.grace(node))} >= c",
            bounded_by="cti",
        )
        return
    yield Kept(
        what="events of windows that wait for further starts",
        per=f"{_group(node)}start",
        until=f"{closing} < c; a group that gets no more events keeps its last {n - 1} starts for ever",
        formula=f"{_groups(node)} ever seen x up to {n - 1} starts, and what is beyond c",
        bounded_by="next_event",
    )


STATES: Final[Mapping[type[Any], Callable[[Windowed, Facts], Iterator[Kept]]]] = {
    TumblingWindow: _fixed,
    HoppingWindow: _fixed,
    TimeIntervalWindow: _fixed,
    SessionWindow: _session,
    SnapshotWindow: _snapshot,
    CountWindow: _count,
}
"""What windows of each kind remember."""


def _rows(node: WindowNode) -> Iterator[Kept]:
    if node.emit != "final":
        yield Kept(
            what="the last row that was given, which a later one replaces",
            per=f"{_group(node)}open window",
            until="the window closes",
            formula=f"{_groups(node)} x open windows",
            bounded_by="cti",
        )


def _events(node: Windowed) -> str:
    if isinstance(node, TopKNode):
        return f"events that may still be among the {node.k} largest"
    whole = [each.name for each in node.aggregates if AGGREGATES[each.function].partials is None]
    return f"events: {listed(whole)} need every value" if whole else "events"


def _group(node: Windowed) -> str:
    return f"group ({', '.join(map(code, node.group_by))}) and " if node.group_by else ""


def _groups(node: Windowed) -> str:
    return "groups" if node.group_by else "1 group"


def _sum(what: str, grace: int) -> str:
    return f"{what} + {spoken(grace)}" if grace else what
