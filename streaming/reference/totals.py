"""Sums and means, plain and weighted by time: exact, and rounded once at the end."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from streaming.reference.aggregate_values import Fold, LivedValue, PaneValues, rounded
from streaming.reference.numbers import OperationFailure
from streaming.temporal.ticks import INFINITY


def _sum(values: PaneValues) -> Any:
    return rounded(values.total(), values.type)


def _avg(values: PaneValues) -> Any:
    return rounded(values.total() / len(values.taken), values.type)


def _time_weighted_sum(values: PaneValues) -> Any:
    return rounded(_weighted(values.taken), values.type)


def _time_weighted_avg(values: PaneValues) -> Any:
    return rounded(_weighted(values.taken) / sum(_ticks(each) for each in values.taken), values.type)


def _weighted(taken: Sequence[LivedValue]) -> Fraction:
    return sum((Fraction(each.value) * _ticks(each) for each in taken), Fraction())


def _ticks(value: LivedValue) -> int:
    """How long the value weighs. What never ends, in a window that never ends, has no length."""
    start, end = value.within
    if end == INFINITY:
        raise OperationFailure("the window and an event in it never end, so the event has no length")
    return end - start


TOTALS: Final[Mapping[str, Fold]] = {
    "sum": _sum,
    "avg": _avg,
    "time_weighted_sum": _time_weighted_sum,
    "time_weighted_avg": _time_weighted_avg,
}
