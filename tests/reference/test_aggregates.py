"""Aggregates against independent definitions: the statistics module, fractions, and lists by hand."""

import math
import statistics
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.payload.types import BOOLEAN, DOUBLE, LONG, STRING, Array, DecimalOf, Type
from streaming.planning.checked import expression
from streaming.planning.columns import AggregateColumn
from streaming.reference.aggregates.result_column import FUNCTIONS, aggregate_value, look_for_failures
from streaming.reference.aggregates.spread import root
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, ElementId, Flow
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, Tick

Lived = tuple[Any, int, int]
"""A value, and the start and end of its event."""
PANE = (Tick(0), Tick(100))


class RecordingWitness:
    """A witness that records failures: (node, id of the flow, field, why)."""

    cause: CausingCti | None = None

    def __init__(self) -> None:
        self.failures: list[tuple[str, object, str, str]] = []

    def took(self, node: str, flow: Flow) -> None:
        """Fail: aggregates never report this."""

    def removed(self, node: str, flow: Flow, why: str) -> None:
        """Fail: aggregates never report this."""

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        """Fail: aggregates never report this."""

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        self.failures.append((node, flow.id, field, str(why)))


def column(function: str, of: Type = LONG, where: str | None = None, **parameters: Any) -> AggregateColumn:
    result = aggregate_type(function, of)
    assert result is not None
    fields = {"v": of}
    condition = None if where is None else expression(where, fields)
    return AggregateColumn("x", function, expression("v", fields), condition, of, result, **parameters)


def flows(lived: Sequence[Lived]) -> list[Flow]:
    return [
        Flow(number, Tick(start), Tick(end), {"v": value}, frozenset({ElementId("s", "0", number)}), Tick(start))
        for number, (value, start, end) in enumerate(lived)
    ]


def over(function: str, values: Sequence[Any], of: Type = LONG, **parameters: Any) -> Any:
    """Return the aggregate over points, the first value at tick 0, the second at tick 1, and so on."""
    points = [(value, start, start + 1) for start, value in enumerate(values)]
    return aggregate_value(column(function, of, **parameters), flows(points), PANE, "w", RecordingWitness())


def lasting(function: str, lived: Sequence[Lived], of: Type = LONG, **parameters: Any) -> Any:
    return aggregate_value(column(function, of, **parameters), flows(lived), PANE, "w", RecordingWitness())


def parameters_of(function: str) -> dict[str, Any]:
    parameter = AGGREGATES[function].parameter
    return {} if parameter is None else {parameter: 2 if parameter == "k" else Fraction(1, 2)}


def test_every_aggregate_of_the_registry_is_implemented() -> None:
    assert set(FUNCTIONS) == set(AGGREGATES)


@pytest.mark.parametrize("function", sorted(AGGREGATES))
@pytest.mark.parametrize("values", [[], [None, None]])
def test_over_no_values_counts_are_0_and_lists_empty_and_all_others_null(function: str, values: list[None]) -> None:
    lists = {"collect", "collect_distinct", "topk", "maxk", "mink", "maxk_unique", "mink_unique"}
    nothing: object = [] if function in lists else 0 if "count" in function else None
    assert over(function, values, **parameters_of(function)) == nothing


@pytest.mark.parametrize("function", sorted(AGGREGATES))
def test_nulls_do_not_count(function: str) -> None:
    with_nulls = [(None, 0, 9), (4, 1, 3), (None, 1, 2), (2, 2, 9), (4, 5, 6), (None, 8, 9)]
    without = [each for each in with_nulls if each[0] is not None]
    parameters = parameters_of(function)
    assert lasting(function, with_nulls, **parameters) == lasting(function, without, **parameters)


def test_count_without_an_expression_counts_nulls_too() -> None:
    bare = AggregateColumn("n", "count", None, None, None, LONG)
    assert aggregate_value(bare, flows([(None, 0, 1), (3, 0, 1)]), PANE, "w", RecordingWitness()) == 2


def test_a_filter_that_is_false_or_null_leaves_the_event_out() -> None:
    assert over("collect", [1, 5, None, 3], where="v > 2") == [5, 3]


def test_sums_and_means_of_longs_are_exact_on_the_way() -> None:
    assert over("sum", [2**63 - 1, 1, -1]) == 2**63 - 1
    assert over("avg", [2**63 - 1, 2**63 - 1]) == float(2**63 - 1)


def test_a_mean_of_doubles_is_rounded_once() -> None:
    assert over("sum", [0.1] * 10, DOUBLE) == 1.0
    assert over("avg", [1e308, 1e308], DOUBLE) == 1e308


@pytest.mark.parametrize(
    ("function", "values", "of", "reason"),
    [
        ("sum", [2**63 - 1, 1], LONG, f"{2**63} does not fit 64 bits"),
        ("sum", [-(2**63), -1], LONG, f"{-(2**63) - 1} does not fit 64 bits"),
        ("sum", [1e308, 1e308], DOUBLE, "the result is not a finite double"),
        ("sum", [Decimal(10**37)] * 10, DecimalOf(38, 0), f"{10**38} does not fit decimal(38,0)"),
        ("variance", [1e200, -1e200], DOUBLE, "the result is not a finite double"),
        ("stddev", [1.7e308, -1.7e308], DOUBLE, "the result is not a finite double"),
        ("time_weighted_sum", [1.7e308, 1.7e308], DOUBLE, "the result is not a finite double"),
    ],
)
def test_a_result_that_does_not_fit_is_null_and_the_reason_is_recorded(
    function: str, values: Sequence[Any], of: Type, reason: str
) -> None:
    """The failure is reported for the first event, because no single event causes it."""
    heard = RecordingWitness()
    points = flows([(value, start, start + 1) for start, value in enumerate(values)])
    assert aggregate_value(column(function, of), points, PANE, "w", heard) is None
    assert heard.failures == [("w", 0, "x", reason)]


def test_a_failing_value_or_filter_leaves_the_event_out_and_is_recorded_once() -> None:
    """The failure is reported when the event enters the window, and not again for its panes."""
    fields = {"v": LONG}
    events = flows([(4, 0, 1), (0, 1, 2), (2, 2, 3)])
    heard = RecordingWitness()
    of, where = expression("8 / v", fields), expression("8 / v < 3", fields)
    columns = [
        AggregateColumn("n", "collect", of, None, DOUBLE, Array(DOUBLE)),
        AggregateColumn("m", "count", None, where, None, LONG),
    ]
    assert [aggregate_value(column, events, PANE, "w", heard) for column in columns] == [[2.0, 4.0], 1]
    assert heard.failures == []
    for column in columns:
        for event in events:
            look_for_failures(column, event, "w", heard)
    assert heard.failures == [("w", 1, "n", "division by zero"), ("w", 1, "m", "division by zero")]


def test_the_whole_range_of_long_is_summed() -> None:
    assert over("sum", [2**63 - 2, 1]) == 2**63 - 1
    assert over("sum", [1 - 2**63, -1]) == -(2**63)


def test_a_standard_deviation_fits_where_its_variance_does_not() -> None:
    assert over("variance_pop", [1e200, -1e200], DOUBLE) is None
    assert over("stddev_pop", [1e200, -1e200], DOUBLE) == 1e200


def test_a_single_value_has_no_sample_variance_and_no_spread_as_a_population() -> None:
    assert [over(function, [7]) for function in ("variance", "stddev")] == [None, None]
    assert [over(function, [7]) for function in ("variance_pop", "stddev_pop")] == [0.0, 0.0]


def test_first_and_last_go_by_start_then_by_value() -> None:
    lived = [(5, 3, 9), (1, 3, 4), (7, 8, 9), (2, 8, 20), (6, 5, 99)]
    assert lasting("first", lived) == 1
    assert lasting("last", lived) == 7


def test_first_takes_the_earliest_value_that_is_not_null_of_any_type() -> None:
    assert over("first", [None, [2, None], [1]], Array(LONG)) == [2, None]


@pytest.mark.parametrize(("fraction", "value"), [("0", 1), ("0.25", 1), ("0.26", 2), ("0.5", 2), ("0.75", 3), ("1", 9)])
def test_a_discrete_percentile_is_the_value_at_the_rank_rounded_up(fraction: str, value: int) -> None:
    assert over("percentile_disc", [9, 2, 3, 1], fraction=Fraction(fraction)) == value


def test_a_rank_that_is_whole_in_decimal_is_not_rounded_up() -> None:
    """0.07 * 100 is 7.000000000000001 in doubles, which would be rank 8."""
    assert over("percentile_disc", list(range(1, 101)), fraction=Fraction("0.07")) == 7


@pytest.mark.parametrize(("fraction", "value"), [("0", 1.0), ("0.5", 2.5), ("0.9", 6.5), ("1", 8.0)])
def test_a_continuous_percentile_lies_on_the_line_between_its_neighbours(fraction: str, value: float) -> None:
    """For 1, 2, 3, 8 the position 0.9 * 3 = 2.7 gives 3 + 0.7 * (8 - 3)."""
    assert over("percentile_cont", [8, 2, 3, 1], fraction=Fraction(fraction)) == value


def test_the_most_frequent_values_come_first_and_ties_at_rank_k_are_all_returned() -> None:
    texts = ["b", "a", "b", "d", "c", "c", "a", "e"]
    assert over("topk", texts, STRING, k=1) == ["a", "b", "c"]
    assert over("topk", texts, STRING, k=4) == ["a", "b", "c", "d", "e"]
    assert over("topk", [*texts, "b"], STRING, k=1) == ["b"]


def test_the_largest_and_smallest_values_keep_repeats_and_ties_at_rank_k() -> None:
    assert over("maxk", [5, 1, 5, 4, 4, 4, 3], k=3) == [5, 5, 4, 4, 4]
    assert over("mink", [5, 1, 5, 4, 4, 4, 3], k=2) == [1, 3]
    assert over("mink", [1, 1, 1], k=1) == [1, 1, 1]


def test_unique_ones_have_each_value_once() -> None:
    assert over("maxk_unique", [5, 1, 5, 4, 4, 3], k=3) == [5, 4, 3]
    assert over("mink_unique", [5, 1, 5, 4, 4, 3], k=10) == [1, 3, 4, 5]


def test_collect_is_in_order_of_time_and_collect_distinct_in_order_of_value() -> None:
    lived = [("c", 2, 3), ("b", 1, 9), ("c", 1, 5), ("a", 7, 8)]
    assert lasting("collect", lived, STRING) == ["b", "c", "c", "a"]
    assert lasting("collect_distinct", lived, STRING) == ["a", "b", "c"]


def test_a_negative_zero_is_zero() -> None:
    for values in ([0.0, -0.0], [-0.0, 0.0]):
        assert str(over("collect_distinct", values, DOUBLE)) == "[0.0]"
        assert over("count_distinct", values, DOUBLE) == 1


def test_weights_are_the_ticks_that_an_event_lives_within_the_window() -> None:
    """10 lives 30 of its ticks in [0, 100), 20 lives 60, so the sum is 1500 and the mean 1500 / 90."""
    lived = [(10, -20, 30), (20, 40, INFINITY)]
    assert lasting("time_weighted_sum", lived) == 10.0 * 30 + 20 * 60
    assert lasting("time_weighted_avg", lived) == 1500 / 90


def test_weighted_decimals_stay_exact() -> None:
    price = DecimalOf(5, 2)
    lived = [(Decimal("0.10"), 0, 10), (Decimal("0.20"), 10, 30)]
    assert str(lasting("time_weighted_sum", lived, price)) == "5.00"
    assert str(lasting("time_weighted_avg", lived, price)) == "0.166667"


def test_an_endless_event_in_an_endless_window_has_no_weight() -> None:
    heard = RecordingWitness()
    endless = (Tick(0), INFINITY)
    assert aggregate_value(column("time_weighted_avg"), flows([(1, 0, INFINITY)]), endless, "w", heard) is None
    assert heard.failures == [("w", 0, "x", "the window and an event in it never end, so the event has no length")]


def test_a_root_just_above_the_middle_of_two_doubles_is_the_upper_one() -> None:
    """The middle itself goes to the even one, 1.0, as does a value just below."""
    middle = 1 + Fraction(1, 2**53)
    little = Fraction(1, 2**300)
    assert [root(middle**2 + more) for more in (-little, Fraction(0), little)] == [1.0, 1.0, math.nextafter(1, 2)]


def test_all_orders_are_those_of_the_type() -> None:
    """Text by code point, false before true, decimals by value and not by their digits."""
    texts = ["b", "é", "B", "a", "ab"]
    assert over("collect_distinct", texts, STRING) == ["B", "a", "ab", "b", "é"]
    assert [over("min", [5, 9, 1, 7]), over("max", [5, 9, 1, 7])] == [1, 9]
    assert [over("min", [True, False], BOOLEAN), over("max", [False, True], BOOLEAN)] == [False, True]
    prices = [Decimal("10.00"), Decimal("-9.50"), Decimal("9.50")]
    assert over("collect_distinct", prices, PRICE) == [Decimal("-9.50"), Decimal("9.50"), Decimal("10.00")]


LONGS = st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=12)
DOUBLES = st.lists(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150), min_size=2)
CENTS = st.lists(st.decimals(-999, 999, places=2, allow_nan=False), min_size=1, max_size=12)
PRICE = DecimalOf(5, 2)


@given(LONGS)
def test_the_spread_of_longs_is_that_of_the_statistics_module(values: list[int]) -> None:
    exact = [Fraction(value) for value in values]
    assert over("variance", values) == float(statistics.variance(exact))
    assert over("variance_pop", values) == float(statistics.pvariance(exact))
    assert over("stddev", values) == statistics.stdev(exact)
    assert over("stddev_pop", values) == statistics.pstdev(exact)


@given(DOUBLES)
@example([5e-324, 0.0])
@example([1e-300, 2e-300, 4e-300])
def test_the_spread_of_doubles_is_that_of_the_statistics_module(values: list[float]) -> None:
    exact = [Fraction(value) for value in values]
    assert over("variance", values, DOUBLE) == float(statistics.variance(exact))
    assert over("stddev_pop", values, DOUBLE) == statistics.pstdev(exact)


@given(CENTS)
def test_decimals_stay_exact(values: list[Decimal]) -> None:
    total = sum(values, Decimal())
    assert over("sum", values, PRICE) == total
    mean = Fraction(total) / len(values)
    rounded = (Decimal(mean.numerator) / mean.denominator).quantize(Decimal("0.000001"), ROUND_HALF_UP)
    assert over("avg", values, PRICE) == rounded


@given(DOUBLES)
def test_a_sum_of_doubles_is_the_nearest_to_the_exact_sum(values: list[float]) -> None:
    assert over("sum", values, DOUBLE) == math.fsum(values)


SMALL = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@given(SMALL, st.integers(1, 5))
def test_the_lists_of_k_hold_what_fewer_than_k_values_surpass(values: list[int], k: int) -> None:
    largest = over("maxk", values, k=k)
    assert sorted(largest) == sorted(v for v in values if sum(w > v for w in values) < k)
    smallest = over("mink", values, k=k)
    assert sorted(smallest) == sorted(v for v in values if sum(w < v for w in values) < k)
    distinct = set(values)
    frequent = over("topk", values, k=k)
    assert set(frequent) == {v for v in distinct if sum(values.count(w) > values.count(v) for w in distinct) < k}
    assert over("maxk_unique", values, k=k) == [
        v for v in range(3, -4, -1) if v in distinct and sum(w > v for w in distinct) < k
    ]
    assert over("mink_unique", values, k=k) == [
        v for v in range(-3, 4) if v in distinct and sum(w < v for w in distinct) < k
    ]


@given(SMALL, st.integers(0, 100))
def test_a_discrete_percentile_is_the_smallest_value_that_the_share_does_not_exceed(values: list[int], p: int) -> None:
    fraction = Fraction(p, 100)
    reached = [v for v in values if sum(w <= v for w in values) >= fraction * len(values)]
    assert over("percentile_disc", values, fraction=fraction) == min(reached)
    assert over("approx_percentile", values, fraction=fraction) == min(reached)


@given(SMALL)
def test_the_continuous_percentile_of_a_half_is_the_median(values: list[int]) -> None:
    assert over("percentile_cont", values, fraction=Fraction(1, 2)) == statistics.median(values)


LIVED = st.lists(
    st.tuples(st.none() | st.integers(-3, 3), st.integers(-10, 99), st.integers(1, 60)).map(
        lambda drawn: (drawn[0], drawn[1], max(drawn[1], 0) + drawn[2])
    ),
    max_size=10,
)


@pytest.mark.parametrize("function", sorted(AGGREGATES))
@given(st.data())
def test_the_order_of_the_events_makes_no_difference(function: str, data: st.DataObject) -> None:
    lived = data.draw(LIVED)
    shuffled = data.draw(st.permutations(lived))
    parameters = parameters_of(function)
    assert lasting(function, lived, **parameters) == lasting(function, shuffled, **parameters)
    doubles = [(None if value is None else value * 0.5e308, start, end) for value, start, end in lived]
    again = [(None if value is None else value * 0.5e308, start, end) for value, start, end in shuffled]
    assert str(lasting(function, doubles, DOUBLE, **parameters)) == str(lasting(function, again, DOUBLE, **parameters))


@given(LIVED)
def test_a_time_weighted_sum_is_the_sum_over_each_tick(lived: list[Lived]) -> None:
    alive = [value for tick in range(100) for value, start, end in lived if start <= tick < end and value is not None]
    assert lasting("time_weighted_sum", lived) == (float(sum(alive)) if alive else None)
    assert lasting("time_weighted_avg", lived) == (float(Fraction(sum(alive), len(alive))) if alive else None)
