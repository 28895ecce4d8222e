"""One row as text and JSON values, judged at the door (T1, T5): the row form of transcripts and JSON lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.definition.type_text import parse_fields
from streaming.definition.types import Fields
from streaming.temporal.events import Cti, EdgeKind, Event, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, ONE_TICK, Tick, TimeTextError, parse_instant


@dataclass(frozen=True, slots=True)
class MalformedRow:
    """A row that no policy can save; it goes to quarantine with `reason`."""

    reason: Reason


Element = Event | Cti | MalformedRow


def read_row(row: Mapping[str, Any], stream: StreamDefinition, arrival: int | None = None) -> Element:
    """Judge one row of `stream`; its keys are those of `CaseRow.fields`, `arrival` its wall-clock time in ticks.

    The first fault in the order of T5 counts: bad_row, bad_time, bad_lifetime, bad_payload; bad_cti for a CTI row. A
    null `end` is infinity, an absent one of an interval is bad_time. A point's `end` and an edge start's are ignored.
    With implicit rowtimes the start is the arrival, whatever the row says; not knowing that is bad_time (T17).
    """
    if "bad" in row:
        return MalformedRow(Reason.BAD_ROW)
    if "cti" in row:
        return _read_cti(row["cti"], strict=bool(row.get("strict")))
    if stream.rowtime is Rowtime.IMPLICIT:
        row = {**row, "start": arrival}
    return _read_event(row, stream.shape, _schema(tuple(stream.fields.items())))


def _read_cti(value: object, *, strict: bool) -> Element:
    if value is None:
        return Cti(INFINITY)
    at = _instant(value)
    if at is None:
        return MalformedRow(Reason.BAD_CTI)
    return Cti(Tick(at + ONE_TICK) if strict else at)


def _read_event(row: Mapping[str, Any], shape: Shape, fields: Fields) -> Element:
    edge = _edge(row, shape)
    if isinstance(edge, MalformedRow):
        return edge
    start = _instant(row.get("start"))
    end = None if start is None or start > LAST_TICK else _end(row, start, shape, edge)
    if start is None or end is None:
        return MalformedRow(Reason.BAD_TIME)
    if end <= start:
        return MalformedRow(Reason.BAD_LIFETIME)
    payload = read_payload(row.get("payload", {}), fields)
    if isinstance(payload, BadPayload):
        return MalformedRow(Reason.BAD_PAYLOAD)
    return Event(start, end, payload, edge)


@lru_cache(maxsize=1_024)
def _schema(fields: tuple[tuple[str, str], ...]) -> Fields:
    return parse_fields(dict(fields))


def _edge(row: Mapping[str, Any], shape: Shape) -> EdgeKind | MalformedRow | None:
    if shape is not Shape.EDGE:
        return None
    try:
        return EdgeKind(str(row.get("edge")))
    except ValueError:
        return MalformedRow(Reason.BAD_ROW)


def _end(row: Mapping[str, Any], start: Tick, shape: Shape, edge: EdgeKind | None) -> Tick | None:
    """The end of a lifetime; None when it is absent, unreadable or out of range."""
    if shape is Shape.POINT:
        return Tick(start + ONE_TICK)
    if edge is EdgeKind.START:
        return INFINITY
    if "end" in row and row["end"] is None and shape is Shape.INTERVAL:
        return INFINITY
    return _instant(row.get("end"))


def _instant(value: object) -> Tick | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        at = parse_instant(value)
    except TimeTextError:
        return None
    return at if FIRST_TICK <= at <= LAST_TICK + 1 else None
