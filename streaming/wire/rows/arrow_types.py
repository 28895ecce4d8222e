"""The Arrow types of payload columns: a timestamp is int64 ticks, text is `string`, a decimal `decimal128`."""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import (
    Array,
    Boolean,
    DecimalOf,
    Double,
    Fields,
    Long,
    Null,
    String,
    Struct,
    Timestamp,
    Type,
)

_SCALARS: Mapping[type[Type], pa.DataType] = {
    Long: pa.int64(),
    Timestamp: pa.int64(),
    Double: pa.float64(),
    String: pa.string(),
    Boolean: pa.bool_(),
    Null: pa.null(),
}


def arrow_type(of: Type) -> pa.DataType:
    """Return the Arrow type of a column of `of`."""
    if isinstance(of, DecimalOf):
        return pa.decimal128(of.precision, of.scale)
    if isinstance(of, Array):
        return pa.list_(arrow_type(of.element))
    if isinstance(of, Struct):
        return pa.struct([pa.field(name, arrow_type(inner)) for name, inner in of.fields])
    return _SCALARS[type(of)]


def arrow_schema(fields: Fields) -> pa.Schema:
    """Return the schema of payload columns, in the order of `fields`."""
    return pa.schema([pa.field(name, arrow_type(of)) for name, of in fields.items()])


def fields_of(texts: Mapping[str, str]) -> Fields:
    """Return the parsed `StreamDefinition.fields`, cached, for use with each row. Raises `TypeTextError`."""
    return _parsed(tuple(texts.items()))


def schema_of(texts: Mapping[str, str]) -> pa.Schema:
    """Return the schema of the payload columns of `StreamDefinition.fields`, cached. Raises `TypeTextError`."""
    return _schema(tuple(texts.items()))


@lru_cache(maxsize=1_024)
def _schema(items: tuple[tuple[str, str], ...]) -> pa.Schema:
    return arrow_schema(_parsed(items))


@lru_cache(maxsize=1_024)
def _parsed(items: tuple[tuple[str, str], ...]) -> Fields:
    return parse_fields(dict(items))
