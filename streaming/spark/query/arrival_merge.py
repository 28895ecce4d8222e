"""Bindings whose inputs and lanes share one clock: their lanes are merged in order of arrival, and time counts.

`Plan.together` marks them: the idle rule, implicit rowtimes, substreams or imported time.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from streaming.planning.plan import QueryPlan
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Arrived, Int64s

Lane = tuple[str, str]
"""Input and lane."""


def feeds_together(plan: QueryPlan) -> bool:
    """Return True if the lanes of `plan` are merged into one, and wait for time to pass."""
    return plan.together


def in_order_of_arrival(lanes: Iterable[tuple[Lane, Iterator[Arrived]]]) -> Iterator[tuple[Lane, Arrived]]:
    """Yield the rows of all lanes merged by arrival, in chunks as long as the rows come from a single lane.

    Rows of one lane keep their order: a row counts as arrived no sooner than the rows before it, and together with them
    if its adapter has no arrival time. Of rows that arrived at the same time, the lane that is listed first goes first.
    One chunk of each lane is buffered.
    """
    waiting: list[tuple[int, int, _LaneReading]] = []
    for place, (lane, chunks) in enumerate(lanes):
        reading = _LaneReading(lane, chunks)
        if reading.fill():
            waiting.append((reading.next, place, reading))
    heapq.heapify(waiting)
    while waiting:
        _, place, reading = heapq.heappop(waiting)
        other, other_place = waiting[0][:2] if waiting else (INFINITY, place + 1)
        yield from ((reading.lane, chunk) for chunk in reading.take_until(other, ties=place < other_place))
        if reading.fill():
            heapq.heappush(waiting, (reading.next, place, reading))


class _LaneReading:
    """One lane, with a current chunk whose rows from `_begin` on are left."""

    def __init__(self, lane: Lane, chunks: Iterator[Arrived]) -> None:
        self.lane = lane
        self._chunks = chunks
        self._chunk: Arrived | None = None
        self._times: Int64s = np.empty(0, np.int64)
        self._begin = 0
        self._latest = -INFINITY

    @property
    def next(self) -> int:
        """The time at which its next row arrived."""
        return int(self._times[self._begin])

    def fill(self) -> bool:
        """Make sure that a row is available; return False at the end of the lane."""
        while self._chunk is None or self._begin == len(self._times):
            self._chunk = next(self._chunks, None)
            if self._chunk is None:
                return False
            self._times, self._begin = self._arrivals(self._chunk), 0
        return True

    def take_until(self, other: int, *, ties: bool) -> Iterator[Arrived]:
        """Yield the rows that arrived before `other`, and also at `other` if `ties`; at least one row."""
        while self.fill() and (self.next < other or (ties and self.next == other)):
            end = int(np.searchsorted(self._times, other, "right" if ties else "left"))
            assert self._chunk is not None  # nosec B101 # for the type checker; nothing depends on it
            yield part_of(self._chunk, self._begin, end)
            self._begin = end

    def _arrivals(self, chunk: Arrived) -> Int64s:
        count = len(chunk.kind)
        if chunk.arrival is None:
            return np.full(count, self._latest)
        if not count:
            return np.empty(0, np.int64)
        times: Int64s = np.maximum(np.maximum.accumulate(chunk.arrival), self._latest)
        self._latest = int(times[-1])
        return times


def part_of(arrived: Arrived, begin: int, end: int) -> Arrived:
    """Return the rows `[begin, end)` of `arrived`."""
    if begin == 0 and end == len(arrived.kind):
        return arrived

    def raw(indices: Sequence[int]) -> list[str]:
        return arrived.raw([index + begin for index in indices])

    return replace(
        arrived,
        kind=arrived.kind[begin:end],
        start=arrived.start[begin:end],
        end=arrived.end[begin:end],
        positions=arrived.positions[begin:end],
        payload=arrived.payload.slice(begin, end - begin),
        malformed={index - begin: why for index, why in arrived.malformed.items() if begin <= index < end},
        raw=raw,
        arrival=None if arrived.arrival is None else arrived.arrival[begin:end],
        loads={index - begin: rows for index, rows in arrived.loads.items() if begin <= index < end},
    )
