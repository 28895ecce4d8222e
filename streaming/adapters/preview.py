"""The preview of an input before it runs: a test of its settings, and its first rows with their problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.adapters.contract import CheckedTarget, InputAdapter, Position
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow

MAX_ROUNDS = 1_000
"""The most calls of `latest` in `sample`: an input may be divided into very small batches."""


@dataclass(frozen=True)
class SampleRow:
    """One row of a preview: its element, or the reason why it is malformed, and its original text.

    `arrival` is the wall clock at its arrival in ticks, None if the adapter does not record it.
    """

    lane: str
    position: int
    element: Element
    raw: str
    arrival: Tick | None = None


def check(adapter: InputAdapter, *, now: int) -> None:
    """Find the input and read its first row, as a run would. Raises `AdapterError`."""
    if isinstance(adapter, CheckedTarget):
        adapter.lanes()  # the simplest problem is reported first
        adapter.check()
    sample(adapter, 1, now=now)


def sample(adapter: InputAdapter, limit: int, *, now: int) -> list[SampleRow]:
    """Return the first `limit` rows, lane by lane within each step; `now` is the wall clock. Raises `AdapterError`."""
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


def lack_times(rows: Sequence[SampleRow]) -> bool:
    """Return True if there are rows, and none has a readable time."""
    elements = [row.element for row in rows]
    return bool(elements) and all(
        isinstance(each, MalformedRow) and each.reason is Reason.BAD_TIME for each in elements
    )


def rows_of(lane: str, arrived: Arrived, most: int) -> list[SampleRow]:
    """The first `most` rows of a chunk of `lane`."""
    count = min(most, len(arrived.kind))
    known = [NO_CTI] * count if arrived.arrival is None else arrived.arrival[:count].tolist()
    arrivals = [None if each == NO_CTI else Tick(each) for each in known]
    raws = arrived.raw(range(count))
    found: list[Any] = list(zip(elements(arrived), arrived.positions[:count].tolist(), raws, arrivals, strict=False))
    return [SampleRow(lane, position, element, raw, arrival) for element, position, raw, arrival in found]
