"""A value is at most 1 MiB long: a longer one is null and counted, and is never made."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streaming.definition.expressions.failures import MOST_BYTES
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.payload.type_text import parse_fields
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.rows import Rows
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.transcripts.format import ExecutorName
from streaming.transcripts.judge import judge
from streaming.transcripts.load import load
from streaming.wire.execution.failures import FailureTally

FIELDS = parse_fields({"s": "string"})


def by_both(text: str, value: str) -> tuple[Any, int]:
    """Return the value, on which both executors agree, and how often it failed."""
    tree = typed(parse(text), FIELDS)
    assert isinstance(tree, TypedExpression)
    failed: list[OperationFailure] = []
    expected = evaluate(tree.expression, {"s": value}, failed.append)
    tally, at = FailureTally(), np.zeros(1, np.int64)
    rows = Rows({"s": pa.array([value])}, None, at, at + 1, None)
    (seen,) = rows.values(tree.expression, tree.type, FailureListener(tally, "n", ("f",))).to_pylist()
    assert seen == expected
    assert [each.kind for each in tally.counts()] == [each.kind for each in failed]
    return seen, len(failed)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("concat(s, s)", "x" * (MOST_BYTES // 2)),
        ("s || s", "é" * (MOST_BYTES // 4)),
        ("replace(s, 'a', 'bb')", "a" * (MOST_BYTES // 2)),
        ("upper(s)", "ß" * (MOST_BYTES // 2)),
    ],
)
def test_the_longest_value_is_made_and_one_byte_more_is_null(text: str, value: str) -> None:
    made, failures = by_both(text, value)
    assert len(made.encode()) == MOST_BYTES
    assert failures == 0
    assert by_both(text, value + "aé") == (None, 1)


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_a_list_longer_than_that_is_null_and_counted(tmp_path: Path, executor: ExecutorName) -> None:
    half = MOST_BYTES // 2
    rows = [(1, "a", "x" * half), (2, "a", "y" * half), (3, "b", "x" * half), (4, "b", "y" * half + "z")]
    lists = ("collect", "collect_distinct", "maxk_unique")
    transcript = {
        "name": "long_lists",
        "streams": {"s": {"shape": "point", "fields": {"k": "string", "t": "string"}, "advance": {"late": "drop"}}},
        "query": {
            "nodes": [
                {"id": "s", "kind": "input", "stream": "s"},
                {
                    "id": "w",
                    "kind": "window",
                    "input": "s",
                    "window": {"kind": "tumbling", "size": "10us"},
                    "group_by": ["k"],
                    "aggregates": [
                        {"name": each, "function": each, "of": "t"} | ({"k": 2} if each == "maxk_unique" else {})
                        for each in lists
                    ],
                },
                {"id": "o", "kind": "output", "input": "w"},
            ]
        },
        "input": [{"stream": "s", "start": start, "payload": {"k": k, "t": t}} for start, k, t in rows],
        "expect": {
            "events": [
                {
                    "start": 0,
                    "end": 10,
                    "payload": {
                        "k": "a",
                        "collect": ["x" * half, "y" * half],
                        "collect_distinct": ["x" * half, "y" * half],
                        "maxk_unique": ["y" * half, "x" * half],
                    },
                },
                {"start": 0, "end": 10, "payload": {"k": "b"} | dict.fromkeys(lists)},
            ],
            "failures": [{"node": "w", "field": each, "kind": "too_long", "count": 1} for each in lists],
        },
    }
    (tmp_path / "long.yaml").write_text(json.dumps(transcript))
    (verdict,) = judge(load([tmp_path / "long.yaml"]), executor, "written")
    assert verdict.differs == ""
