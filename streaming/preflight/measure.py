"""Measurement of a sample's rows: how readable, dense and late they are, and their outcomes under the settings.

CTIs that are imported from another input are left out: each input is measured alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.reference.feed import InputFeed
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Late
from streaming.temporal.ticks import NO_TICKS, TICKS_PER_S, Tick, Ticks
from streaming.wire.rows.row_json import Element, MalformedRow

LATE = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED, Outcome.LATE_KEPT, Outcome.DROPPED_LATE})
"""The outcomes of events that met a CTI above them."""
FEWEST_FOR_A_RATE = 10
"""Fewer events, or events all at one time, give no rate."""


@dataclass(frozen=True, slots=True)
class MeasuredElement:
    """One row of a sample, in order of arrival; `arrival` is the wall clock then, None if unknown.

    `size` is that of its text in characters.
    """

    lane: str
    element: Element
    arrival: Tick | None
    size: int = 0


class LatenessQuantiles(Strict):
    """The age of events, in ticks, relative to the largest start before them on their clock; 0 if in order.

    For a `share` of rows it is at most so large (nearest rank).
    """

    p50: Ticks
    p95: Ticks
    p99: Ticks
    largest: Ticks


class MeasuredInput(Strict):
    """The content of the sample of one input. `rows` counts all but CTIs.

    `delay` is that of the settings in force; None if no CTIs are generated. `first` and `last` are the smallest and
    largest start in ticks. `rows_per_s` is by event time, None for too few events. `row_bytes` is the mean size of a
    row as text. `lateness` is None without events. `outcomes` are those of the rows with the settings in force, before
    any window (T12).
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

    A row without a known arrival is compared with `now`, the wall clock.
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
    """Return by how many ticks the event exceeds `max_ahead` (T18); zero or less if it does not."""
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


def late_rows(stream: StreamDefinition, settings: AdvanceTime, sample: Iterable[MeasuredElement]) -> int:
    """Return how many events of `sample` meet a CTI above them with `settings`."""
    return sum(each.outcome in LATE for each in _judged("sample", stream, settings, sample))


def _outcomes(judged: Iterable[JudgedElement]) -> dict[Outcome, int]:
    return dict(Counter(each.outcome for each in judged))


def _lateness(
    node: str, stream: StreamDefinition, settings: AdvanceTime, events: Sequence[MeasuredElement]
) -> LatenessQuantiles | None:
    return lateness_quantiles(behind_newest(node, stream, events, over=settings.over))


def behind_newest(
    node: str, stream: StreamDefinition, events: Sequence[MeasuredElement], over: str | None = None
) -> list[Ticks]:
    """Return by how much each of `events` is older than the largest start before it on its clock, ascending.

    A clock that follows the largest start at once judges them: the lateness of each is the difference; 0 if in order.
    """
    bare = AdvanceTime(
        generate=Generate(delay=NO_TICKS, every_count=1, basis=Basis.MAX),
        late=Late.KEEP,  # a dropped start would also drop its end, which then gives no lateness
        over=over,
        future=Future.ACCEPT,
    )
    return sorted(each.lateness or NO_TICKS for each in _judged(node, stream, bare, events))


def lateness_quantiles(behind: Sequence[Ticks]) -> LatenessQuantiles | None:
    """Return the quantiles of `behind`, which is ascending; None if it is empty."""
    if not behind:
        return None
    p50, p95, p99 = (behind[ceil(len(behind) * share / 100) - 1] for share in (50, 95, 99))
    return LatenessQuantiles(p50=p50, p95=p95, p99=p99, largest=behind[-1])


def share_late(measured: MeasuredInput) -> float:
    """Return the share of the readable rows that came before a CTI, from 0 to 1."""
    read = measured.rows - sum(measured.malformed.values())
    late = sum(count for outcome, count in measured.outcomes.items() if outcome in LATE)
    return late / read if read else 0.0
