"""How late the events of a sample come, and the delays among which a person chooses, each with what it keeps."""

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil
from typing import Any, Final

import numpy as np

from streaming.definition.streams import StreamDefinition
from streaming.definition.strict import Strict
from streaming.inference.event_shapes import FoundShape
from streaming.inference.time_candidates import TimesFound
from streaming.planning.explain.words import spoken
from streaming.preflight.measure import (
    LatenessQuantiles,
    MeasuredElement,
    behind_newest,
    lateness_quantiles,
)
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.ticks import INFINITY, LAST_TICK, ONE_TICK, Tick, Ticks
from streaming.wire.case import ONLY_LANE

SHARES: Final = (0.9, 0.95, 0.97, 0.99, 0.999, 1.0)
"""What choices aim at; each is rounded up to a delay that a person would write."""
WANTED: Final = 0.99
"""The smallest choice that keeps so much is proposed."""
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
    """A delay as text, the share of the sample's rows that is not late under it, and how many are.

    That is of a CTI that follows every event at once: with fewer CTIs more is kept.
    """

    delay: str
    kept: float
    late: int
    proposed: bool


class MeasuredLateness(Strict):
    """How late the rows of a sample come (`rows` of them), and the choices, ascending, exactly one of them proposed."""

    rows: int
    quantiles: LatenessQuantiles
    choices: list[DelayChoice]


def measured_lateness(start: TimesFound, found: FoundShape, edges: Sequence[Any] | None) -> MeasuredLateness | None:
    """Measure the sample whose rows begin at `start`; `edges` are kinds of rows. None without a readable row."""
    rows = [MeasuredElement(ONLY_LANE, event, None) for event in _events(start, found, edges)]
    behind = behind_newest("sample", StreamDefinition(shape=found.shape, fields={}), rows)
    quantiles = lateness_quantiles(behind)
    return (
        None
        if quantiles is None
        else MeasuredLateness(rows=len(behind), quantiles=quantiles, choices=delay_choices(behind))
    )


def _events(start: TimesFound, found: FoundShape, edges: Sequence[Any] | None) -> list[Event]:
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
    """The choices for rows that come so far behind the newest (ascending, not empty)."""
    wanted = {0} | {_written(behind[ceil(len(behind) * share) - 1]) for share in SHARES}
    kept = {delay: bisect_right(behind, delay) for delay in sorted(wanted)}
    proposed = next(delay for delay, count in kept.items() if count >= WANTED * len(behind))
    return [
        DelayChoice(delay=spoken(delay), kept=count / len(behind), late=len(behind) - count, proposed=delay == proposed)
        for delay, count in kept.items()
    ]


def _written(behind: Ticks) -> int:
    """The smallest delay that a person would write and that covers `behind`; of more than 30 days, whole days."""
    if behind == 0:
        return 0
    days = 86_400 * _S
    return next((step for step in _STEPS if step >= behind), -(-behind // days) * days)
