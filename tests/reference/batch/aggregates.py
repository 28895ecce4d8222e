"""The batch result of each aggregate over the values of one pane, by its definition."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

from streaming.definition.graph import Aggregate
from tests.reference.batch.lives import Life
from tests.reference.batch.meanings import MEANINGS


class PaneLike(Protocol):
    """A window and the events in it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def members(self) -> Any: ...


@dataclass(frozen=True)
class Valued:
    """One value that is not null, with its start and its length inside the pane."""

    value: Any
    start: int
    length: int


@dataclass(frozen=True)
class AggregateInput:
    """The arguments of an aggregate: `valued` is in order of start and value."""

    valued: list[Valued]
    k: int
    fraction: Fraction

    @property
    def values(self) -> list[Any]:
        """Return the values in order of start, then value."""
        return [each.value for each in self.valued]

    @property
    def ordered(self) -> list[Any]:
        """Return the values in order of value."""
        return sorted(self.values)


def aggregate(column: Aggregate, pane: PaneLike) -> Any:
    """Return the value of `column` over the events of `pane`."""
    taken: list[Life] = list(pane.members)
    if column.filter is not None:
        taken = [life for life in taken if MEANINGS[column.filter](life.payload) is True]
    if column.of is None:
        return len(taken)
    of = MEANINGS[column.of]
    valued = [
        Valued(of(life.payload), life.start, min(life.end, pane.end) - max(life.start, pane.start))
        for life in taken
        if of(life.payload) is not None
    ]
    valued.sort(key=lambda each: (each.start, each.value))
    if not valued and column.function not in OVER_NOTHING:
        return None
    fraction = Fraction(str(column.fraction)) if column.fraction is not None else Fraction(0)
    return AGGREGATES[column.function](AggregateInput(valued, column.k or 0, fraction))


def _first(given: AggregateInput) -> Any:
    return given.values[0]


def _last(given: AggregateInput) -> Any:
    return given.values[-1]


def _disc(given: AggregateInput) -> Any:
    return next(
        value
        for rank, value in enumerate(given.ordered, start=1)
        if Fraction(rank, len(given.ordered)) >= given.fraction
    )


def _cont(given: AggregateInput) -> float:
    at = given.fraction * (len(given.ordered) - 1)
    low, high = given.ordered[math.floor(at)], given.ordered[math.ceil(at)]
    return float(low + (high - low) * (at - math.floor(at)))


def _most_frequent(given: AggregateInput) -> list[Any]:
    counts = Counter(given.values)
    in_order = sorted(counts, key=lambda value: (-counts[value], value))
    return [value for value in in_order if sum(count > counts[value] for count in counts.values()) < given.k]


def _greatest(given: AggregateInput) -> list[Any]:
    return [each for each in reversed(given.ordered) if sum(other > each for other in given.values) < given.k]


def _least(given: AggregateInput) -> list[Any]:
    return [each for each in given.ordered if sum(other < each for other in given.values) < given.k]


def _moving(given: AggregateInput) -> float:
    found, *others = map(float, given.values)
    for value in others:
        found = found + float(given.fraction) * (value - found)
    return found


def _weighted_sum(given: AggregateInput) -> float:
    return float(sum(each.value * each.length for each in given.valued))


def _weighted_avg(given: AggregateInput) -> float:
    lengths = sum(each.length for each in given.valued)
    return float(Fraction(sum(each.value * each.length for each in given.valued), lengths))


def _avg(given: AggregateInput) -> float:
    return float(Fraction(sum(given.values), len(given.values)))


def _spread(of: Callable[[list[Fraction]], Any], least: int) -> Callable[[AggregateInput], float | None]:
    def value(given: AggregateInput) -> float | None:
        return float(of([Fraction(each) for each in given.values])) if len(given.values) >= least else None

    return value


COUNTS: Final = ("count", "count_distinct", "approx_count_distinct")
LISTS: Final = ("collect", "collect_distinct", "topk", "maxk", "mink", "maxk_unique", "mink_unique")
OVER_NOTHING: Final = (*COUNTS, *LISTS)
"""The aggregates that have a value over no values."""
AGGREGATES: Final[Mapping[str, Callable[[AggregateInput], Any]]] = {
    "count": lambda given: len(given.values),
    "sum": lambda given: sum(given.values),
    "avg": _avg,
    "min": lambda given: min(given.values),
    "max": lambda given: max(given.values),
    "stddev": _spread(statistics.stdev, 2),
    "stddev_pop": _spread(statistics.pstdev, 1),
    "variance": _spread(statistics.variance, 2),
    "variance_pop": _spread(statistics.pvariance, 1),
    "first": _first,
    "last": _last,
    "count_distinct": lambda given: len(set(given.values)),
    "approx_count_distinct": lambda given: len(set(given.values)),
    "percentile_disc": _disc,
    "approx_percentile": _disc,
    "percentile_cont": _cont,
    "collect": lambda given: given.values,
    "collect_distinct": lambda given: sorted(set(given.values)),
    "topk": _most_frequent,
    "maxk": _greatest,
    "mink": _least,
    "maxk_unique": lambda given: sorted(set(given.values), reverse=True)[: given.k],
    "mink_unique": lambda given: sorted(set(given.values))[: given.k],
    "ewma": _moving,
    "time_weighted_sum": _weighted_sum,
    "time_weighted_avg": _weighted_avg,
}
