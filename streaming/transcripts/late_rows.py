"""The times and edges that a transcript writes in late rows, for results that don't report them (T13)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from streaming.temporal.events import EdgeKind, Shape
from streaming.temporal.ticks import INFINITY, ONE_TICK, TimeTextError, parse_instant
from streaming.wire.execution.case import Case, CaseLate, listed_lanes

RowPlace = tuple[str, str, int]


def with_written_times(late: Iterable[CaseLate], case: Case) -> Sequence[CaseLate]:
    """Return `late` with the readable start, end and edge of the written row where the result has none.

    Executors report none for a malformed row, and no edge for an overlap, but an expectation may name them. Rows of
    tables are left unchanged: a snapshot is several rows.
    """
    written = _written_rows(case)
    return [_completed(each, written.get((each.stream, each.lane, each.position)), case) for each in late]


def _written_rows(case: Case) -> Mapping[RowPlace, Mapping[str, Any]]:
    found: dict[RowPlace, Mapping[str, Any]] = {}
    counts: dict[tuple[str, str], int] = {}
    for row in case.rows:
        stream = case.streams[row.stream]
        if row.heartbeat is not None or row.marks_history or stream.shape is Shape.TABLE:
            continue
        lanes = listed_lanes(stream)
        lane = row.lane if row.lane in lanes else lanes[0]
        position = counts.get((row.stream, lane), 0)
        counts[row.stream, lane] = position + 1
        found[row.stream, lane, position] = row.fields
    return found


def _completed(late: CaseLate, fields: Mapping[str, Any] | None, case: Case) -> CaseLate:
    if fields is None:
        return late
    shape = case.streams[late.stream].shape
    edge = late.edge or (_edge(fields) if shape is Shape.EDGE else None)
    start = _instant(fields, "start") if late.start is None else late.start
    end = late.end
    if end is None and start is not None:
        end = start + ONE_TICK if shape is Shape.POINT else INFINITY if edge is EdgeKind.START else _end(fields)
    return replace(late, start=start, end=end, edge=edge)


def _edge(fields: Mapping[str, Any]) -> EdgeKind | None:
    written = fields.get("edge")
    return EdgeKind(written) if written in list(EdgeKind) else None


def _end(fields: Mapping[str, Any]) -> int | None:
    return INFINITY if fields.get("end", 0) is None else _instant(fields, "end")


def _instant(fields: Mapping[str, Any], key: str) -> int | None:
    value = fields.get(key)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return parse_instant(value)
    except TimeTextError:
        return None
