"""Rows of a preview as JSON values for people: null for infinity, timestamps as ISO 8601 text, decimals as text."""

from typing import Any, Literal

from streaming.adapters.preview import SampleRow
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.rows.payload_json import payload_to_json
from streaming.wire.rows.row_json import MalformedRow

SampledRowKind = Literal["event", "edge_start", "edge_end", "cti", "malformed"]
_EVENT_KINDS: dict[EdgeKind | None, SampledRowKind] = {
    None: "event",
    EdgeKind.START: "edge_start",
    EdgeKind.END: "edge_end",
}


class SampledRow(Strict):
    """One row of a sample. `start` and `end` are ticks, null is infinity; the time of a CTI is in `start`.

    A malformed row has a `reason` and only its original text.
    """

    lane: str
    position: int
    kind: SampledRowKind
    start: int | None
    end: int | None
    payload: dict[str, Any] | None
    reason: str | None
    raw: str


def describe_row(row: SampleRow, stream: StreamDefinition) -> SampledRow:
    """Return `row` of `stream` in a form for people."""
    kind: SampledRowKind = "cti"
    start: int | None = None
    end: int | None = None
    payload, reason = None, None
    match row.element:
        case Cti(at):
            start = _finite(at)
        case MalformedRow(why):
            kind, reason = "malformed", why.value
        case Event() as event:
            kind, start, end = _EVENT_KINDS[event.edge], _finite(event.start), _finite(event.end)
            payload = payload_to_json(event.payload, parse_fields(stream.fields))
    return SampledRow(
        lane=row.lane,
        position=row.position,
        kind=kind,
        start=start,
        end=end,
        payload=payload,
        reason=reason,
        raw=row.raw,
    )


def _finite(tick: Tick) -> int | None:
    return None if tick == INFINITY else tick
