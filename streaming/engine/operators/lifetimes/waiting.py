"""Events that wait in the state of a node for their time: union and order_edges."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import Flows, Mask, concat_flows
from streaming.engine.operators.lifetimes.watched_rows import by_source, report_waiting
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.segments import Segments
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s

_DUE: Final = "@due"
_LEVELS: Final = 12
_FEW_ROWS: Final = 1024
_TIME: Final = "time"
_STRIDE: Final = "stride"


class WaitingEvents:
    """The events that wait on `state`, each until the time passes the tick at which it is due.

    Segments are cut by the distance of their rows from the current time, 1, 2, 4 ... times its last move, so that a
    turn reads few rows that are not due. A row is written again about as often as its distance halves.
    """

    def __init__(self, state: NodeState) -> None:
        self._state = state
        self.time = int(state.head.get(_TIME, NO_CTI))
        self._stride = int(state.head.get(_STRIDE, 1))
        self._segments = Segments(state, "waiting")

    def holds(self, row: str, due: int) -> bool:
        """Return true if the row with the id `row`, which would be due at `due`, waits."""
        near = [segment for segment in self._segments if segment.first <= due <= segment.last]
        found = map(self._segments.read, near)
        return any(pc.index(rows["@id"], row).as_py() >= 0 for rows in found if "@id" in rows.column_names)

    def turn(self, arrived: Flows, due: Int64s, time: int, report: OutcomeReport) -> Flows:
        """Store `arrived` until `due`.

        Remove and return the rows due at `time`, or at the previous time if that is later.
        """
        if time > self.time:
            self._stride = max(1, time - self.time) if self.time != NO_CTI else 1
            self.time = time
        passing = due <= self.time
        released, left = [arrived.where(passing)], [_select(arrived, due, ~passing)]
        for table in self._segments.take_out(each for each in self._segments if each.first <= self.time):
            rows, due = _read(table)
            passing = due <= self.time
            released.append(rows.where(passing))
            left.append(_select(rows, due, ~passing))
        self._wait(left)
        self._wait([_read(table) for table in self._segments.take_out(self._segments.crowded())])
        report_waiting(self._segments, report)
        self._segments.save()
        self._state.head |= {_TIME: self.time, _STRIDE: self._stride}
        return concat_flows(released)

    def _wait(self, parts: Sequence[tuple[Flows, Int64s]]) -> None:
        filled = [part for part in parts if len(part[1])]
        if not filled:
            return
        rows, due = concat_flows([rows for rows, _ in filled]), np.concatenate([due for _, due in filled])
        for mask, watched in by_source(rows):
            self._cut(*_select(rows, due, mask), watched=watched)

    def _cut(self, rows: Flows, due: Int64s, *, watched: bool) -> None:
        """Write the rows as segments by the distance of `due` from the current time.

        Few rows of several distances in one.
        """
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
        first = int(due.min())
        self._segments.add(table, (first, int(due.max())), first, watched=watched)


def _grouped(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the row range of each segment; `counts` are rows by distance, and neighbours share a segment while few."""
    first = end = 0
    for count in counts:
        if end > first and end + count - first > _FEW_ROWS:
            yield first, end
            first = end
        end += count
    yield first, end


def _select(rows: Flows, due: Int64s, mask: Mask) -> tuple[Flows, Int64s]:
    return rows.where(mask), due[mask]


def _table(rows: Flows, due: Int64s) -> pa.Table:
    return rows.to_table().append_column(_DUE, pa.array(due))


def _read(table: pa.Table) -> tuple[Flows, Int64s]:
    return Flows.of_table(table.drop_columns([_DUE])), table[_DUE].to_numpy()
