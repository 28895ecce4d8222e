"""Variances and standard deviations: exact, and rounded once at the end."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from streaming.reference.aggregates.values import Fold, PaneValues, double


def _variance(values: PaneValues) -> float | None:
    return None if len(values.taken) < 2 else double(_squares(values) / (len(values.taken) - 1))


def _variance_pop(values: PaneValues) -> float:
    return double(_squares(values) / len(values.taken))


def _stddev(values: PaneValues) -> float | None:
    return None if len(values.taken) < 2 else root(_squares(values) / (len(values.taken) - 1))


def _stddev_pop(values: PaneValues) -> float:
    return root(_squares(values) / len(values.taken))


def _squares(values: PaneValues) -> Fraction:
    """Return the sum of the squared distances from the mean."""
    numbers = values.exact()
    mean = sum(numbers, Fraction()) / len(numbers)
    return sum(((number - mean) ** 2 for number in numbers), Fraction())


def root(square: Fraction) -> float:
    """Return the double nearest to the square root of `square`, which is not negative.

    The root is taken of an integer of at least 127 bits, so 64 bits of it are known. If something is cut off, its last
    bit is set, so that the one rounding that follows is correct.
    """
    if not square:
        return 0.0
    half = (128 - square.numerator.bit_length() + square.denominator.bit_length()) // 2
    scaled = square * Fraction(4) ** half
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    if whole * whole != scaled:
        whole |= 1
    return double(whole / Fraction(2) ** half)


SPREAD: Final[Mapping[str, Fold]] = {
    "variance": _variance,
    "variance_pop": _variance_pop,
    "stddev": _stddev,
    "stddev_pop": _stddev_pop,
}
