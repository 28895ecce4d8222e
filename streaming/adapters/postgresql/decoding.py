"""Rows of a table as a chunk: by the JSON lines reader, with CTIs among them; and the columns required for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from streaming.adapters.chunks import LifetimeColumns
from streaming.adapters.file.json_lines import JsonLines, ctis_in_lines
from streaming.adapters.file.records import Records
from streaming.adapters.formats.text.split import split_lines
from streaming.adapters.postgresql.pages import RowPages
from streaming.adapters.postgresql.table import no_column
from streaming.adapters.stored_lines import records_between
from streaming.adapters.times.ctis import CtiColumn, with_ctis
from streaming.adapters.times.selections import ARRIVAL, place_of, timed_by_arrival
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.rows.arrived import Arrived, Int64s


class DecodedOptions(Protocol):
    """The options for decoding rows of a table; `columns` as in `PostgreSQLOptions`."""

    @property
    def schema_name(self) -> str:
        """The schema of the table."""

    @property
    def table(self) -> str:
        """The table."""

    @property
    def columns(self) -> dict[str, str]:
        """Maps a field of the stream to its column."""

    @property
    def cti_column(self) -> str | None:
        """The column that makes a row a CTI."""

    @property
    def cti_strict(self) -> bool:
        """True if CTIs are strict (T9)."""


class RowDecoder:
    """Decodes rows of one table for one stream. Raises `AdapterError` for an event time that does not fit.

    A row arrives when it is read from the table, by the journaled clock; with implicit rowtimes it starts then (T17).
    Lines for which `takes` returns False are skipped.
    """

    def __init__(
        self, stream: StreamDefinition, options: DecodedOptions, takes: Callable[[bytes], bool] | None = None
    ) -> None:
        self._options = options
        self._takes = takes
        self._fields = tuple(options.columns.get(name, name) for name in stream.fields)
        stream, self._implicit = timed_by_arrival(stream)
        # If every column is named, no row is read as a transcript row, where a null `cti` means infinity.
        columns = {**{name: name for name in (*stream.fields, "start")}, **options.columns}
        self._lines = JsonLines(stream, columns, frozenset({ARRIVAL}) if self._implicit else None)
        self._lifetimes = LifetimeColumns.of(stream, columns)
        self._ctis = CtiColumn.named(options.cti_column, stream, strict=options.cti_strict)

    def require(self, there: Sequence[str]) -> None:
        """Raise `AdapterError` for a required column that is not in `there`."""
        life = self._lifetimes
        wanted = [*self._fields, *([] if self._ctis is None else [self._ctis.column])]
        times = [] if self._implicit else [each for each in (life.start, life.end) if each is not None]
        wanted += [place_of(each, there).column for each in times]
        wanted += [] if life.edge is None else [life.edge]
        for name in wanted:
            if name not in there:
                raise no_column(f"{self._options.schema_name}.{self._options.table}", name, list(there))

    def chunks(self, pages: RowPages[Any], start: int, end: int) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of `pages`."""
        arrivals = pages.arrivals(start, end)
        for part in records_between(pages.between(start, end), start, end):
            records, positions = part if self._takes is None else _only(*part, self._takes)
            if len(positions):
                yield self._decode(records, positions, arrivals[positions - start])

    def _decode(self, records: Records, positions: Int64s, arrivals: Int64s) -> Arrived:
        found = {} if self._ctis is None else ctis_in_lines(self._ctis, records)
        if self._implicit:
            records = replace(records, beside={ARRIVAL: arrivals.tolist()})
        return with_ctis(replace(self._lines.decode(records, positions), arrival=np.asarray(arrivals)), found)


def _only(records: Records, positions: Int64s, takes: Callable[[bytes], bool]) -> tuple[Records, Int64s]:
    """The taken `records`, in a block of their own: readers parse everything between two records."""
    taken = [at for at in range(len(records)) if takes(records.record(at))]
    block = b"".join(records.record(at) + b"\n" for at in taken)
    split = split_lines(block, True)
    return Records(block, split.starts, split.ends, split.broken, 0), positions[taken]
