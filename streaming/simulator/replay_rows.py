"""Single rows of a replay: as they were mended, as their quarantine has them, and whether they are those of then."""

from collections.abc import Mapping
from typing import Any

from streaming.definition.payload import read_object
from streaming.definition.streams import StreamDefinition
from streaming.simulator.capturing import of_quarantine
from streaming.simulator.replaying import PlaceRead
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Reason
from streaming.wire.messages import LateEvent
from streaming.wire.rows import Element, MalformedRow, read_row


def mended(late: LateEvent, stream: StreamDefinition, start: str, end: str | None, payload: str) -> Element:
    """The row `late` with other times (ISO 8601 or ticks) and the fields of a JSON object."""
    fields = read_object(payload)
    if fields is None:
        return MalformedRow(Reason.BAD_PAYLOAD)
    said: dict[str, Any] = {"start": _time(start), "end": None if end is None else _time(end), "payload": fields}
    return read_row(said if late.edge is None else {**said, "edge": late.edge}, stream)


def _time(written: str) -> int | str:
    text = written.strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() else text


def as_kept(late: LateEvent, stream: StreamDefinition) -> Element:
    """The row as its quarantine has it: it lies before what is read again."""
    [row] = of_quarantine({late.input: ("", stream)}, [late]).rows
    return read_row({name: value for name, value in row.items() if name not in ("stream", "lane")}, stream)


def first_other(found: Mapping[PlaceRead, Element], judged: Mapping[PlaceRead, LateEvent]) -> LateEvent | None:
    """A row that starts at another time now than when it was judged: the input is not what it was."""
    for place, late in judged.items():
        element = found.get(place)
        if isinstance(element, Event) and late.start is not None and element.start != late.start:
            return late
    return None
