"""What the rows of a sample say of time: how readable, dense and late they are, and what the settings make of them.

CTIs that are imported from another input are not: each input is measured alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from streaming.definition.streams import StreamDefinition
from streaming.definition.strict import Strict
from streaming.reference.feed import InputFeed
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late
from streaming.temporal.ticks import NO_TICKS, Tick, Ticks
from streaming.wire.rows import Element, MalformedRow

TICKS_PER_S = 1_000_000
LATE = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED, Outcome.LATE_KEPT, Outcome.DROPPED_LATE})
"""The outcomes of events that met a CTI above them."""
FEWEST_FOR_A_RATE = 10
"""Fewer events, or all at one time, say nothing about how many come in a second."""


@dataclass(frozen=True, slots=True)
class MeasuredElement:
    """One row of a sample, in order of arrival; `arrival` is the wall clock then, None where it is not known.

    `size` is that of its text in characters.
    """

    lane: str
    element: Element
    arrival: Tick | None
    size: int = 0


class LatenessQuantiles(Strict):
    """How far events come behind the largest start before them on their clock, in ticks; 0 for what comes in order.

    A `share` of rows is behind by no more (nearest rank).
    """

    p50: Ticks
    p95: Ticks
    p99: Ticks
    largest: Ticks


class MeasuredInput(Strict):
    """What the sample of one input holds. `rows` counts all but CTIs.

    `delay` is that of the settings in force; None where no CTIs are generated. `first` and `last` are the smallest and
    largest start in ticks. `rows_per_s` is by event time, None for too few events. `row_bytes` is the mean size of a
    row as text. `lateness` is None without events. `outcomes` is what the settings in force make of the rows before any
    window is asked (T12).
    """

    input: str
    stream: str
    rows: int
    ctis: int
    malformed: dict[Reason, int]
    first: Tick | None
    last: Tick | None
    ahead: int
    furthest_ahead: Ticks
    rows_per_s: float | None
    row_bytes: int
    lateness: LatenessQuantiles | None
    delay: Ticks | None
    outcomes: dict[Outcome, int]


def measure(
    node: str,
    stream: tuple[str, StreamDefinition],
    settings: AdvanceTime,
    sample: Sequence[MeasuredElement],
    now: Tick,
) -> MeasuredInput:
    """Measure the sample of input `node`, which reads `stream` (its name and definition).

    A row whose arrival is not known is held against `now`, the wall clock.
    """
    name, definition = stream
    events = [each for each in sample if isinstance(each.element, Event)]
    starts = [each.element.start for each in events if isinstance(each.element, Event)]
    ahead = [over for each in events if (over := _ahead(each, settings, now)) > 0]
    return MeasuredInput(
        input=node,
        stream=name,
        rows=sum(not isinstance(each.element, Cti) for each in sample),
        ctis=sum(isinstance(each.element, Cti) for each in sample),
        malformed=dict(Counter(each.element.reason for each in sample if isinstance(each.element, MalformedRow))),
        first=min(starts, default=None),
        last=max(starts, default=None),
        ahead=len(ahead),
        furthest_ahead=Ticks(max(ahead, default=0)),
        rows_per_s=_rate(starts),
        row_bytes=sum(each.size for each in sample) // max(1, len(sample)),
        lateness=_lateness(node, definition, settings, events),
        delay=None if settings.generate is None else settings.generate.delay,
        outcomes=_outcomes(_judged(node, definition, settings, sample)),
    )


def _ahead(row: MeasuredElement, settings: AdvanceTime, now: Tick) -> int:
    """By how many ticks the event lies beyond what `max_ahead` allows (T18); zero or less where it does not."""
    by = now if row.arrival is None else row.arrival
    return row.element.start - by - settings.max_ahead if isinstance(row.element, Event) else 0


def _rate(starts: Sequence[Tick]) -> float | None:
    if len(starts) < FEWEST_FOR_A_RATE:
        return None
    span = max(starts) - min(starts)
    return None if span == 0 else len(starts) * TICKS_PER_S / span


def _judged(
    node: str, stream: StreamDefinition, settings: AdvanceTime, sample: Iterable[MeasuredElement]
) -> list[JudgedElement]:
    feed = InputFeed(node, stream, settings)
    fed = (feed.take(each.lane, each.element, each.arrival) for each in sample)
    return [each.judged for each in fed if each.judged is not None]


def _outcomes(judged: Iterable[JudgedElement]) -> dict[Outcome, int]:
    return dict(Counter(each.outcome for each in judged))


def _lateness(
    node: str, stream: StreamDefinition, settings: AdvanceTime, events: Sequence[MeasuredElement]
) -> LatenessQuantiles | None:
    return lateness_quantiles(behind_newest(node, stream, events, over=settings.over))


def behind_newest(
    node: str, stream: StreamDefinition, events: Sequence[MeasuredElement], over: str | None = None
) -> list[Ticks]:
    """How far each of `events` comes behind the largest start before it on its clock, ascending; 0 in order.

    They are judged by a clock that follows the largest start at once: how late each is there is how far behind.
    """
    bare = AdvanceTime(
        generate=Generate(delay=NO_TICKS, every_count=1, basis=Basis.MAX),
        late=Late.KEEP,  # a start that is dropped would drop its end with it, which then says nothing
        over=over,
        future=Future.ACCEPT,
    )
    return sorted(each.lateness or NO_TICKS for each in _judged(node, stream, bare, events))


def lateness_quantiles(behind: Sequence[Ticks]) -> LatenessQuantiles | None:
    """Those of `behind`, which is ascending; None of nothing."""
    if not behind:
        return None
    p50, p95, p99 = (behind[ceil(len(behind) * share / 100) - 1] for share in (50, 95, 99))
    return LatenessQuantiles(p50=p50, p95=p95, p99=p99, largest=behind[-1])


def share_late(measured: MeasuredInput) -> float:
    """The share of the readable rows that came before a CTI, from 0 to 1."""
    read = measured.rows - sum(measured.malformed.values())
    late = sum(count for outcome, count in measured.outcomes.items() if outcome in LATE)
    return late / read if read else 0.0
