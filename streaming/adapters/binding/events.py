"""Rows of results as events: the elements that represent each row in the input of the next query."""

import json
from collections.abc import Mapping
from decimal import InvalidOperation
from typing import Any

from streaming.adapters.contract import AdapterError
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.temporal.events import EdgeKind, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, ONE_TICK, Tick
from streaming.wire.rows.payload_json import payload_from_json
from streaming.wire.rows.row_json import Element, MalformedRow

PROVISIONAL = (
    "The output '{output}' emits rows before they are final (here for the pane that begins at {start}) and retracts "
    "them later. Another query can read final rows only: set 'emit: final' in the window, or read another output."
)
DELETED = (
    "The output '{output}' has retracted a whole edge that began at {start}, and an input can't retract events that it "
    "has emitted. Put 'to intervals' before that output, and give this stream the shape 'interval'."
)
REPAIRED = (
    "Results of the output '{output}' were repaired: one that begins at {start} was retracted, and an input can't "
    "retract events that it has emitted. Delete the kept results of that binding; reading then continues with new ones."
)
EDGES = (
    "The output '{output}' emits starts and ends of edges, but this stream has the shape '{shape}'. Set its shape to "
    "'edge'."
)
LONGER = (
    "The output '{output}' emits rows with a start and an end (one begins at {start}), but this stream has the shape "
    "'point', which has no end. Set its shape to 'interval'."
)
TIMES = "Results of a binding already have their times. Leave out the event time and the rowtime of this stream."


class ResultEvents:
    """Converts rows of the output `output` to elements of `stream`.

    Raises `AdapterError` for a stream that defines times of its own.
    """

    def __init__(self, output: str, stream: StreamDefinition) -> None:
        if stream.rowtime is Rowtime.IMPLICIT or stream.event_time is not None:
            raise AdapterError(TIMES)
        self._output = output
        self._shape = stream.shape
        self._fields: Fields = parse_fields(dict(stream.fields))

    def count(self, row: Mapping[str, Any]) -> int:
        """Return how many elements `row` becomes. Raises `AdapterError` if it can't become any."""
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
        """Return True for a whole interval in a stream of edges."""
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
    """The payload in the model's types; None if it does not fit these fields."""
    try:
        read = read_payload(payload_from_json({name: written.get(name) for name in fields}, fields), fields)
    except (TypeError, ValueError, LookupError, AttributeError, InvalidOperation):
        return None
    return None if isinstance(read, BadPayload) else read


def raw_of(row: Mapping[str, Any]) -> str:
    """The text of a row in the quarantine of its reader."""
    return json.dumps(row, ensure_ascii=False)
