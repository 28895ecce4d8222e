"""The type of a field from the values of its column.

A type is taken when nearly all values fit it: the few that do not would be malformed rows, and a note says how many.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl
import pyarrow as pa

from streaming.adapters.file.csv_cells import typed
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.tokens import NAME_PATTERN
from streaming.definition.type_text import MAX_TYPE_DEPTH
from streaming.definition.types import BOOLEAN, DOUBLE, LONG, STRING, TIMESTAMP, Array, Null, Struct, Type, common_type
from streaming.inference.columns import SampledColumn

ENOUGH: Final = 0.98
"""The share of values that fit a type which is taken."""
_IDENTIFIER: Final = r"^(?:-?0\d|\+\d|\d{20,})"
"""Digits that are no number: a zero before others, a plus sign, more than a long has."""
_TOO_EXACT: Final = r"^-?\d{16,}$"
"""Digits of which a double would lose some."""
_LOOKS_LIKE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_MOST_NESTED: Final = 500


@dataclass(frozen=True)
class FoundType:
    """The type of a field; None where no field can hold the column. `misfits` counts values that it does not hold."""

    text: str | None
    misfits: int = 0


def type_of(column: SampledColumn) -> FoundType:
    """The type of a column, `string` of one without values."""
    if column.written is not None:
        return FoundType(column.written)
    known = column.known
    if not known:
        return FoundType(str(STRING))
    return _of_cells(known) if column.texts else _of_values(known)


def _of_cells(known: Sequence[str]) -> FoundType:
    cells = pa.array(known, pa.string())
    if _share(known, _IDENTIFIER) > 1 - ENOUGH:
        return FoundType(str(STRING))
    for of in (LONG, DOUBLE, BOOLEAN):
        misfits = int(typed(cells, of)[1].sum())
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
        return FoundType(_of_texts(looked_at))
    of = _most_frequent(looked_at)
    if of is None:
        return FoundType(None)
    read = (read_payload({"_": value}, {"_": of}) for value in looked_at)
    misfits = sum(isinstance(each, BadPayload) for each in read)
    return FoundType(str(of), misfits) if misfits <= len(looked_at) * (1 - ENOUGH) else FoundType(None)


def _of_texts(known: Sequence[str]) -> str:
    if not _LOOKS_LIKE_TIME.match(known[0]):
        return str(STRING)
    bad = typed(pa.array(known, pa.string()), TIMESTAMP)[1]
    return str(STRING) if bad.any() else str(TIMESTAMP)  # a text that is no time is still a text


def _most_frequent(values: Sequence[Any]) -> Type | None:
    """The type to which all values widen; where there is none, that of most values."""
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
    """The type of one JSON value; None where it holds what no field can."""
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
    """The type that holds both, inside of lists and objects too; None where there is none."""
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
    """`of` with a string where nothing but null was seen."""
    if isinstance(of, Null):
        return STRING
    if isinstance(of, Array):
        return Array(_settled(of.element))
    if isinstance(of, Struct):
        return Struct(tuple((name, _settled(each)) for name, each in of.fields))
    return of
