"""The input of an aggregate: the values of one group in one window, none of them null."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

from streaming.definition.payload.types import DecimalOf, Long, Type
from streaming.reference.expressions.numbers import EXACT, OperationFailure, in_decimal_type, in_long
from streaming.temporal.ticks import Tick
from streaming.temporal.value_order import sort_key


@dataclass(frozen=True, slots=True)
class LivedValue:
    """One value, the start of its event, and the lifetime of its event clipped to the window."""

    value: Any
    start: Tick
    within: tuple[Tick, Tick]


@dataclass(frozen=True, slots=True)
class PaneValues:
    """The values in any order, the type of the result, and the aggregate's parameter if it has one."""

    taken: Sequence[LivedValue]
    type: Type
    k: int | None
    fraction: Fraction | None

    def sorted(self) -> list[Any]:
        """Return the values, which are of a type with an order, smallest first."""
        return sorted(each.value for each in self.taken)

    def in_time(self) -> list[Any]:
        """Return the values in order of start; values with the same start smallest first."""
        ordered = sorted(self.taken, key=lambda each: (each.start, sort_key(each.value)))
        return [each.value for each in ordered]

    def exact(self) -> list[Fraction]:
        """Return numbers as exact fractions."""
        return [Fraction(each.value) for each in self.taken]

    def total(self) -> Fraction:
        """Return the exact sum of numbers, over one denominator.

        Adding fractions one by one takes five times as long.
        """
        ratios = [each.value.as_integer_ratio() for each in self.taken]
        whole = lcm(*(denominator for _, denominator in ratios))
        return Fraction(sum(numerator * (whole // denominator) for numerator, denominator in ratios), whole)


Fold = Callable[[PaneValues], Any]
"""The computation of one aggregate. Raises `OperationFailure` if the result does not fit its type."""


def rounded(exact: Fraction, of: Type) -> Any:
    """Return an exact number in the type of the result, rounded once: a double to the nearest, a decimal half up.

    Raises `OperationFailure` if it does not fit; a long must be whole.
    """
    if isinstance(of, DecimalOf):
        return in_decimal_type(EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator)), of)
    if isinstance(of, Long):
        return in_long(exact.numerator)
    return double(exact)


def double(exact: Fraction) -> float:
    """Return the nearest double. Raises `OperationFailure` for a number outside the range of doubles."""
    try:
        return float(exact)
    except OverflowError:
        raise OperationFailure("the result is not a finite double") from None
