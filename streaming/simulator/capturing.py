"""Rows that were read from somewhere, as rows of a sample: from an adapter, and from quarantine."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from streaming.adapters.preview import SampleRow as PreviewRow
from streaming.definition.counts import counted
from streaming.definition.payload import read_object
from streaming.definition.streams import StreamDefinition
from streaming.definition.strict import Strict
from streaming.definition.type_text import parse_fields
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.messages import LateEvent
from streaming.wire.payload_json import payload_text
from streaming.wire.rows import MalformedRow

TakenRow = dict[str, Any]
"""A row as it stands in a transcript."""


class RowNote(Strict):
    """Something to know of row number `row` (from 1) of a sample that was taken, or of all of it (null)."""

    row: int | None
    message: str


class TakenSample(Strict):
    """Rows for a sample, as they stand in transcripts, in order of arrival, with what is to be known of them."""

    rows: list[TakenRow]
    notes: list[RowNote]


def of_adapter(name: str, stream: StreamDefinition, rows: Sequence[PreviewRow]) -> TakenSample:
    """The rows that an adapter read from the stream `name`."""
    taken: list[TakenRow] = []
    notes: list[RowNote] = []
    for number, row in enumerate(rows, start=1):
        said: TakenRow = {"stream": name}
        if stream.lanes is not None and len(stream.lanes) > 1:
            said["lane"] = row.lane
        if row.arrival is not None:
            said["arrival"] = row.arrival
        match row.element:
            case Cti(at):
                said["cti"] = _finite(at)
            case MalformedRow(reason):
                said["bad"] = row.raw
                notes.append(RowNote(row=number, message=f"It cannot be read ({reason})."))
            case Event() as event:
                said |= _event(event, stream)
        taken.append(said)
    return TakenSample(rows=taken, notes=notes)


def _event(event: Event, stream: StreamDefinition) -> TakenRow:
    said: TakenRow = {"start": event.start}
    if event.edge is not None:
        said["edge"] = event.edge.value
    if event.edge == "end" or stream.shape == "interval":
        said["end"] = _finite(event.end)
    written = payload_text(event.payload, parse_fields(stream.fields))  # decimals as numbers, as they are read
    return {**said, "payload": json.loads(written)}


def _finite(tick: Tick) -> int | None:
    return None if tick == INFINITY else tick


def of_quarantine(stream_of: Mapping[str, tuple[str, StreamDefinition]], rows: Sequence[LateEvent]) -> TakenSample:
    """Rows of a binding's quarantine, oldest first; `stream_of` gives the stream of each input by name.

    Times are those that the row had; fields are read from its original text, where that is JSON. A row that never was
    an event, or whose text is no JSON object, becomes a bad row. Those of inputs that are no more are left out, and
    a note says how many.
    """
    taken: list[TakenRow] = []
    notes: list[RowNote] = []
    strangers = 0
    for row in rows:
        if row.input not in stream_of:
            strangers += 1
            continue
        name, stream = stream_of[row.input]
        said: TakenRow = {"stream": name}
        if stream.lanes is not None and len(stream.lanes) > 1:
            said["lane"] = row.lane
        payload = _payload(row.raw, stream)
        if row.start is None or payload is None:
            said["bad"] = row.raw
            why = f"was malformed ({row.reason})" if row.start is None else "is no JSON object, so its fields are lost"
            notes.append(RowNote(row=len(taken) + 1, message=f"Its text {why}."))
        else:
            said |= _quarantined(row, stream, payload)
        taken.append(said)
    if strangers:
        message = f"Left out: {counted(strangers, 'row')} of inputs that the query no longer has."
        notes.append(RowNote(row=None, message=message))
    return TakenSample(rows=taken, notes=notes)


def _quarantined(row: LateEvent, stream: StreamDefinition, payload: Mapping[str, Any]) -> TakenRow:
    said: TakenRow = {"start": row.start}
    if row.edge is not None:
        said["edge"] = row.edge
    if row.edge == "end" or stream.shape == "interval":
        said["end"] = row.end
    return {**said, "payload": dict(payload)}


def _payload(raw: str, stream: StreamDefinition) -> dict[str, Any] | None:
    found = read_object(raw)
    if found is None:
        return None
    inside = found.get("payload")
    whole = inside if isinstance(inside, dict) else found
    plain = json.loads(json.dumps(whole))  # numbers forget their digits beyond those of a double
    return {name: plain[name] for name in stream.fields if name in plain}
