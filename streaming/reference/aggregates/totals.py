"""Sums and means, plain and weighted by time: exact, and rounded once at the end. The moving average is in doubles."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from streaming.reference.aggregates.values import Fold, LivedValue, PaneValues, rounded
from streaming.reference.expressions.numbers import OperationFailure, in_double
from streaming.temporal.ticks import INFINITY


def _sum(values: PaneValues) -> Any:
    return rounded(values.total(), values.type)


def _avg(values: PaneValues) -> Any:
    return rounded(values.total() / len(values.taken), values.type)


def _time_weighted_sum(values: PaneValues) -> Any:
    return rounded(_weighted(values.taken), values.type)


def _time_weighted_avg(values: PaneValues) -> Any:
    return rounded(_weighted(values.taken) / sum(_ticks(each) for each in values.taken), values.type)


def _ewma(values: PaneValues) -> float:
    """Return the moving average: each value moves it by the fraction of the distance, in order, in doubles."""
    if values.fraction is None:
        raise TypeError("ewma needs a fraction; check refuses it otherwise")
    first, *others = map(float, values.in_time())
    average, fraction = first, float(values.fraction)
    for value in others:
        average += fraction * (value - average)
    return in_double(average)


def _weighted(taken: Sequence[LivedValue]) -> Fraction:
    return sum((Fraction(each.value) * _ticks(each) for each in taken), Fraction())


def _ticks(value: LivedValue) -> int:
    """Return the weight of the value. An endless event in an endless window has no length."""
    start, end = value.within
    if end == INFINITY:
        raise OperationFailure("the window and an event in it never end, so the event has no length")
    return end - start


TOTALS: Final[Mapping[str, Fold]] = {
    "sum": _sum,
    "avg": _avg,
    "ewma": _ewma,
    "time_weighted_sum": _time_weighted_sum,
    "time_weighted_avg": _time_weighted_avg,
}
