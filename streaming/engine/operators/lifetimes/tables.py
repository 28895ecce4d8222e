"""Tables of rows that wait in the state of a node, each with the span of times in which its rows matter."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import Flows, Mask
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.wire.arrived import Int64s

_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class TimedTable:
    """The earliest and the latest time of its rows, how many they are, and whether their sources are open.

    `holds` is the least CTI to which one of its rows holds, `first` where nothing else was said.
    """

    name: str
    first: int
    last: int
    rows: int
    watched: bool
    holds: int


class TimedTables:
    """The tables in `state` that `stored` lists. A table is written once; rows with a source have tables of their own.

    These are read in each turn, to name the sources (see `report`).
    """

    def __init__(self, state: NodeState, stored: Iterable[Sequence[Any]]) -> None:
        self._state = state
        self._tables = [_table(*entry) for entry in stored]

    def __iter__(self) -> Iterator[TimedTable]:
        """All of them, in the order in which they were written."""
        return iter(self._tables)

    def read(self, table: TimedTable) -> pa.Table:
        """The rows of `table`."""
        return self._state.get(table.name)

    def write(self, rows: pa.Table, times: Int64s, *, watched: bool, holds: int | None = None) -> None:
        """A new table of `rows`, at least one, whose times are `times`."""
        name = self._state.fresh()
        self._state.put(name, rows)
        self._tables.append(_table(name, int(times.min()), int(times.max()), rows.num_rows, watched, holds))

    def take_out(self, tables: Sequence[TimedTable]) -> list[pa.Table]:
        """The rows of each of `tables`, which are no more."""
        found = [self.read(table) for table in tables]
        names = {table.name for table in tables}
        self._tables = [table for table in self._tables if table.name not in names]
        self._state.drop(sorted(names))
        return found

    def too_many(self) -> list[TimedTable]:
        """Those that should become one, the smaller ones, where there are many."""
        if len(self._tables) <= _MOST:
            return []
        return sorted(self._tables, key=lambda table: table.rows)[: _MOST // 2]

    def listed(self, report: OutcomeReport) -> list[Any]:
        """What they are, as JSON values; `report` hears which sources wait."""
        for table in self._tables:
            if table.watched:
                report.waits(self.read(table)["@source"].combine_chunks())
        return [_entry(table) for table in self._tables]


def _table(name: str, first: int, last: int, rows: int, watched: bool, holds: int | None = None) -> TimedTable:
    return TimedTable(name, first, last, rows, watched, first if holds is None else holds)


def _entry(table: TimedTable) -> list[Any]:
    entry = [table.name, table.first, table.last, table.rows, table.watched]
    return entry if table.holds == table.first else [*entry, table.holds]


def by_source(rows: Flows) -> Iterator[tuple[Mask, bool]]:
    """The rows without a source, then those with one: where they are, and whether they have one."""
    watched = np.zeros(len(rows), np.bool_)
    if rows.source is not None:
        watched = pc.is_valid(rows.source).to_numpy(zero_copy_only=False)
    yield ~watched, False
    yield watched, True
