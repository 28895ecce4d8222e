"""What a Parquet file says of its columns itself, as types of a stream, and some of its rows as records."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.file.row_bytes import plain
from streaming.definition.types import BOOLEAN, DOUBLE, LONG, MAX_PRECISION, STRING, TIMESTAMP, DecimalOf

MOST_NESTED: Final = 20


def typed_columns(schema: pa.Schema) -> tuple[dict[str, str], list[str]]:
    """The type of each column, in order, and a sentence on each column that no stream can hold."""
    types: dict[str, str] = {}
    notes: list[str] = []
    for each in schema:
        of = _type(each.type, 0)
        if of is None:
            notes.append(f"The column {each.name!r} is left out: no field of a stream holds {each.type}.")
        else:
            types[each.name] = of
    return types, notes


def _type(kind: pa.DataType, depth: int) -> str | None:
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type, depth)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        of = _type(kind.value_type, depth + 1) if depth < MOST_NESTED else None
        return None if of is None else f"array<{of}>"
    if pa.types.is_struct(kind):
        return _struct(kind, depth)
    return _scalar(kind)


def _struct(kind: pa.StructType, depth: int) -> str | None:
    inside = [(kind.field(at).name, _type(kind.field(at).type, depth + 1)) for at in range(kind.num_fields)]
    if depth >= MOST_NESTED or not all(
        of is not None and name.isidentifier() and name.isascii() for name, of in inside
    ):
        return None
    return f"struct<{', '.join(f'{name}: {of}' for name, of in inside)}>"


def _scalar(kind: pa.DataType) -> str | None:
    if pa.types.is_decimal(kind):
        fits = kind.precision <= MAX_PRECISION and kind.scale >= 0
        return str(DecimalOf(kind.precision, kind.scale)) if fits else None
    known = (
        (pa.types.is_boolean, BOOLEAN),
        (pa.types.is_integer, LONG),
        (pa.types.is_floating, DOUBLE),
        (pa.types.is_string, STRING),
        (pa.types.is_large_string, STRING),
        (pa.types.is_string_view, STRING),
        (pa.types.is_timestamp, TIMESTAMP),
        (pa.types.is_date, TIMESTAMP),
    )
    return next((str(of) for matches, of in known if matches(kind)), None)


def first_rows(file: Any, group: int, columns: Sequence[str], most: int) -> list[Mapping[str, Any]]:
    """The first `most` rows of a row group; moments as ISO 8601 text, in UTC where the column has a zone."""
    batch = next(file.iter_batches(max(most, 1), row_groups=[group], columns=list(columns)), None)
    if batch is None:
        return []
    shown = {name: record_values(plain(batch.column(name))) for name in columns}
    return [{name: values[at] for name, values in shown.items()} for at in range(batch.num_rows)]


def record_values(column: pa.Array) -> list[Any]:
    """The values as they stand in records: moments as ISO 8601 text."""
    kind = column.type
    if not (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return list(column.to_pylist())
    moments = column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
    zone = "+00:00" if moments.type.tz is not None else ""
    texts = moments.cast(pa.int64()).cast(pa.timestamp("us")).cast(pa.string())
    return [None if text is None else text.replace(" ", "T") + zone for text in texts.to_pylist()]
