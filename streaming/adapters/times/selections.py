"""Finds the column that holds a time in a format: by its whole name, otherwise inside a struct (EVENTTIME BY)."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.times.columns import TimeSource, joined_text, read_time
from streaming.definition.streams.event_time import FACET_WORDS, EventPath, event_path, value_in_facets
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.wire.rows.row_json import Element, read_row

ARRIVAL: Final = "_meta.arrival"
"""The name of an additional column with the row's arrival, in ticks."""
_CTI_KEYS = {"cti", "strict", "lane", "arrival", "stream", "batch"}


@dataclass(frozen=True)
class ColumnPlace:
    """A column of a file, and the struct fields inside it that lead to the value; most have no such fields."""

    column: str
    inside: tuple[str, ...] = ()


def timed_by_arrival(stream: StreamDefinition) -> tuple[StreamDefinition, bool]:
    """Return `stream` with its start in the column ARRIVAL if its rowtimes are implicit (T17), and True if they are."""
    if stream.rowtime is not Rowtime.IMPLICIT:
        return stream, False
    time = EventTime(start=TimeColumn(column=ARRIVAL, unit="us"))
    return stream.model_copy(update={"event_time": time, "rowtime": Rowtime.EXPLICIT}), True


def place_of(source: TimeSource, columns: Sequence[str]) -> ColumnPlace:
    """Find `source` among `columns`. A missing column is represented by its own text."""
    path = event_path(source.column)
    for name in path.names:
        if name in columns:
            return ColumnPlace(name)
    return next((place for place in _nested(path) if place.column in columns), ColumnPlace(source.column))


def _nested(path: EventPath) -> list[ColumnPlace]:
    """The structs that may hold the value, best first: one with the facet's written name, then the facet's own."""
    within = [ColumnPlace(path.steps[0], path.steps[1:])] if path.steps and path.in_payload else []
    if path.facet is None:
        return within
    word = ColumnPlace(FACET_WORDS[path.facet], path.steps)
    return [word, *within] if path.facet == "value" else [word, ColumnPlace(path.facet, path.steps)]


def flat_column(source: TimeSource, columns: Sequence[str], path: str) -> str:
    """The column of a format without structs and facets. Raises `AdapterError` for a path that requires these."""
    parsed = event_path(source.column)
    for name in parsed.names:
        if name in columns:
            return name
    if not parsed.in_payload:
        raise AdapterError(
            f"The event time reads '{source.column}', but the rows of '{path}' have no "
            f"{FACET_WORDS[parsed.facet or 'key']}: CSV has only columns, {', '.join(columns)}. Choose one of these."
        )
    if len(parsed.steps) > 1:
        raise AdapterError(
            f"The event time reads '{source.column}', inside a column, but '{path}' is CSV and has no column with that "
            f"name. Its columns are {', '.join(columns)}.{_nearest(parsed.steps[0], columns)} Choose one of these."
        )
    return parsed.steps[0] if parsed.steps else source.column


class MissingColumn(AdapterError):
    """An input lacks the column `name` that its stream reads."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


def no_such_column(what: str, name: str, columns: Sequence[str]) -> MissingColumn:
    """The error if `what`, a file or a table with `columns`, lacks the column `name`."""
    return MissingColumn(
        f"{what} has no column '{name}'. Its columns are {', '.join(columns)}.{_nearest(name, columns)} Correct "
        "EVENTTIME BY or the stream's fields, map the field to a column under `columns`, or write the data with that "
        "column.",
        name,
    )


def _nearest(name: str, columns: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
    return f" Did you mean '{near[0]}'?" if near else ""


def has_facets(row: Mapping[str, Any], stream: StreamDefinition) -> bool:
    """Return True if a JSON row has the form of transcripts although its stream has an event time.

    This is the case if its payload is under `payload`, which is not a field of the stream, and no field is at the top
    level; or if it is a CTI, or raw text that could not be parsed.
    """
    fields = stream.fields
    if isinstance(row.get("payload"), Mapping):
        return "payload" not in fields and not any(name in row for name in fields)
    for word, others in (("cti", _CTI_KEYS), ("bad", _CTI_KEYS - {"cti", "strict"} | {"bad"})):
        if word in row and word not in fields and row.keys() <= others:
            return True
    return False


def judge_facets(row: Mapping[str, Any], stream: StreamDefinition, arrival: int | None = None) -> Element:
    """Convert a transcript row of a stream that may have an event time, which defines its `start` and `end`.

    An `end` in the row itself takes precedence over that of the event time. A missing or unreadable time is bad_time,
    as everywhere (T5).
    """
    event_time = stream.event_time
    if event_time is None or "cti" in row or "bad" in row:
        return read_row(row, stream, arrival)
    source = TimeSource.of(event_time.start)
    timed = {**row, "start": time_in_facets(row, source)}
    if event_time.end is not None and "end" not in row:
        source = TimeSource.of(event_time.end)
        end = time_in_facets(row, source)
        timed |= {} if end is None else {"end": end}
    return read_row(timed, stream, arrival)


def time_in_facets(row: Mapping[str, Any], source: TimeSource) -> int | None:
    """The tick of a transcript row at the place of `source`; None if there is no readable value."""
    value = value_in_facets(row, event_path(source.column))
    if source.time_column is not None:
        value = joined_text(value, value_in_facets(row, event_path(source.time_column)))
    return read_time(value, source)
