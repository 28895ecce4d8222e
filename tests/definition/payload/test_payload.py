"""Strict reading of one payload by its schema, without coercion (T5)."""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK

ALL: Fields = parse_fields(
    {
        "n": "long",
        "x": "double",
        "d": "decimal(5,2)",
        "t": "string",
        "b": "boolean",
        "at": "timestamp",
        "many": "array<long>",
        "in": "struct<a: long, deep: array<struct<z: string>>>",
    }
)


def read(kind: str, value: object) -> Any:
    result = read_payload({"v": value}, parse_fields({"v": kind}))
    return result if isinstance(result, BadPayload) else result["v"]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("long", -(2**63), -(2**63)),
        ("long", 2**63 - 1, 2**63 - 1),
        ("double", 1, 1.0),
        ("double", 1.5, 1.5),
        ("double", Decimal("0.1"), 0.1),
        ("decimal(5,2)", 100, Decimal("100.00")),
        ("decimal(5,2)", 1.1, Decimal("1.10")),
        ("decimal(5,2)", "1.5", Decimal("1.50")),
        ("decimal(5,2)", Decimal("999.99"), Decimal("999.99")),
        ("decimal(5,2)", Decimal("1.1000"), Decimal("1.10")),
        ("decimal(5,2)", Decimal("1E+2"), Decimal("100.00")),
        ("decimal(5,2)", -0.0, Decimal("0.00")),
        ("string", "", ""),
        ("string", "12", "12"),
        ("boolean", False, False),
        ("timestamp", 5, 5),
        ("timestamp", "1970-01-01T00:00:01Z", 1_000_000),
        ("timestamp", FIRST_TICK, FIRST_TICK),
        ("timestamp", LAST_TICK, LAST_TICK),
        ("array<long>", [1, None, 3], [1, None, 3]),
        ("array<array<boolean>>", [[True], [], None], [[True], [], None]),
        ("struct<a: long, b: string>", {"b": "x", "c": 1}, {"a": None, "b": "x"}),
    ],
)
def test_a_value_that_fits_has_the_type_of_the_model(kind: str, value: object, expected: object) -> None:
    result = read(kind, value)
    assert result == expected
    assert type(result) is type(expected)
    assert str(result) == str(expected)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("long", "1"),
        ("long", 1.0),
        ("long", True),
        ("long", 2**63),
        ("long", -(2**63) - 1),
        pytest.param("long", 10**5000, id="long-of-5000-digits"),
        ("double", "1.5"),
        ("double", True),
        ("double", math.nan),
        ("double", Decimal("sNaN")),
        ("double", math.inf),
        ("double", Decimal("NaN")),
        pytest.param("double", 10**400, id="double-of-400-digits"),
        ("decimal(5,2)", "1.505"),
        ("decimal(5,2)", "1,5"),
        ("decimal(5,2)", 1000),
        ("decimal(5,2)", 1.001),
        ("decimal(5,2)", Decimal("Infinity")),
        ("decimal(5,2)", Decimal("1E+999999")),
        ("decimal(5,2)", False),
        ("string", 1),
        ("string", "\ud800"),
        ("boolean", 1),
        ("boolean", "true"),
        ("timestamp", "12"),
        ("timestamp", "20260101"),
        ("timestamp", "yesterday"),
        ("timestamp", 1.5),
        ("timestamp", True),
        ("timestamp", FIRST_TICK - 1),
        ("timestamp", LAST_TICK + 1),
        ("array<long>", {"0": 1}),
        ("array<long>", [1, "2"]),
        ("struct<a: long>", [1]),
        ("struct<a: long>", {"a": "1"}),
    ],
)
def test_a_value_that_does_not_fit_makes_the_payload_bad(kind: str, value: object) -> None:
    assert isinstance(read(kind, value), BadPayload)


def test_a_missing_field_is_null_and_an_extra_one_is_ignored() -> None:
    assert read_payload({"other": 1}, ALL) == dict.fromkeys(ALL)


def test_fields_come_in_the_order_of_the_schema() -> None:
    result = read_payload({"t": "x", "n": 1}, ALL)
    assert isinstance(result, dict)
    assert list(result) == list(ALL)


@pytest.mark.parametrize("obj", [None, [], "x", 1, True])
def test_a_payload_that_isnt_an_object_is_bad(obj: object) -> None:
    result = read_payload(obj, ALL)
    assert isinstance(result, BadPayload)
    assert result.field == ""


def test_a_bad_payload_names_the_path_to_the_wrong_value() -> None:
    result = read_payload({"in": {"deep": [{"z": "ok"}, {"z": 5}]}}, ALL)
    assert result == BadPayload("in.deep[1].z", "expected string, found 5")


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.decimals()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*ALL, "a", "z"]), inner)),
    max_leaves=10,
)


@given(anything)
def test_reading_never_raises_and_returns_all_fields_or_a_message(obj: object) -> None:
    result = read_payload(obj, ALL)
    if isinstance(result, BadPayload):
        assert result.message
    else:
        assert list(result) == list(ALL)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.fixed_dictionaries({"n": st.integers(-(2**63), 2**63 - 1), "x": finite}))
def test_a_value_that_fits_is_not_changed(obj: dict[str, Any]) -> None:
    result = read_payload(obj, ALL)
    assert isinstance(result, dict)
    assert (result["n"], result["x"]) == (obj["n"], obj["x"])
