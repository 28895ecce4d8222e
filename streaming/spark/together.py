"""Bindings whose inputs and lanes share one clock: they are fed as one, in the order of arrival, and time counts.

Which they are, the plan says (`Plan.together`): those with the idle rule, implicit rowtimes, imported time.
"""

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

import pyarrow as pa

from streaming.engine.envelopes import Envelope, LaneCounts
from streaming.engine.plan import Plan
from streaming.wire.arrived import Arrived

Lane = tuple[str, str]
"""Input and lane."""


class TogetherTurn(Protocol):
    """What all lanes of a binding made of one batch."""

    envelopes: list[Envelope]
    state: bytes
    counts: Mapping[Lane, LaneCounts]
    late: pa.Table


class Together(Protocol):
    """What feeds all lanes of a binding (streaming.engine.together)."""

    def take(self, input_id: str, lane: str, arrived: Arrived) -> None:
        """Judge a chunk of a lane."""

    def beat(self, now: int) -> None:
        """Let it be `now` at every input."""

    def finish(self, ending: Collection[str]) -> TogetherTurn:
        """The turn of the batch; `ending` inputs get CTI infinity."""


def feeds_together(plan: Plan) -> bool:
    """Whether the lanes of `plan` are fed as one, and wait for time to pass."""
    return bool(getattr(plan, "together", False))


def in_order_of_arrival(lanes: Iterable[tuple[Lane, Iterator[Arrived]]]) -> Iterator[tuple[Lane, Arrived]]:
    """The chunks of all lanes, those of one lane in their order, lanes merged by when the first row of a chunk came.

    Chunks without times of arrival come lane by lane. One chunk of each lane is held.
    """
    keyed = (_keyed(place, lane, chunks) for place, (lane, chunks) in enumerate(lanes))
    for _, _, _, lane, chunk in heapq.merge(*keyed, key=lambda each: each[:3]):
        yield lane, chunk


def _keyed(place: int, lane: Lane, chunks: Iterator[Arrived]) -> Iterator[tuple[int, int, int, Lane, Arrived]]:
    latest = 0
    for number, chunk in enumerate(chunks):
        if chunk.arrival is not None and len(chunk.arrival):
            latest = max(latest, int(chunk.arrival[0]))
        yield latest, place, number, lane, chunk
