"""The types of payload fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MAX_PRECISION: Final = 38


@dataclass(frozen=True, slots=True)
class Long:
    """A 64-bit integer."""

    def __str__(self) -> str:
        return "long"


@dataclass(frozen=True, slots=True)
class Double:
    """A finite 64-bit float."""

    def __str__(self) -> str:
        return "double"


@dataclass(frozen=True, slots=True)
class String:
    """Unicode text, ordered by code point."""

    def __str__(self) -> str:
        return "string"


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false."""

    def __str__(self) -> str:
        return "boolean"


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment, held as int64 ticks."""

    def __str__(self) -> str:
        return "timestamp"


@dataclass(frozen=True, slots=True)
class Null:
    """The type of the literal `null` before it is widened to another type; never the type of a field."""

    def __str__(self) -> str:
        return "null"


@dataclass(frozen=True, slots=True)
class DecimalOf:
    """An exact number with `precision` digits (1 to 38), `scale` of them after the point."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@dataclass(frozen=True, slots=True)
class Array:
    """A list; elements may be null."""

    element: "Type"

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class Struct:
    """Named fields in order; any of them may be null."""

    fields: tuple[tuple[str, "Type"], ...]

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{name}: {of}' for name, of in self.fields)}>"


Type = Long | Double | String | Boolean | Timestamp | Null | DecimalOf | Array | Struct
Fields = Mapping[str, Type]
"""The schema of a payload: field name to type, in order."""

LONG: Final = Long()
DOUBLE: Final = Double()
STRING: Final = String()
BOOLEAN: Final = Boolean()
TIMESTAMP: Final = Timestamp()
NULL: Final = Null()
SCALARS: Final[Mapping[str, Type]] = {str(of): of for of in (LONG, DOUBLE, STRING, BOOLEAN, TIMESTAMP)}


def is_numeric(of: Type) -> bool:
    """Return whether arithmetic applies: long, double, decimal; null fits everywhere."""
    return isinstance(of, Long | Double | DecimalOf | Null)


def is_ordered(of: Type) -> bool:
    """Return whether `<`, min and max apply: every scalar type; arrays and structs have no order."""
    return not isinstance(of, Array | Struct)


def common_type(left: Type, right: Type) -> Type | None:
    """Return the type to which both sides widen; None if they have none.

    Null widens to anything, long to decimal, and both long and decimal to double. A pair of decimals keeps all digits
    before and after the point, up to 38. Otherwise the types must be equal.
    """
    if left == right or isinstance(right, Null):
        return left
    if isinstance(left, Null):
        return right
    if not (is_numeric(left) and is_numeric(right)):
        return None
    if isinstance(left, Double) or isinstance(right, Double):
        return DOUBLE
    one, other = as_decimal(left), as_decimal(right)
    scale = max(one.scale, other.scale)
    whole = max(one.precision - one.scale, other.precision - other.scale)
    return bounded_decimal(whole + scale, scale)


def as_decimal(of: Type) -> DecimalOf:
    """Return the decimal type of a decimal or long operand in decimal arithmetic: a long is `decimal(20,0)`."""
    return of if isinstance(of, DecimalOf) else DecimalOf(20, 0)


def bounded_decimal(precision: int, scale: int) -> DecimalOf:
    """Return `decimal(precision, scale)` limited to 38 digits: the scale is reduced first, down to 6 (as in Spark)."""
    if precision <= MAX_PRECISION:
        return DecimalOf(precision, scale)
    whole = precision - scale
    return DecimalOf(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, 6)))


def widens(source: Type, to: Type) -> bool:
    """Return whether a `source` is converted to `to` implicitly: null to any type, long to decimal, both to double."""
    return common_type(source, to) == to
