"""What people who come from SQL, Spark, Java or Python call the types, and the nearest of ours for the rest."""

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
"""Our name of each type by what it is called, in small letters; sizes of numbers are not kept: a long has 64 bits."""

BEHIND: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "double": (("precision",),),
    "character": (("varying",),),
    "timestamp": (("with", "time", "zone"), ("without", "time", "zone"), ("with", "local", "time", "zone")),
}
"""Words that SQL writes behind a type and that change nothing here, by the word before them."""

_ADVICE: Final[Mapping[str, str]] = {
    "date": "A day is a timestamp or a string here; write one of them",
    "time": "A time of day is a string or a long here; write one of them",
    "interval": "A duration is a long here, of microseconds say; write long",
    "binary": "Bytes are a string here, base64 say; write string",
    "bytes": "Bytes are a string here, base64 say; write string",
    "uint64": "Whole numbers have 64 bits with their sign; write long, or decimal(20,0) for larger ones",
    "map": "There are no maps; write struct<name: type, ...>, or array<struct<key: string, value: type>>",
    "dict": "There are no maps; write struct<name: type, ...>, or array<struct<key: string, value: type>>",
    "json": "Write string, or struct<name: type, ...> with the names inside",
    "object": "Write string, or struct<name: type, ...> with the names inside",
}


def advice_for(word: str) -> str:
    """What to write instead of the unknown type `word`; a sentence without its full stop."""
    low = word.lower()
    if low in _ADVICE:
        return _ADVICE[low]
    near = difflib.get_close_matches(low, OURS, n=1, cutoff=0.7) if low else []
    every = "write long, double, decimal(p,s), string, boolean, timestamp, array<type> or struct<name: type, ...>"
    return f"Did you mean {OURS[near[0]]}? If not, {every}" if near else every
