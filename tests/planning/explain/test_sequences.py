"""A sequence whose complete match waits: the explanation and the warning name its variables and its bound (T34)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.sequences.pattern_text import parse_pattern
from streaming.definition.sequences.waiting import extending_variables
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.explain import explain
from streaming.planning.validity import check
from streaming.reference.executor import ReferenceRun
from streaming.wire.rows.row_json import read_row

STREAMS = {"s": StreamDefinition.model_validate({"shape": "point", "fields": {"k": "string", "v": "long"}})}


def searching(pattern: str, **more: Any) -> QueryGraph:
    node = {"id": "m", "kind": "match_recognize", "input": "s", "group_by": ["k"], "pattern": pattern, **more}
    ends = [{"id": "s", "kind": "input", "stream": "s"}, node, {"id": "out", "kind": "output", "input": "m"}]
    return QueryGraph.model_validate({"version": 1, "name": "q", "nodes": ends})


def waiting(graph: QueryGraph) -> list[str]:
    (node,) = [each for each in explain(graph, STREAMS, {}).nodes if each.id == "m"]
    return [sentence for sentence in node.details if "complete match" in sentence]


def warned(graph: QueryGraph) -> list[str]:
    return [fault.message for fault in check(graph, STREAMS).faults if fault.field == "within"]


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        ("1h", "at most until the CTI is 1h after its first row."),
        (None, "without 'within', for any length of time."),
    ],
)
def test_a_match_that_may_grow_says_for_how_long_it_waits(within: str | None, expected: str) -> None:
    (sentence,) = waiting(searching("A B+", within=within))
    assert sentence == f"A complete match waits, because `B` may take more rows of its group: {expected}"


def test_a_match_that_is_final_with_its_last_row_does_not_wait() -> None:
    assert waiting(searching("A B+?", within="1h")) == []


def test_the_warning_without_within_names_the_match_that_waits() -> None:
    assert warned(searching("A (B | C)* ABSENT D FOR 15m")) == [
        "Without 'within' a complete match can wait forever, because B or C may take more rows of its group."
    ]
    assert warned(searching("A B")) == [
        "Without 'within' an attempt can wait for its next row forever, and its rows stay in memory."
    ]
    assert warned(searching("A B+", within="1h")) == []


FLAGS = {"s": StreamDefinition.model_validate({"shape": "point", "fields": dict.fromkeys("abc", "boolean")})}
quantifier = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??", "{1,3}?"])
part = st.recursive(
    st.sampled_from("ABC"),
    lambda inner: st.tuples(
        st.sampled_from(["({} {})", "({} | {})", "PERMUTE({}, {})"]), *[st.tuples(inner, quantifier).map("".join)] * 2
    ).map(lambda drawn: drawn[0].format(*drawn[1:])),
    max_leaves=4,
)
steps = st.lists(st.tuples(part, quantifier).map("".join), min_size=1, max_size=3).map(" ".join)
rows = st.lists(st.fixed_dictionaries(dict.fromkeys("abc", st.booleans())), min_size=3, max_size=7)


@settings(max_examples=150, deadline=None)
@given(steps, rows)
def test_a_match_that_does_not_wait_leaves_with_its_last_row(pattern: str, drawn: list[dict[str, bool]]) -> None:
    used = [name for name in "ABC" if name in pattern.replace("PERMUTE", "")]
    query = searching(
        pattern,
        group_by=[],
        within=100,
        define=[{"name": name, "of": name.lower()} for name in used],
        measures=[{"name": "first", "of": "unix_micros(FIRST(_start, 0))"}],
    )
    run = ReferenceRun(query, FLAGS, temporal_settings(query, FLAGS, {}))
    waits, seen = False, 0  # of the attempt at the first row
    for at, payload in enumerate(drawn):
        run.take("s", "0", read_row({"start": at, "payload": payload}, FLAGS["s"], None), None)
        run.take("s", "0", read_row({"cti": at + 1}, FLAGS["s"], None), None)
        found = [row.flow.start for row in run.outputs if row.flow.payload["first"] == 0]
        waits = waits or (len(found) > 0 and seen == 0 and found[0] < at)
        seen = len(found)
    assert not waits or extending_variables(parse_pattern(pattern))
