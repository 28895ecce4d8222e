"""Types of columns from their values: a certain type, or the doubt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl
import pyarrow as pa

from streaming.adapters.arrow.types import UnsuitedType, field_type
from streaming.adapters.number_marks import PLAIN, NumberMarks
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Struct,
    Type,
)
from streaming.definition.plain_names import NAME_PATTERN

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_WHOLE: Final = re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)
_CODE: Final = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class LongNumber(float):
    """A JSON number with more digits than a double keeps."""


def read_number(text: str) -> float:
    """Read a JSON number with a point or an exponent; return a `LongNumber` if a double would lose digits."""
    return LongNumber(text) if _is_long(text) else float(text)


def _is_long(text: str) -> bool:
    digits = re.split("[eE]", text)[0].lstrip("+-").replace(".", "").strip("0")
    return len(digits) > _KEPT_DIGITS


_SCALARS: Final[dict[type, Type]] = {bool: BOOLEAN, int: LONG, float: DOUBLE}


@dataclass(frozen=True)
class Doubt:
    """The reason why the type of a column is uncertain, as the end of a sentence."""

    why: str


@dataclass(frozen=True)
class LeftOut(Doubt):
    """The reason why no field can hold a column: it is left out, and a query that names it is refused."""


NOTHING: Final = Doubt("every checked value is null")
LONG_NUMBER: Final = Doubt("it holds numbers with more digits than a long or a double keeps; a decimal keeps up to 38")
_LARGEST: Final = 2**63
_KEPT_DIGITS: Final = 17
_NAMES: Final[dict[type, str]] = {
    bool: "true or false",
    int: "whole numbers",
    float: "numbers",
    LongNumber: "numbers",
    str: "text",
    list: "lists",
    dict: "objects",
}


def type_of_values(values: Sequence[Any]) -> Type | Doubt:
    """Return the type of decoded JSON values; text that is always ISO 8601 is a timestamp."""
    known = [value for value in values if value is not None]
    if not known:
        return NOTHING
    kinds = {bool if isinstance(value, bool) else type(value) for value in known}
    if kinds <= {int, float, LongNumber} and any(map(_needs_decimal, known)):
        return LONG_NUMBER
    if kinds == {int, float}:
        return DOUBLE
    if len(kinds) > 1:
        return Doubt(f"it holds {' and '.join(sorted({_NAMES[kind] for kind in kinds}))}")
    return _of_kind(kinds.pop(), known)


def _needs_decimal(number: float) -> bool:
    return isinstance(number, LongNumber) or (isinstance(number, int) and not -_LARGEST <= number < _LARGEST)


def _of_kind(kind: type, values: Sequence[Any]) -> Type | Doubt:
    if kind is list:
        element = type_of_values([item for value in values for item in value])
        return element if isinstance(element, Doubt) else Array(element)
    if kind is dict:
        return _struct(values)
    if kind is str:
        return TIMESTAMP if all(_MOMENT.fullmatch(value) for value in values) else STRING
    return _SCALARS[kind]


def _struct(values: Sequence[dict[str, Any]]) -> Type | Doubt:
    names = dict.fromkeys(name for value in values for name in value)
    return _fields({name: type_of_values([value.get(name) for value in values]) for name in names})


def _fields(types: dict[str, Type | Doubt]) -> Type | Doubt:
    found: list[tuple[str, Type]] = []
    for name, of in types.items():
        if re.fullmatch(NAME_PATTERN, name) is None:
            return Doubt(f"{name!r} inside it is not a valid field name")
        if isinstance(of, Doubt):
            return Doubt(f"of {name!r} inside it: {of.why}")
        found.append((name, of))
    return Struct(tuple(found)) if found else Doubt("its objects are empty")


def type_of_cells(cells: Sequence[str], marks: NumberMarks = PLAIN) -> Type | Doubt:
    """Return the type of CSV cells whose numbers have `marks`. Digits with a leading zero are text: numbers lose it."""
    known = [cell.strip(" \t") for cell in cells if cell]
    if not known:
        return NOTHING
    if marks.plain:
        return _of_plain(known)
    if all(map(marks.fits, known)):
        return _of_plain(marks.plainly(pl.Series(known)).to_list())
    of = _of_plain(known)
    return STRING if of in (LONG, DOUBLE, LONG_NUMBER) else of


def _of_plain(known: Sequence[str]) -> Type | Doubt:
    if all(map(_WHOLE.fullmatch, known)):
        return LONG
    codes = any(_CODE.fullmatch(cell) and not _WHOLE.fullmatch(cell) for cell in known)
    if all(map(_NUMBER.fullmatch, known)) and not codes:
        return LONG_NUMBER if any(map(_is_long, known)) else DOUBLE
    if all(cell.lower() in ("true", "false") for cell in known):
        return BOOLEAN
    return TIMESTAMP if all(map(_MOMENT.fullmatch, known)) else STRING


def type_of_arrow(kind: pa.DataType) -> Type | LeftOut:
    """Return the type of a Parquet column."""
    of = field_type(kind)
    if not isinstance(of, UnsuitedType):
        return of
    if of.twice:
        return LeftOut(f"several fields inside it are called {of.path.removeprefix('.')!r}")
    inside = f"of {of.path.removeprefix('.')!r} inside it: " if of.path else ""
    return LeftOut(f"{inside}its type in the file is {of.kind}, which no field can have")
