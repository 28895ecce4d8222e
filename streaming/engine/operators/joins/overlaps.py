"""Pairs of events of two sides with equal codes that live at the same time: by sorting, never by comparing all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from streaming.engine.columns.grouping import encode_integers
from streaming.engine.columns.ranks import distinct, order_of
from streaming.wire.rows.arrived import Int64s

MOST_PAIRS: Final = 1 << 20
"""Pairs come in parts of about this size, so that pairs that a condition refuses are never all in memory."""
_WIDEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class CodedLifetimes:
    """Lifetimes `[start, end)`, none of them empty, each with a code; a negative code matches nothing."""

    code: Int64s
    start: Int64s
    end: Int64s


@dataclass(frozen=True, slots=True)
class CodeTimes:
    """Code and time in one number that sorts by both."""

    low: int
    high: int
    spread: int
    codes: int

    @property
    def below(self) -> int:
        """All places are in `[0, below)`."""
        return self.codes * self.spread

    def of(self, code: Int64s, time: Int64s) -> Int64s:
        """Return the place of each time, clamped to the known times, with its code."""
        return code * self.spread + (np.clip(time, self.low, self.high) - self.low)


def places(codes: int, *starts: Int64s) -> CodeTimes | None:
    """Return places for codes up to `codes` and times in and around `starts`; None if they need more than 62 bits."""
    low = min((int(each.min()) for each in starts if len(each)), default=0)
    high = max((int(each.max()) for each in starts if len(each)), default=0) + 1
    spread = high - low + 1
    return CodeTimes(low, high, spread, codes) if (codes + 1) * spread < _WIDEST else None


def composites(code: Int64s, time: Int64s, codes: Int64s, times: Int64s) -> tuple[Int64s, Int64s]:
    """Return numbers for two sides that sort as code and time together do, the same for both."""
    highest = max(int(each.max()) for each in (code, codes) if len(each))
    place = places(highest + 1, time, times)
    if place is None:
        ticks = distinct(np.concatenate([time, times]))
        time, times = np.searchsorted(ticks, time), np.searchsorted(ticks, times)
        place = places(highest + 1, time, times)
    if place is None:
        raise OverflowError("more events than can be numbered")
    return place.of(code, time), place.of(codes, times)


def overlaps(one: CodedLifetimes, other: CodedLifetimes) -> Iterator[tuple[Int64s, Int64s]]:
    """The pairs of rows, of `one` and of `other`, that share a code and some tick; each pair once, in no order."""
    first, second = np.flatnonzero(one.code >= 0), np.flatnonzero(other.code >= 0)
    if not len(first) or not len(second):
        return
    left, right = _taken(one, first), _taken(other, second)
    place = places(int(max(left.code.max(), right.code.max())) + 1, left.start, right.start)
    if place is None:
        left, right = _small(left, right)
        place = places(int(max(left.code.max(), right.code.max())) + 1, left.start, right.start)
    if place is None:
        raise OverflowError("more events than can be numbered")
    lefts, rights = place.of(left.code, left.start), place.of(right.code, right.start)
    by_left, by_right = order_of(lefts, place.below), order_of(rights, place.below)
    lefts, rights = lefts[by_left], rights[by_right]
    # two lifetimes share a tick if one starts within the other: rights that start with a left or later, then lefts that
    # start later than a right. Equal starts are in the first part only, or their pairs would occur twice
    begun = np.searchsorted(rights, lefts)
    over = np.searchsorted(rights, place.of(left.code, left.end)[by_left])
    for here, there in _ranges(begun, over):
        yield first[by_left[here]], second[by_right[there]]
    if (right.end - right.start != 1).any():  # nothing starts after a point and still within it
        begun = np.searchsorted(lefts, rights, side="right")
        over = np.searchsorted(lefts, place.of(right.code, right.end)[by_right])
        for here, there in _ranges(begun, over):
            yield first[by_left[there]], second[by_right[here]]


def _taken(lives: CodedLifetimes, rows: Int64s) -> CodedLifetimes:
    if len(rows) == len(lives.code):
        return lives
    return CodedLifetimes(lives.code[rows], lives.start[rows], lives.end[rows])


def _small(left: CodedLifetimes, right: CodedLifetimes) -> tuple[CodedLifetimes, CodedLifetimes]:
    """The same with ranks for times and dense codes."""
    cut = len(left.code)
    codes = encode_integers(np.concatenate([left.code, right.code])).codes
    starts = distinct(np.concatenate([left.start, right.start]))

    def ranked(lives: CodedLifetimes, code: Int64s) -> CodedLifetimes:
        return CodedLifetimes(code, np.searchsorted(starts, lives.start), np.searchsorted(starts, lives.end))

    return ranked(left, codes[:cut]), ranked(right, codes[cut:])


def _ranges(first: Int64s, end: Int64s) -> Iterator[tuple[Int64s, Int64s]]:
    """Yield each index with every number from its `first` to before its `end`, in parts."""
    count = np.maximum(end - first, 0)
    some = np.flatnonzero(count)
    if not len(some):
        return
    totals = np.cumsum(count[some])
    cuts = np.searchsorted(totals, np.arange(MOST_PAIRS, int(totals[-1]) + MOST_PAIRS, MOST_PAIRS), side="right")
    for low, high in zip([0, *cuts[:-1].tolist()], [*cuts[:-1].tolist(), len(some)], strict=True):
        if low < high:
            rows = some[low:high]
            yield expanded(rows, first[rows], count[rows])


def expanded(rows: Int64s, first: Int64s, count: Int64s) -> tuple[Int64s, Int64s]:
    """Each of `rows` `count` times, with the numbers from its `first` on."""
    if (count == 1).all():
        return rows, first
    before = np.cumsum(count) - count
    return np.repeat(rows, count), np.repeat(first - before, count) + np.arange(int(count.sum()))
