"""The limits of numbers and the calendar: 64 bits, 38 digits, doubles without a fraction, the years 1 and 9999."""

from decimal import Decimal
from typing import Any

import pytest

from streaming.temporal.ticks import FIRST_TICK, LAST_TICK
from tests.reference.expressions.on_one_row import BIGGEST, SMALLEST, WIDEST, value, why

OUTSIDE = "does not fit 64 bits"


@pytest.mark.parametrize(
    ("text", "long", "expected"),
    [
        ("l + 0", BIGGEST, BIGGEST),
        ("l - 0", SMALLEST, SMALLEST),
        ("-l", BIGGEST, -BIGGEST),
        ("-l", -BIGGEST, BIGGEST),
        ("abs(l)", -BIGGEST, BIGGEST),
        ("l % -1", SMALLEST, 0),
        ("l * 2", SMALLEST // 2, SMALLEST),
        ("cast(cast(l as string) as long)", SMALLEST, SMALLEST),
        ("cast(cast(l as decimal(38,0)) as long)", BIGGEST, BIGGEST),
        ("round(l)", BIGGEST, BIGGEST),
    ],
)
def test_the_largest_and_the_smallest_long_are_longs(text: str, long: int, expected: int) -> None:
    assert value(text, l=long) == expected


@pytest.mark.parametrize("text", ["floor(d)", "ceil(d)", "cast(d as long)"])
def test_a_double_of_2_to_the_63_is_not_a_long_and_its_negative_is_the_smallest(text: str) -> None:
    assert why(text, d=2.0**63) == [f"{2**63} {OUTSIDE}"]
    assert value(text, d=-(2.0**63)) == SMALLEST


@pytest.mark.parametrize("wide", [WIDEST, WIDEST.copy_negate()])
def test_all_38_digits_are_kept(wide: Decimal) -> None:
    assert value("-w", w=wide) == wide.copy_negate()
    assert value("abs(w)", w=wide) == WIDEST
    assert value("w + 0BD", w=wide) == wide
    assert value("cast(cast(w as string) as decimal(38,0))", w=wide) == wide
    assert value("cast(s as decimal(38,20))", s=f"{wide}e-20") == Decimal(f"{wide}E-20")


def test_a_quotient_is_rounded_only_where_its_type_ends() -> None:
    assert value("w / 3BD", w=Decimal(10**31)) == Decimal("3" * 31 + ".333333")
    assert value("w % 10BD", w=WIDEST) == 9


def test_a_39th_digit_does_not_fit() -> None:
    assert why("w + 1BD", w=WIDEST) == [f"{10**38} does not fit decimal(38,0)"]
    assert why("w * w", w=WIDEST) == [f"{int(WIDEST) ** 2} does not fit decimal(38,0)"]


def test_a_decimal_that_only_fits_before_rounding_does_not_fit() -> None:
    assert why("cast(s as decimal(3,1))", s="99.95") == ["99.95 does not fit decimal(3,1)"]
    assert value("cast(s as decimal(3,1))", s="99.949") == Decimal("99.9")


@pytest.mark.parametrize("text", ["-m", "abs(-m)", "m * -1", "cast(-0.001BD as decimal(10,2))", "m % -5BD"])
def test_no_decimal_is_a_negative_zero(text: str) -> None:
    assert str(value(f"cast({text} as decimal(10,2))", m=Decimal("0.00"))) == "0.00"
    assert not value(text, m=Decimal("0.00")).is_signed()


def test_a_double_enters_a_decimal_by_its_shortest_text() -> None:
    assert value("cast(d as decimal(38,20))", d=0.1) == Decimal("0.1")
    assert value("cast(d as decimal(5,1))", d=0.15) == Decimal("0.2")


def test_abs_takes_the_sign_from_a_double() -> None:
    assert value("abs(d)", d=-2.5) == 2.5
    assert str(value("abs(d)", d=-0.0)) == "0.0"


@pytest.mark.parametrize(
    ("text", "double", "expected"),
    [
        ("round(d)", 200.5, 201.0),
        ("round(d)", 2.0**52 - 0.5, 2.0**52),
        ("round(d)", 2.0**52 + 1, 2.0**52 + 1),
        ("round(d)", -(2.0**52) - 1, -(2.0**52) - 1),
        ("round(d, 15)", 1e300, 1e300),
        ("round(d, 7)", 450359962.73704964, 450359962.73704964),
    ],
)
def test_a_double_is_rounded_unless_its_digits_reach_2_to_the_52(text: str, double: float, expected: float) -> None:
    """The last one times 10^7 is 2^52 in doubles, and 2^52 / 10^7 is the double below it."""
    assert value(text, d=double) == expected


def test_rounding_keeps_the_sign_of_a_zero() -> None:
    assert str(value("round(d)", d=-0.4)) == "-0.0"


@pytest.mark.parametrize("function", ["ln", "sqrt", "exp"])
def test_a_function_outside_the_range_of_doubles_is_null_without_raising(function: str) -> None:
    bad = {"ln": -1.0, "sqrt": -0.5, "exp": 710.0}[function]
    assert why(f"{function}(d)", d=bad) == [f"{function} of {bad} is not a finite double"]


@pytest.mark.parametrize(("base", "exponent"), [(0.0, -1.0), (-8.0, 0.5), (10.0, 309.0)])
def test_powers_that_are_infinite_or_not_real_are_null(base: float, exponent: float) -> None:
    reason = why(f"pow(d, {exponent!r})", d=base)
    assert reason == [f"pow of {base}, {exponent} is not a finite double"]


@pytest.mark.parametrize(
    ("tick", "text"), [(FIRST_TICK, "0001-01-01T00:00:00Z"), (LAST_TICK, "9999-12-31T23:59:59.999999Z")]
)
def test_the_first_and_the_last_moment_are_moments(tick: int, text: str) -> None:
    assert value("timestamp_micros(l)", l=tick) == tick
    assert value("cast(s as timestamp)", s=text) == tick
    assert value("cast(t as string)", t=tick) == text


@pytest.mark.parametrize("tick", [FIRST_TICK - 1, LAST_TICK + 1])
def test_one_tick_further_is_not_a_moment(tick: int) -> None:
    assert why("timestamp_micros(l)", l=tick) == [f"{tick} microseconds are outside the years 1 to 9999"]


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59.999999-00:01", "0001-01-01T00:00+00:01"])
def test_a_zone_can_lead_out_of_the_years(text: str) -> None:
    assert why("cast(s as timestamp)", s=text) == [f"{text!r} is outside the years 1 to 9999"]


@pytest.mark.parametrize("unit", ["year", "quarter", "month", "week", "day", "hour", "minute", "second"])
def test_the_first_moment_is_the_start_of_all_its_units(unit: str) -> None:
    """0001-01-01 is a Monday."""
    assert value(f"date_trunc('{unit}', t)", t=FIRST_TICK) == FIRST_TICK
    assert value(f"date_trunc('{unit}', t)", t=FIRST_TICK + 999_999) == FIRST_TICK


@pytest.mark.parametrize(
    ("day", "number"), [("2026-11-21", 7), ("2026-11-22", 1), ("2026-11-23", 2), ("0001-01-01", 2)]
)
def test_days_of_the_week_count_from_sunday(day: str, number: int) -> None:
    assert value(f"dayofweek(cast('{day}' as timestamp))") == number


@pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 4), (6, 4), (7, 7), (9, 7), (10, 10), (12, 10)])
def test_quarters_begin_in_january_april_july_and_october(month: int, quarter: int) -> None:
    start = f"cast(date_trunc('quarter', cast('2026-{month:02}-30' as timestamp)) as string)"
    assert value(start) == f"2026-{quarter:02}-01T00:00:00Z"


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">=", "<=>"])
@pytest.mark.parametrize(("left", "right"), [(1, 2), (2, 2), (3, 2)])
def test_comparisons_are_those_of_the_numbers(operator: str, left: int, right: int) -> None:
    true_for = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "="}[operator]
    relation = "<" if left < right else "=" if left == right else ">"
    expected = relation in true_for
    assert value(f"l {operator} {right}", l=left) is expected
    assert value(f"m {operator} {right}.00BD", m=Decimal(f"{left}.00")) is expected


@pytest.mark.parametrize("zero", ["-0.0", "0.0"])
def test_zeros_of_both_signs_are_equal(zero: str) -> None:
    results: list[Any] = [value(f"d {test} {zero}", d=0.0) for test in ("=", "<=>", "<", ">", "!=")]
    assert results == [True, True, False, False, False]
