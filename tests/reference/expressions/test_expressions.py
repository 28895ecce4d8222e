"""Expressions on one row; the values are those of Spark SQL, with null where it would fail."""

from decimal import Decimal
from typing import Any

import pytest

from tests.reference.expressions.on_one_row import BIGGEST, SMALLEST, value, why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true and true", True),
        ("true and null", None),
        ("false and null", False),
        ("null and false", False),
        ("true or null", True),
        ("null or true", True),
        ("false or null", None),
        ("not null", None),
        ("null = null", None),
        ("null <=> null", True),
        ("1 <=> null", False),
        ("1 <=> 1", True),
        ("null is null", True),
        ("1 is not null", True),
        ("1 in (1, null)", True),
        ("2 in (1, null)", None),
        ("2 in (1, 3)", False),
        ("null in (1)", None),
        ("2 not in (1, 3)", True),
        ("5 between 1 and 4", False),
        ("5 between null and 4", False),
        ("3 between null and 4", None),
        ("3 between 1 and null", None),
        ("0 between 1 and null", False),
        ("null between 1 and 4", None),
        ("3 between 3 and 3", True),
    ],
)
def test_logic_is_three_valued(text: str, expected: bool | None) -> None:
    assert value(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 / 2", 3.5),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("-7.5 % 2.0", -1.5),
        ("1 + 2 * 3 - 4", 3),
        ("2 + 0.5", 2.5),
        ("0.10BD + 0.20BD", Decimal("0.30")),
        ("1.5BD * 1.5BD", Decimal("2.25")),
        ("-7.5BD % 2.0BD", Decimal("-1.5")),
        ("1BD / 3BD", Decimal("0.333333")),
        ("2BD / 3BD", Decimal("0.666667")),
        ("abs(-3)", 3),
        ("abs(-2.50BD)", Decimal("2.50")),
        ("floor(-2.5)", -3),
        ("ceil(-2.5)", -2),
        ("floor(-2.50BD)", Decimal(-3)),
        ("round(2.5)", 3.0),
        ("round(-2.5)", -3.0),
        ("round(1.25, 1)", 1.3),
        ("round(7)", 7),
        ("sqrt(9.0)", 3.0),
        ("pow(2, 10)", 1024.0),
        ("greatest(1, null, 3)", 3),
        ("least(2, null)", 2),
        ("nullif(1, 1)", None),
        ("nullif(1, 2)", 1),
        ("nullif(1, null)", 1),
        ("if(null, 1, 2)", 2),
        ("coalesce(null, 2, 1 / 0)", 2.0),
        ("coalesce(null, null)", None),
        ("greatest(null, null)", None),
        ("least(null, null)", None),
        ("case when null then 1 when true then 2 end", 2),
        ("case 3 when 1 then 'one' end", None),
    ],
)
def test_numbers_and_choices(text: str, expected: Any) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


BEFORE_YEAR_1 = "0001-01-01T00:00:00+01:00"


@pytest.mark.parametrize(
    ("text", "payload", "reason"),
    [
        ("l / 0", {"l": 1}, "division by zero"),
        ("l % 0", {"l": 1}, "remainder of a division by zero"),
        ("m / 0BD", {"m": Decimal("1.00")}, "division by zero"),
        ("l + 1", {"l": BIGGEST}, f"{BIGGEST + 1} does not fit 64 bits"),
        ("l - 1", {"l": SMALLEST}, f"{SMALLEST - 1} does not fit 64 bits"),
        ("-l", {"l": SMALLEST}, f"{BIGGEST + 1} does not fit 64 bits"),
        ("abs(l)", {"l": SMALLEST}, f"{BIGGEST + 1} does not fit 64 bits"),
        ("d * 10", {"d": 1e308}, "the result is not a finite double"),
        ("exp(d)", {"d": 1000.0}, "exp of 1000.0 is not a finite double"),
        ("ln(d)", {"d": 0.0}, "ln of 0.0 is not a finite double"),
        ("pow(d, 2)", {"d": 1e300}, "pow of 1e+300, 2.0 is not a finite double"),
        ("sqrt(d)", {"d": -1.0}, "sqrt of -1.0 is not a finite double"),
        ("floor(d)", {"d": 1e300}, f"{int(1e300)} does not fit 64 bits"),
        ("cast(d as long)", {"d": 1e19}, f"{10**19} does not fit 64 bits"),
        ("cast(s as long)", {"s": " 1"}, "' 1' is not the text of a long"),
        ("cast(s as double)", {"s": "NaN"}, "'NaN' is not the text of a double"),
        ("cast(s as double)", {"s": "1e999"}, "the result is not a finite double"),
        ("cast(s as boolean)", {"s": "yes"}, "'yes' is not the text of a boolean"),
        ("cast(s as timestamp)", {"s": "soon"}, "'soon' is not the text of a timestamp"),
        ("cast(s as long)", {"s": "x" * 41}, f"'{'x' * 40}' is not the text of a long"),
        ("cast(s as boolean)", {"s": "x" * 41}, f"'{'x' * 40}' is not the text of a boolean"),
        ("cast(s as timestamp)", {"s": "2026-02-30"}, "'2026-02-30' is not a date and time"),
        ("cast(s as timestamp)", {"s": BEFORE_YEAR_1}, f"{BEFORE_YEAR_1!r} is outside the years 1 to 9999"),
        ("cast(l as decimal(3,1))", {"l": 100}, "100 does not fit decimal(3,1)"),
        ("split_part(s, ',', 0)", {"s": "a"}, "split_part has no part 0"),
        ("timestamp_micros(l)", {"l": BIGGEST}, f"{BIGGEST} microseconds are outside the years 1 to 9999"),
    ],
)
def test_a_failing_operation_is_null_with_a_reason(text: str, payload: dict[str, Any], reason: str) -> None:
    assert why(text, **payload) == [reason]


@pytest.mark.parametrize(
    "text",
    [
        "l + 1",
        "-d",
        "m * m",
        "s || 'x'",
        "upper(s)",
        "l = 1",
        "year(t)",
        "size(a)",
        "r.y.z",
        "cast(s as long)",
        "cast(l as boolean)",
        "s like 'a%'",
        "l between 1 and 2",
        "s in ('a')",
    ],
)
def test_null_stays_null_without_a_failure(text: str) -> None:
    assert why(text) == []


def test_a_branch_that_is_not_taken_does_not_fail() -> None:
    assert why("case when l = 0 then null else 1 / l end", l=0) == []
    assert why("if(l = 0, null, 1 / l)", l=0) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cast('-12' as long)", -12),
        ("cast(' 1' as long)", None),
        ("cast(2.9 as long)", 2),
        ("cast(-2.9 as long)", -2),
        ("cast('.5' as double)", 0.5),
        ("cast('TRUE' as boolean)", True),
        ("cast('faLse' as boolean)", False),
        ("cast(true as string)", "true"),
        ("cast(false as string)", "false"),
        ("cast(true as long)", 1),
        ("cast(false as long)", 0),
        ("cast(-2 as boolean)", True),
        ("cast(0.5 as boolean)", True),
        ("cast(-0.0 as boolean)", False),
        ("cast(-1.25BD as double)", -1.25),
        ("cast('1.005' as decimal(5,2))", Decimal("1.01")),
        ("cast(0 as boolean)", False),
        ("cast(0.1 as decimal(5,3))", Decimal("0.100")),
        ("cast(1.25BD as decimal(5,1))", Decimal("1.3")),
        ("cast(-1.25BD as decimal(5,1))", Decimal("-1.3")),
        ("cast(1.50BD as string)", "1.50"),
        ("cast(1.99BD as long)", 1),
        ("cast(timestamp '2026-01-31T12:00:00.5Z' as string)", "2026-01-31T12:00:00.500000Z"),
        ("unix_micros(cast('1970-01-02' as timestamp))", 86_400_000_000),
        ("unix_micros(cast('1970-01-01 01:00+01:00' as timestamp))", 0),
    ],
)
def test_casts(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("length('é😀')", 2),
        ("trim('  a\t ')", "a\t"),
        ("substring('hello', 2, 3)", "ell"),
        ("substring('hello', 0, 2)", "he"),
        ("substring('hello', -3)", "llo"),
        ("substring('hello', -7, 3)", "h"),
        ("substring('hello', -7, 1)", ""),
        ("substring('hello', 2, -1)", ""),
        ("replace('aaa', 'aa', 'b')", "ba"),
        ("replace('abc', '', 'x')", "abc"),
        ("split_part('a,b,c', ',', 2)", "b"),
        ("split_part('a,b,c', ',', -1)", "c"),
        ("split_part('a,b,c', ',', 3)", "c"),
        ("split_part('a,b,c', ',', 4)", ""),
        ("split_part('a,b,c', ',', -3)", "a"),
        ("split_part('a,b,c', ',', -4)", ""),
        ("split_part('a,b,c', ',', 9)", ""),
        ("split_part('abc', '', 1)", "abc"),
        ("concat('a', 'b', 'c')", "abc"),
        ("starts_with('abc', '')", True),
        ("contains('abc', 'bc')", True),
        ("'50%' like '%\\%'", True),
        ("'a\nb' like 'a_b'", True),
        ("'Ab' like 'ab'", False),
        ("'Z' < 'a'", True),
        ("'z' < 'é'", True),
    ],
)
def test_text(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_the_calendar_is_utc_and_proleptic() -> None:
    moment = {"t": -1}  # 1969-12-31T23:59:59.999999Z, a Wednesday
    parts = [
        value(f"{part}(t)", **moment) for part in ("year", "month", "day", "dayofweek", "hour", "minute", "second")
    ]
    assert parts == [1969, 12, 31, 4, 23, 59, 59]


@pytest.mark.parametrize(
    ("unit", "start"),
    [
        ("year", "1969-01-01T00:00:00Z"),
        ("quarter", "1969-10-01T00:00:00Z"),
        ("month", "1969-12-01T00:00:00Z"),
        ("week", "1969-12-29T00:00:00Z"),
        ("day", "1969-12-31T00:00:00Z"),
        ("hour", "1969-12-31T23:00:00Z"),
        ("minute", "1969-12-31T23:59:00Z"),
        ("second", "1969-12-31T23:59:59Z"),
    ],
)
def test_date_trunc_goes_to_the_start_of_the_unit(unit: str, start: str) -> None:
    assert value(f"cast(date_trunc('{unit}', t) as string)", t=-1) == start


def test_fields_of_structs_and_sizes_of_arrays() -> None:
    assert value("r.y.z", r={"x": 1, "y": {"z": "deep"}}) == "deep"
    assert value("r.y.z", r={"x": 1, "y": None}) is None
    assert value("size(a)", a=[1, None]) == 2


def test_every_function_of_the_registry_is_implemented() -> None:
    from streaming.definition.expressions.functions import FUNCTIONS as REGISTRY
    from streaming.reference.expressions.functions import CHOOSING, FUNCTIONS

    assert {*FUNCTIONS, *CHOOSING, "if"} == set(REGISTRY)


def test_every_cast_is_implemented() -> None:
    from streaming.definition.expressions.casts import can_cast
    from streaming.definition.payload.types import SCALARS, DecimalOf
    from streaming.reference.expressions.casts import CASTS

    types = [*SCALARS.values(), DecimalOf(5, 2), DecimalOf(9, 1)]
    exist = {(type(one), type(other)) for one in types for other in types if one != other and can_cast(one, other)}
    assert exist == set(CASTS)
