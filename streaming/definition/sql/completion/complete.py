"""Completion at the cursor of a text, which may be invalid elsewhere."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from streaming.definition.sql.completion.clauses import items_at
from streaming.definition.sql.completion.items import OfferedItem
from streaming.definition.sql.completion.place import spot_at
from streaming.definition.sql.completion.scope import CompletionScope
from streaming.definition.streams.stream import StreamDefinition

__all__ = ["Completions", "OfferedItem", "complete_sql"]


@dataclass(frozen=True)
class Completions:
    """The items that may replace the code points `[start, end)` of the text, the best first."""

    start: int
    end: int
    items: tuple[OfferedItem, ...]


def complete_sql(text: str, at: int, streams: Mapping[str, StreamDefinition]) -> Completions:
    """Return the completions at the cursor before character `at`, with the `streams` by name; never raises.

    The word under the cursor is replaced. Items that start with it come first, then those that contain it; if no item
    does, similar ones. Within each group, the best for the position come first. No items inside quoted texts and
    comments.
    """
    spot = spot_at(text, at)
    if spot is None:
        return Completions(at, at, ())
    typed = text[spot.start : max(spot.start, min(at, spot.end))]
    items = dict.fromkeys(items_at(CompletionScope(text, spot, streams)))
    return Completions(spot.start, spot.end, tuple(matching(items, typed)))


def matching(items: Iterable[OfferedItem], typed: str) -> list[OfferedItem]:
    """Return the items that start with the `typed` text, then those that contain it; without any, similar ones."""
    if not typed:
        return list(items)
    lower = typed.lower()
    ranked = [(_rank(item, lower), item) for item in items]
    matches = [(rank, item) for rank, item in ranked if rank < _UNLIKE]
    if not matches:
        labels = [item.label.lower() for _, item in ranked]
        near = difflib.get_close_matches(lower, labels, n=len(labels) or 1, cutoff=0.6)
        matches = [(near.index(item.label.lower()), item) for _, item in ranked if item.label.lower() in near]
    return [item for _, item in sorted(matches, key=lambda pair: pair[0])]


_UNLIKE = 3


def _rank(item: OfferedItem, typed: str) -> int:
    """Return 0: the label starts with `typed`; 1: one of its words does; 2: it contains `typed`; 3: none of these."""
    label = item.label.lower()
    if label.startswith(typed):
        return 0
    if any(part.startswith(typed) for part in label.replace(".", " ").replace("_", " ").split()):
        return 1
    return 2 if typed in label else _UNLIKE
