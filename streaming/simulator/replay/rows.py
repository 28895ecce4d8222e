"""Single rows of a replay: corrected rows, quarantined rows, and a check that the input is unchanged."""

from collections.abc import Mapping
from typing import Any

from streaming.definition.payload.reading import BadPayload, read_object, read_payload
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.replay.replaying import PlaceRead
from streaming.simulator.samples.capturing import of_quarantine
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import TimeTextError, parse_instant
from streaming.wire.messages import LateEvent
from streaming.wire.rows.row_json import Element, MalformedRow, read_row


def corrected_row(late: LateEvent, stream: StreamDefinition, start: str, end: str | None, payload: str) -> Element:
    """Return the row `late` with other times (ISO 8601 or ticks) and the fields of a JSON object."""
    fields = read_object(payload)
    if fields is None:
        return MalformedRow(Reason.BAD_PAYLOAD)
    row: dict[str, Any] = {"start": _time(start), "end": None if end is None else _time(end), "payload": fields}
    return read_row(row if late.edge is None else {**row, "edge": late.edge}, stream)


def corrected_row_error(stream: StreamDefinition, start: str, end: str | None, payload: str) -> str | None:
    """Return the error in a corrected row with the name of its field; None if all of it can be read."""
    for name, written in (("Start", start), ("End", end)):
        try:
            if written is not None:
                parse_instant(_time(written))
        except TimeTextError as error:
            return f"{name}: {error}."
    fields = read_object(payload)
    if fields is None:
        return "Its values are not a JSON object."
    found = read_payload(fields, parse_fields(stream.fields))
    return f"{found.field}: {found.message}." if isinstance(found, BadPayload) else None


def _time(written: str) -> int | str:
    text = written.strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() else text


def as_kept(late: LateEvent, stream: StreamDefinition) -> Element:
    """Return the row from its quarantine entry, since it is older than the rows that are read again."""
    [row] = of_quarantine({late.input: ("", stream)}, [late]).rows
    return read_row({name: value for name, value in row.items() if name not in ("stream", "lane")}, stream)


def first_other(found: Mapping[PlaceRead, Element], judged: Mapping[PlaceRead, LateEvent]) -> LateEvent | None:
    """Return a row whose start differs from when it was judged: the input has changed."""
    for place, late in judged.items():
        element = found.get(place)
        if isinstance(element, Event) and late.start is not None and element.start != late.start:
            return late
    return None
