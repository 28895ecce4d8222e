"""Sizes of the rows of an Arrow batch before texts are decoded, and the handling of oversized rows.

Texts come from Parquet as dictionaries, also inside lists, structs and maps: a file of some kilobytes may hold a
million long ones.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.arrow.types import is_list
from streaming.adapters.arrow.values import ends_of
from streaming.adapters.times.columns import Bools
from streaming.wire.rows.arrived import Int64s

MOST_TEXT_BYTES: Final = 64 << 20
"""The most bytes of texts that are decoded at once."""
_NUMBER_BYTES: Final = 8
"""The assumed size of each value inside a list, struct or map that is not text."""


def row_bytes(batch: pa.RecordBatch) -> Int64s:
    """The bytes of text in each row; for nested columns all other values count too."""
    total = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        if pa.types.is_nested(column.type) or is_bytes(_value_type(column.type)):
            total += _bytes_of(column)
    return total


def parts_of(low: int, batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the batch in parts with a bounded size of texts, each with the number of its first row, counted from `low`.

    A single row may exceed the bound.
    """
    ends = np.cumsum(row_bytes(batch))
    at = 0
    while at < batch.num_rows:
        before = int(ends[at - 1]) if at else 0
        end = max(int(np.searchsorted(ends, before + MOST_TEXT_BYTES, side="right")), at + 1)
        yield low + at, batch.slice(at, end - at)
        at = end


def without(batch: pa.RecordBatch, rows: Bools) -> pa.RecordBatch:
    """The batch with nulls in all columns of `rows`, whose values are then never decoded."""
    if not rows.any():
        return batch
    return pa.RecordBatch.from_arrays([nulled(column, rows) for column in batch.columns], names=batch.schema.names)


def nulled(column: pa.Array, rows: Bools) -> pa.Array:
    """The column with nulls in `rows`."""
    if pa.types.is_nested(column.type) or isinstance(column.type, pa.BaseExtensionType):
        return column.take(pa.array(np.arange(len(column)), mask=rows))
    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(nulled(column.indices, rows), column.dictionary)
    return pc.if_else(pa.array(~rows), column, pa.scalar(None, column.type))


def _bytes_of(column: pa.Array) -> Int64s:
    """The size of each value of the column in bytes, without decoding it."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _bytes_of(column.storage)
    if pa.types.is_dictionary(kind) and is_bytes(kind.value_type):
        return _numbers(pc.binary_length(column.dictionary).take(column.indices))
    if is_bytes(kind):
        return _numbers(pc.binary_length(column))
    if pa.types.is_struct(kind):
        return sum((_bytes_of(field) for field in column.flatten()), np.zeros(len(column), dtype=np.int64))
    if pa.types.is_map(kind):
        at = column.offsets.to_numpy(zero_copy_only=False)
        return _between(at, _bytes_of(column.keys) + _bytes_of(column.items))
    return (
        _between(ends_of(column), _bytes_of(column.flatten()))
        if is_list(kind)
        else np.full(len(column), _NUMBER_BYTES, dtype=np.int64)
    )


def _between(ends: Int64s, sizes: Int64s) -> Int64s:
    """The sum of `sizes` from each end to the next."""
    sums = np.concatenate(([0], np.cumsum(sizes)))
    found: Int64s = sums[ends[1:]] - sums[ends[:-1]]
    return found


def _numbers(lengths: pa.Array) -> Int64s:
    return np.asarray(lengths.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)


def _value_type(kind: pa.DataType) -> pa.DataType:
    if isinstance(kind, pa.BaseExtensionType):
        return _value_type(kind.storage_type)
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_bytes(kind: pa.DataType) -> bool:
    """Return True for texts and for binary values."""
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )
