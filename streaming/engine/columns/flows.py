"""Events between the operators of a bucket, in columns; the columnar form of the reference's `Flow`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.payload.types import Fields, Type
from streaming.engine.columns.rows import Rows
from streaming.temporal.ticks import NO_CTI
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_schema

WHOLE: Final = 0
"""A whole lifetime: a point, an interval, a row of a window."""
OPEN: Final = 1
"""An edge start: it lives to INFINITY until a CLOSE of the same id comes."""
CLOSE: Final = 2
"""The end of the edge of this id, with its start and payload; `end <= start` retracts the edge (it vanished)."""
ENDLESS: Final = 3
"""An edge that is open forever: no CLOSE comes, and windows contain it up to the horizon (T4)."""
OLD: Final = 4
"""The previously emitted row of this id: the same turn also has the row that replaces it (T20)."""
GONE: Final = 5
"""The row of this id is retracted without a replacement."""

Flags = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]
_META: Final = ("@start", "@end", "@flag", "@id", "@late_at", "@stamp", "@source")
_PANE: Final = ("@pane_start", "@pane_end", "@pane_timing", "@pane_index", "@pane_is_last")
TIMINGS: Final = ("early", "on_time", "late")
"""Pane timings by code (T20)."""


@dataclass(frozen=True, slots=True)
class PaneColumns:
    """The pane metadata of rows of windows: `timing` holds codes of TIMINGS, `index` is -1 for rows of no window."""

    start: Int64s
    end: Int64s
    timing: npt.NDArray[np.int8]
    index: Int64s
    is_last: Mask

    def take(self, rows: Int64s) -> "PaneColumns":
        """The metadata of `rows`, by index."""
        return PaneColumns(self.start[rows], self.end[rows], self.timing[rows], self.index[rows], self.is_last[rows])


@dataclass(frozen=True, slots=True)
class Flows:
    """Events in columns of equal length, in no particular order.

    `columns` is the payload by field name. An optional column that is None has one meaning for all rows: `flag` that
    all are WHOLE, `late_at` (the CTI of its lane that a late_kept event met, NO_CTI for others; T19) that none was
    late, `stamp` (the latest start among the events that made the row; T22) that it is the row's start, `pane` that no
    window made them. `id` (text) distinguishes edges and replaceable rows and is null for others; the rows of one edge,
    or of one pane, have the same. `source` names a received row whose outcome is still open (see `report`), null for
    all others. `start` and `end` are ticks; an OPEN or ENDLESS row ends at INFINITY.
    """

    start: Int64s
    end: Int64s
    columns: Mapping[str, pa.Array]
    flag: Flags | None = None
    id: pa.Array | None = None
    late_at: Int64s | None = None
    stamp: Int64s | None = None
    source: pa.Array | None = None
    pane: PaneColumns | None = None

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def none(cls, fields: Fields) -> "Flows":
        """No events of the schema `fields`."""
        return _none(tuple(fields.items()))

    @property
    def flags(self) -> Flags:
        """The flag of every row."""
        return np.zeros(len(self), np.int8) if self.flag is None else self.flag

    @property
    def stamps(self) -> Int64s:
        """The stamp of every row."""
        return self.start if self.stamp is None else self.stamp

    @property
    def lates(self) -> Int64s:
        """The CTI that each late_kept row met, NO_CTI for all others."""
        return np.full(len(self), NO_CTI) if self.late_at is None else self.late_at

    @property
    def ids(self) -> pa.Array:
        """The id of every row."""
        return pa.nulls(len(self), pa.string()) if self.id is None else self.id

    @property
    def rows(self) -> Rows:
        """The payload for expressions, with the lifetimes."""
        return Rows(dict(self.columns), None, self.start, self.end, None)

    def take(self, rows: Int64s) -> "Flows":
        """The `rows` by index, which may repeat."""
        at = pa.array(rows)
        return Flows(
            start=self.start[rows],
            end=self.end[rows],
            columns={name: column.take(at) for name, column in self.columns.items()},
            flag=None if self.flag is None else self.flag[rows],
            id=None if self.id is None else self.id.take(at),
            late_at=None if self.late_at is None else self.late_at[rows],
            stamp=None if self.stamp is None else self.stamp[rows],
            source=None if self.source is None else self.source.take(at),
            pane=None if self.pane is None else self.pane.take(rows),
        )

    def where(self, mask: Mask) -> "Flows":
        """Return the rows where `mask` is true; this object itself if it is true everywhere."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def lasting(self, start: Int64s, end: Int64s) -> "Flows":
        """The same rows with other lifetimes; their stamps stay."""
        return replace(self, start=start, end=end, stamp=self.stamps if start is not self.start else self.stamp)

    def to_table(self) -> pa.Table:
        """Return everything as a table: `@` columns first, those that are None left out; then the payload."""
        found: dict[str, Any] = {"@start": pa.array(self.start), "@end": pa.array(self.end)}
        optional = {"@flag": self.flag, "@id": self.id, "@late_at": self.late_at, "@stamp": self.stamp}
        found |= {name: pa.array(column) for name, column in optional.items() if column is not None}
        if self.source is not None:
            found["@source"] = self.source
        if self.pane is not None:
            pane = self.pane
            values = (pane.start, pane.end, pane.timing, pane.index, pane.is_last)
            found |= dict(zip(_PANE, map(pa.array, values), strict=True))
        return pa.table({**found, **self.columns})

    @classmethod
    def of_table(cls, table: pa.Table) -> "Flows":
        """Return the flows from a table of `to_table`, which may be in several pieces."""
        read = {name: _whole(table.column(name)) for name in table.column_names}
        held = {name: read.pop(name) for name in (*_META, *_PANE) if name in read}

        def numbers(name: str) -> Any:
            return held[name].to_numpy(zero_copy_only=False) if name in held else None

        pane = PaneColumns(*(numbers(name) for name in _PANE)) if _PANE[0] in held else None
        return cls(
            start=numbers("@start"),
            end=numbers("@end"),
            columns=read,
            flag=numbers("@flag"),
            id=held.get("@id"),
            late_at=numbers("@late_at"),
            stamp=numbers("@stamp"),
            source=held.get("@source"),
            pane=pane,
        )


@lru_cache(maxsize=4_096)
def _none(fields: tuple[tuple[str, Type], ...]) -> Flows:
    empty = np.empty(0, np.int64)
    return Flows(empty, empty, {each.name: pa.array([], each.type) for each in arrow_schema(dict(fields))})


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


@dataclass
class _OptionalColumns:
    """The optional columns that some part has, so that all parts get them."""

    parts: Sequence[Flows]
    names: list[str] = field(default_factory=list)

    def any(self, name: str) -> bool:
        return any(getattr(part, name) is not None for part in self.parts)


def concat_flows(parts: Iterable[Flows]) -> Flows:
    """Return all rows of `parts`, of one schema, in their order. Raises ValueError without any part."""
    every = list(parts)
    filled = [part for part in every if len(part)] or every[:1]
    if not filled:
        raise ValueError("no parts to concatenate, so there is no schema")
    if len(filled) == 1:
        return filled[0]
    has = _OptionalColumns(filled)
    names = list(filled[0].columns)
    return Flows(
        start=np.concatenate([part.start for part in filled]),
        end=np.concatenate([part.end for part in filled]),
        columns={name: pa.concat_arrays([part.columns[name] for part in filled]) for name in names},
        flag=np.concatenate([part.flags for part in filled]) if has.any("flag") else None,
        id=pa.concat_arrays([part.ids for part in filled]) if has.any("id") else None,
        late_at=np.concatenate([part.lates for part in filled]) if has.any("late_at") else None,
        stamp=np.concatenate([part.stamps for part in filled]) if has.any("stamp") else None,
        source=pa.concat_arrays([_sources(part) for part in filled]) if has.any("source") else None,
        pane=_panes(filled) if has.any("pane") else None,
    )


def _sources(part: Flows) -> pa.Array:
    return pa.nulls(len(part), pa.string()) if part.source is None else part.source


def _panes(parts: Sequence[Flows]) -> PaneColumns:
    """Return the pane metadata of all parts; in a union, rows that no window made have the index -1."""
    panes = [_no_panes(len(part)) if part.pane is None else part.pane for part in parts]
    return PaneColumns(
        np.concatenate([pane.start for pane in panes]),
        np.concatenate([pane.end for pane in panes]),
        np.concatenate([pane.timing for pane in panes]),
        np.concatenate([pane.index for pane in panes]),
        np.concatenate([pane.is_last for pane in panes]),
    )


def _no_panes(rows: int) -> PaneColumns:
    zeros = np.zeros(rows, np.int64)
    return PaneColumns(zeros, zeros, zeros.astype(np.int8), zeros - 1, zeros.astype(np.bool_))
