"""Rows that may be repaired: a repair changes only final results, whatever follows."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.release import Release, releases
from streaming.reference.executor import ReferenceRun
from streaming.simulator.comparing import ComparedRow
from streaming.simulator.replay.repairing import corrected, reason_to_wait, reasons_against
from streaming.simulator.replay.replaying import replay
from streaming.simulator.samples.sample import SampledQuery
from streaming.simulator.stepping import step
from streaming.temporal.events import Event, Shape
from streaming.temporal.outcomes import QUARANTINED
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.simulator.test_agreement import query_of
from tests.simulator.test_replaying import of, read_of, whole_run

ENDLESS: Final = {
    *("clip", "anti_join", "semi_join", "asof_join", "left_outer_join", "left_outer_asof_join", "to_intervals"),
    *("order_edges", "snapshot", "count", "set_duration_by_payload"),
}
TAKEN: Final = [kind for kind in KINDS if kind not in ENDLESS]
"""Kinds in which a row has a limited reach."""
some = settings(max_examples=max(6, settings.default.max_examples // 16))


def released(query: SampledQuery) -> tuple[frozenset[str], dict[str, Release]]:
    inputs = [node for node in query.graph.nodes if isinstance(node, InputNode)]
    edges = frozenset(node.id for node in inputs if query.streams[node.stream].shape is Shape.EDGE)
    return edges, releases(query.graph, {}, edges)


def given_after(query: SampledQuery, rows: int, found: Mapping[str, Release]) -> dict[str, int | None]:
    """Return until when each output had emitted everything after so many rows."""
    run = ReferenceRun(query.graph, query.streams, query.settings)
    for row in query.elements[:rows]:
        step(run, row)
    ctis = {name: moved[-1] if moved else None for name, moved in run.output_ctis.items()}
    return {name: None if (cti := ctis.get(name)) is None else each.given_until(cti) for name, each in found.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TAKEN)
@settings(some, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_results_that_a_repair_changes_were_final(kind: str, data: st.DataObject) -> None:
    """A repair after some rows does not change the effect of later rows."""
    query = query_of(data.draw(cases(kind, Scope())))
    edges, found = released(query)
    assume(not reasons_against(query.graph, edges, found))
    read = read_of(query, whole_run(query))
    at = data.draw(st.integers(0, len(query.elements)))
    until = given_after(query, at, found)
    come = {
        (row.identity.input, row.identity.lane, row.identity.position)
        for row in query.elements[:at]
        if row.identity is not None
    }
    chosen = {
        place: element
        for place, late in read.judged.items()
        if place in come and late.outcome in QUARANTINED and isinstance(element := read.elements[place], Event)
        if reason_to_wait(late, element, found, until) is None
    }
    assume(chosen)
    result = replay(of(query), read, chosen)
    for row in result.rows:
        ends = {row.end} if row.today_start is None else {row.end, row.today_end}
        given = until[row.output]
        assert row.mark == "same" or (given is not None and all(end is not None and end <= given for end in ends))


EDGE_QUERY: list[dict[str, Any]] = [
    {"id": "s", "kind": "input", "stream": "s"},
    {"id": "windows", "kind": "window", "input": "s", "window": {"kind": "tumbling", "size": "10s"}, "aggregates": []},
    {"id": "out", "kind": "output", "input": "windows"},
]


@pytest.mark.parametrize(
    ("changes", "edges", "words"),
    [
        ({}, frozenset({"s"}), ["its input s has edges, and how long one stays open is not known"]),
        ({"emit": "running"}, frozenset(), ["windows emits rows before they are final"]),
        (
            {"window": {"kind": "count", "n": 3}},
            frozenset(),
            ["in windows (windows that depend on the rows) a row can"],
        ),
        ({}, frozenset(), []),
    ],
)
def test_reasons_against_any_repair(changes: dict[str, Any], edges: frozenset[str], words: list[str]) -> None:
    nodes = [EDGE_QUERY[0], {**EDGE_QUERY[1], **changes}, EDGE_QUERY[2]]
    nodes[1]["aggregates"] = [{"name": "n", "function": "count"}]
    graph = QueryGraph.model_validate_json(json.dumps({"version": 1, "name": "q", "nodes": nodes}))
    reasons = reasons_against(graph, edges, releases(graph, {}, edges))
    assert [reason.startswith(word) for reason, word in zip(reasons, words, strict=True)] == [True] * len(words)


def changed(start: int, before: float, after: float) -> ComparedRow:
    return ComparedRow(
        output="out",
        mark="changed",
        start=start,
        end=start + 10,
        payload={"x": after},
        today_start=start,
        today_end=start + 10,
        today_payload={"x": before},
    )


def stored(start: int, value: float, **fields: Any) -> dict[str, Any]:
    return {"output": "out", "start": start, "end": start + 10, "payload": {"x": value}, **fields}


def test_a_repair_retracts_the_stored_digits_and_ignores_retracted_rows() -> None:
    sums = 0.1 + 0.2
    newest_first = [("2-0-1", stored(0, sums)), ("2-0-0", stored(0, 0.5, deleted=True)), ("1-0-0", stored(0, 0.5))]
    found = corrected([changed(0, 0.3, 0.7)], newest_first, "r")
    assert found.rows == [stored(0, sums, deleted=True, repair="r"), stored(0, 0.7, repair="r")]
    assert found.replaced == ["2-0-1"]
    gone = corrected([changed(0, 0.5, 0.7)], newest_first, "r")
    assert (gone.rows, gone.lacking) == ([], changed(0, 0.5, 0.7))
    assert corrected([changed(0, 0.3, 0.7)], [("1-0-0", stored(0, sums, incomplete=True))], "r").lacking is not None
