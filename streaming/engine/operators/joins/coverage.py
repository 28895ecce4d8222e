"""The parts of lifetimes that sets of spans cover, and the rest, for many lifetimes at once."""

from dataclasses import dataclass

import numpy as np

from streaming.engine.columns.ranks import distinct, order_of
from streaming.wire.rows.arrived import Int64s


@dataclass(frozen=True, slots=True)
class LifetimeSpans:
    """Spans `[start, end)`, none of them empty, each of the lifetime `of` (an index)."""

    of: Int64s
    start: Int64s
    end: Int64s


@dataclass(frozen=True, slots=True)
class Coverage:
    """The maximal pieces that spans cover, in order of lifetime and start; `piece` is the piece of each span."""

    pieces: LifetimeSpans
    piece: Int64s


def covered(spans: LifetimeSpans) -> Coverage:
    """Return the unions of the spans of each lifetime; adjacent spans are one piece."""
    if not len(spans.of):
        return Coverage(spans, spans.of)
    ticks = distinct(np.concatenate([spans.start, spans.end]))
    begins = spans.of * len(ticks) + np.searchsorted(ticks, spans.start)
    order = order_of(begins, (int(spans.of.max()) + 1) * len(ticks))
    begins, of = begins[order], spans.of[order]
    reached = np.maximum.accumulate(of * len(ticks) + np.searchsorted(ticks, spans.end[order]))
    first = np.flatnonzero(np.concatenate([[True], begins[1:] > reached[:-1]]))
    last = np.concatenate([first[1:], [len(of)]]) - 1
    sizes = last - first + 1
    piece = np.empty(len(of), np.int64)
    piece[order] = np.repeat(np.arange(len(first)), sizes)
    ends = ticks[reached[last] - of[first] * len(ticks)]
    return Coverage(LifetimeSpans(of[first], ticks[begins[first] - of[first] * len(ticks)], ends), piece)


def uncovered(start: Int64s, end: Int64s, covers: LifetimeSpans) -> LifetimeSpans:
    """Return the rest of each `[start, end)` outside maximal `covers`, which are in order and inside it.

    In order too.
    """
    rows = np.arange(len(start))
    of = np.concatenate([rows, covers.of])
    order = np.argsort(of, kind="stable")
    begins = np.concatenate([start, covers.end])[order]
    order = np.argsort(np.concatenate([covers.of, rows]), kind="stable")
    ends = np.concatenate([covers.start, end])[order]
    filled = begins < ends
    return LifetimeSpans(np.sort(of, kind="stable")[filled], begins[filled], ends[filled])


def firsts(of: Int64s) -> Int64s:
    """Return the position of the first entry of each lifetime in `of`, which rises."""
    return np.flatnonzero(np.concatenate([[True], of[1:] != of[:-1]])) if len(of) else of


def least(rows: int, of: Int64s, values: Int64s, default: int) -> Int64s:
    """Return for each of `rows` lifetimes the smallest of its `values`, `default` if it has none."""
    found = np.full(rows, default, np.int64)
    np.minimum.at(found, of, values)
    return found


def most(rows: int, of: Int64s, values: Int64s, default: int) -> Int64s:
    """Return for each of `rows` the largest of its `values`, `default` if it has none."""
    found = np.full(rows, default, np.int64)
    np.maximum.at(found, of, values)
    return found
