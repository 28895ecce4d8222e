"""Payload types in Arrow: a timestamp is its tick, an int64; text is `string`."""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from streaming.definition.types import (
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

_SCALARS: Final[Mapping[type, pa.DataType]] = {
    Long: pa.int64(),
    Timestamp: pa.int64(),
    Double: pa.float64(),
    String: pa.string(),
    Boolean: pa.bool_(),
    Null: pa.null(),
}


def arrow_type(of: Type) -> pa.DataType:
    """The Arrow type of a payload value."""
    if isinstance(of, DecimalOf):
        return pa.decimal128(of.precision, of.scale)
    if isinstance(of, Array):
        return pa.list_(arrow_type(of.element))
    if isinstance(of, Struct):
        return pa.struct([(name, arrow_type(inner)) for name, inner in of.fields])
    return _SCALARS[type(of)]


def arrow_schema(fields: Fields) -> pa.Schema:
    """The Arrow schema of a payload."""
    return pa.schema([(name, arrow_type(of)) for name, of in fields.items()])
