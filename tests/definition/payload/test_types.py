"""Types: their text, widening, and the results of aggregates."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.payload.type_text import TypeTextError, parse_fields, parse_type
from streaming.definition.payload.types import (
    BOOLEAN,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    Array,
    DecimalOf,
    Struct,
    Type,
    bounded_decimal,
    common_type,
)

scalars: st.SearchStrategy[Type] = st.sampled_from(
    [LONG, DOUBLE, STRING, BOOLEAN, TIMESTAMP, DecimalOf(10, 2), DecimalOf(38, 38)]
)


def nested(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    names = st.sampled_from(["a", "B_1", "long", "struct"])
    fields = st.dictionaries(names, inner, min_size=1, max_size=3).map(lambda found: Struct(tuple(found.items())))
    return st.one_of(inner.map(Array), fields)


types: st.SearchStrategy[Type] = st.recursive(scalars, nested, max_leaves=6)


@given(types)
def test_a_printed_type_reads_back(of: Type) -> None:
    assert parse_type(str(of)) == of


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("decimal(10, 2)", DecimalOf(10, 2)),
        ("array<struct<a: long>>", Array(Struct((("a", LONG),)))),
        (" struct < a:long , b : array< string > > ", Struct((("a", LONG), ("b", Array(STRING))))),
    ],
)
def test_blanks_between_the_parts_do_not_matter(text: str, of: Type) -> None:
    assert parse_type(text) == of


@pytest.mark.parametrize(
    ("of", "called"),
    [
        (LONG, ["integer", "int", "BIGINT", "smallint", "int64", "Long", "LongType"]),
        (DOUBLE, ["float", "real", "number", "DOUBLE PRECISION", "float64"]),
        (STRING, ["text", "varchar", "str", "String", "character varying"]),
        (BOOLEAN, ["bool", "BOOLEAN"]),
        (TIMESTAMP, ["datetime", "timestamptz", "timestamp with time zone", "TIMESTAMP WITHOUT TIME ZONE"]),
        (DecimalOf(10, 2), ["numeric(10, 2)", "DECIMAL(10,2)"]),
        (DecimalOf(10, 0), ["decimal(10)"]),
        (Array(LONG), ["list[int]", "ARRAY<INT>", "array(integer)"]),
        (Struct((("a", LONG), ("b", STRING))), ["ROW(a INT, b TEXT)", "struct<a int, b string>"]),
    ],
)
def test_names_of_types_in_sql_spark_and_python_are_read_as_ours(of: Type, called: list[str]) -> None:
    assert [parse_type(each) for each in called] == [of] * len(called)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("strng", "Did you mean string"),
        ("Intger", "Did you mean long"),
        ("date", "write timestamp or string"),
        ("map<string, long>", "There is no type for maps"),
        ("varchar(20)", "Sizes are not supported; write string"),
        ("decimal", "decimal(18,2)"),
        ("uint64", "decimal(20,0)"),
    ],
)
def test_an_unknown_type_is_refused_with_the_nearest_one(text: str, words: str) -> None:
    with pytest.raises(TypeTextError, match=re.escape(words)):
        parse_type(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "blob",
        "long long",
        "array",
        "array<>",
        "array<long",
        "array<long>>",
        "struct<>",
        "struct<a>",
        "struct<a: long,>",
        "struct<a: long b: long>",
        "struct<a: long, a: long>",
        "struct<1a: long>",
        "decimal(39,1)",
        "decimal(0,0)",
        "decimal(2,3)",
        "decimal(-1,0)",
        "decimal(१,0)",
        "array<" * 1000 + "long" + ">" * 1000,
    ],
)
def test_other_texts_are_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(TypeTextError, match=r"write long, double, decimal\(p,s\)"):
        parse_type(text)


def test_a_bad_type_in_a_schema_names_its_field() -> None:
    with pytest.raises(TypeTextError, match="field b: 'array<blob>'"):
        parse_fields({"a": "long", "b": "array<blob>"})


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        (LONG, LONG, LONG),
        (LONG, DOUBLE, DOUBLE),
        (NULL, STRING, STRING),
        (DecimalOf(10, 2), DOUBLE, DOUBLE),
        (DecimalOf(10, 2), LONG, DecimalOf(22, 2)),
        (DecimalOf(10, 2), DecimalOf(6, 4), DecimalOf(12, 4)),
        (STRING, LONG, None),
        (TIMESTAMP, LONG, None),
        (BOOLEAN, LONG, None),
        (Array(LONG), Array(DOUBLE), None),
    ],
)
def test_types_widen_to_a_common_one_from_either_side(left: Type, right: Type, common: Type | None) -> None:
    assert common_type(left, right) == common
    assert common_type(right, left) == common


def test_a_decimal_of_more_than_38_digits_loses_digits_after_the_point_down_to_six() -> None:
    assert bounded_decimal(38, 20) == DecimalOf(38, 20)
    assert bounded_decimal(45, 20) == DecimalOf(38, 13)
    assert bounded_decimal(70, 20) == DecimalOf(38, 6)
    assert bounded_decimal(70, 2) == DecimalOf(38, 2)
