"""What windows remember: partials by slice, or events, and what bounds either."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from streaming.definition.counts import counted
from streaming.definition.explain.facts import Facts
from streaming.definition.explain.model import Kept
from streaming.definition.explain.slices import slices_of
from streaming.definition.explain.words import code, listed, spoken
from streaming.definition.graph import (
    AggregateFunction,
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
from streaming.temporal.ticks import ONE_TICK, parse_duration

Windowed = WindowNode | TopKNode
Memory = Literal["partial", "sketch", "values"]

AGGREGATES: Final[Mapping[AggregateFunction, Memory]] = {
    "count": "partial",
    "sum": "partial",
    "avg": "partial",
    "min": "partial",
    "max": "partial",
    "stddev": "partial",
    "stddev_pop": "partial",
    "variance": "partial",
    "variance_pop": "partial",
    "first": "partial",
    "last": "partial",
    "count_distinct": "values",
    "approx_count_distinct": "sketch",
    "percentile_disc": "values",
    "percentile_cont": "values",
    "approx_percentile": "sketch",
    "collect": "values",
    "collect_distinct": "values",
    "topk": "partial",
    "maxk": "partial",
    "mink": "partial",
    "maxk_unique": "partial",
    "mink_unique": "partial",
    "time_weighted_avg": "partial",
    "time_weighted_sum": "partial",
}
"""What an aggregate needs: a partial of fixed size that can be merged, a sketch of bounded size, or all its values."""


def of_window(node: Windowed, facts: Facts) -> Iterator[Kept]:
    """What its windows need, and what its rows do that may still change."""
    yield from STATES[type(node.window)](node, facts)
    if facts.edges_reach(node):
        until = "its end comes; an edge that nobody closes stays for ever"
        yield Kept(what=_OPEN, per="open edge", until=until, formula="edges that are open", bounded_by="open_edges")
    if isinstance(node, WindowNode):
        yield from _rows(node)


_OPEN: Final = "open edges, which are in each window from their start on"


def foldable(node: Windowed) -> bool:
    """Whether what the node needs of many events is smaller than they are: partials and sketches."""
    return isinstance(node, WindowNode) and all(AGGREGATES[each.function] != "values" for each in node.aggregates)


def _fixed(node: Windowed, facts: Facts) -> Iterator[Kept]:
    windows, grace = hopping_windows(node), facts.grace(node)
    slices = slices_of(node, facts.lives[node.input])
    closing = _sum("window end", grace)
    unit = f"slices of {' and '.join(spoken(length) for length in slices.lengths)}"
    behind = f"after c - {spoken(windows.size + grace)}" if windows.hop <= windows.size else "in open windows"
    whose = "folded values" if _kind(node) == "partial" else "folded values and sketches"
    if foldable(node) and facts.lives[node.input].longest == ONE_TICK:
        what, per, formula = f"{whose} of each slice", f"{_group(node)}slice", f"{_groups(node)} x {unit} {behind}"
    elif foldable(node):
        what, per = f"{whose} of the events that are in the same windows", f"{_group(node)}run of windows"
        formula = f"{_groups(node)} x runs of windows of which one is open"
    else:
        what, per = _events(node), f"{_group(node)}slice"
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
    folds = foldable(node)
    until = f"{closing}: its group has paused for {spoken(gap)}"
    yield Kept(
        what="folded values of each open session" if folds else _events(node),
        per=f"{_group(node)}open session",
        until=until if folds else f"{until}; unbounded while it does not, for `max` caps no session",
        formula=f"{_groups(node)} x open sessions" if folds else "events of open sessions",
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


def _kind(node: Windowed) -> Memory:
    needs = {AGGREGATES[each.function] for each in node.aggregates} if isinstance(node, WindowNode) else set()
    return "sketch" if "sketch" in needs else "partial"


def _events(node: Windowed) -> str:
    if isinstance(node, TopKNode):
        return f"events that may still be among the {node.k} largest"
    whole = [each.name for each in node.aggregates if AGGREGATES[each.function] == "values"]
    return f"events: {listed(whole)} need every value" if whole else "events"


def _group(node: Windowed) -> str:
    return f"group ({', '.join(map(code, node.group_by))}) and " if node.group_by else ""


def _groups(node: Windowed) -> str:
    return "groups" if node.group_by else "1 group"


def _sum(what: str, grace: int) -> str:
    return f"{what} + {spoken(grace)}" if grace else what
