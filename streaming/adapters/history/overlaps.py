"""Rows that the other source of an input has too: they are marked as overlaps, and are in no result (T55)."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.contract import AdapterError
from streaming.definition.streams.stream import Seam
from streaming.temporal.ticks import parse_duration, parse_instant
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind

IdOf = Callable[[Arrived], pa.Array]
"""Returns the id of each row of a chunk; null where it is null or fails. Rows that are no events have any value."""
MOST_IDS: Final = 10_000_000
"""The most ids of a history that are kept: about 1 GB."""
_EVENTS: Final = (RowKind.INSERT, RowKind.EDGE_START, RowKind.EDGE_END, RowKind.VERSION, RowKind.DELETE)
_TIMED: Final = (*_EVENTS, RowKind.SNAPSHOT, RowKind.REFUSED)
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Overlaps:
    """The overlaps of both sources by `seam`; `id_of` is needed for a seam by id only."""

    seam: Seam
    id_of: IdOf | None = None

    def mark_history(self, rows: Arrived) -> Arrived:
        """Mark the rows of history that live has."""
        if self.seam.time is None:
            return rows
        return _marked(rows, np.isin(rows.kind, _TIMED) & (_sync(rows) >= parse_instant(self.seam.time)))

    def mark_live(self, rows: Arrived, ids: Callable[[], pa.Array]) -> Arrived:
        """Mark the rows of live that history has; `ids` returns the ids of history."""
        if self.seam.time is not None:
            return _marked(rows, np.isin(rows.kind, _TIMED) & (_sync(rows) < parse_instant(self.seam.time)))
        if self.id_of is None:
            return rows
        known, mine = ids(), self.id_of(rows)
        if not len(known):
            return rows
        had = pc.is_in(mine, value_set=known.cast(mine.type), skip_nulls=True).to_numpy(zero_copy_only=False)
        return _marked(rows, np.isin(rows.kind, _EVENTS) & had)


@dataclass
class HistoryIds:
    """The ids of the rows of history so far, each with its latest time; only those of the last `over` are kept."""

    overlaps: Overlaps
    read_to: int = 0
    last: int | None = None
    _seen: pl.DataFrame | None = field(default=None, repr=False)

    def take(self, rows: Arrived) -> None:
        """Add the ids of the next chunk. Raises `AdapterError` if there are too many."""
        if self.overlaps.id_of is None:
            return
        events = np.flatnonzero(np.isin(rows.kind, _EVENTS))
        if not len(events):
            return
        sync = _sync(rows)[events]
        self.last = int(sync.max()) if self.last is None else max(self.last, int(sync.max()))
        ids = self.overlaps.id_of(rows).take(pa.array(events))
        new = pl.DataFrame({"id": pl.Series("id", ids), "sync": sync}).drop_nulls("id")
        every = new if self._seen is None else pl.concat([self._seen, new])
        every = every.group_by("id").agg(pl.col("sync").max())
        over = self.overlaps.seam.over
        if over is not None:
            every = every.filter(pl.col("sync") > self.last - parse_duration(over))
        if len(every) > MOST_IDS:
            raise AdapterError(
                f"The history has more than {MOST_IDS:,} different ids. Set 'over' in its seam, so that only the ids "
                "of its last rows are kept, or use a seam by position."
            )
        self._seen = every

    def read_ids(self) -> pa.Array:
        """Return the ids in order, so that the same history gives the same bytes."""
        if self._seen is None:
            return pa.array([], pa.null())
        return self._seen.get_column("id").sort().to_arrow()


def _sync(rows: Arrived) -> Int64s:
    """Return the time of change of each row: the end of an edge's end, else the start."""
    return np.where(rows.kind == RowKind.EDGE_END, rows.end, rows.start)


def _marked(rows: Arrived, mask: Mask) -> Arrived:
    if not mask.any():
        return rows
    return replace(
        rows,
        kind=np.where(mask, np.int8(RowKind.OVERLAP), rows.kind).astype(np.int8),
        malformed={index: reason for index, reason in rows.malformed.items() if not mask[index]},
        loads={index: load for index, load in rows.loads.items() if not mask[index]},
    )
