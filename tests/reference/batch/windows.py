"""The batch queries of windows and top_k: every window against every event."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from streaming.definition.graph import TopKNode, WindowNode
from tests.reference.batch.aggregates import aggregate
from tests.reference.batch.lives import Life, Lives
from tests.reference.batch.meanings import MEANINGS
from tests.reference.batch.window_kinds import PANES, Pane, fixed_bounds


def window(node: WindowNode, lives: Lives) -> Lives:
    """Return one row for each group of each window with events, and for empty ones to be filled."""
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
    """Return the events of each pane that fewer than k others of it exceed."""
    rows = []
    for group in groups(node.group_by, lives).values():
        for pane in PANES[type(node.window)](node.window, group, lives.horizon):
            ranks = [(MEANINGS[node.by](life.payload), life) for life in pane.members]
            for rank, life in ranks:
                if rank is not None and sum(other is not None and other > rank for other, _ in ranks) < node.k:
                    rows.append(replace(life, start=pane.start, end=pane.end, open=False))
    return Lives(rows, lives.horizon)


def groups(names: Sequence[str], lives: Lives) -> dict[tuple[tuple[str, Any], ...], list[Life]]:
    """Return the events by the values of the fields `names`."""
    found: dict[tuple[tuple[str, Any], ...], list[Life]] = {}
    for life in lives.all:
        found.setdefault(tuple((name, life.payload[name]) for name in names), []).append(life)
    return found


def fills(node: WindowNode, key: tuple[tuple[str, Any], ...]) -> bool:
    """Return true if the empty windows of the group `key` are filled."""
    return node.empty == "default" and (not node.group_by or dict(key) in (node.empty_groups or []))


def gap_of(node: WindowNode) -> int:
    """Return the drawn `empty_gap` in ticks."""
    assert isinstance(node.empty_gap, str)
    return int(node.empty_gap.removesuffix("us"))


def _empty(node: WindowNode, panes: Sequence[Pane]) -> list[Pane]:
    """Return the windows between two neighbours with events that are no further apart than the gap allows (T21)."""
    found = []
    for earlier, later in pairwise(panes):
        if later.start - earlier.end <= gap_of(node):
            between = [(start, end) for start, end in fixed_bounds(node.window) if earlier.start < start < later.start]
            found += [Pane(start, end, ()) for start, end in between]
    return found
