"""Grouping of rows: equal keys become small dense integers, in order of first appearance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.masks import rows_where
from streaming.wire.rows.arrived import Int64s

_DENSE_PER_ROW: Final = 4
"""An id range up to so many times the rows is used as an array index; a larger range is made dense first."""
_DENSE_ALWAYS: Final = 1 << 12
_WIDEST: Final = 2**62


@dataclass(frozen=True, slots=True)
class Codes:
    """`codes` has one entry for each row, in `[0, size)`; equal codes are equal keys. Not every code need occur."""

    codes: Int64s
    size: int

    def at(self, rows: npt.NDArray[np.int64] | None) -> "Codes":
        """The codes of the given rows (None: of all)."""
        return self if rows is None else Codes(self.codes[rows], self.size)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows by group. `ids` maps each row to a slot in `[0, slots)`; `used` lists the slots that have rows.

    `counts` and `first_row` (the first row of the group) have one entry for each used slot.
    """

    ids: Int64s
    slots: int
    used: Int64s
    counts: Int64s
    first_row: Int64s

    def ordered(self, order: Int64s) -> "Grouping":
        """The same groups, the used slots in another order: `order` has each of their places once."""
        return Grouping(self.ids, self.slots, self.used[order], self.counts[order], self.first_row[order])


def encode(column: pa.Array) -> Codes:
    """Codes of a column of any scalar type; null is a key like any other. The same column, the same codes."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_int64(column.type) and not column.null_count and len(column):
        return encode_integers(column.to_numpy())
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # minus zero equals zero
    return _from_dictionary(pc.dictionary_encode(column, null_encoding="encode"))


def encode_integers(values: Int64s) -> Codes:
    """Codes of int64 values: their distance from the smallest where the range is small."""
    if not len(values):
        return Codes(values, 1)
    low, high = int(values.min()), int(values.max())
    if high - low <= max(_DENSE_PER_ROW * len(values), _DENSE_ALWAYS):
        return Codes(values - low if low else values, high - low + 1)
    return _from_dictionary(pc.dictionary_encode(pa.array(values)))


def _from_dictionary(encoded: pa.DictionaryArray) -> Codes:
    return Codes(encoded.indices.to_numpy().astype(np.int64), max(1, len(encoded.dictionary)))


def combine(parts: Sequence[Codes], rows: int) -> Codes:
    """One code for each combination of `parts`, all of `rows` rows; ordered as the parts are, the first foremost."""
    whole = Codes(np.zeros(rows, np.int64), 1)
    for part in parts:
        if part.size == 1:
            continue
        if whole.size == 1:
            whole = part
            continue
        if whole.size * part.size > _WIDEST:
            # before the product overflows int64 and merges two groups under one code
            whole = encode_integers(whole.codes)
        whole = Codes(whole.codes * part.size + part.codes, whole.size * part.size)
    return whole


def _dense(codes: Int64s) -> Codes:
    """Codes from 0 in order of first appearance; those that rise, as of frames, need no dictionary."""
    if len(codes) and (codes[1:] >= codes[:-1]).all():
        ids = np.cumsum(np.concatenate([[0], codes[1:] != codes[:-1]]))
        return Codes(ids, int(ids[-1]) + 1)
    return _from_dictionary(pc.dictionary_encode(pa.array(codes)))


def group(codes: Codes) -> Grouping:
    """The rows of `codes` by group, in order of their codes where these are dense, else of first appearance."""
    rows = len(codes.codes)
    if codes.size > max(_DENSE_PER_ROW * rows, _DENSE_ALWAYS):
        codes = _dense(codes.codes)
    ids = codes.codes
    counts = np.bincount(ids, minlength=codes.size)
    used = rows_where(counts)
    first_row = np.empty(codes.size, np.int64)
    # from the last row to the first, because numpy keeps the last assignment: results carry the first row of a group
    first_row[ids[::-1]] = np.arange(rows - 1, -1, -1)
    return Grouping(ids, codes.size, used, counts[used], first_row[used])
