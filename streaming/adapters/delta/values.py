"""Values in a table's log instead of its files: those of partitions, and nulls of columns added later."""

import re
from collections.abc import Mapping
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from streaming.adapters.contract import AdapterError

NESTED: Final = "nested"
"""Placeholder for the type of a nested column, which can't be a partition column."""
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_DECIMAL: Final = re.compile(r"decimal\((\d{1,2}),(\d{1,2})\)")


def value_of(text: str | None, kind: str) -> pa.Scalar:
    """Convert `text` from the log to a value of the type that the log writes as `kind`. Raises `AdapterError`."""
    of = _arrow_type(kind)
    if text is None or (text == "" and of != pa.string()):
        return pa.scalar(None, of)
    try:
        if of == _TYPES["timestamp"] and not text.endswith("Z"):
            return pc.assume_timezone(pa.scalar(text).cast(pa.timestamp("us")), "UTC")
        return pa.scalar(text).cast(of)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise AdapterError(
            f"The table's log holds the partition value '{text}', which can't be read as {kind}. Rewrite the table."
        ) from None


def _arrow_type(kind: str) -> pa.DataType:
    decimal = _DECIMAL.fullmatch(kind.replace(" ", ""))
    if decimal is not None:
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return _TYPES.get(kind, pa.null())
