"""Names of types in SQL, Spark, Java and Python, with our types for them, and advice for unsupported types."""

import difflib
from collections.abc import Mapping
from typing import Final

_SPELLINGS: Final[Mapping[str, str]] = {
    "long": "bigint int integer smallint tinyint byte short int8 int16 int32 int64 uint8 uint16 uint32 int2 int4 "
    "longtype integertype serial bigserial",
    "double": "float real number float4 float8 float32 float64 doubletype floattype",
    "string": "str text varchar char nvarchar clob uuid character stringtype utf8",
    "boolean": "bool bit logical booleantype",
    "timestamp": "datetime timestamptz timestamp_ltz timestamp_ntz timestamp_tz datetime2 instant timestamptype",
    "decimal": "numeric dec bigdecimal",
    "array": "list",
    "struct": "row record",
}
OURS: Final[Mapping[str, str]] = {
    **{name: name for name in _SPELLINGS},
    **{other: name for name, others in _SPELLINGS.items() for other in others.split()},
}
"""Our type for each known name, in lower case; sizes of numbers are ignored: a long has 64 bits."""

SUFFIXES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "double": (("precision",),),
    "character": (("varying",),),
    "timestamp": (("with", "time", "zone"), ("without", "time", "zone"), ("with", "local", "time", "zone")),
}
"""Words that may follow a type in SQL and are ignored here, by the word before them."""

_ADVICE: Final[Mapping[str, str]] = {
    "date": "There is no type for days; write timestamp or string",
    "time": "There is no type for times of day; write string or long",
    "interval": "There is no type for durations; write long, for example for microseconds",
    "binary": "There is no type for bytes; write string, for example for base64",
    "bytes": "There is no type for bytes; write string, for example for base64",
    "uint64": "A long has 64 bits including its sign; write long, or decimal(20,0) for larger numbers",
    "map": "There is no type for maps; write struct<name: type, ...>, or array<struct<key: string, value: type>>",
    "dict": "There is no type for maps; write struct<name: type, ...>, or array<struct<key: string, value: type>>",
    "json": "Write string, or struct<name: type, ...> with the names inside",
    "object": "Write string, or struct<name: type, ...> with the names inside",
}


def advice_for(word: str) -> str:
    """Return what to write instead of the unknown type `word`: a sentence without full stop."""
    low = word.lower()
    if low in _ADVICE:
        return _ADVICE[low]
    near = difflib.get_close_matches(low, OURS, n=1, cutoff=0.7) if low else []
    every = "write long, double, decimal(p,s), string, boolean, timestamp, array<type> or struct<name: type, ...>"
    return f"Did you mean {OURS[near[0]]}? If not, {every}" if near else every
