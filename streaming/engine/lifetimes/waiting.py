"""Events that wait in the state of a node until their time has come: union and order_edges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.flows import Flows, Mask, together
from streaming.engine.report import Report
from streaming.engine.shelf import Shelf
from streaming.temporal.ticks import NO_CTI
from streaming.wire.arrived import Int64s

_DUE: Final = "@due"
_LEVELS: Final = 12
_FEW_ROWS: Final = 1024
_MOST_TABLES: Final = 64
_HEAD: Final = "waiting"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of rows that wait: when the first and the last of them is due, and whether their sources are open."""

    name: str
    first: int
    last: int
    rows: int
    watched: bool


class Waiting:
    """The events that wait on `shelf`, each until the time passes the tick at which it is due.

    Tables are written once and cut by how far their rows are from the time now, 1, 2, 4 ... times as far as it moved
    last, so that a turn reads little that is not due: a row is written again about as often as its distance halves.
    Rows with a source are apart, for they are named in each turn (see `report`).
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        head: dict[str, Any] = shelf.head.get(_HEAD, {})
        self.time = int(head.get("time", NO_CTI))
        self._stride = int(head.get("stride", 1))
        self._tables = [_Table(*entry) for entry in head.get("tables", [])]

    def holds(self, row: str, due: int) -> bool:
        """Whether the row with the id `row`, which would be due at `due`, waits."""
        tables = [table for table in self._tables if table.first <= due <= table.last]
        found = (self._shelf.get(table.name) for table in tables)
        return any(pc.index(rows["@id"], row).as_py() >= 0 for rows in found if "@id" in rows.column_names)

    def turn(self, arrived: Flows, due: Int64s, time: int, report: Report) -> Flows:
        """Let `arrived` wait until `due`, and take out what is due at `time`, the later of this one and that before."""
        if time > self.time:
            self._stride = max(1, time - self.time) if self.time != NO_CTI else 1
            self.time = time
        passing = due <= self.time
        released, left = [arrived.where(passing)], [_kept(arrived, due, ~passing)]
        for table in [table for table in self._tables if table.first <= self.time]:
            rows, due = _read(self._shelf.get(table.name))
            passing = due <= self.time
            released.append(rows.where(passing))
            left.append(_kept(rows, due, ~passing))
            self._forget([table])
        self._wait(left)
        if len(self._tables) > _MOST_TABLES:
            self._compact()
        self._say_who_waits(report)
        tables = [[each.name, each.first, each.last, each.rows, each.watched] for each in self._tables]
        self._shelf.head[_HEAD] = {"time": self.time, "stride": self._stride, "tables": tables}
        return together(released)

    def _wait(self, parts: Sequence[tuple[Flows, Int64s]]) -> None:
        filled = [part for part in parts if len(part[1])]
        if not filled:
            return
        rows, due = together([rows for rows, _ in filled]), np.concatenate([due for _, due in filled])
        if rows.source is None:
            self._cut(rows, due, watched=False)
            return
        watched = pc.is_valid(rows.source).to_numpy(zero_copy_only=False)
        for of, mask in ((True, watched), (False, ~watched)):
            self._cut(*_kept(rows, due, mask), watched=of)

    def _cut(self, rows: Flows, due: Int64s, *, watched: bool) -> None:
        """Write the rows as tables by the distance of `due` from the time now; few rows of several distances in one."""
        if not len(rows):
            return
        if len(rows) <= _FEW_ROWS:
            self._write(_table(rows, due), due, watched=watched)
            return
        now = self.time if self.time != NO_CTI else int(due.min())
        level = np.minimum(np.frexp((due - now) / self._stride)[1], _LEVELS)
        order = np.argsort(level, kind="stable")
        table, due = _table(rows.take(order), due[order]), due[order]
        for first, end in _grouped(np.unique(level, return_counts=True)[1].tolist()):
            self._write(table.slice(first, end - first), due[first:end], watched=watched)

    def _write(self, table: pa.Table, due: Int64s, *, watched: bool) -> None:
        name = self._shelf.fresh()
        self._shelf.put(name, table)
        self._tables.append(_Table(name, int(due.min()), int(due.max()), table.num_rows, watched))

    def _compact(self) -> None:
        """Put the smaller half of the tables together."""
        tables = sorted(self._tables, key=lambda table: table.rows)[: _MOST_TABLES // 2]
        parts = [_read(self._shelf.get(table.name)) for table in tables]
        self._forget(tables)
        self._wait(parts)

    def _forget(self, tables: Sequence[_Table]) -> None:
        names = {table.name for table in tables}
        self._tables = [table for table in self._tables if table.name not in names]
        self._shelf.drop(sorted(names))

    def _say_who_waits(self, report: Report) -> None:
        for table in self._tables:
            if table.watched:
                report.waits(self._shelf.get(table.name)["@source"].combine_chunks())


def _grouped(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """From and to which row each table goes, `counts` rows being of one distance: neighbours together while few."""
    first = end = 0
    for count in counts:
        if end > first and end + count - first > _FEW_ROWS:
            yield first, end
            first = end
        end += count
    yield first, end


def _kept(rows: Flows, due: Int64s, mask: Mask) -> tuple[Flows, Int64s]:
    return rows.where(mask), due[mask]


def _table(rows: Flows, due: Int64s) -> pa.Table:
    return rows.to_table().append_column(_DUE, pa.array(due))


def _read(table: pa.Table) -> tuple[Flows, Int64s]:
    return Flows.of_table(table.drop_columns([_DUE])), table[_DUE].to_numpy()
