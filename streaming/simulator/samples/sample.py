"""A sample from a transcript, ready for the reference: numbered rows with the inputs that read them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.event_time import with_event_times
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.reference.flow import ElementId
from streaming.temporal.outcomes import Reason
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import Tick
from streaming.transcripts.format import InstantText, TranscriptRow
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.rows import case_rows, inputs_by_stream, unlike_event_times
from streaming.wire.execution.case import ONLY_LANE, CaseRow, EndMode
from streaming.wire.rows.row_json import Element, MalformedRow, read_row

__all__ = ["InstantText"]
SampleRow = TranscriptRow
SampleItem = SampleRow | Literal["batch"]
"""A row, or the end of a micro-batch."""


class SampleError(ValueError):
    """A sample that cannot be read; the message says what to change."""


@dataclass(frozen=True, slots=True)
class SampledElement:
    """A row as an input of the reference takes it; for a heartbeat `element` is None and `at` its time.

    `number` counts these from 1, `sample_row` the rows of the sample: if several inputs read a stream, they take its
    row one after the other. `input` and `identity` are None if no input reads the stream. `ends_batch`: how many
    micro-batches end before it.
    """

    number: int
    sample_row: int
    row: CaseRow
    input: str | None
    lane: str
    element: Element | None
    identity: ElementId | None
    arrival: Tick | None
    at: Tick | None
    ends_batch: int


def refuse_unlike_event_times(graph: QueryGraph, event_times: Mapping[str, EventTimeBy]) -> None:
    """Raise `SampleError` if inputs read one stream by different event times: a row of a sample has one start."""
    unlike = unlike_event_times(graph, event_times)
    if unlike is not None:
        raise SampleError(f"{unlike}.")


@dataclass(frozen=True)
class TimedSample:
    """A sample, and the streams to read it with: `event_time` is removed where rows carry their starts."""

    items: Sequence[SampleItem]
    streams: Mapping[str, StreamDefinition]


@dataclass(frozen=True)
class SampledQuery:
    """A valid query, its streams by name, its settings in force by input node, and its sample with the end mode."""

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    settings: Mapping[str, AdvanceTime]
    elements: Sequence[SampledElement]
    end: EndMode


def timed(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    items: Sequence[SampleItem],
    event_times: Mapping[str, EventTimeBy],
) -> TimedSample:
    """Determine where the starts of the rows come from.

    `event_times`, by input node, comes from EVENTTIME BY. It always counts; a `start` next to it is ignored. A stream's
    own event time says how its adapter reads rows, and a sample from an adapter already has its starts. So it counts
    only if no row of the sample has a `start`. Raises `SampleError`.
    """
    refuse_unlike_event_times(graph, event_times)
    timed_inputs = [node for node in graph.nodes if isinstance(node, InputNode) and node.id in event_times]
    by_node = with_event_times(graph, streams, event_times)
    of_text = {node.stream: by_node[node.id] for node in timed_inputs if node.id in by_node}
    starting = {item.stream for item in items if isinstance(item, TranscriptRow) and "start" in item.model_fields_set}
    read = {
        name: stream.model_copy(update={"event_time": None}) if name in starting else stream
        for name, stream in streams.items()
    }
    return TimedSample([_without_start(item) if _names(item, of_text) else item for item in items], read | of_text)


def _names(item: SampleItem, streams: Collection[str]) -> bool:
    return isinstance(item, TranscriptRow) and item.stream in streams and "start" in item.model_fields_set


def _without_start(item: SampleItem) -> SampleItem:
    if not isinstance(item, TranscriptRow):
        return item
    return TranscriptRow.model_validate(item.model_dump(exclude_unset=True, exclude={"start"}))


def elements_of(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], rows: Iterable[CaseRow]
) -> tuple[SampledElement, ...]:
    """Return the `rows` as the reference takes them: each once for every input that reads its stream."""
    read_by = inputs_by_stream(graph)
    positions: dict[tuple[str, str], int] = {}
    found: list[SampledElement] = []
    batch = 0
    for sample_row, each in enumerate(rows, start=1):
        for node in read_by.get(each.stream, [None]):
            place = _ElementPlace(len(found) + 1, sample_row, each.batch - batch)
            found.append(_element(place, each, node, streams[each.stream], positions))
            batch = each.batch
    return tuple(found)


def sampled(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], items: Sequence[SampleItem]
) -> tuple[SampledElement, ...]:
    """Return the rows of `items`, read with `streams`. Raises as `rows_of` does."""
    return elements_of(graph, streams, rows_of(TimedSample(items, streams)))


def rows_of(sample: TimedSample) -> Iterator[CaseRow]:
    """Yield the rows in order. Raises `SampleError` for a row without a stream, or without a required lane."""
    number = 0
    rows = case_rows(sample.items, sample.streams)
    while True:
        number += 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except TranscriptError as error:
            raise SampleError(f"Row {number} of the sample: {error}.") from None
        if row.marks_history:
            raise SampleError(f"Row {number} of the sample ends a history, but a sample has one source; leave it out.")
        yield row


@dataclass(frozen=True, slots=True)
class _ElementPlace:
    """The place of an element; see `SampledElement`."""

    number: int
    sample_row: int
    ends_batch: int


def _element(
    place: _ElementPlace,
    row: CaseRow,
    node: str | None,
    stream: StreamDefinition,
    positions: dict[tuple[str, str], int],
) -> SampledElement:
    where = (place.number, place.sample_row, row, node)
    if row.heartbeat is not None:
        return SampledElement(*where, row.lane, None, None, None, Tick(row.heartbeat), place.ends_batch)
    lanes = stream.lanes or [ONLY_LANE]
    lane = row.lane if row.lane in lanes else lanes[0]
    element = read_row(row.fields, stream, row.arrival) if row.lane in lanes else MalformedRow(Reason.BAD_ROW)
    arrival = None if row.arrival is None else Tick(row.arrival)
    identity = None
    if node is not None:
        position = positions.get((node, lane), 0)
        positions[node, lane] = position + 1
        identity = ElementId(node, lane, position)
    return SampledElement(*where, lane, element, identity, arrival, None, place.ends_batch)
