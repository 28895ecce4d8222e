"""The lateness of the events of a sample, and a choice of delays, each with the share of rows that it keeps."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

import numpy as np
from pydantic import Field

from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.inference.event_shapes import FoundShape
from streaming.inference.outliers import OutlyingTime, described, outlying
from streaming.inference.row_findings import behind_by_key
from streaming.inference.time_candidates import TimeReading
from streaming.planning.explain.words import spoken
from streaming.preflight.measure import (
    LatenessQuantiles,
    MeasuredElement,
    behind_newest,
    lateness_quantiles,
)
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.ticks import INFINITY, LAST_TICK, ONE_TICK, Tick, Ticks
from streaming.wire.execution.case import ONLY_LANE

SHARES: Final = (0.9, 0.95, 0.97, 0.99, 0.999, 1.0)
"""The shares that choices aim at; each is rounded up to a delay that a person would write."""
WANTED: Final = 0.99
"""The smallest choice that keeps this share is proposed."""
_S: Final = 1_000_000
_STEPS: Final = (
    *(each for power in (1, 10, 100, 1_000, 10_000, 100_000) for each in (power, 2 * power, 5 * power)),
    *(each * _S for each in (1, 2, 5, 10, 15, 20, 30)),
    *(each * 60 * _S for each in (1, 2, 5, 10, 15, 20, 30)),
    *(each * 3_600 * _S for each in (1, 2, 3, 6, 12)),
    *(each * 86_400 * _S for each in (1, 2, 3, 7, 14, 30)),
)
"""Delays in ticks that a person would write."""


class DelayChoice(Strict):
    """A delay as text, the share of the sample's rows that is not late with it, and the number of late rows.

    Both are for a CTI after every event: with fewer CTIs more is kept.
    """

    delay: str
    kept: float
    late: int
    proposed: bool


class MeasuredLateness(Strict):
    """The lateness of the rows of a sample (`rows` of them), and the choices, ascending, exactly one of them proposed.

    Times far from all others (`outlying` of them, the first are `outliers`) are left out; with them the proposed delay
    would be `with_outliers`.
    """

    rows: int
    quantiles: LatenessQuantiles
    choices: list[DelayChoice]
    outlying: int = 0
    outliers: list[OutlyingTime] = Field(default_factory=list)
    with_outliers: str | None = None


@dataclass(frozen=True)
class LatenessInput:
    """The input of a measurement of lateness: times and shape, kinds of edges, values as written with their rows, keys.

    With `keys` each key has its own clock (T15).
    """

    start: TimeReading
    shape: FoundShape
    edges: Sequence[Any] | None
    written: Sequence[Any]
    rows: Sequence[int | None]
    keys: Sequence[Any] | None = None


def measured_lateness(of: LatenessInput) -> MeasuredLateness | None:
    """Measure a sample. None without a readable row."""
    wrong = outlying(of.start)
    behind = _behind(of, wrong)
    quantiles = lateness_quantiles(behind)
    if quantiles is None:
        return None
    choices = delay_choices(behind)
    everything = delay_choices(_behind(of, np.zeros_like(wrong))) if wrong.any() else []
    return MeasuredLateness(
        rows=len(behind),
        quantiles=quantiles,
        choices=choices,
        outlying=int(wrong.sum()),
        outliers=described(of.start, wrong, of.written, of.rows),
        with_outliers=next((each.delay for each in everything if each.proposed), None),
    )


def _behind(of: LatenessInput, left_out: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> list[Ticks]:
    """Return how much older the rows are than the newest before them, ascending."""
    start = replace(of.start, bad=of.start.bad | left_out)
    if of.keys is not None:
        kept = np.flatnonzero(~start.bad).tolist()
        found = behind_by_key(start.ticks[kept], [of.keys[at] for at in kept])
        return sorted(map(Ticks, found.tolist()))
    rows = [MeasuredElement(ONLY_LANE, event, None) for event in _events(start, of.shape, of.edges)]
    return behind_newest("sample", StreamDefinition(shape=of.shape.shape, fields={}), rows)


def _events(start: TimeReading, found: FoundShape, edges: Sequence[Any] | None) -> list[Event]:
    begins = start.ticks.tolist()
    ends = begins if found.end is None else found.end.ticks.tolist()
    no_end = np.zeros(len(begins), dtype=np.bool_) if found.end is None else found.end.bad
    events: list[Event] = []
    for at in np.flatnonzero(~start.bad & (start.ticks <= LAST_TICK)).tolist():
        begin = Tick(begins[at])
        if found.shape is Shape.POINT:
            events.append(Event(begin, Tick(begin + ONE_TICK), {}))
        elif edges is not None and edges[at] == "start":
            events.append(Event(begin, INFINITY, {}, EdgeKind.START))
        elif not no_end[at] and ends[at] > begin:
            events.append(Event(begin, Tick(ends[at]), {}, None if edges is None else EdgeKind.END))
    return events


def delay_choices(behind: Sequence[Ticks]) -> list[DelayChoice]:
    """Return the choices for rows that are so much older than the newest (ascending, not empty)."""
    wanted = {0} | {_written(behind[ceil(len(behind) * share) - 1]) for share in SHARES}
    kept = {delay: bisect_right(behind, delay) for delay in sorted(wanted)}
    proposed = next(delay for delay, count in kept.items() if count >= WANTED * len(behind))
    return [
        DelayChoice(delay=spoken(delay), kept=count / len(behind), late=len(behind) - count, proposed=delay == proposed)
        for delay, count in kept.items()
    ]


def _written(behind: Ticks) -> int:
    """Return the smallest delay that a person would write and that covers `behind`; above 30 days, whole days."""
    if behind == 0:
        return 0
    days = 86_400 * _S
    return next((step for step in _STEPS if step >= behind), -(-behind // days) * days)
