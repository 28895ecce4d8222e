"""Arrow columns converted to the type of a field: the one check of values at every depth (T1, T5).

A value inside a list, struct or map is checked like a value in a column of its own; one value that does not fit makes
the whole row malformed. Call `types.unsuited` first: it checks types, this module checks values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.arrow.types import entries_of, is_list, is_text, unencoded
from streaming.adapters.times.columns import Bools, TimeSource, read_times
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.types import Array, DecimalOf, Double, Long, String, Struct, Timestamp, Type
from streaming.temporal.ticks import LAST_TICK
from streaming.wire.rows.arrow_types import arrow_type

_LARGEST_LONG: Final = 2**63 - 1
_ANY_PRECISION: Final = 38
_MOST_DIGITS_OF_LONG: Final = 20


@dataclass(frozen=True)
class ConformedColumn:
    """The values in the field's type; `unfit` marks the rows with a value that does not fit (None: every row fits)."""

    values: pa.Array
    unfit: Bools | None

    @property
    def misfits(self) -> int:
        """The number of rows that do not fit."""
        return 0 if self.unfit is None else int(self.unfit.sum())


def conformed(column: pa.Array, of: Type) -> ConformedColumn:
    """Convert `column` to the Arrow type of `of`.

    These values do not fit: moments outside the years 1 to 9999, NaN and infinity, whole numbers outside 64 bits,
    numbers with more digits than a decimal holds, and texts that are not Unicode. A value under a null list or struct
    is not checked.
    """
    if isinstance(of, String):
        return unicode_texts(column)
    column = outermost(column)
    if pa.types.is_null(column.type):
        return ConformedColumn(pa.nulls(len(column), arrow_type(of)), None)
    if isinstance(of, Array):
        return _lists(column, of)
    if isinstance(of, Struct):
        return _structs(column, of)
    if isinstance(of, DecimalOf):
        return _decimals(column, of)
    judge = _JUDGED.get(type(of))
    return ConformedColumn(column, None) if judge is None else judge(column)


def outermost(column: pa.Array) -> pa.Array:
    """Remove the encoding around the column's values; those inside lists and structs keep theirs.

    The result has texts as `string` and a map as a list of entries.
    """
    while column.type != unencoded(column.type):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        else:
            column = _run(column) if pa.types.is_run_end_encoded(column.type) else column.storage
    if pa.types.is_map(column.type):
        return column.cast(entries_of(column.type))
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.binary())
    return column.cast(pa.string()) if is_text(column.type) and not pa.types.is_string(column.type) else column


def _run(column: pa.RunEndEncodedArray) -> pa.Array:
    """The value of each row; PyArrow's own function can't decode values that are themselves encoded."""
    rows = np.arange(column.offset, column.offset + len(column))
    return outermost(column.values).take(pa.array(np.searchsorted(column.run_ends.to_numpy(), rows, side="right")))


def plain(column: pa.Array) -> pa.Array:
    """Remove the encodings at every depth; lists become `list`."""
    return mapped(column, lambda values: values)


def mapped(column: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Apply `convert` to the column's values at every depth, after removing encodings; lists become `list`.

    Bytes that are not UTF-8 are escaped before that. If two fields have the same name, the second is called `name (2)`.
    """
    column = outermost(column)
    if is_list(column.type):
        return _rebuilt_list(column, mapped(column.flatten(), convert))
    if pa.types.is_struct(column.type) and column.type.num_fields:
        names = distinct([column.type.field(at).name for at in range(column.type.num_fields)])
        inside = [mapped(each, convert) for each in column.flatten()]
        return pa.StructArray.from_arrays(inside, names, mask=_nulls(column))
    return convert(unicode_texts(column).values if is_text(column.type) else column)


def distinct(names: Sequence[str]) -> list[str]:
    """Make the names unique: every repeated name gets a number."""
    found: list[str] = []
    for name in names:
        number, free = 2, name
        while free in found or (free != name and free in names):
            free, number = f"{name} ({number})", number + 1
        found.append(free)
    return found


def without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Convert columns of view types to ordinary ones: PyArrow can't take or measure views."""
    if not any(_has_views(each) for each in batch.schema.types):
        return batch
    columns = [plain(each) if _has_views(each.type) else each for each in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _has_views(kind: pa.DataType) -> bool:
    views = (pa.types.is_string_view, pa.types.is_binary_view, pa.types.is_list_view, pa.types.is_large_list_view)
    inside = [kind.field(at).type for at in range(kind.num_fields)]
    return any(matches(kind) for matches in views) or any(map(_has_views, inside))


def _rebuilt_list(column: pa.Array, values: pa.Array) -> pa.ListArray:
    """A list column with the lengths and nulls of `column`, and `values` as the elements of its lists."""
    return pa.ListArray.from_arrays(pa.array(ends_of(column), pa.int32()), values, mask=_nulls(column))


def ends_of(column: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The start of each row's values within `flatten`, followed by the end of the last row."""
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def _nulls(column: pa.Array) -> pa.Array | None:
    return column.is_null() if column.null_count else None


def _lists(column: pa.Array, of: Array) -> ConformedColumn:
    inner = conformed(column.flatten(), of.element)
    values = _rebuilt_list(column, inner.values)
    if inner.unfit is None:
        return ConformedColumn(values, None)
    ends, before = ends_of(column), np.concatenate(([0], np.cumsum(inner.unfit)))
    return ConformedColumn(values, before[ends[1:]] > before[ends[:-1]])


def _structs(column: pa.Array, of: Struct) -> ConformedColumn:
    inside = column.flatten()  # a field is null where the struct is
    unfit: Bools | None = None
    arrays: list[pa.Array] = []
    for name, inner_type in of.fields:
        at = column.type.get_field_index(name)
        absent = pa.nulls(len(column)) if at < 0 else inside[at]
        inner = conformed(absent, inner_type)
        arrays.append(inner.values)
        unfit = either(unfit, inner.unfit)
    if unfit is not None:
        unfit = unfit & ~_bools(column.is_null())  # `flatten` leaves the values of run ends under a null
    fields = [pa.field(name, arrow_type(inner_type)) for name, inner_type in of.fields]
    return ConformedColumn(pa.StructArray.from_arrays(arrays, fields=fields, mask=_nulls(column)), unfit)


def unicode_texts(column: pa.Array) -> ConformedColumn:
    """Return the texts as `string`.

    A text with bytes that are not UTF-8 does not fit; those bytes are escaped: `\\xff`.
    """
    try:
        (column.dictionary if pa.types.is_dictionary(column.type) else column).validate(full=True)
    except pa.ArrowInvalid:
        texts = [None if each is None else _unicode(each) for each in outermost(column).cast(pa.binary()).to_pylist()]
        bad = np.array([text is not None and text.escaped for text in texts], dtype=np.bool_)
        return ConformedColumn(pa.array([text and text.text for text in texts], pa.string()), bad)
    column = outermost(column)
    return ConformedColumn(column.cast(pa.string()) if pa.types.is_null(column.type) else column, None)


@dataclass(frozen=True)
class _DecodedText:
    text: str
    escaped: bool


def _unicode(written: bytes) -> _DecodedText:
    try:
        return _DecodedText(written.decode(), escaped=False)
    except UnicodeDecodeError:
        return _DecodedText(written.decode(errors="backslashreplace"), escaped=True)


def _moments(column: pa.Array) -> ConformedColumn:
    times = read_times(column, TimeSource("", "us"))
    null = _bools(column.is_null())
    bad = (times.bad | (times.ticks > LAST_TICK)) & ~null
    return ConformedColumn(pa.array(times.ticks, mask=bad | null), bad if bad.any() else None)


def _doubles(column: pa.Array) -> ConformedColumn:
    numbers = column.cast(pa.float64(), safe=False)
    finite = pc.is_finite(numbers).fill_null(True)
    return ConformedColumn(numbers, None if pc.all(finite, min_count=0).as_py() else ~_bools(finite))


def _longs(column: pa.Array) -> ConformedColumn:
    if not pa.types.is_uint64(column.type):
        return ConformedColumn(column.cast(pa.int64()), None)
    fits = pc.less_equal(column, pa.scalar(_LARGEST_LONG, pa.uint64())).fill_null(True)
    if pc.all(fits, min_count=0).as_py():
        return ConformedColumn(column.cast(pa.int64()), None)
    return ConformedColumn(pc.if_else(fits, column, pa.scalar(None, column.type)).cast(pa.int64()), ~_bools(fits))


_JUDGED: Final[Mapping[type[Type], Callable[[pa.Array], ConformedColumn]]] = {
    Timestamp: _moments,
    Double: _doubles,
    Long: _longs,
}


def _decimals(column: pa.Array, of: DecimalOf) -> ConformedColumn:
    """Convert exactly: no digit is rounded away. A float counts as its shortest decimal text, as in JSON."""
    written = _written(column) if pa.types.is_floating(column.type) else column
    wide = _ANY_PRECISION if of.scale <= _ANY_PRECISION - _MOST_DIGITS_OF_LONG else None
    try:
        if pa.types.is_integer(written.type) and wide is not None:
            written = written.cast(pa.decimal128(wide, of.scale))
        return ConformedColumn(written.cast(arrow_type(of)), None)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _each(written, of)


def _written(column: pa.Array) -> pa.Array:
    return (column.cast(pa.float32()) if pa.types.is_float16(column.type) else column).cast(pa.string())


def _each(column: pa.Array, of: DecimalOf) -> ConformedColumn:
    values: list[Any] = column.to_pylist()
    if pa.types.is_string(column.type):
        values = [None if value is None else Decimal(value) for value in values]
    read = [read_payload({"_": value}, {"_": of}) for value in values]
    fitting = [None if isinstance(value, BadPayload) else value["_"] for value in read]
    bad = np.array([isinstance(value, BadPayload) for value in read], dtype=np.bool_)
    return ConformedColumn(pa.array(fitting, arrow_type(of)), bad if bad.any() else None)


def either(one: Bools | None, other: Bools | None) -> Bools | None:
    """The rows that `one` or `other` marks."""
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _bools(column: pa.Array) -> Bools:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.bool_)
