"""Bindings whose inputs and lanes share one clock: they are fed as one, in the order of arrival, and time counts.

Which they are, the plan says (`Plan.together`): those with the idle rule, implicit rowtimes, substreams, imported time.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from streaming.planning.plan import QueryPlan
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Arrived, Int64s

Lane = tuple[str, str]
"""Input and lane."""


def feeds_together(plan: QueryPlan) -> bool:
    """Whether the lanes of `plan` are fed as one, and wait for time to pass."""
    return plan.together


def in_order_of_arrival(lanes: Iterable[tuple[Lane, Iterator[Arrived]]]) -> Iterator[tuple[Lane, Arrived]]:
    """The rows of all lanes merged by when they arrived, in chunks as long as one lane speaks alone.

    Rows of one lane keep their order: one counts as arrived no sooner than those before it, and with them where its
    adapter does not know. Of rows that arrived at once those of the lane that is named first come first. One chunk of
    each lane is held.
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
    """One lane: its chunk in hand, of which rows from `_begin` on are left."""

    def __init__(self, lane: Lane, chunks: Iterator[Arrived]) -> None:
        self.lane = lane
        self._chunks = chunks
        self._chunk: Arrived | None = None
        self._times: Int64s = np.empty(0, np.int64)
        self._begin = 0
        self._latest = -INFINITY

    @property
    def next(self) -> int:
        """When its next row arrived."""
        return int(self._times[self._begin])

    def fill(self) -> bool:
        """See that there is a row; False at the end of the lane."""
        while self._chunk is None or self._begin == len(self._times):
            self._chunk = next(self._chunks, None)
            if self._chunk is None:
                return False
            self._times, self._begin = self._arrivals(self._chunk), 0
        return True

    def take_until(self, other: int, *, ties: bool) -> Iterator[Arrived]:
        """What arrived before `other`, and at that time too where `ties`; at least one row."""
        while self.fill() and (self.next < other or (ties and self.next == other)):
            end = int(np.searchsorted(self._times, other, "right" if ties else "left"))
            assert self._chunk is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
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
    """The rows `[begin, end)` of `arrived`."""
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
    )
