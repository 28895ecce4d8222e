"""The batch meaning of each aggregate over the values of one pane, written by its definition."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

from streaming.definition.graph import Aggregate
from tests.reference.lives import Life
from tests.reference.meanings import MEANINGS


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
class Asked:
    """What is asked of `valued`, which is in order of start and value."""

    valued: list[Valued]
    k: int
    fraction: Fraction

    @property
    def values(self) -> list[Any]:
        """In order of start, then value."""
        return [each.value for each in self.valued]

    @property
    def ordered(self) -> list[Any]:
        """In order of value."""
        return sorted(self.values)


def aggregate(column: Aggregate, pane: PaneLike) -> Any:
    """The value of `column` over the events of `pane`."""
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
    return AGGREGATES[column.function](Asked(valued, column.k or 0, fraction))


def _first(asked: Asked) -> Any:
    return asked.values[0]


def _last(asked: Asked) -> Any:
    return asked.values[-1]


def _disc(asked: Asked) -> Any:
    return next(
        value
        for rank, value in enumerate(asked.ordered, start=1)
        if Fraction(rank, len(asked.ordered)) >= asked.fraction
    )


def _cont(asked: Asked) -> float:
    at = asked.fraction * (len(asked.ordered) - 1)
    low, high = asked.ordered[math.floor(at)], asked.ordered[math.ceil(at)]
    return float(low + (high - low) * (at - math.floor(at)))


def _most_frequent(asked: Asked) -> list[Any]:
    counts = Counter(asked.values)
    in_order = sorted(counts, key=lambda value: (-counts[value], value))
    return [value for value in in_order if sum(count > counts[value] for count in counts.values()) < asked.k]


def _greatest(asked: Asked) -> list[Any]:
    return [each for each in reversed(asked.ordered) if sum(other > each for other in asked.values) < asked.k]


def _least(asked: Asked) -> list[Any]:
    return [each for each in asked.ordered if sum(other < each for other in asked.values) < asked.k]


def _weighted_sum(asked: Asked) -> float:
    return float(sum(each.value * each.length for each in asked.valued))


def _weighted_avg(asked: Asked) -> float:
    lengths = sum(each.length for each in asked.valued)
    return float(Fraction(sum(each.value * each.length for each in asked.valued), lengths))


def _avg(asked: Asked) -> float:
    return float(Fraction(sum(asked.values), len(asked.values)))


def _spread(of: Callable[[list[Fraction]], Any], least: int) -> Callable[[Asked], float | None]:
    def value(asked: Asked) -> float | None:
        return float(of([Fraction(each) for each in asked.values])) if len(asked.values) >= least else None

    return value


COUNTS: Final = ("count", "count_distinct", "approx_count_distinct")
LISTS: Final = ("collect", "collect_distinct", "topk", "maxk", "mink", "maxk_unique", "mink_unique")
OVER_NOTHING: Final = (*COUNTS, *LISTS)
"""The aggregates that have a value over no values."""
AGGREGATES: Final[Mapping[str, Callable[[Asked], Any]]] = {
    "count": lambda asked: len(asked.values),
    "sum": lambda asked: sum(asked.values),
    "avg": _avg,
    "min": lambda asked: min(asked.values),
    "max": lambda asked: max(asked.values),
    "stddev": _spread(statistics.stdev, 2),
    "stddev_pop": _spread(statistics.pstdev, 1),
    "variance": _spread(statistics.variance, 2),
    "variance_pop": _spread(statistics.pvariance, 1),
    "first": _first,
    "last": _last,
    "count_distinct": lambda asked: len(set(asked.values)),
    "approx_count_distinct": lambda asked: len(set(asked.values)),
    "percentile_disc": _disc,
    "approx_percentile": _disc,
    "percentile_cont": _cont,
    "collect": lambda asked: asked.values,
    "collect_distinct": lambda asked: sorted(set(asked.values)),
    "topk": _most_frequent,
    "maxk": _greatest,
    "mink": _least,
    "maxk_unique": lambda asked: sorted(set(asked.values), reverse=True)[: asked.k],
    "mink_unique": lambda asked: sorted(set(asked.values))[: asked.k],
    "time_weighted_sum": _weighted_sum,
    "time_weighted_avg": _weighted_avg,
}
