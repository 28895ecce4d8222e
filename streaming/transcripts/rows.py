"""Conversion of written rows to the form of cases, and the input nodes that read them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from streaming.adapters.times.columns import TimeSource
from streaming.adapters.times.selections import time_in_facets
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.temporal.ticks import parse_instant
from streaming.transcripts.format import BATCH, TranscriptRow
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.seam import Source, SourcedRow
from streaming.wire.execution.case import HISTORY_LANE, ONLY_LANE, CaseRow

_ROW_KEYS = ("start", "end", "edge", "payload", "cti", "strict", "bad", "delete", "snapshot", "rows")


def inputs_by_stream(graph: QueryGraph) -> dict[str, list[str]]:
    """Return the input nodes of each stream, in the order of the graph."""
    found: dict[str, list[str]] = {}
    for node in graph.nodes:
        if isinstance(node, InputNode):
            found.setdefault(node.stream, []).append(node.id)
    return found


def unlike_event_times(graph: QueryGraph, event_times: Mapping[str, EventTimeBy]) -> str | None:
    """Return the remedy if inputs read one stream by different event times, because a written row has one start."""
    for stream, nodes in inputs_by_stream(graph).items():
        if any(event_times.get(node) != event_times.get(nodes[0]) for node in nodes):
            named = " and ".join(map(repr, nodes))
            return f"{named} read the stream {stream!r} by different event times; use the same EVENTTIME BY for them"
    return None


def case_rows(
    items: Iterable[TranscriptRow | Literal["batch"]], streams: Mapping[str, StreamDefinition]
) -> Iterator[CaseRow]:
    """Yield the rows of `items` in the form of cases, as they are written; see `sourced_rows`."""
    return (each.row for each in sourced_rows(items, streams))


def sourced_rows(
    items: Iterable[TranscriptRow | Literal["batch"]], streams: Mapping[str, StreamDefinition]
) -> Iterator[SourcedRow]:
    """Yield the rows of `items` in the form of cases, each with its source; `streams` by name.

    Raises `TranscriptError` for a row that names no stream, no lane if there are several, or a start that the stream's
    event time provides.
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
            yield SourcedRow(CaseRow(item.stream, lanes[0], batch, {"heartbeat": clock[item.stream]}), "live")
            continue
        stream = streams[item.stream]
        if stream.history is None and (item.history is not None or item.source == "history"):
            raise TranscriptError(f"the stream {item.stream!r} has no history; set it, or leave this row out")
        if item.history is not None:
            yield SourcedRow(CaseRow(item.stream, HISTORY_LANE, batch, {"history": None}), "history")
            continue
        source = item.source or "live"
        arrival = clock.get(item.stream) if source == "live" else None
        arrival = arrival if item.arrival is None else parse_instant(item.arrival)
        lane = _lane_of(item, stream, source)
        yield SourcedRow(CaseRow(item.stream, lane, batch, _row_fields(item, stream), arrival), source, item.position)


def _lane_of(row: TranscriptRow, stream: StreamDefinition, source: Source) -> str:
    """Return the lane of a row; rows of history that name no lane of live have their own (T55)."""
    lanes = stream.lanes or [ONLY_LANE]
    if source == "history" and (row.lane not in lanes if row.lane is not None else len(lanes) > 1):
        return HISTORY_LANE
    return row.lane if row.lane is not None else _only_lane(row.stream, stream)


def _only_lane(name: str, stream: StreamDefinition) -> str:
    lanes = stream.lanes or [ONLY_LANE]
    if len(lanes) > 1:
        raise TranscriptError(f"a row of {name!r}, which has several lanes, names none; add 'lane'")
    return lanes[0]


def _row_fields(row: TranscriptRow, stream: StreamDefinition) -> dict[str, Any]:
    """Return the keys of a row, with the times from the stream's event time; null for an unreadable start.

    An `end` in the row itself takes precedence over that of the event time.
    """
    fields = {key: getattr(row, key) for key in _ROW_KEYS if key in row.model_fields_set}
    if stream.event_time is None or not fields.keys().isdisjoint(("cti", "bad")):
        return fields
    if "start" in fields:
        where = stream.event_time.start.column
        raise TranscriptError(f"a row of {row.stream!r} has 'start', but its start is taken from {where}; leave it out")
    whole = {key: getattr(row, key) for key in ("key", "meta", "payload")}
    timed = {**fields, "start": time_in_facets(whole, TimeSource.of(stream.event_time.start))}
    if stream.event_time.end is not None and "end" not in fields:
        end = time_in_facets(whole, TimeSource.of(stream.event_time.end))
        timed |= {} if end is None else {"end": end}
    return timed
