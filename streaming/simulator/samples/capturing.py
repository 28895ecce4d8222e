"""Rows of adapters and of quarantine as rows of a sample."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from streaming.adapters.preview import SampleRow as PreviewRow
from streaming.definition.counts import counted
from streaming.definition.payload.reading import read_object
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.temporal.events import Cti, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.messages import LateEvent
from streaming.wire.rows.payload_json import payload_text
from streaming.wire.rows.row_json import MalformedRow

TakenRow = dict[str, Any]
"""A row in the form of transcripts."""


class RowNote(Strict):
    """A note on row number `row` (from 1) of a sample, or on the whole sample (null)."""

    row: int | None
    message: str


class TakenSample(Strict):
    """Rows for a sample in the form of transcripts, in order of arrival, with notes."""

    rows: list[TakenRow]
    notes: list[RowNote]


def of_adapter(name: str, stream: StreamDefinition, rows: Sequence[PreviewRow]) -> TakenSample:
    """Return rows that an adapter read from the stream `name`."""
    taken: list[TakenRow] = []
    notes: list[RowNote] = []
    for number, row in enumerate(rows, start=1):
        row_fields: TakenRow = {"stream": name}
        if stream.lanes is not None and len(stream.lanes) > 1:
            row_fields["lane"] = row.lane
        if row.arrival is not None:
            row_fields["arrival"] = row.arrival
        match row.element:
            case Cti(at):
                row_fields["cti"] = _finite(at)
            case MalformedRow(reason):
                row_fields["bad"] = row.raw
                notes.append(RowNote(row=number, message=f"It cannot be read ({reason})."))
            case Event() as event:
                row_fields |= _event(event, stream)
        taken.append(row_fields)
    return TakenSample(rows=taken, notes=notes)


def _event(event: Event, stream: StreamDefinition) -> TakenRow:
    row_fields: TakenRow = {"start": event.start}
    if event.edge is not None:
        row_fields["edge"] = event.edge.value
    if event.edge == "end" or stream.shape == "interval":
        row_fields["end"] = _finite(event.end)
    written = payload_text(event.payload, parse_fields(stream.fields))  # decimals as numbers, as adapters read them
    return {**row_fields, "payload": json.loads(written)}


def _finite(tick: Tick) -> int | None:
    return None if tick == INFINITY else tick


def of_quarantine(stream_of: Mapping[str, tuple[str, StreamDefinition]], rows: Sequence[LateEvent]) -> TakenSample:
    """Return rows of a binding's quarantine, oldest first; `stream_of` maps each input to its stream and name.

    Times are the original times of the row; fields are read from its original text, if that is JSON. A row that never
    was an event, or whose text is not a JSON object, becomes a bad row. Rows of inputs that no longer exist are left
    out; a note says how many.
    """
    taken: list[TakenRow] = []
    notes: list[RowNote] = []
    strangers = 0
    for row in rows:
        if row.input not in stream_of:
            strangers += 1
            continue
        name, stream = stream_of[row.input]
        row_fields: TakenRow = {"stream": name}
        if stream.lanes is not None and len(stream.lanes) > 1:
            row_fields["lane"] = row.lane
        payload = _payload(row.raw, stream)
        if row.start is None or payload is None:
            row_fields["bad"] = row.raw
            why = (
                f"was malformed ({row.reason})" if row.start is None else "is not a JSON object, so its fields are lost"
            )
            notes.append(RowNote(row=len(taken) + 1, message=f"Its text {why}."))
        else:
            row_fields |= _read_quarantined(row, stream, payload)
        taken.append(row_fields)
    if strangers:
        message = f"Left out: {counted(strangers, 'row')} of inputs that the query no longer has."
        notes.append(RowNote(row=None, message=message))
    return TakenSample(rows=taken, notes=notes)


def _read_quarantined(row: LateEvent, stream: StreamDefinition, payload: Mapping[str, Any]) -> TakenRow:
    row_fields: TakenRow = {"start": row.start}
    if row.edge is not None:
        row_fields["edge"] = row.edge
    if row.edge == "end" or stream.shape == "interval":
        row_fields["end"] = row.end
    return {**row_fields, "payload": dict(payload)}


def _payload(raw: str, stream: StreamDefinition) -> dict[str, Any] | None:
    found = read_object(raw)
    if found is None:
        return None
    inside = found.get("payload")
    whole = inside if isinstance(inside, dict) else found
    plain = json.loads(json.dumps(whole))  # a double keeps fewer digits than the text
    return {name: plain[name] for name in stream.fields if name in plain}
