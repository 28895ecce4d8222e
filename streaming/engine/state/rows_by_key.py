"""Rows of a node by key, in slots from a stable hash: only the slots that a turn needs are read and written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.hashing import hash_of
from streaming.engine.columns.ranks import distinct, order_of
from streaming.engine.state.node_state import NodeState
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s

SLOT_BITS: Final = 30
_STEP: Final = 3
_DEEPEST: Final = SLOT_BITS // _STEP
MOST_ROWS: Final = 4096
"""A node of the tree with more rows moves all of them to its children, unless it is a single slot."""
_SLOT: Final = "@slot"
_DUE: Final = "@due"
_MARK: Final = "@mark"
_COLUMNS: Final = ("node", "table", "rows", "first", "half", "last", "mark")
_NODE, _TABLE, _ROWS, _FIRST, _HALF, _LAST, _LEAST = range(len(_COLUMNS))
_GONE: Final = -1


@dataclass
class RowsByKey:
    """The rows of one kind, `name`, of a node, with the columns of `schema`, found by the values of `keys`.

    A slot is the hash of the keys, cut to 30 bits: rows of equal keys are in one slot, and few others are. Rows are in
    tables, each sorted by slot, in a tree over the bits of the slots: new rows enter at its root, and a node with too
    many rows moves them down. So appending costs few writes however many slots it touches, and reading some slots costs
    a table or two for each, however many rows there are. A directory, which is a table too, holds for each table its
    node, rows, its first, median and last `due`, and its least `mark`; the node's head is not used. `compact` selects
    the rows of a table that are still needed; it is called whenever tables are merged.
    """

    state: NodeState
    name: str
    keys: Sequence[str]
    schema: pa.Schema
    compact: Callable[[pa.Table], npt.NDArray[np.bool_]] | None = None
    _directory: npt.NDArray[np.int64] = field(init=False, repr=False)
    _used: int = field(init=False, repr=False)
    _seen: dict[int, pa.Table] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        try:
            stored = self.state.get(self.name)
        except LookupError:
            stored = None
        columns = [] if stored is None else [stored.column(name).to_numpy() for name in _COLUMNS]
        self._directory = np.column_stack(columns) if columns else np.empty((0, len(_COLUMNS)), np.int64)
        self._used = len(self._directory)

    @property
    def rows(self) -> int:
        """Return how many rows are stored."""
        entries = self._entries
        return int(entries[entries[:, _NODE] != _GONE, _ROWS].sum())

    def slots_of(self, columns: Sequence[pa.Array], rows: int) -> Int64s:
        """Return the slot of each of `rows` rows by the values of the key `columns`; null is a value like any other."""
        return (hash_of(columns, rows) >> np.uint64(64 - SLOT_BITS)).astype(np.int64)

    def read(self, slots: Int64s | None) -> pa.Table:
        """Return all rows in these slots (None: all of the node's), in an order that depends on the state alone."""
        found = [rows for _, rows in self._find(slots)]
        whole = pa.concat_tables([self.schema.empty_table(), *(rows.select(self.schema.names) for rows in found)])
        return whole.combine_chunks()

    def append(self, table: pa.Table, due: Int64s, mark: Int64s | None = None) -> None:
        """Add rows; `due` is the tick at which each must be processed (INFINITY: never); `mark`: see `least_mark`."""
        if table.num_rows:
            marks = np.full(len(due), INFINITY) if mark is None else mark
            named = zip((_SLOT, _DUE, _MARK), (self._slots(table), due, marks), strict=True)
            rows = table.select(self.schema.names)
            for name, values in named:
                rows = rows.append_column(name, pa.array(values))
            self._insert(0, 0, _sorted(rows))
            self._save()

    def rewrite(self, slots: Int64s | None, table: pa.Table, due: Int64s, mark: Int64s | None = None) -> None:
        """Replace all rows in `slots` (None: everywhere) by the rows of `table`, which are all in these slots."""
        wanted = None if slots is None else distinct(slots)
        for at in self._touched(wanted).tolist():
            stored = self._get(at)
            inside = np.ones(stored.num_rows, np.bool_) if wanted is None else _among(_column(stored, _SLOT), wanted)
            if inside.any():
                self._replace(at, stored, ~inside)
        self._save()
        self.append(table, due, mark)

    def forget(self, cti: int) -> None:
        """Allow removal of rows due at or before `cti`: a table goes once all its rows may, and is cut once half may.

        Until then such rows are still read, so the caller has to filter them.
        """
        entries = self._entries
        for at in np.flatnonzero((entries[:, _NODE] != _GONE) & (entries[:, _HALF] <= cti)).tolist():
            if self._directory[at, _LAST] <= cti:
                self._drop(at)
            else:
                stored = self._get(at)
                self._replace(at, stored, _column(stored, _DUE) > cti)
        self._save()

    def due_slots(self, cti: int) -> Int64s:
        """Return the slots with a row due at or before `cti`, rising."""
        entries = self._entries
        found = [np.empty(0, np.int64)]
        for at in np.flatnonzero((entries[:, _NODE] != _GONE) & (entries[:, _FIRST] <= cti)).tolist():
            stored = self._get(at)
            found.append(_column(stored, _SLOT)[_column(stored, _DUE) <= cti])
        return distinct(np.concatenate(found))

    def least_mark(self) -> int:
        """Return the smallest mark of all rows; INFINITY without rows or marks."""
        entries = self._entries
        return int(entries[entries[:, _NODE] != _GONE, _LEAST].min(initial=INFINITY))

    @property
    def _entries(self) -> npt.NDArray[np.int64]:
        return self._directory[: self._used]

    def _slots(self, table: pa.Table) -> Int64s:
        columns = [_whole(table.column(key)) for key in self.keys]
        return self.slots_of(columns, table.num_rows)

    def _touched(self, wanted: Int64s | None) -> Int64s:
        """Return the directory's places of all tables that may have rows in `wanted`, oldest table first."""
        nodes = self._entries[:, _NODE]
        if wanted is None:
            at = np.flatnonzero(nodes != _GONE)
        else:
            level = (np.frexp(np.maximum(nodes, 1).astype(np.float64))[1] - 1) // _STEP
            low, width = (nodes - (1 << (_STEP * level))) << (SLOT_BITS - _STEP * level), SLOT_BITS - _STEP * level
            some = np.searchsorted(wanted, low) < np.searchsorted(wanted, low + (1 << width))
            at = np.flatnonzero(some & (nodes != _GONE))
        return at[np.argsort(self._directory[at, _TABLE])]

    def _find(self, slots: Int64s | None) -> Iterator[tuple[int, pa.Table]]:
        wanted = None if slots is None else distinct(slots)
        for at in self._touched(wanted).tolist():
            stored = self._get(at)
            rows = stored if wanted is None else _inside(stored, wanted)
            if rows.num_rows:
                yield at, rows

    def _insert(self, level: int, prefix: int, rows: pa.Table) -> None:
        """Add sorted `rows` to a node, and move all of the node's rows down if they are too many."""
        node = int(_node(level, np.int64(prefix)))
        mine = np.flatnonzero(self._entries[:, _NODE] == node).tolist()
        total = rows.num_rows + int(self._directory[mine, _ROWS].sum())
        if total > MOST_ROWS and level < _DEEPEST:
            whole = self._merged(mine, rows)
            slots = _column(whole, _SLOT)
            children = (prefix << _STEP) + np.arange((1 << _STEP) + 1)
            bounds = np.searchsorted(slots, children << (SLOT_BITS - _STEP * (level + 1)))
            for child, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
                if low < high:
                    self._insert(level + 1, (prefix << _STEP) + child, whole.slice(low, high - low))
            return
        # the smallest first, while the next is at most twice the gathered size: a row is rewritten about as often as
        # its table doubles, and a small append never rewrites a large table
        joining: list[int] = []
        size = rows.num_rows
        for at in sorted(mine, key=lambda at: int(self._directory[at, _ROWS])):
            if self._directory[at, _ROWS] > 2 * size:
                break
            joining.append(at)
            size += int(self._directory[at, _ROWS])
        rows = self._merged(joining, rows)
        if rows.num_rows:
            self._add(node, rows)

    def _merged(self, places: Sequence[int], rows: pa.Table) -> pa.Table:
        """Remove some tables and return their rows and `rows`, sorted by slot; for equal slots older tables first."""
        if not places:
            return rows
        parts = [self._get(at) for at in sorted(places, key=lambda at: int(self._directory[at, _TABLE]))]
        for at in places:
            self._drop(at)
        whole = _sorted(pa.concat_tables([*parts, rows]))
        keep = None if self.compact is None else self.compact(whole)
        return whole if keep is None or keep.all() else whole.take(pa.array(np.flatnonzero(keep)))

    def _replace(self, at: int, stored: pa.Table, keep: npt.NDArray[np.bool_]) -> None:
        node = int(self._directory[at, _NODE])
        self._drop(at)
        if keep.any():
            self._add(node, stored.take(pa.array(np.flatnonzero(keep))))

    def _add(self, node: int, rows: pa.Table) -> None:
        table = self.state.fresh()
        self.state.put(table, rows.combine_chunks())
        due = np.sort(_column(rows, _DUE))
        if self._used == len(self._directory):
            spare = np.full((max(8, self._used), len(_COLUMNS)), _GONE, np.int64)
            self._directory = np.concatenate([self._directory, spare])
        mark = _column(rows, _MARK).min()
        entry = (node, int(table[1:]), len(due), due[0], due[(len(due) - 1) // 2], due[-1], mark)
        self._directory[self._used] = entry
        self._used += 1

    def _get(self, at: int) -> pa.Table:
        number = int(self._directory[at, _TABLE])
        if number not in self._seen:
            self._seen[number] = self.state.get(f"t{number}")
        return self._seen[number]

    def _drop(self, at: int) -> None:
        self.state.drop([f"t{self._directory[at, _TABLE]}"])
        self._directory[at, _NODE] = _GONE

    def _save(self) -> None:
        self._directory = self._entries[self._entries[:, _NODE] != _GONE]
        self._used = len(self._directory)
        columns = {name: pa.array(np.ascontiguousarray(self._directory[:, at])) for at, name in enumerate(_COLUMNS)}
        self.state.put(self.name, pa.table(columns))


def _node(level: int, prefix: Int64s | np.int64) -> Int64s | np.int64:
    return prefix | np.int64(1 << (_STEP * level))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _column(table: pa.Table, name: str) -> Int64s:
    values: Int64s = table.column(name).to_numpy()
    return values


def _sorted(table: pa.Table) -> pa.Table:
    slots = _column(table, _SLOT)
    if (slots[1:] >= slots[:-1]).all():
        return table
    return table.combine_chunks().take(pa.array(order_of(slots, 1 << SLOT_BITS)))


def _among(slots: Int64s, wanted: Int64s) -> npt.NDArray[np.bool_]:
    """Return which of `slots` are among `wanted`, which rise."""
    if not len(wanted):
        return np.zeros(len(slots), np.bool_)
    found: npt.NDArray[np.bool_] = wanted[np.minimum(np.searchsorted(wanted, slots), len(wanted) - 1)] == slots
    return found


def _inside(stored: pa.Table, wanted: Int64s) -> pa.Table:
    """Return the rows of a sorted table in slots of `wanted`, which rise; without copying if they are adjacent."""
    slots = _column(stored, _SLOT)
    low, high = np.searchsorted(wanted, slots[0]), np.searchsorted(wanted, slots[-1], side="right")
    near = wanted[low:high]
    first, last = np.searchsorted(slots, near), np.searchsorted(slots, near, side="right")
    some = np.flatnonzero(first < last)
    if not len(some):
        return stored.slice(0, 0)
    begin, end = int(first[some[0]]), int(last[some[-1]])
    if int((last - first).sum()) == end - begin:
        return stored.slice(begin, end - begin)
    return stored.take(pa.array(np.flatnonzero(_among(slots, near))))
