"""Reading one row of JSON values (T1, T5): the row format of transcripts and JSON lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.definition.streams.tables import table_rules
from streaming.temporal.events import Cti, EdgeKind, Event, OverlapRow, Payload, Shape
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import MalformedVersion, Snapshot, TableRow, Version
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, ONE_TICK, Tick, TimeTextError, parse_instant
from streaming.temporal.versions import distinct_rows


@dataclass(frozen=True, slots=True)
class MalformedRow:
    """A row that can't be read as an event; it goes to quarantine with `reason`."""

    reason: Reason


_REFUSED: Final = frozenset({"bad_payload", "duplicate_key"})
"""The reasons for which a snapshot refuses some of its rows, which then travel as rows of their own."""
Element = Event | Cti | MalformedRow | TableRow | OverlapRow


def read_rows(row: Mapping[str, Any], stream: StreamDefinition, arrival: int | None = None) -> list[Element]:
    """Read one row of `stream` as `read_row`, with the refused rows of a snapshot after it (T50)."""
    if row.get("overlap") is True:
        return [read_row(row, stream, arrival)]
    if stream.shape is Shape.TABLE and "snapshot" in row:
        return _read_snapshot(row, stream)
    return [read_row(row, stream, arrival)]


def read_row(row: Mapping[str, Any], stream: StreamDefinition, arrival: int | None = None) -> Element:
    """Read one row of `stream`; its keys are those of `CaseRow.fields`, `arrival` its wall-clock time in ticks.

    The first problem in the order of T5 counts: bad_row, bad_time, bad_lifetime, bad_payload; bad_cti for a CTI row. A
    null `end` is infinity, an absent one of an interval is bad_time. A point's `end` and an edge start's are ignored.
    With implicit rowtimes the start is the arrival, whatever the row contains; an unknown arrival is bad_time (T17).
    """
    if row.get("overlap") is True:
        return _as_overlap(read_row({**row, "overlap": False}, stream, arrival))
    if "bad" in row:
        return MalformedRow(Reason.BAD_ROW)
    if "cti" in row:
        return _read_cti(row["cti"], strict=bool(row.get("strict")))
    if stream.shape is Shape.TABLE:
        return _read_snapshot(row, stream)[0] if "snapshot" in row else _read_version(row, stream)
    if stream.rowtime is Rowtime.IMPLICIT:
        row = {**row, "start": arrival}
    return _read_event(row, stream.shape, _schema(tuple(stream.fields.items())))


def _as_overlap(read: Element) -> OverlapRow:
    """Return a row as an overlap, with its lifetime if it can be read (T55)."""
    match read:
        case Event(start, end):
            return OverlapRow(start, end)
        case Version() | Snapshot() | MalformedVersion():
            return OverlapRow(read.start, Tick(read.start + ONE_TICK))
        case _:
            return OverlapRow(None, None)


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


def _read_version(row: Mapping[str, Any], stream: StreamDefinition) -> Element:
    """Read a version of a table, or a deletion, which has only its keys (T48, T49)."""
    start = _start(row.get("start"))
    if start is None:
        return MalformedRow(Reason.BAD_TIME)
    if row.get("refused") in _REFUSED:
        return MalformedVersion(start, Reason(row["refused"]))
    rules, deleted = table_rules(stream), "delete" in row
    fields = _schema(tuple(stream.fields.items()))
    payload = read_payload(row["delete"] if deleted else row.get("payload", {}), fields)
    if isinstance(payload, BadPayload) or rules.key(payload) is None:
        return MalformedVersion(start, Reason.BAD_PAYLOAD)
    return Version(start, payload, deleted)


def _read_snapshot(row: Mapping[str, Any], stream: StreamDefinition) -> list[Element]:
    """Read a whole table; a row that doesn't fit the schema makes all of it malformed, so that no key is lost (T50)."""
    start, written = _start(row["snapshot"]), row.get("rows")
    if not isinstance(written, list):
        return [MalformedRow(Reason.BAD_ROW)]
    if start is None:
        return [MalformedRow(Reason.BAD_TIME)]
    fields = _schema(tuple(stream.fields.items()))
    payloads = [read_payload(each, fields) for each in written]
    read = [each for each in payloads if not isinstance(each, BadPayload)]
    if len(read) < len(payloads):
        return [MalformedVersion(start, Reason.BAD_PAYLOAD)]
    return snapshot_elements(start, read, stream)


def snapshot_elements(start: Tick, read: Sequence[Payload], stream: StreamDefinition) -> list[Element]:
    """Return the snapshot of `read` rows, and the rows that it refuses as elements of their own (T50)."""
    rules = table_rules(stream)
    keyed = [each for each in read if rules.key(each) is not None]
    rows, others = distinct_rows(rules, keyed)
    refused = [Reason.BAD_PAYLOAD] * (len(read) - len(keyed)) + [Reason.DUPLICATE_KEY] * len(others)
    return [Snapshot(start, tuple(rows)), *(MalformedVersion(start, reason) for reason in refused)]


def _start(value: object) -> Tick | None:
    start = _instant(value)
    return None if start is None or start > LAST_TICK else start


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
    """Return the end of a lifetime; None when it is absent, unreadable or out of range."""
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
