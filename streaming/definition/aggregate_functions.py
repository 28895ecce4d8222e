"""The registry of aggregates of window nodes, one entry each.

For all of them: null values are ignored, except by `count` without an expression; over no values the result is null,
but 0 for counts and an empty array for lists; null also where the result does not fit its type. The result never
depends on the order of the events. `help` is the complete definition: the executors implement it, the interface
shows it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from streaming.definition.payload.types import (
    DOUBLE,
    LONG,
    MAX_PRECISION,
    Array,
    DecimalOf,
    Null,
    Type,
    is_numeric,
    is_ordered,
)

Parameter = Literal["k", "fraction"]
Partial = Literal["sum", "min", "max", "moments", "first", "last"]
"""Partial results of fixed size that can be merged. The number of values is always stored in addition."""
OverNothing = Literal["null", "zero", "list"]
"""The result of an aggregate over no values: null, 0, or an empty array."""
Result = Callable[[Type], Type]


@dataclass(frozen=True, slots=True)
class AcceptedValues:
    """The values that an aggregate takes: `fits` tests their type; `remedy`, a sentence, names the types that fit."""

    fits: Callable[[Type], bool]
    remedy: str


@dataclass(frozen=True, slots=True)
class AggregateEntry:
    """One aggregate: the values that it takes, and the type of its `result` for values of a type that fits.

    `parameter` is the field that it needs in addition to `of`; with `bare`, `of` is optional. `partials` are
    the partial results to store for many events; None: every value must be stored. `elsewhere` are its names in other
    systems, for the error message about such a name in SQL. `last_digits_vary`: the last digits of its double may
    differ between executors and between divisions into micro-batches; all other results are the same everywhere (T62).
    """

    signature: str
    help: str
    values: AcceptedValues
    result: Result
    parameter: Parameter | None = None
    bare: bool = False
    partials: tuple[Partial, ...] | None = None
    over_nothing: OverNothing = "null"
    elsewhere: tuple[str, ...] = ()
    last_digits_vary: bool = False

    @property
    def name(self) -> str:
        """Its name in SQL and JSON: the first word of the signature."""
        return self.signature.partition("(")[0]


_ANY: Final = AcceptedValues(lambda _: True, "Use a field or an expression that is not always null.")
_ORDERED: Final = AcceptedValues(is_ordered, "Use a number, a text, a boolean or a timestamp.")
_NUMBERS: Final = AcceptedValues(is_numeric, "Use a number.")


def _long(of: Type) -> Type:
    del of
    return LONG


def _double(of: Type) -> Type:
    del of
    return DOUBLE


def _same(of: Type) -> Type:
    return of


def _widened(of: Type) -> Type:
    """A decimal gets 10 more digits."""
    return _decimal(of, 10, 0) if isinstance(of, DecimalOf) else of


def _mean(of: Type) -> Type:
    """A decimal gets 4 more digits after the point; all others become a double."""
    return _decimal(of, 4, 4) if isinstance(of, DecimalOf) else DOUBLE


def _weighted_sum(of: Type) -> Type:
    """A decimal gets 20 more digits: a length of time in ticks has up to 18, and there are many events."""
    return _decimal(of, 20, 0) if isinstance(of, DecimalOf) else DOUBLE


def _decimal(of: DecimalOf, digits: int, places: int) -> DecimalOf:
    precision = min(of.precision + digits, MAX_PRECISION)
    return DecimalOf(precision, min(of.scale + places, precision))


_ENTRIES: Final = (
    AggregateEntry(
        "count([value]) -> long",
        "The number of events, or of values that are not null.",
        _ANY,
        _long,
        bare=True,
        partials=(),
        over_nothing="zero",
    ),
    AggregateEntry(
        "sum(number)",
        "The exact sum; doubles are rounded once. decimal(p,s) gives decimal(p+10,s).",
        _NUMBERS,
        _widened,
        partials=("sum",),
    ),
    AggregateEntry(
        "avg(number) -> double or decimal",
        "The exact mean, rounded once; decimal(p,s) gives decimal(p+4,s+4), rounded half up.",
        _NUMBERS,
        _mean,
        partials=("sum",),
        elsewhere=("mean", "average"),
    ),
    AggregateEntry(
        "min(value)", "The smallest value: text by code point, false before true.", _ORDERED, _same, partials=("min",)
    ),
    AggregateEntry(
        "max(value)", "The largest value: text by code point, false before true.", _ORDERED, _same, partials=("max",)
    ),
    AggregateEntry(
        "stddev(number) -> double",
        "The standard deviation of a sample (divided by n - 1); null for a single value.",
        _NUMBERS,
        _double,
        partials=("moments",),
        last_digits_vary=True,
        elsewhere=("std", "stdev", "stddev_samp"),
    ),
    AggregateEntry(
        "stddev_pop(number) -> double",
        "The standard deviation of a population (divided by n).",
        _NUMBERS,
        _double,
        partials=("moments",),
        last_digits_vary=True,
        elsewhere=("stdevp",),
    ),
    AggregateEntry(
        "variance(number) -> double",
        "The variance of a sample (divided by n - 1); null for a single value.",
        _NUMBERS,
        _double,
        partials=("moments",),
        last_digits_vary=True,
        elsewhere=("var", "var_samp"),
    ),
    AggregateEntry(
        "variance_pop(number) -> double",
        "The variance of a population (divided by n).",
        _NUMBERS,
        _double,
        partials=("moments",),
        last_digits_vary=True,
        elsewhere=("varp", "var_pop"),
    ),
    AggregateEntry(
        "first(value)",
        "The value of the earliest start; the smallest if several have that start.",
        _ANY,
        _same,
        partials=("first",),
        elsewhere=("first_value", "any_value", "earliest_by_offset"),
    ),
    AggregateEntry(
        "last(value)",
        "The value of the latest start; the largest if several have that start.",
        _ANY,
        _same,
        partials=("last",),
        elsewhere=("last_value", "latest_by_offset"),
    ),
    AggregateEntry(
        "count_distinct(value) -> long",
        "The number of different values.",
        _ORDERED,
        _long,
        over_nothing="zero",
    ),
    AggregateEntry(
        "approx_count_distinct(value) -> long",
        "The number of different values: exact up to 1,000 of them, above that within 2 %.",
        _ORDERED,
        _long,
        over_nothing="zero",
    ),
    AggregateEntry(
        "percentile_disc(value, fraction)",
        "The smallest value such that at least the share `fraction` (0 to 1) of all values is no larger.",
        _ORDERED,
        _same,
        "fraction",
    ),
    AggregateEntry(
        "percentile_cont(number, fraction) -> double",
        "The value at the position `fraction * (n - 1)` of the sorted values, counted from 0; between two positions, "
        "interpolated linearly.",
        _NUMBERS,
        _double,
        "fraction",
        elsewhere=("percentile", "median"),
        last_digits_vary=True,
    ),
    AggregateEntry(
        "approx_percentile(value, fraction)",
        "As percentile_disc: exact up to 1,000 values, above that within 1 % of rank.",
        _ORDERED,
        _same,
        "fraction",
        elsewhere=("percentile_approx",),
    ),
    AggregateEntry(
        "ewma(number, fraction) -> double",
        "The exponentially weighted moving average in order of start, of one start in order of value: the first value, "
        "then for each next value `average + fraction * (value - average)`, step by step in doubles; null if one "
        "overflows.",
        _NUMBERS,
        _double,
        "fraction",
        elsewhere=("ema", "exponential_moving_average"),
    ),
    AggregateEntry(
        "collect(value) -> array",
        "All values in order of start; values with the same start in order of value.",
        _ANY,
        Array,
        over_nothing="list",
        elsewhere=("collect_list", "array_agg"),
    ),
    AggregateEntry(
        "collect_distinct(value) -> array",
        "The different values in order.",
        _ORDERED,
        Array,
        over_nothing="list",
        elsewhere=("collect_set", "collect_unique"),
    ),
    AggregateEntry(
        "topk(value, k) -> array",
        "The `k` most frequent values, the most frequent first, equally frequent ones in order of value; values as "
        "frequent as the last of these are returned too.",
        _ORDERED,
        Array,
        "k",
        over_nothing="list",
        elsewhere=("approx_topk", "approx_top_k", "approx_most_frequent", "top_k"),
    ),
    AggregateEntry(
        "maxk(value, k) -> array",
        "The `k` largest values, the largest first; values equal to the last of these are returned too.",
        _ORDERED,
        Array,
        "k",
        over_nothing="list",
        elsewhere=("topone",),
    ),
    AggregateEntry(
        "mink(value, k) -> array",
        "The `k` smallest values, the smallest first; values equal to the last of these are returned too.",
        _ORDERED,
        Array,
        "k",
        over_nothing="list",
    ),
    AggregateEntry(
        "maxk_unique(value, k) -> array",
        "The `k` largest different values, the largest first.",
        _ORDERED,
        Array,
        "k",
        over_nothing="list",
    ),
    AggregateEntry(
        "mink_unique(value, k) -> array",
        "The `k` smallest different values, the smallest first.",
        _ORDERED,
        Array,
        "k",
        over_nothing="list",
    ),
    AggregateEntry(
        "time_weighted_avg(number) -> double or decimal",
        "The mean, each value weighted by how long its event lives within the window; decimals as in avg.",
        _NUMBERS,
        _mean,
    ),
    AggregateEntry(
        "time_weighted_sum(number) -> double or decimal",
        "The sum of each value times the ticks that its event lives within the window; decimal(p,s) gives "
        "decimal(p+20,s).",
        _NUMBERS,
        _weighted_sum,
    ),
)

AGGREGATES: Final = {entry.name: entry for entry in _ENTRIES}


def aggregate_type(function: str, of: Type | None) -> Type | None:
    """Return the result type of an aggregate over values of type `of` (None: no values); None if it does not apply."""
    entry = AGGREGATES[function]
    if of is None or isinstance(of, Null):
        return LONG if entry.bare else None
    return entry.result(of) if entry.values.fits(of) else None
