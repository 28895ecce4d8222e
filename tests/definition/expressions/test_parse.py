"""Expressions: parsing of text into the tree."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import MAX_DEPTH, ExpressionError
from streaming.definition.expressions.tree import (
    BetweenTest,
    Binary,
    Call,
    CaseWhen,
    Cast,
    Expression,
    Field,
    In,
    IsNull,
    Like,
    Literal,
    Unary,
    depth,
    fields_used,
)
from streaming.definition.faults import FaultCode
from streaming.definition.payload.types import DOUBLE, LONG, TIMESTAMP, DecimalOf, Type

A, B, C = Field(("a",)), Field(("b",)), Field(("c",))


def long(value: int) -> Literal:
    return Literal(value, LONG)


def refused(text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.fault.code is FaultCode.BAD_EXPRESSION
    assert caught.value.fault.remedy
    assert 0 <= caught.value.fault.at <= len(text)
    return f"{caught.value.fault.message}; {caught.value.fault.remedy}"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a or b and c", Binary("or", A, Binary("and", B, C))),
        ("not a and b", Binary("and", Unary("not", A), B)),
        ("not a = b", Unary("not", Binary("=", A, B))),
        ("a = b is null", IsNull(Binary("=", A, B))),
        ("a + b * c", Binary("+", A, Binary("*", B, C))),
        ("a - b - c", Binary("-", Binary("-", A, B), C)),
        ("a - (b - c)", Binary("-", A, Binary("-", B, C))),
        ("a / b % c", Binary("%", Binary("/", A, B), C)),
        ("-a * b", Binary("*", Unary("-", A), B)),
        ("a - -1", Binary("-", A, long(-1))),
        ("+a", A),
        ("a < b = c", Binary("=", Binary("<", A, B), C)),
        ("a + b > c", Binary(">", Binary("+", A, B), C)),
        ("a between b and c and a", Binary("and", BetweenTest(A, B, C), A)),
        ("a not between b and c + 1", Unary("not", BetweenTest(A, B, Binary("+", C, long(1))))),
        ("a in (b, c) or c", Binary("or", In(A, (B, C)), C)),
        ("a not in (b)", Unary("not", In(A, (B,)))),
        ("a is null", IsNull(A)),
        ("a is not null", Unary("not", IsNull(A))),
        ("a like 'x%'", Like(A, "x%")),
        ("a not like 'x'", Unary("not", Like(A, "x"))),
        ("a || b || 'x'", Call("concat", (A, B, Literal("x")))),
        ("! a", Unary("not", A)),
        ("a == b", Binary("=", A, B)),
        ("a <> b", Binary("!=", A, B)),
        ("a != b", Binary("!=", A, B)),
        ("a <=> b", Binary("<=>", A, B)),
        ("NOT A AND b", Binary("and", Unary("not", Field(("A",))), B)),
    ],
)
def test_operators_bind_as_in_spark_sql(text: str, tree: Expression) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a.b.c", Field(("a", "b", "c"))),
        ("`a b`.`c`", Field(("a b", "c"))),
        ("`end`", Field(("end",))),
        ("timestamp", Field(("timestamp",))),
        ("date + count", Binary("+", Field(("date",)), Field(("count",)))),
        ("Upper(a)", Call("upper", (A,))),
        ("f()", Call("f", ())),
        ("if(a, b, c)", Call("if", (A, B, C))),
        ("cast(a as decimal(10, 2))", Cast(A, DecimalOf(10, 2))),
        ("cast(a as NUMERIC(10, 2))", Cast(A, DecimalOf(10, 2))),
        ("cast(a as integer)", Cast(A, LONG)),
        ("CAST(a AS BIGINT)", Cast(A, LONG)),
        ("cast(a + b as double)", Cast(Binary("+", A, B), DOUBLE)),
        ("case when a then b else c end", CaseWhen(((A, B),), C)),
        ("case when a then b end", CaseWhen(((A, B),), Literal(None))),
        (
            "case a when 1 then b when c then a end",
            CaseWhen(((Binary("=", A, long(1)), B), (Binary("=", A, C), A)), Literal(None)),
        ),
        ("/* why */ a -- because", A),
    ],
)
def test_names_calls_casts_and_cases(text: str, tree: Expression) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "value", "of"),
    [
        ("10", 10, LONG),
        ("10L", 10, LONG),
        ("-9223372036854775808", -(2**63), LONG),
        ("1.5", 1.5, DOUBLE),
        ("1e3", 1000.0, DOUBLE),
        ("1D", 1.0, DOUBLE),
        ("1.50BD", Decimal("1.50"), DecimalOf(3, 2)),
        ("1234567890" * 3 + "12345678BD", Decimal("1234567890" * 3 + "12345678"), DecimalOf(38, 0)),
        ("-0.05bd", Decimal("-0.05"), DecimalOf(2, 2)),
        ("timestamp '1970-01-01T00:00:01Z'", 1_000_000, TIMESTAMP),
    ],
)
def test_literals_have_their_value_and_type(text: str, value: object, of: Type) -> None:
    literal = parse(text)
    assert isinstance(literal, Literal)
    assert (literal.value, literal.type, str(literal.value)) == (value, of, str(value))


def test_strings_take_either_quotation_mark_and_backslash_escapes() -> None:
    assert parse(r"'it\'s'") == Literal("it's")
    assert parse('"abc"') == Literal("abc")
    assert parse("''") == Literal("")


def test_true_false_and_null_are_literals() -> None:
    assert [parse(text) for text in ("true", "FALSE", "null")] == [Literal(True), Literal(False), Literal(None)]


def test_nodes_have_their_offset() -> None:
    tree = parse("a +  foo(b)")
    assert isinstance(tree, Binary)
    assert (tree.at, tree.right.at) == (2, 5)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "write a value here"),
        ("a >", "write a value here"),
        ("(a", "write '\\)' here"),
        ("a b", "write an operator"),
        ("a; b", "operator"),
        ("'a''b'", "join strings with \\|\\|"),
        ("'open", "close the quotation mark"),
        ("a div b", "floor\\(a / b\\)"),
        ("a[0]", "by position"),
        ("a::long", "cast\\(value as type\\)"),
        ("cast(a as blob)", "cast to long"),
        ("cast(a as array<long>)", "cast to long"),
        ("cast(a as decimal(99,1))", "cast to long"),
        ("cast(a as decimal(", "decimal\\(precision, scale\\)"),
        ("a is true", "is null"),
        ("a ilike 'x'", "lower\\(a\\)"),
        ("a rlike 'x'", "regexp_like"),
        ("a like b", "quoted string"),
        ("a like 'x' escape '!'", "backslash"),
        (".5", "0.5"),
        ("99999999999999999999", "double"),
        ("1e999", "1e3"),
        ("1" * 39 + "BD", "fewer digits"),
        ("1abc", "not a number"),
        ("a -> b", "operator"),
        ("(select 1)", "write '\\)'"),
        ("exists(select 1)", "write '\\)'"),
        ("sum(a) over ()", "operator"),
        ("upper(distinct a)", "operator"),
        ("interval 1 day", "operator"),
        ("*", "operator"),
        ("a as b", "operator"),
        ("{{a}}", "operator"),
        ("${a}", "operator"),
        (":a", "operator"),
        ("?", "operator"),
        ("a.1", "struct"),
        ("case a end", "write 'when'"),
        ("case when a then", "value"),
        ("timestamp 'soon'", "timestamp '2026"),
        ("timestamp '9999-12-31T23:00:00-05:00'", "timestamp '2026"),
        ("x'1F'", "operator"),
        ("a ! = b", "operator"),
        ("(a)(b)", "only the name of a function"),
    ],
)
def test_text_outside_the_language_is_refused_with_a_remedy(text: str, remedy: str) -> None:
    assert re.search(remedy, refused(text))


def test_a_text_of_more_than_10_000_characters_is_refused() -> None:
    assert parse("a" + " " * 9_999) == A
    assert "10,000 are allowed" in refused("a" + " " * 10_000)


@pytest.mark.parametrize(
    "nest",
    [
        lambda deep: "(" * deep + "a" + ")" * deep,
        lambda deep: "not " * (deep - 1) + "a",
        lambda deep: "- " * (deep - 1) + "a",
        lambda deep: "abs(" * (deep - 1) + "a" + ")" * (deep - 1),
        lambda deep: "+".join(["a"] * deep),
        lambda deep: "a-(" * (deep - 1) + "a" + ")" * (deep - 1),
        lambda deep: "cast(" * (deep - 1) + "a" + " as long)" * (deep - 1),
    ],
)
def test_nesting_is_allowed_100_levels_deep_but_not_101(nest: object) -> None:
    assert callable(nest)
    assert depth(parse(nest(MAX_DEPTH))) <= MAX_DEPTH
    assert "nested more than 100 levels deep" in refused(nest(MAX_DEPTH + 1))


DEEP = ["(", "not ", "- ", "case ", "cast(", "f(", "a or a and a = a + a * (", "a in (", "a.", "[", "if(a,"]


@pytest.mark.parametrize("unit", DEEP)
def test_endless_nesting_is_refused_and_never_overflows(unit: str) -> None:
    refused((unit * 10_000)[:10_000])


def test_a_deep_caller_does_not_turn_nesting_into_a_crash() -> None:
    def call(levels: int) -> str:
        return call(levels - 1) if levels else refused("(" * 101)

    assert "nested" in call(500)


def test_long_chains_of_and_and_of_or_do_not_count_as_nesting() -> None:
    tree = parse(" or ".join(["a and b and c"] * 500))
    assert depth(tree) < 20
    assert fields_used(tree) == {"a", "b", "c"}


def test_a_balanced_chain_keeps_the_order_of_its_operands() -> None:
    tree = parse("a and b and c")
    assert tree == Binary("and", Binary("and", A, B), C)


def is_read_or_refused(text: str) -> bool:
    try:
        return depth(parse(text)) <= MAX_DEPTH
    except ExpressionError as error:
        return error.fault.remedy != ""


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    assert is_read_or_refused(text)


SYMBOLS = ["a", "b", "(", ")", ",", ".", "+", "-", "*", "/", "%", "=", "<", "'x'", "1", "1.5", "||", "<=>"]
WORDS = ["not", "and", "or", "in", "is", "null", "like", "between", "case", "when", "then", "else", "end", "cast", "if"]


@given(st.lists(st.sampled_from([*SYMBOLS, *WORDS, "as long"]), max_size=25).map(" ".join))
def test_any_sequence_of_words_is_parsed_or_refused(text: str) -> None:
    assert is_read_or_refused(text)
