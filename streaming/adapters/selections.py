"""Where the column that holds a time stands in a format: by its whole name, else inside a struct (EVENTTIME BY)."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.times import TimeSource, read_time
from streaming.definition.event_time import FACET_WORDS, EventPath, event_path, value_in_facets
from streaming.definition.streams import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.wire.rows import Element, read_row

ARRIVAL: Final = "_meta.arrival"
"""The column beside a row that holds when it arrived, in ticks."""
_CTI_KEYS = {"cti", "strict", "lane", "arrival", "stream", "batch"}


@dataclass(frozen=True)
class ColumnPlace:
    """A column of a file, and the struct fields inside it that lead to the value; most have none."""

    column: str
    inside: tuple[str, ...] = ()


def timed_by_arrival(stream: StreamDefinition) -> tuple[StreamDefinition, bool]:
    """The stream with its start in the column ARRIVAL where its rowtimes are implicit (T17), and whether they are."""
    if stream.rowtime is not Rowtime.IMPLICIT:
        return stream, False
    time = EventTime(start=TimeColumn(column=ARRIVAL, unit="us"))
    return stream.model_copy(update={"event_time": time, "rowtime": Rowtime.EXPLICIT}), True


def place_of(source: TimeSource, columns: Sequence[str]) -> ColumnPlace:
    """Where `source` stands among `columns`. One that is not there has its own text as the column."""
    path = event_path(source.column)
    for name in path.names:
        if name in columns:
            return ColumnPlace(name)
    return next((place for place in _nested(path) if place.column in columns), ColumnPlace(source.column))


def _nested(path: EventPath) -> list[ColumnPlace]:
    """The structs that may hold the value, best first: one named as the facet is written, then the facet's own."""
    within = [ColumnPlace(path.steps[0], path.steps[1:])] if path.steps and path.in_payload else []
    if path.facet is None:
        return within
    word = ColumnPlace(FACET_WORDS[path.facet], path.steps)
    return [word, *within] if path.facet == "value" else [word, ColumnPlace(path.facet, path.steps)]


def flat_column(source: TimeSource, columns: Sequence[str], path: str) -> str:
    """The column of a format without structs and facets. Raises `AdapterError` for a path that only those can have."""
    said = event_path(source.column)
    for name in said.names:
        if name in columns:
            return name
    if not said.in_payload:
        raise AdapterError(
            f"The start of a row is to be read from '{source.column}', but the rows of '{path}' have no "
            f"{FACET_WORDS[said.facet or 'key']}: CSV has columns only, {', '.join(columns)}. Name one of these."
        )
    if len(said.steps) > 1:
        raise AdapterError(
            f"The start of a row is to be read from '{source.column}', inside a column, but '{path}' is CSV and has no "
            f"column of that name; it has {', '.join(columns)}.{_nearest(said.steps[0], columns)} Name one of "
            "these."
        )
    return said.steps[0] if said.steps else source.column


def no_such_column(what: str, name: str, columns: Sequence[str]) -> AdapterError:
    """What is said where `what`, a file or a table with `columns`, lacks the column `name`."""
    return AdapterError(
        f"{what} has no column '{name}'; it has {', '.join(columns)}.{_nearest(name, columns)} Correct EVENTTIME BY or "
        "the stream's fields, say under `columns` which column holds it, or have it written with that column."
    )


def _nearest(name: str, columns: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, columns, n=1, cutoff=0.5)
    return f" The nearest is '{near[0]}'." if near else ""


def has_facets(row: Mapping[str, Any], stream: StreamDefinition) -> bool:
    """Whether a JSON row has the form of transcripts though its stream has an event time.

    It has if its payload stands under `payload`, which is no field of the stream, and no field stands beside it, or if
    it is a CTI or raw text that could not be parsed.
    """
    fields = stream.fields
    if isinstance(row.get("payload"), Mapping):
        return "payload" not in fields and not any(name in row for name in fields)
    for word, others in (("cti", _CTI_KEYS), ("bad", _CTI_KEYS - {"cti", "strict"} | {"bad"})):
        if word in row and word not in fields and row.keys() <= others:
            return True
    return False


def judge_facets(row: Mapping[str, Any], stream: StreamDefinition, arrival: int | None = None) -> Element:
    """Judge a transcript row of a stream that may have an event time: `start` and `end` from where that says.

    An `end` of the row itself comes before the one that the event time names. An absent or unreadable time is
    bad_time, as everywhere (T5).
    """
    said = stream.event_time
    if said is None or "cti" in row or "bad" in row:
        return read_row(row, stream, arrival)
    source = TimeSource.of(said.start)
    timed = {**row, "start": read_time(value_in_facets(row, event_path(source.column)), source)}
    if said.end is not None and "end" not in row:
        source = TimeSource.of(said.end)
        end = read_time(value_in_facets(row, event_path(source.column)), source)
        timed |= {} if end is None else {"end": end}
    return read_row(timed, stream, arrival)
