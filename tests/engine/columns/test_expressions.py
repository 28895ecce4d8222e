"""Columns give the results of the reference, for random expressions on random rows."""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Null
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.rows import Rows
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrow_types import arrow_schema

FIELDS = parse_fields(
    {
        "i": "long",
        "j": "long",
        "x": "double",
        "y": "double",
        "s": "string",
        "u": "string",
        "p": "boolean",
        "q": "boolean",
        "t": "timestamp",
        "d": "decimal(10,2)",
        "e": "decimal(38,10)",
        "a": "array<long>",
        "o": "struct<n: long, m: struct<s: string>>",
    }
)
LONGS = st.one_of(
    st.integers(-5, 5), st.sampled_from([2**63 - 1, -(2**63), 2**62, 3_037_000_500, -(2**31)]), st.integers(-99, 9999)
)
DOUBLES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, -2.5, 1e308, -1e308, 2.0**63, -(2.0**63), 2.0**52, 1e-300, 0.1]),
    st.floats(-1e6, 1e6, allow_nan=False),
)
TEXTS = st.sampled_from(
    ["", "a", "ab", "aba", "Straße", "😀é", " x ", "12", "-7", "1e3", "tRue", "2026-01-31", "1.25", "a%b"]
)
TICKS = st.one_of(
    st.sampled_from([0, -1, 253_402_300_799_999_999, -62_135_596_800_000_000, 951_782_400_000_000]),
    st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999),
)
CENTS = st.integers(-(10**10) + 1, 10**10 - 1).map(lambda cents: Decimal(cents).scaleb(-2))
WIDE = st.one_of(
    st.integers(-(10**12), 10**12).map(lambda units: Decimal(units).scaleb(-10)),
    st.sampled_from([Decimal("9999999999999999999999999999.9999999999"), Decimal("0E-10")]),
)


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(values, values, values, st.none())


PAYLOADS = st.fixed_dictionaries(
    {
        "i": nullable(LONGS),
        "j": nullable(LONGS),
        "x": nullable(DOUBLES),
        "y": nullable(DOUBLES),
        "s": nullable(TEXTS),
        "u": nullable(TEXTS),
        "p": nullable(st.booleans()),
        "q": nullable(st.booleans()),
        "t": nullable(TICKS),
        "d": nullable(CENTS),
        "e": nullable(WIDE),
        "a": nullable(st.lists(nullable(st.integers(0, 3)), max_size=3)),
        "o": nullable(
            st.fixed_dictionaries({"n": nullable(LONGS), "m": nullable(st.fixed_dictionaries({"s": nullable(TEXTS)}))})
        ),
    }
)

LITERALS = {
    "long": ["0", "1", "-3", "9223372036854775807"],
    "double": ["0.0", "2.5", "-1e300"],
    "string": ["''", "'a'", "'ab'"],
    "boolean": ["true", "false"],
    "timestamp": ["timestamp '2026-01-31T12:00:00Z'"],
    "decimal": ["1.50BD", "-0.001BD"],
}
LEAVES = {
    "long": ["i", "j", "o.n", "length(s)", "size(a)", "year(t)", "unix_micros(t)"],
    "double": ["x", "y"],
    "string": ["s", "u", "o.m.s"],
    "boolean": ["p", "q"],
    "timestamp": ["t"],
    "decimal": ["d", "e"],
}
FORMS = {
    "long": [
        "({long} + {long})",
        "({long} - {long})",
        "({long} * {long})",
        "({long} % {long})",
        "(- {long})",
        "abs({long})",
        "floor({double})",
        "ceil({double})",
        "cast({double} as long)",
        "cast({string} as long)",
        "cast({boolean} as long)",
        "cast({decimal} as long)",
        "month({timestamp})",
        "day({timestamp})",
        "dayofweek({timestamp})",
        "hour({timestamp})",
        "minute({timestamp})",
        "second({timestamp})",
        "coalesce({long}, {long})",
        "greatest({long}, {long}, {long})",
        "least({long}, {long})",
        "nullif({long}, {long})",
        "case when {boolean} then {long} when {boolean} then {long} end",
    ],
    "double": [
        "({double} + {double})",
        "({double} - {long})",
        "({double} * {double})",
        "({long} / {long})",
        "({double} % {double})",
        "(- {double})",
        "abs({double})",
        "round({double})",
        "round({double}, 2)",
        "sqrt({double})",
        "ln({double})",
        "exp({double})",
        "pow({double}, {double})",
        "cast({string} as double)",
        "cast({decimal} as double)",
        "if({boolean}, {double}, {double})",
        "greatest({double}, {double})",
    ],
    "string": [
        "upper({string})",
        "lower({string})",
        "trim({string})",
        "({string} || {string})",
        "substring({string}, {long}, {long})",
        "substring({string}, {long})",
        "replace({string}, {string}, {string})",
        "split_part({string}, {string}, {long})",
        "cast({long} as string)",
        "cast({boolean} as string)",
        "cast({decimal} as string)",
        "cast({timestamp} as string)",
        "coalesce({string}, {string})",
        "least({string}, {string})",
        "nullif({string}, {string})",
    ],
    "boolean": [
        "({long} < {long})",
        "({double} >= {double})",
        "({string} = {string})",
        "({string} < {string})",
        "({string} <=> {string})",
        "({decimal} <= {decimal})",
        "({boolean} < {boolean})",
        "({boolean} and {boolean})",
        "({boolean} or {boolean})",
        "(not {boolean})",
        "({timestamp} > {timestamp})",
        "({long} in ({long}, {long}, null))",
        "({string} in ('a', '', 'ab', '1', '2', '3', '4', '5', '6', '7'))",
        "({long} in (0, 1, 2, 3, 4, 5, 6, 7, 8, null))",
        "({long} between {long} and {long})",
        "({decimal} is null)",
        "({long} is not null)",
        "({string} like 'a%')",
        "({string} like '_\\\\%b')",
        "contains({string}, {string})",
        "starts_with({string}, {string})",
        "ends_with({string}, {string})",
        "cast({string} as boolean)",
        "cast({long} as boolean)",
        "cast({double} as boolean)",
    ],
    "timestamp": [
        "date_trunc('week', {timestamp})",
        "date_trunc('quarter', {timestamp})",
        "date_trunc('month', {timestamp})",
        "date_trunc('hour', {timestamp})",
        "timestamp_micros({long})",
        "cast({string} as timestamp)",
        "coalesce({timestamp}, {timestamp})",
    ],
    "decimal": [
        "({decimal} + {decimal})",
        "({decimal} - {long})",
        "({decimal} * {decimal})",
        "({decimal} / {decimal})",
        "({decimal} % {decimal})",
        "(- {decimal})",
        "abs({decimal})",
        "floor({decimal})",
        "ceil({decimal})",
        "cast({decimal} as decimal(12,1))",
        "cast({double} as decimal(20,3))",
        "cast({string} as decimal(10,2))",
        "greatest({decimal}, {decimal})",
    ],
}


@st.composite
def texts(draw: st.DrawFn, kind: str, depth: int) -> str:
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([*LEAVES[kind], *LEAVES[kind], *LITERALS[kind], "null"][: 99 if depth else -1]))
    text = draw(st.sampled_from(FORMS[kind]))
    while "{" in text:
        hole = text[text.index("{") + 1 : text.index("}")]
        text = text.replace("{" + hole + "}", draw(texts(hole, depth - 1)), 1)
    return text


def as_rows(payloads: list[dict[str, Any]]) -> Rows:
    batch = pa.RecordBatch.from_pylist(payloads, schema=arrow_schema(FIELDS))
    at = np.arange(len(payloads))
    return Rows(dict(zip(batch.schema.names, batch.columns, strict=True)), None, at, at + 1, None)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def differences(text: str, payloads: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    tree = typed(parse(text), FIELDS)
    if not isinstance(tree, TypedExpression) or isinstance(tree.type, Null):
        return []
    failed: list[OperationFailure] = []
    expected = [evaluate(tree.expression, payload, failed.append) for payload in payloads]
    tally = FailureTally()
    seen = as_rows(payloads).values(tree.expression, tree.type, FailureListener(tally, "n", ("f",))).to_pylist()
    assert len(seen) == len(expected)
    assert {each.kind: each.count for each in tally.counts()} == Counter(each.kind for each in failed)
    return [(one, other) for one, other in zip(expected, seen, strict=True) if not same(one, other)]


@given(st.sampled_from(sorted(FORMS)).flatmap(lambda kind: texts(kind, 3)), st.lists(PAYLOADS, min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_columns_and_reference_agree(text: str, payloads: list[dict[str, Any]]) -> None:
    assert differences(text, payloads) == []


@pytest.mark.parametrize("form", [form for forms in FORMS.values() for form in forms])
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_each_form_alone_agrees_with_the_reference(form: str, data: st.DataObject) -> None:
    text = form
    while "{" in text:
        hole = text[text.index("{") + 1 : text.index("}")]
        text = text.replace("{" + hole + "}", data.draw(st.sampled_from([*LEAVES[hole], *LITERALS[hole]])), 1)
    assert differences(text, data.draw(st.lists(PAYLOADS, min_size=1, max_size=6))) == []


def test_a_constant_has_one_value_for_each_row() -> None:
    tree = typed(parse("1 + 1"), FIELDS)
    assert isinstance(tree, TypedExpression)
    empty = dict.fromkeys(FIELDS)
    assert as_rows([empty, empty, empty]).values(tree.expression, tree.type).to_pylist() == [2, 2, 2]


@pytest.mark.parametrize("function", ["exp", "ln"])
@given(values=st.lists(st.floats(-750, 750), min_size=1, max_size=40))
def test_exponentials_and_logarithms_have_the_digits_of_the_reference(function: str, values: list[float]) -> None:
    tree = typed(parse(f"{function}(x)"), FIELDS)
    assert isinstance(tree, TypedExpression)
    payloads = [{"x": value} for value in values]
    found = as_rows([{**dict.fromkeys(FIELDS), **payload} for payload in payloads]).values(tree.expression, tree.type)
    assert found.to_pylist() == [evaluate(tree.expression, payload, lambda _: None) for payload in payloads]
