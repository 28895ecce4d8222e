"""Aggregates that pick one of the values by its size, its time or its rank."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from streaming.reference.aggregates.values import Fold, PaneValues, double


def _min(values: PaneValues) -> Any:
    return values.sorted()[0]


def _max(values: PaneValues) -> Any:
    return values.sorted()[-1]


def _first(values: PaneValues) -> Any:
    return values.in_time()[0]


def _last(values: PaneValues) -> Any:
    return values.in_time()[-1]


def _percentile_disc(values: PaneValues) -> Any:
    """Return the value at rank `ceil(fraction * n)`, at least the first."""
    rank = max(1, math.ceil(_fraction(values) * len(values.taken)))
    return values.sorted()[rank - 1]


def _percentile_cont(values: PaneValues) -> float:
    """Return the value at `fraction * (n - 1)`, counted from 0, interpolated between its neighbours."""
    numbers = sorted(values.exact())
    place = _fraction(values) * (len(numbers) - 1)
    below, above = numbers[math.floor(place)], numbers[math.ceil(place)]
    return double(below + (above - below) * (place - math.floor(place)))


def _fraction(values: PaneValues) -> Fraction:
    if values.fraction is None:
        raise TypeError("a percentile needs a fraction; check refuses it otherwise")
    return values.fraction


PICKED: Final[Mapping[str, Fold]] = {
    "min": _min,
    "max": _max,
    "first": _first,
    "last": _last,
    "percentile_disc": _percentile_disc,
    "percentile_cont": _percentile_cont,
    "approx_percentile": _percentile_disc,
}
