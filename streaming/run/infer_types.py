"""Types of columns from what stands in them: a type without doubt, or the doubt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from streaming.definition.tokens import NAME_PATTERN
from streaming.definition.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Struct,
    Type,
)

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_WHOLE: Final = re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)
_CODE: Final = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class LongNumber(float):
    """A JSON number with more digits than a double keeps."""


def read_number(text: str) -> float:
    """A JSON number with a point or an exponent; a `LongNumber` where a double would lose digits."""
    return LongNumber(text) if _is_long(text) else float(text)


def _is_long(text: str) -> bool:
    digits = re.split("[eE]", text)[0].lstrip("+-").replace(".", "").strip("0")
    return len(digits) > _KEPT_DIGITS


_SCALARS: Final[dict[type, Type]] = {bool: BOOLEAN, int: LONG, float: DOUBLE}


@dataclass(frozen=True)
class Doubt:
    """Why the type of a column cannot be told, as the end of a sentence."""

    why: str


NOTHING: Final = Doubt("every value that was looked at is null")
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
    """The type of decoded JSON values; text that is ISO 8601 in every one is a timestamp."""
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
            return Doubt(f"{name!r} inside it is no name of a field")
        if isinstance(of, Doubt):
            return Doubt(f"of {name!r} inside it: {of.why}")
        found.append((name, of))
    return Struct(tuple(found)) if found else Doubt("its objects are empty")


def type_of_cells(cells: Sequence[str]) -> Type | Doubt:
    """The type of CSV cells. Digits with a zero in front are text, for numbers do not keep it."""
    known = [cell.strip(" \t") for cell in cells if cell]
    if not known:
        return NOTHING
    if all(map(_WHOLE.fullmatch, known)):
        return LONG
    codes = any(_CODE.fullmatch(cell) and not _WHOLE.fullmatch(cell) for cell in known)
    if all(map(_NUMBER.fullmatch, known)) and not codes:
        return LONG_NUMBER if any(map(_is_long, known)) else DOUBLE
    if all(cell.lower() in ("true", "false") for cell in known):
        return BOOLEAN
    return TIMESTAMP if all(map(_MOMENT.fullmatch, known)) else STRING


def type_of_arrow(kind: pa.DataType) -> Type | Doubt:
    """The type of a Parquet column."""
    of = pa.types
    if of.is_dictionary(kind):
        return type_of_arrow(kind.value_type)
    scalars: Sequence[tuple[bool, Type]] = (
        (of.is_boolean(kind), BOOLEAN),
        (of.is_integer(kind), LONG),
        (of.is_floating(kind), DOUBLE),
        (of.is_string(kind) or of.is_large_string(kind), STRING),
        (of.is_timestamp(kind) or of.is_date(kind), TIMESTAMP),
    )
    found = next((each for fits, each in scalars if fits), None)
    if found is not None:
        return found
    if of.is_decimal(kind) and 0 <= kind.scale <= kind.precision <= 38:
        return DecimalOf(kind.precision, kind.scale)
    if of.is_list(kind) or of.is_large_list(kind):
        element = type_of_arrow(kind.value_type)
        return element if isinstance(element, Doubt) else Array(element)
    if of.is_struct(kind):
        inside = (kind.field(index) for index in range(kind.num_fields))
        return _fields({field.name: type_of_arrow(field.type) for field in inside})
    return Doubt(f"its type in the file is {kind}, which no field has")
