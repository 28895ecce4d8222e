"""Samples for a simulation: rows as `push` takes them, or those of a stored scenario."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from ..outcomes import CommandFailure, ExitCode
from .frames import json_line, rows_of

SampleEnd = Literal["flush", "stop", "none"]
"""`flush`: every input ends. `stop`: inputs with the setting `final` end. `none`: no input ends."""
BATCH: Final = "batch"
_MARKS: Final = ("payload", "cti", "bad", "heartbeat", "delete", "snapshot")
"""Keys of a row in the form of transcripts, unless they are fields of the stream."""
_ARRIVAL: Final = ("lane", "arrival")
_TIMES: Final = ("start", "end", "edge")


@dataclass(frozen=True)
class RowReader:
    """Turns rows of a stream into those of a sample.

    `is_timed`: the stream or the query names the columns of the times, and `edge` that of the kind of an edge. Columns
    of times without that, `lane` and `arrival` are not part of the payload, unless the stream has such fields.
    """

    stream: str
    fields: Collection[str]
    is_timed: bool
    edge: str | None

    @classmethod
    def of(cls, stream: str, definition: Mapping[str, Any], *, is_timed_by_query: bool) -> Self:
        """Read the stream's definition."""
        times = definition.get("event_time")
        is_timed = is_timed_by_query or times is not None
        edge = (times or {}).get("edge") or "edge"
        is_edge = is_timed and definition.get("shape") == "edge"
        return cls(stream, definition.get("fields", {}).keys(), is_timed, edge if is_edge else None)

    def sample_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row in the form of transcripts."""
        if self._is_marked(row):
            return {"stream": self.stream, **row}
        apart = [name for name in (*_ARRIVAL, *(() if self.is_timed else _TIMES)) if name not in self.fields]
        found = {name: row[name] for name in apart if name in row}
        if self.edge is not None and self.edge in row:
            found["edge"] = row[self.edge]
        payload = {name: value for name, value in row.items() if name not in apart}
        return {"stream": self.stream, **found, "payload": payload}

    def _is_marked(self, row: Mapping[str, Any]) -> bool:
        return any(name in row and name not in self.fields for name in _MARKS)


@dataclass(frozen=True)
class SampleReader:
    """Reads a sample of a query's streams; `chosen` is the stream of rows without one."""

    readers: Mapping[str, RowReader]
    chosen: str | None = None

    def sample_rows(self, sample: Any) -> list[Any]:
        """Return the rows of a sample in order of arrival. Raises `CommandFailure`, and `ValueError` as `push` does."""
        if isinstance(sample, Mapping):
            return [row for name, rows in sample.items() for row in self._rows(rows, self._reader(name))]
        return list(self._rows(sample, None if self.chosen is None else self._reader(self.chosen)))

    def _rows(self, rows: Any, reader: RowReader | None) -> Iterator[Any]:
        for row in _mappings(rows):
            if row == BATCH or (reader is None and self._has_stream(row)):
                yield row
            else:
                reader = reader or self._only_reader()
                yield reader.sample_row(row)

    def _has_stream(self, row: Mapping[str, Any]) -> bool:
        """Return whether the row is in the form of transcripts, with its own stream."""
        return row.get("stream") in self.readers and any(name in row for name in _MARKS)

    def _reader(self, name: str) -> RowReader:
        if name not in self.readers:
            raise CommandFailure(
                ExitCode.USAGE, f"The query doesn't read the stream {name!r}. It reads: {_listed(self.readers)}."
            )
        return self.readers[name]

    def _only_reader(self) -> RowReader:
        if len(self.readers) != 1:
            raise CommandFailure(
                ExitCode.USAGE,
                f"The query reads several streams: {_listed(self.readers)}. Pass `stream`, or a mapping from each "
                "stream to its rows.",
            )
        return next(iter(self.readers.values()))


def _mappings(rows: Any) -> Iterator[Any]:
    found: Iterator[Any] = rows_of(rows)
    for number, row in enumerate(found, start=1):
        if row != BATCH and not isinstance(row, Mapping):
            raise CommandFailure(ExitCode.USAGE, f"Row {number} of the sample is not a mapping from fields to values.")
        json_line(number, row)
        yield row


def _listed(names: Collection[str] | Sequence[str]) -> str:
    return ", ".join(names) or "none"
