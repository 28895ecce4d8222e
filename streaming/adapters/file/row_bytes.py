"""How large the rows of an Arrow batch are, before texts are decoded, and what is done with those that are too large.

Texts come from Parquet as dictionaries, also inside of lists, structs and maps: a file of some kilobytes may hold a
million long ones.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.times import Bools
from streaming.wire.arrived import Int64s

MOST_TEXT_BYTES: Final = 64 << 20
"""Of texts that are decoded at once."""
_NUMBER_BYTES: Final = 8
"""What counts for each value inside of a list, struct or map that is no text."""


def row_bytes(batch: pa.RecordBatch) -> Int64s:
    """How many bytes of text each row has; of nested columns what else they hold counts too."""
    total = np.zeros(batch.num_rows, dtype=np.int64)
    for column in batch.columns:
        if pa.types.is_nested(column.type) or _is_text(_value_type(column.type)):
            total += _bytes_of(column)
    return total


def parts_of(low: int, batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The batch in parts whose texts are not too much at once, with the numbers of their first rows from `low` on.

    A row alone may be too much.
    """
    ends = np.cumsum(row_bytes(batch))
    at = 0
    while at < batch.num_rows:
        before = int(ends[at - 1]) if at else 0
        end = max(int(np.searchsorted(ends, before + MOST_TEXT_BYTES, side="right")), at + 1)
        yield low + at, batch.slice(at, end - at)
        at = end


def without(batch: pa.RecordBatch, rows: Bools) -> pa.RecordBatch:
    """The batch with nulls in all columns of `rows`: what stands there is not even decoded."""
    if not rows.any():
        return batch
    return pa.RecordBatch.from_arrays([nulled(column, rows) for column in batch.columns], names=batch.schema.names)


def nulled(column: pa.Array, rows: Bools) -> pa.Array:
    """The column with nulls in `rows`."""
    if pa.types.is_nested(column.type):
        return column.take(pa.array(np.arange(len(column)), mask=rows))
    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(nulled(column.indices, rows), column.dictionary)
    return pc.if_else(pa.array(~rows), column, pa.scalar(None, column.type))


def plain(column: pa.Array) -> pa.Array:
    """The column with its texts decoded, large ones as texts."""
    kind = column.type
    if pa.types.is_nested(kind):
        decoded = _decoded(kind)
        # Taken first: a part of a column still has the values of all of it, and all would be decoded.
        return column if decoded == kind else column.take(pa.array(np.arange(len(column)))).cast(decoded)
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def _decoded(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(at).with_type(_decoded(kind.field(at).type)) for at in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(*(field.with_type(_decoded(field.type)) for field in (kind.key_field, kind.item_field)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_decoded(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_decoded(kind.value_type)))
    return kind


def _bytes_of(column: pa.Array) -> Int64s:
    """How many bytes each value of the column has, without decoding it."""
    kind = column.type
    if pa.types.is_dictionary(kind) and _is_text(kind.value_type):
        return _numbers(pc.binary_length(column.dictionary).take(column.indices))
    if _is_text(kind):
        return _numbers(pc.binary_length(column))
    if pa.types.is_struct(kind):
        return sum((_bytes_of(field) for field in column.flatten()), np.zeros(len(column), dtype=np.int64))
    if pa.types.is_map(kind):
        return _between(column.offsets, _bytes_of(column.keys) + _bytes_of(column.items))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _between(column.offsets, _bytes_of(column.values))
    return np.full(len(column), _NUMBER_BYTES, dtype=np.int64)


def _between(offsets: pa.Array, sizes: Int64s) -> Int64s:
    """The sum of `sizes` from each offset to the next."""
    sums = np.concatenate(([0], np.cumsum(sizes)))
    at = offsets.to_numpy(zero_copy_only=False)
    found: Int64s = sums[at[1:]] - sums[at[:-1]]
    return found


def _numbers(lengths: pa.Array) -> Int64s:
    return np.asarray(lengths.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )
