"""Columns give the reference's values, to the last bit, and its failures, for the functions that both share."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.expressions.functions import FUNCTIONS
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.functions.registry import SHARED
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK
from streaming.wire.execution.failures import FailureTally
from tests.engine.columns.test_expressions import FIELDS, as_rows, nullable
from tests.functions.calls import CALLS

JSON = st.recursive(
    st.sampled_from(["null", "true", "1", "-1.50", "1e400", '""', '"é\\n"', '"\\ud83d\\ude00"', '"\\ud800"']),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{' , '.join(items)}]"),
        st.lists(st.tuples(st.sampled_from(["a", "b", "é"]), inner), max_size=3).map(
            lambda items: "{" + ",".join(f'"{name}": {value}' for name, value in items) + "}"
        ),
    ),
    max_leaves=6,
)
TEXTS = st.one_of(
    JSON,
    st.sampled_from(
        ["", "a", "aba", "a,b,,c", "{", '{"a": 1', "NaN", "x" * 1200, "straße 12", "😀é", "2026-01-31", "\x00"]
    ),
    st.text(max_size=6),
)
LONGS = st.one_of(st.integers(-3, 9), st.sampled_from([2**63 - 1, -(2**63), 1 << 20, 1 << 21]))
DOUBLES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 90.0, -90.0, 180.0, -180.0, 180.5, 1e22, 1e308, -1e-308, 710.5]),
    st.floats(-180, 180),
    st.floats(allow_nan=False, allow_infinity=False),
)
TICKS = st.one_of(
    st.sampled_from([0, -1, FIRST_TICK, LAST_TICK, 1_774_746_000_000_000, 1_792_893_600_000_000]),
    st.integers(1_700_000_000_000_000, 1_800_000_000_000_000),
    st.integers(FIRST_TICK, LAST_TICK),
)
PAYLOADS = st.fixed_dictionaries(
    {
        "i": nullable(LONGS),
        "x": nullable(DOUBLES),
        "y": nullable(DOUBLES),
        "s": nullable(TEXTS),
        "u": nullable(TEXTS),
        "t": nullable(TICKS),
        **dict.fromkeys(("j", "p", "q", "d", "e", "a", "o"), st.none()),
    }
)


@given(st.sampled_from(CALLS), st.lists(PAYLOADS, min_size=1, max_size=6))
@settings(max_examples=400, deadline=None)
def test_columns_and_reference_agree_to_the_last_bit(text: str, payloads: list[dict[str, Any]]) -> None:
    tree = typed(parse(text), FIELDS)
    assert isinstance(tree, TypedExpression)
    failed: list[OperationFailure] = []
    expected = [evaluate(tree.expression, payload, failed.append) for payload in payloads]
    tally = FailureTally()
    seen = as_rows(payloads).values(tree.expression, tree.type, FailureListener(tally, "n", ("f",))).to_pylist()
    assert list(map(repr, seen)) == list(map(repr, expected))
    assert {each.kind: each.count for each in tally.counts()} == Counter(each.kind for each in failed)


def test_every_shared_function_is_drawn() -> None:
    assert all(any(f"{name}(" in call for call in CALLS) for name in SHARED)
    assert set(SHARED) < set(FUNCTIONS)
