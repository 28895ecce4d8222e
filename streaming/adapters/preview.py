"""What a user sees of an input before it runs: a test of its settings, and its first rows with their faults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streaming.adapters.contract import CheckedTarget, InputAdapter, Position
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.arrived import Arrived
from streaming.wire.arrived_rows import elements
from streaming.wire.rows import Element

MAX_ROUNDS = 1_000
"""How often `sample` asks for more before it takes what it has: an input may be cut into very small batches."""


@dataclass(frozen=True)
class SampleRow:
    """One row of a preview: the element it was read as, or why it is malformed, and its original text.

    `arrival` is the wall clock at its arrival in ticks, None where the adapter does not know it.
    """

    lane: str
    position: int
    element: Element
    raw: str
    arrival: Tick | None = None


def check(adapter: InputAdapter, *, now: int) -> None:
    """Try to find the input and to read its first row, as a run would. Raises `AdapterError`."""
    if isinstance(adapter, CheckedTarget):
        adapter.lanes()  # what is nearest fails first
        adapter.check()
    sample(adapter, 1, now=now)


def sample(adapter: InputAdapter, limit: int, *, now: int) -> list[SampleRow]:
    """The first `limit` rows, lane by lane within each step; `now` is the wall clock. Raises `AdapterError`."""
    rows: list[SampleRow] = []
    reached: Mapping[str, Position] = dict.fromkeys(adapter.lanes(), 0)
    for _ in range(MAX_ROUNDS):
        further = adapter.latest(reached, now=now, limit_rows=limit)
        for lane, end in further.items():
            for arrived in adapter.read(lane, reached.get(lane, 0), end):
                rows += rows_of(lane, arrived, limit - len(rows))
        if len(rows) >= limit or further == reached or adapter.finished(further):
            break
        reached = further
    return rows[:limit]


def rows_of(lane: str, arrived: Arrived, most: int) -> list[SampleRow]:
    """The first rows, `most` of them, of a chunk that `lane` brought."""
    count = min(most, len(arrived.kind))
    known = [NO_CTI] * count if arrived.arrival is None else arrived.arrival[:count].tolist()
    arrivals = [None if each == NO_CTI else Tick(each) for each in known]
    raws = arrived.raw(range(count))
    found: list[Any] = list(zip(elements(arrived), arrived.positions[:count].tolist(), raws, arrivals, strict=False))
    return [SampleRow(lane, position, element, raw, arrival) for element, position, raw, arrival in found]
