"""Rows in windows, kept in tables that are cut by time: a closing reads little that it cannot use."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL
from streaming.engine.state.node_state import NodeState
from streaming.wire.arrived import Int64s

MOST_PIECES: Final = 64
"""With more pieces than these all are put together."""
_PIECES: Final = "pieces"


@dataclass(frozen=True)
class WindowPieces:
    """The rows of a node that are in windows not closed; the first two columns say from which window to which.

    The head lists under `pieces` the name of each table, its smallest and largest first window, its largest last
    window and its rows. A piece holds 1, 2, 4 ... windows by first window, from the next to close on. One in which
    every row is open already (hopping windows) stays as it is until its last window closes: it is read for each
    closing and never written again. `compacted` makes one table of all that are left when there are too many.
    """

    state: NodeState
    compacted: Callable[[list[pa.Table]], pa.Table]

    def close(self, fresh: pa.Table, closed: int, closing: int) -> list[pa.Table]:
        """Take `fresh`, of which no row is in the windows up to `closed`; what is in the next ones up to `closing`.

        What lies behind `closing` is kept, and rows that reach over it are cut there.
        """
        if closing <= closed:
            self._keep(fresh, closed)
            return []
        due, later = _split(fresh, closing)
        released, kept = [due], [later]
        for piece in [piece for piece in self._listed if piece["first"] <= closing]:
            due, later = self._from_piece(piece, closed, closing)
            released.append(due)
            kept.append(later)
        for table in kept:
            self._keep(table, closing)
        return [table for table in released if table.num_rows]

    def open(self, closed: int, until: int) -> Iterator[pa.Table]:
        """What is kept in the windows after `closed` up to `until`, cut there."""
        for piece in self._listed:
            if piece["first"] <= until:
                yield _split(clipped(self.state.get(piece["name"]), closed), until)[0]

    @property
    def _listed(self) -> list[dict[str, Any]]:
        pieces: list[dict[str, Any]] = self.state.head.setdefault(_PIECES, [])
        return pieces

    def _from_piece(self, piece: Mapping[str, Any], closed: int, closing: int) -> tuple[pa.Table, pa.Table]:
        """What a piece gives to the windows up to `closing`, and what must be written again."""
        due, rest = _split(clipped(self.state.get(piece["name"]), closed), closing)
        if piece["last"] <= closing:
            self._drop([piece])
        elif piece["latest_first"] > closing:
            self._drop([piece])
            return due, rest
        return due, rest.slice(0, 0)

    def _keep(self, table: pa.Table, closed: int) -> None:
        self._append(table, closed)
        if len(self._listed) <= MOST_PIECES:
            return
        pieces = list(self._listed)
        every = [clipped(self.state.get(piece["name"]), closed) for piece in pieces]
        self._drop(pieces)
        self._append(self.compacted(every), closed)

    def _append(self, table: pa.Table, closed: int) -> None:
        if not table.num_rows:
            return
        first = window_of(table, 0)
        base = closed + 1 if closed != BEFORE_ALL else int(first.min())
        level = np.frexp(np.maximum(first - base, 0) + 1.0)[1]
        for each in np.flatnonzero(np.bincount(level)).tolist():
            rows = np.flatnonzero(level == each)
            part = rows_of(table, rows)
            spans = {"first": int(first[rows].min()), "latest_first": int(first[rows].max())}
            name = self.state.fresh()
            self.state.put(name, part)
            self._listed.append({"name": name, **spans, "last": int(window_of(part, 1).max()), "rows": part.num_rows})

    def _drop(self, pieces: Iterable[Mapping[str, Any]]) -> None:
        names = {piece["name"] for piece in pieces}
        self.state.drop(sorted(names))
        self.state.head[_PIECES] = [piece for piece in self._listed if piece["name"] not in names]


def window_of(table: pa.Table, column: int) -> Int64s:
    """The first (column 0) or last (column 1) window of each row."""
    numbers: Int64s = table.column(column).to_numpy()
    return numbers


def rows_of(table: pa.Table, rows: Int64s) -> pa.Table:
    """The `rows` of `table`, rising, each once; nothing is copied where they follow one another."""
    if len(rows) == table.num_rows:
        return table
    if not len(rows) or int(rows[-1]) - int(rows[0]) + 1 == len(rows):
        return table.slice(int(rows[0]) if len(rows) else 0, len(rows))
    return table.take(pa.array(rows))


def clipped(table: pa.Table, closed: int) -> pa.Table:
    """What of `table` is left after the windows up to `closed`: the first window of its rows is raised above it."""
    if closed == AFTER_ALL:
        return table.slice(0, 0)
    first, last = window_of(table, 0), window_of(table, 1)
    if int(first.min(initial=AFTER_ALL)) > closed:
        return table
    left = np.flatnonzero(last > closed)
    kept = rows_of(table, left)
    if int(first[left].min(initial=AFTER_ALL)) > closed:
        return kept
    return kept.set_column(0, table.field(0), pa.array(np.maximum(first[left], closed + 1)))


def _split(table: pa.Table, closing: int) -> tuple[pa.Table, pa.Table]:
    """The part of each row in the windows up to `closing`, and the part after them."""
    if closing == AFTER_ALL:
        return table, table.slice(0, 0)
    first, last = window_of(table, 0), window_of(table, 1)
    begun = np.flatnonzero(first <= closing)
    due = rows_of(table, begun)
    if int(last[begun].max(initial=closing)) > closing:
        due = due.set_column(1, table.field(1), pa.array(np.minimum(last[begun], closing)))
    return due, clipped(table, closing)
