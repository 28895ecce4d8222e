"""The type of a field from the values of its column.

A type is chosen if nearly all values fit it: the others would be malformed rows, and a note counts them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl
import pyarrow as pa

from streaming.adapters.file.csv_cells import typed
from streaming.adapters.number_marks import PLAIN, NumberMarks
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.type_text import MAX_TYPE_DEPTH
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Null,
    Struct,
    Type,
    common_type,
)
from streaming.definition.plain_names import NAME_PATTERN
from streaming.inference.columns import SampledColumn

ENOUGH: Final = 0.98
"""The share of values that must fit a type."""
_IDENTIFIER: Final = r"^(?:-?0\d|\+\d|\d{20,})"
"""Digits that are not a number: leading zeros, a plus sign, more digits than a long has."""
_TOO_EXACT: Final = r"^-?\d{16,}$"
"""Numbers with digits that a double would lose."""
_LOOKS_LIKE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MOST_NESTED: Final = 500


@dataclass(frozen=True)
class FoundType:
    """The type of a field; None if no field can hold the column. `misfits` counts values that do not fit it."""

    text: str | None
    misfits: int = 0


def type_of(column: SampledColumn) -> FoundType:
    """Return the type of a column, `string` for one without values."""
    if column.written is not None:
        return FoundType(column.written, column.misfits)
    known = column.present_values
    if not known:
        return FoundType(str(STRING))
    return _of_cells(known, column.marks) if column.texts else _of_values(known)


def _of_cells(known: Sequence[str], marks: NumberMarks = PLAIN) -> FoundType:
    cells = pa.array(known, pa.string())
    if _share(known, _IDENTIFIER) > 1 - ENOUGH:
        return FoundType(str(STRING))
    for of in (LONG, DOUBLE, BOOLEAN):
        misfits = int(typed(cells, of, marks)[1].sum())
        exact = of is not DOUBLE or not _share(known, _TOO_EXACT)
        if misfits <= len(known) * (1 - ENOUGH) and exact:
            return FoundType(str(of), misfits)
    if _LOOKS_LIKE_TIME.match(known[0]):
        misfits = int(typed(cells, TIMESTAMP)[1].sum())
        if misfits <= len(known) * (1 - ENOUGH):
            return FoundType(str(TIMESTAMP), misfits)
    return FoundType(str(STRING))


def _share(known: Sequence[str], pattern: str) -> float:
    return int(pl.Series(known).str.contains(pattern).sum()) / len(known)


def _of_values(known: Sequence[Any]) -> FoundType:
    scalar = [each for each in known if not isinstance(each, Mapping | list)]
    looked_at = known if len(scalar) == len(known) else known[:_MOST_NESTED]
    if scalar and all(isinstance(each, str) for each in looked_at):
        texts = [each for each in looked_at if is_unicode(each)]
        return FoundType(_of_texts(texts) if texts else str(STRING), len(looked_at) - len(texts))
    of = _most_frequent(looked_at)
    if of is None:
        return FoundType(None)
    read = (read_payload({"_": value}, {"_": of}) for value in looked_at)
    misfits = sum(isinstance(each, BadPayload) for each in read)
    return FoundType(str(of), misfits) if misfits <= len(looked_at) * (1 - ENOUGH) else FoundType(None)


def is_unicode(text: str) -> bool:
    """Return false if the text has half of a surrogate pair, which JSON can contain and no field can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_texts(known: Sequence[str]) -> str:
    if not _LOOKS_LIKE_TIME.match(known[0]):
        return str(STRING)
    bad = typed(pa.array(known, pa.string()), TIMESTAMP)[1]
    return str(STRING) if bad.any() else str(TIMESTAMP)  # a text that is not a time is still a text


def _most_frequent(values: Sequence[Any]) -> Type | None:
    """Return the type that holds all values; without one, the type of most values."""
    whole: Type | None = Null()
    counts: dict[Type, int] = {}
    for value in values:
        of = _value_type(value, 0)
        if of is None:
            return None
        counts[of] = counts.get(of, 0) + 1
        whole = None if whole is None else _widened(whole, of)
    chosen = whole if whole is not None else max(counts, key=lambda each: counts[each])
    return _settled(chosen)


def _value_type(value: Any, depth: int) -> Type | None:
    """Return the type of one JSON value; None if it contains something that no field can hold."""
    if isinstance(value, list | Mapping):
        if depth >= MAX_TYPE_DEPTH:
            return None
        return _list_type(value, depth) if isinstance(value, list) else _object_type(value, depth)
    if isinstance(value, bool) or value is None:
        return Null() if value is None else BOOLEAN
    if isinstance(value, int):
        return LONG if -(2**63) <= value < 2**63 else DOUBLE
    return DOUBLE if isinstance(value, float) else STRING


def _list_type(value: Sequence[Any], depth: int) -> Type | None:
    of: Type | None = Null()
    for each in value[:_MOST_NESTED]:
        inner = _value_type(each, depth + 1)
        of = None if of is None or inner is None else _widened(of, inner)
    return None if of is None else Array(of)


def _object_type(value: Mapping[str, Any], depth: int) -> Type | None:
    inside = {name: _value_type(each, depth + 1) for name, each in value.items()}
    fields = [(name, of) for name, of in inside.items() if of is not None and re.fullmatch(NAME_PATTERN, name)]
    return Struct(tuple(fields)) if fields and len(fields) == len(inside) else None


def _widened(one: Type, other: Type) -> Type | None:
    """Return the type that holds both, also inside lists and objects; None if no type does."""
    if isinstance(one, Array) and isinstance(other, Array):
        element = _widened(one.element, other.element)
        return None if element is None else Array(element)
    if isinstance(one, Struct) and isinstance(other, Struct):
        fields: dict[str, Type | None] = dict(one.fields)
        for name, of in other.fields:
            mine = fields.get(name, of)
            fields[name] = None if mine is None else _widened(mine, of)
        known = tuple((name, of) for name, of in fields.items() if of is not None)
        return Struct(known) if len(known) == len(fields) else None
    return common_type(one, other)


def _settled(of: Type) -> Type:
    """Return `of` with a string where only null was seen."""
    if isinstance(of, Null):
        return STRING
    if isinstance(of, Array):
        return Array(_settled(of.element))
    if isinstance(of, Struct):
        return Struct(tuple((name, _settled(each)) for name, each in of.fields))
    return of
