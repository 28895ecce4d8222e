"""The first and the last in time, of equal starts the smallest and the largest: a row for each slot."""

from typing import Final

import numpy as np
import pyarrow as pa

from streaming.engine.columns.ordering import OPERATIONS, identity_of, ordered
from streaming.engine.columns.spans import SpanCells
from streaming.engine.columns.spans import spread as spread_numbers
from streaming.wire.rows.arrived import Int64s

_EXTREME: Final = {"first": "min", "last": "max"}


def picked(need: str, start: Int64s, column: pa.Array, ids: Int64s, slots: int) -> Int64s:
    """Return the row of the `first` or `last` of each slot, -1 if it has none. `column` has no nulls.

    Among rows of equal start and value any may be returned.
    """
    rows = np.full(slots, -1)
    extreme = _EXTREME[need]
    best = np.full(slots, identity_of(extreme, start))
    OPERATIONS[extreme].at(best, ids, start)
    tied = np.flatnonzero(start == best[ids])
    rows[ids[tied]] = tied
    if len(tied) == np.count_nonzero(rows >= 0):
        return rows
    rank = ordered(column.take(pa.array(tied))).numbers
    best_rank = np.full(slots, identity_of(extreme, rank), rank.dtype)
    OPERATIONS[extreme].at(best_rank, ids[tied], rank)
    chosen = tied[rank == best_rank[ids[tied]]]
    rows[ids[chosen]] = chosen
    return rows


def spread(need: str, start: Int64s, column: pa.Array, cells: SpanCells) -> Int64s:
    """Return the row of the `first` or `last` of those that cover each cell, -1 if no row does."""
    order = np.lexsort((ordered(column).numbers, start))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    none = identity_of(_EXTREME[need], place)
    best = spread_numbers(cells, OPERATIONS[_EXTREME[need]], place, none)
    found = np.full(cells.cells, -1)
    there = np.flatnonzero(best != none)
    found[there] = order[best[there]]
    return found
