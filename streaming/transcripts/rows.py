"""Rows as they are written, in the form of cases, and by which input nodes they are read."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from streaming.adapters.times import TimeSource, read_time
from streaming.definition.event_time import event_path, value_in_facets
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import EventTimeBy, StreamDefinition
from streaming.temporal.ticks import parse_instant
from streaming.transcripts.format import BATCH, TranscriptRow
from streaming.transcripts.load import TranscriptError
from streaming.wire.case import ONLY_LANE, CaseRow

_ROW_KEYS = ("start", "end", "edge", "payload", "cti", "strict", "bad")


def inputs_by_stream(graph: QueryGraph) -> dict[str, list[str]]:
    """The input nodes of each stream, in the order of the graph."""
    found: dict[str, list[str]] = {}
    for node in graph.nodes:
        if isinstance(node, InputNode):
            found.setdefault(node.stream, []).append(node.id)
    return found


def unlike_event_times(graph: QueryGraph, event_times: Mapping[str, EventTimeBy]) -> str | None:
    """What is to be done where inputs read one stream by different event times, for a row that is written has one."""
    for stream, nodes in inputs_by_stream(graph).items():
        if any(event_times.get(node) != event_times.get(nodes[0]) for node in nodes):
            named = " and ".join(map(repr, nodes))
            return (
                f"{named} read the stream {stream!r} by different event times; let EVENTTIME BY say the same for them"
            )
    return None


def case_rows(
    items: Iterable[TranscriptRow | Literal["batch"]], streams: Mapping[str, StreamDefinition]
) -> Iterator[CaseRow]:
    """The rows of `items` in the form of cases; `streams` by name.

    Raises `TranscriptError` for a row that names no stream, no lane where there are several, or a start that the
    stream's event time says.
    """
    batch, clock = 0, dict[str, int]()
    for item in items:
        if item == BATCH or not isinstance(item, TranscriptRow):
            batch += 1
            continue
        if item.stream not in streams:
            raise TranscriptError(f"a row names the stream {item.stream!r}; name one under 'streams'")
        if item.heartbeat is not None:
            clock[item.stream] = parse_instant(item.heartbeat)
            lanes = streams[item.stream].lanes or [ONLY_LANE]
            yield CaseRow(item.stream, lanes[0], batch, {"heartbeat": clock[item.stream]})
            continue
        arrival = clock.get(item.stream) if item.arrival is None else parse_instant(item.arrival)
        lane = item.lane if item.lane is not None else _only_lane(item.stream, streams[item.stream])
        yield CaseRow(item.stream, lane, batch, _said(item, streams[item.stream]), arrival)


def _only_lane(name: str, stream: StreamDefinition) -> str:
    lanes = stream.lanes or [ONLY_LANE]
    if len(lanes) > 1:
        raise TranscriptError(f"a row of {name!r}, which has several lanes, names none; add 'lane'")
    return lanes[0]


def _said(row: TranscriptRow, stream: StreamDefinition) -> dict[str, Any]:
    """What a row says, with the start from where the stream's event time says; null where nothing readable is there."""
    said = {key: getattr(row, key) for key in _ROW_KEYS if key in row.model_fields_set}
    if stream.event_time is None or not said.keys().isdisjoint(("cti", "bad")):
        return said
    if "start" in said:
        where = stream.event_time.start.column
        raise TranscriptError(f"a row of {row.stream!r} says 'start', which is taken from {where}; leave it out")
    whole = {key: getattr(row, key) for key in ("key", "meta", "payload")}
    source = TimeSource.of(stream.event_time.start)
    return {**said, "start": read_time(value_in_facets(whole, event_path(source.column)), source)}
