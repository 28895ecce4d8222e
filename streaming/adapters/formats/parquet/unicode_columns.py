"""Texts of Arrow columns that are not UTF-8, at every depth: their rows, and the columns with escapes instead.

Arrow trusts the writer of a file: it reads such a text without an error, which is then raised much later, when the text
is converted to Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.times.columns import Bools


@dataclass(frozen=True)
class ReadableColumn:
    """A column whose texts are all Unicode; `escaped` marks the rows with a text that was not (None: no row)."""

    values: pa.Array
    escaped: Bools | None = None


def readable_batch(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, Mapping[str, Bools]]:
    """The batch with readable columns, and by column the rows whose texts now contain escapes."""
    columns = [readable(column) for column in batch.columns]
    escaped = {name: each.escaped for name, each in zip(batch.schema.names, columns, strict=True)}
    found = {name: rows for name, rows in escaped.items() if rows is not None}
    if not found:
        return batch, {}
    return pa.RecordBatch.from_arrays([each.values for each in columns], names=batch.schema.names), found


def readable(column: pa.Array) -> ReadableColumn:
    """Replace each byte that is not UTF-8 by an escape (`\\xff`)."""
    return ReadableColumn(column) if _is_valid(column) else _escaped(column)


def _is_valid(column: pa.Array) -> bool:
    if not _holds_text(column.type):
        return True
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _holds_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _holds_text(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _holds_text(kind.storage_type)
    return _is_text(kind) or any(_holds_text(kind.field(at).type) for at in range(kind.num_fields))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _escaped(column: pa.Array) -> ReadableColumn:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return readable(column.storage)
    if pa.types.is_dictionary(kind):
        texts = readable(column.dictionary)
        rows = None if texts.escaped is None else pa.array(texts.escaped).take(column.indices).fill_null(False)
        values = pa.DictionaryArray.from_arrays(column.indices, texts.values)
        return ReadableColumn(values, None if rows is None else _bools(rows))
    if _is_text(kind):
        return _escaped_texts(column)
    if pa.types.is_struct(kind):
        return _escaped_struct(column)
    if pa.types.is_map(kind):
        entry = pa.struct([kind.key_field, kind.item_field])
        return _escaped(column.cast(pa.list_(pa.field("entries", entry, nullable=False))))
    return _escaped_list(column)


def _escaped_texts(column: pa.Array) -> ReadableColumn:
    stored = column.cast(pa.large_binary()).to_pylist()
    texts = [None if each is None else each.decode(errors="backslashreplace") for each in stored]
    rows = [text is not None and text.encode() != each for text, each in zip(texts, stored, strict=True)]
    kind = pa.large_string() if pa.types.is_large_string(column.type) else pa.string()
    return ReadableColumn(pa.array(texts, kind), np.array(rows, dtype=np.bool_) if any(rows) else None)


def _escaped_struct(column: pa.Array) -> ReadableColumn:
    inside = [readable(each) for each in column.flatten()]  # a field is null where the struct is
    names = [column.type.field(at).name for at in range(column.type.num_fields)]
    values = pa.StructArray.from_arrays([each.values for each in inside], names, mask=column.is_null())
    marks = [each.escaped for each in inside if each.escaped is not None]
    return ReadableColumn(values, np.logical_or.reduce(marks) if marks else None)


def _escaped_list(column: pa.Array) -> ReadableColumn:
    inside = readable(column.flatten())
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    ends = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    values = pa.LargeListArray.from_arrays(pa.array(ends), inside.values, mask=column.is_null())
    if inside.escaped is None:
        return ReadableColumn(values)
    before = np.concatenate(([0], np.cumsum(inside.escaped)))
    return ReadableColumn(values, before[ends[1:]] > before[ends[:-1]])


def _bools(column: pa.Array) -> Bools:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.bool_)
