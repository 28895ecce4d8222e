"""Tables of rows that wait in the state of a node, each with the span of times in which its rows matter."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.operators.outcome_report import Report
from streaming.engine.state.node_state import Shelf
from streaming.wire.arrived import Int64s

_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Table:
    """The earliest and the latest time of its rows, how many they are, and whether their sources are open.

    `holds` is the least CTI to which one of its rows holds, `first` where nothing else was said.
    """

    name: str
    first: int
    last: int
    rows: int
    watched: bool
    holds: int


class Tables:
    """The tables on `shelf` that `told` told of. A table is written once; rows with a source have tables of their own.

    These are read in each turn, to name the sources (see `report`).
    """

    def __init__(self, shelf: Shelf, told: Iterable[Sequence[Any]]) -> None:
        self._shelf = shelf
        self._tables = [_table(*entry) for entry in told]

    def __iter__(self) -> Iterator[Table]:
        """All of them, in the order in which they were written."""
        return iter(self._tables)

    def read(self, table: Table) -> pa.Table:
        """The rows of `table`."""
        return self._shelf.get(table.name)

    def write(self, rows: pa.Table, times: Int64s, *, watched: bool, holds: int | None = None) -> None:
        """A new table of `rows`, at least one, whose times are `times`."""
        name = self._shelf.fresh()
        self._shelf.put(name, rows)
        self._tables.append(_table(name, int(times.min()), int(times.max()), rows.num_rows, watched, holds))

    def take_out(self, tables: Sequence[Table]) -> list[pa.Table]:
        """The rows of each of `tables`, which are no more."""
        found = [self.read(table) for table in tables]
        names = {table.name for table in tables}
        self._tables = [table for table in self._tables if table.name not in names]
        self._shelf.drop(sorted(names))
        return found

    def too_many(self) -> list[Table]:
        """Those that should become one, the smaller ones, where there are many."""
        if len(self._tables) <= _MOST:
            return []
        return sorted(self._tables, key=lambda table: table.rows)[: _MOST // 2]

    def told(self, report: Report) -> list[Any]:
        """What they are, as JSON values; `report` hears which sources wait."""
        for table in self._tables:
            if table.watched:
                report.waits(self.read(table)["@source"].combine_chunks())
        return [_told(table) for table in self._tables]


def _table(name: str, first: int, last: int, rows: int, watched: bool, holds: int | None = None) -> Table:
    return Table(name, first, last, rows, watched, first if holds is None else holds)


def _told(table: Table) -> list[Any]:
    told = [table.name, table.first, table.last, table.rows, table.watched]
    return told if table.holds == table.first else [*told, table.holds]


def by_source(rows: Flows) -> Iterator[tuple[Mask, bool]]:
    """The rows without a source, then those with one: where they are, and whether they have one."""
    watched = np.zeros(len(rows), np.bool_)
    if rows.source is not None:
        watched = pc.is_valid(rows.source).to_numpy(zero_copy_only=False)
    yield ~watched, False
    yield watched, True
