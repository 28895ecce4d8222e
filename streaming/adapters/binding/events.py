"""Rows of results as events: each row the elements that say the same at the door of the next query."""

import json
from collections.abc import Mapping
from decimal import InvalidOperation
from typing import Any

from streaming.adapters.contract import AdapterError
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.definition.type_text import parse_fields
from streaming.definition.types import Fields
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, ONE_TICK, Tick
from streaming.wire.payload_json import payload_from_json
from streaming.wire.rows import Element, MalformedRow

PROVISIONAL = (
    "The output '{output}' gives rows before they are final (of the pane that begins at {start}), and takes them back. "
    "Another query can read final rows only: set 'emit: final' in the window, or read another output."
)
DELETED = (
    "The output '{output}' has taken back an edge that began at {start}: nothing was left of it, and no input can "
    "take back what it has given. Put 'to intervals' before that output, and let this stream have the shape 'interval'."
)
REPAIRED = (
    "Results of the output '{output}' were repaired: one that begins at {start} was taken back, and no input can take "
    "back what it has given. Delete the results that are kept of that binding; then what comes after them is read."
)
EDGES = (
    "The output '{output}' gives starts and ends of edges, and this stream has the shape '{shape}'. Let it have the "
    "shape 'edge'."
)
LONGER = (
    "The output '{output}' gives rows with a start and an end (one begins at {start}), and this stream has the shape "
    "'point', which has no room for the end. Let it have the shape 'interval'."
)
TIMES = "Results of a binding have their times. Leave out the event time and the rowtime of this stream."


class ResultEvents:
    """What rows of the output `output` are in `stream`. Raises `AdapterError` for a stream with times of its own."""

    def __init__(self, output: str, stream: StreamDefinition) -> None:
        if stream.rowtime is Rowtime.IMPLICIT or stream.event_time is not None:
            raise AdapterError(TIMES)
        self._output = output
        self._shape = stream.shape
        self._fields: Fields = parse_fields(dict(stream.fields))

    def count(self, row: Mapping[str, Any]) -> int:
        """How many elements `row` is. Raises `AdapterError` where it can be none."""
        self._refuse(row)
        return 2 if self._as_two(row) else 1

    def of(self, row: Mapping[str, Any]) -> list[Element]:
        """The elements of `row`, in order. Raises `AdapterError`."""
        self._refuse(row)
        start = row["start"]
        end = INFINITY if row["end"] is None else row["end"]
        if not FIRST_TICK <= start <= LAST_TICK or (end != INFINITY and not start < end <= LAST_TICK + 1):
            return [MalformedRow(Reason.BAD_TIME)] * self.count(row)
        payload = _payload(row["payload"], self._fields)
        if payload is None:
            return [MalformedRow(Reason.BAD_PAYLOAD)] * self.count(row)
        if self._shape is not Shape.EDGE:
            return [Event(Tick(start), Tick(end), payload, None)]
        opened = Event(Tick(start), INFINITY, payload, EdgeKind.START)
        closed = Event(Tick(start), Tick(end), payload, EdgeKind.END)
        if self._as_two(row):
            return [opened, closed]
        return [closed if row.get("edge") == "end" else opened]

    def _as_two(self, row: Mapping[str, Any]) -> bool:
        """Whether the row is a whole interval in a stream of edges."""
        return self._shape is Shape.EDGE and row.get("edge") is None and row["end"] is not None

    def _refuse(self, row: Mapping[str, Any]) -> None:
        start, pane = row["start"], row.get("pane")
        if pane is not None:
            raise AdapterError(PROVISIONAL.format(output=self._output, start=pane["start"]))
        if row.get("repair"):
            raise AdapterError(REPAIRED.format(output=self._output, start=start))
        if row.get("deleted"):
            raise AdapterError(DELETED.format(output=self._output, start=start))
        if row.get("edge") is not None and self._shape is not Shape.EDGE:
            raise AdapterError(EDGES.format(output=self._output, shape=self._shape.value))
        if self._shape is Shape.POINT and row["end"] != start + ONE_TICK:
            raise AdapterError(LONGER.format(output=self._output, start=start))


def _payload(written: Mapping[str, Any], fields: Fields) -> Any:
    """The payload as the model holds it; None where it is not of these fields."""
    try:
        read = read_payload(payload_from_json({name: written.get(name) for name in fields}, fields), fields)
    except (TypeError, ValueError, LookupError, AttributeError, InvalidOperation):
        return None
    return None if isinstance(read, BadPayload) else read


def raw_of(row: Mapping[str, Any]) -> str:
    """A row as it stands in the quarantine of who read it."""
    return json.dumps(row, ensure_ascii=False)
