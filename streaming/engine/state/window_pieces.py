"""Rows in windows, in tables that are cut by time: closing a window reads few rows of other windows."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.segments import MOST_SEGMENTS, Segment, Segments
from streaming.wire.rows.arrived import Int64s


class WindowPieces:
    """The rows of a node in windows that are not closed; the first two columns are their first and last window.

    A segment holds 1, 2, 4 ... windows by first window, from the next to close on; its times are first windows, its
    bound is the largest last one. A segment in which every row is open already (hopping windows) stays unchanged until
    its last window closes: each closing reads it and never rewrites it. `compacted` merges tables.
    """

    def __init__(self, state: NodeState, compacted: Callable[[list[pa.Table]], pa.Table]) -> None:
        self._segments = Segments(state, "pieces")
        self._compacted = compacted

    def close(self, fresh: pa.Table, closed: int, closing: int) -> list[pa.Table]:
        """Add `fresh`, without rows in the windows up to `closed`; return the rows in the next ones up to `closing`.

        Rows after `closing` are kept, and rows that reach over it are cut there.
        """
        if closing <= closed:
            self._keep(fresh, closed)
            self._segments.save()
            return []
        due, later = _split(fresh, closing)
        released, kept = [due], [later]
        for segment in [segment for segment in self._segments if segment.first <= closing]:
            due, later = self._from_segment(segment, closed, closing)
            released.append(due)
            kept.append(later)
        for table in kept:
            self._keep(table, closing)
        self._segments.save()
        return [table for table in released if table.num_rows]

    def open(self, closed: int, until: int) -> Iterator[pa.Table]:
        """Yield the stored rows in the windows after `closed` up to `until`, cut there."""
        for segment in self._segments:
            if segment.first <= until:
                yield _split(clipped(self._segments.read(segment), closed), until)[0]

    def rewrite(self, changed: Callable[[pa.Table], pa.Table]) -> int | None:
        """Rewrite all rows with `changed`, in the same windows; return the last of these, None without rows."""
        self._segments.rewrite(changed)
        self._segments.save()
        return max((segment.bound for segment in self._segments), default=None)

    def _from_segment(self, segment: Segment, closed: int, closing: int) -> tuple[pa.Table, pa.Table]:
        """Return a segment's rows in the windows up to `closing`, and the rows that must be rewritten."""
        rows = self._segments.read(segment)
        due, rest = _split(rows if segment.first > closed else clipped(rows, closed), closing)
        if segment.bound <= closing:
            self._segments.drop([segment])
        elif segment.last > closing:
            self._segments.drop([segment])
            return due, rest
        return due, rest.slice(0, 0)

    def _keep(self, table: pa.Table, closed: int) -> None:
        self._append(table, closed)
        if len(self._segments) > MOST_SEGMENTS:
            # all of them, not the smaller half: partials of equal groups are merged, so the result shrinks to the
            # content of the open windows, and a turn lists few segments for a long time afterwards
            parts = [clipped(part, closed) for part in self._segments.take_out(self._segments)]
            self._append(self._compacted(parts), closed)

    def _append(self, table: pa.Table, closed: int) -> None:
        if not table.num_rows:
            return
        first = window_of(table, 0)
        low, high = int(first.min()), int(first.max())
        base = closed + 1 if closed != BEFORE_ALL else low
        if _level(low, base) == _level(high, base):
            self._segments.add(table, (low, high), int(window_of(table, 1).max()))
            return
        level = np.frexp(np.maximum(first - base, 0) + 1.0)[1]
        for each in rows_where(np.bincount(level)).tolist():
            rows = rows_where(level == each)
            part = rows_of(table, rows)
            span = int(first[rows].min()), int(first[rows].max())
            self._segments.add(part, span, int(window_of(part, 1).max()))


def _level(first: int, base: int) -> int:
    """Return which of the segments that hold 1, 2, 4 ... windows from `base` on has the window `first`."""
    return (max(first - base, 0) + 1).bit_length()


def window_of(table: pa.Table, column: int) -> Int64s:
    """The first (column 0) or last (column 1) window of each row."""
    numbers: Int64s = table.column(column).to_numpy()
    return numbers


def rows_of(table: pa.Table, rows: Int64s) -> pa.Table:
    """Return the `rows` of `table`, rising, each once; nothing is copied if they are adjacent."""
    if len(rows) == table.num_rows:
        return table
    if not len(rows) or int(rows[-1]) - int(rows[0]) + 1 == len(rows):
        return table.slice(int(rows[0]) if len(rows) else 0, len(rows))
    return table.take(pa.array(rows))


def clipped(table: pa.Table, closed: int) -> pa.Table:
    """Return the part of `table` after the windows up to `closed`: the first window of its rows is raised above it."""
    if closed == AFTER_ALL:
        return table.slice(0, 0)
    first, last = window_of(table, 0), window_of(table, 1)
    if int(first.min(initial=AFTER_ALL)) > closed:
        return table
    left = rows_where(last > closed)
    kept = rows_of(table, left)
    if int(first[left].min(initial=AFTER_ALL)) > closed:
        return kept
    return kept.set_column(0, table.field(0), pa.array(np.maximum(first[left], closed + 1)))


def _split(table: pa.Table, closing: int) -> tuple[pa.Table, pa.Table]:
    """Return the part of each row in the windows up to `closing`, and the part after them."""
    if closing == AFTER_ALL:
        return table, table.slice(0, 0)
    first, last = window_of(table, 0), window_of(table, 1)
    begun, over = rows_where(first <= closing), rows_where(last > closing)
    due, kept = rows_of(table, begun), rows_of(table, over)
    if len(begun) + len(over) == table.num_rows:
        return due, kept
    due = due.set_column(1, table.field(1), pa.array(np.minimum(last[begun], closing)))
    return due, kept.set_column(0, table.field(0), pa.array(np.maximum(first[over], closing + 1)))
