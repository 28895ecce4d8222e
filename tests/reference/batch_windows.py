"""The batch queries of windows and top_k: every window against every event."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from streaming.definition.graph import (
    CountWindow,
    HoppingWindow,
    SessionWindow,
    SnapshotWindow,
    TimeIntervalWindow,
    TopKNode,
    TumblingWindow,
    WindowNode,
    WindowSpec,
)
from tests.reference.batch_aggregates import aggregate
from tests.reference.lives import FOREVER, Life, Lives
from tests.reference.meanings import MEANINGS

SCANNED = range(-500, 501)
"""The indices of all fixed windows that drawn events can be in."""


@dataclass(frozen=True)
class Pane:
    """A window `[start, end)` of one group, and the events in it."""

    start: int
    end: int
    members: Sequence[Life]


def window(node: WindowNode, lives: Lives) -> Lives:
    """One row for each group of each window that has events, and for the empty ones that are to be filled."""
    rows = []
    for key, group in groups(node.group_by, lives).items():
        panes = PANES[type(node.window)](node.window, group, lives.horizon)
        if fills(node, key):
            panes = [*panes, *_empty(node, panes)]
        for pane in panes:
            payload = dict(key) | {each.name: aggregate(each, pane) for each in node.aggregates}
            stamp = max((life.stamp for life in pane.members), default=pane.start)
            rows.append(Life(pane.start, pane.end, payload, stamp))
    return Lives(rows, lives.horizon)


def top_k(node: TopKNode, lives: Lives) -> Lives:
    """The events of each pane that fewer than k others of it exceed."""
    rows = []
    for group in groups(node.group_by, lives).values():
        for pane in PANES[type(node.window)](node.window, group, lives.horizon):
            ranks = [(MEANINGS[node.by](life.payload), life) for life in pane.members]
            for rank, life in ranks:
                if rank is not None and sum(other is not None and other > rank for other, _ in ranks) < node.k:
                    rows.append(replace(life, start=pane.start, end=pane.end, open=False))
    return Lives(rows, lives.horizon)


def groups(names: Sequence[str], lives: Lives) -> dict[tuple[tuple[str, Any], ...], list[Life]]:
    """The events by the values of the fields `names`."""
    found: dict[tuple[tuple[str, Any], ...], list[Life]] = {}
    for life in lives.all:
        found.setdefault(tuple((name, life.payload[name]) for name in names), []).append(life)
    return found


def fixed_bounds(spec: WindowSpec) -> list[tuple[int, int]]:
    """All windows of a fixed kind, in order."""
    match spec:
        case TumblingWindow():
            size = hop = int(spec.size)
        case HoppingWindow():
            size, hop = int(spec.size), int(spec.hop)
        case TimeIntervalWindow():
            size = int(spec.duration)
            hop = size if spec.period is None else int(spec.period)
        case _:
            raise TypeError(f"{spec.kind} windows stand nowhere without events")
    return [(int(spec.offset) + index * hop, int(spec.offset) + index * hop + size) for index in SCANNED]


def _fixed(spec: WindowSpec, group: Sequence[Life], horizon: int) -> list[Pane]:
    panes = []
    for start, end in fixed_bounds(spec):
        members = [life for life in group if life.start < end and _reach(life, horizon) > start]
        if members:
            panes.append(Pane(start, end, members))
    return panes


def _reach(life: Life, horizon: int) -> int:
    """The end that counts: of an open edge the largest time seen (T4); a row without an end is refused (T24)."""
    if life.end != FOREVER:
        return life.end
    return horizon + 1 if life.open else -FOREVER


def fills(node: WindowNode, key: tuple[tuple[str, Any], ...]) -> bool:
    """Whether the empty windows of the group `key` are filled."""
    return node.empty == "default" and (not node.group_by or dict(key) in (node.empty_groups or []))


def gap_of(node: WindowNode) -> int:
    """The drawn `empty_gap` in ticks."""
    assert isinstance(node.empty_gap, str)
    return int(node.empty_gap.removesuffix("us"))


def _empty(node: WindowNode, panes: Sequence[Pane]) -> list[Pane]:
    """The windows between two neighbours with events that are no further apart than the gap allows (T21)."""
    found = []
    for earlier, later in pairwise(panes):
        if later.start - earlier.end <= gap_of(node):
            between = [(start, end) for start, end in fixed_bounds(node.window) if earlier.start < start < later.start]
            found += [Pane(start, end, ()) for start, end in between]
    return found


def _sessions(spec: SessionWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    gap, longest = int(spec.gap), None if spec.max is None else int(spec.max)
    found: list[list[Life]] = []
    for life in sorted(group, key=lambda each: each.start):
        last = found[-1] if found else []
        fits = bool(last) and life.start < last[-1].start + gap
        if fits and (longest is None or life.start + gap - last[0].start <= longest):
            last.append(life)
        else:
            found.append([life])
    return [Pane(members[0].start, members[-1].start + gap, members) for members in found]


def _snapshots(spec: SnapshotWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    bounds = sorted({life.start for life in group} | {life.end for life in group})
    panes = []
    for start, end in pairwise(bounds):
        members = [life for life in group if life.start < end and life.end > start]
        if members:
            panes.append(Pane(start, end, members))
    return panes


def _counts(spec: CountWindow, group: Sequence[Life], horizon: int) -> list[Pane]:
    starts = sorted({life.start for life in group})
    panes = []
    for first, last in zip(starts, starts[spec.n - 1 :], strict=False):
        panes.append(Pane(first, last + 1, [life for life in group if first <= life.start <= last]))
    return panes


PANES: Final[Mapping[type[Any], Callable[[Any, Sequence[Life], int], list[Pane]]]] = {
    TumblingWindow: _fixed,
    HoppingWindow: _fixed,
    TimeIntervalWindow: _fixed,
    SessionWindow: _sessions,
    SnapshotWindow: _snapshots,
    CountWindow: _counts,
}
"""From a kind of window to its panes with events, of one group."""
