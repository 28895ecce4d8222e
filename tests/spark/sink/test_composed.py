"""A binding reads the committed results of another one in the same carrier, killed at every stage."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.entry_journal import shared_journal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.temporal.events import Cti
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.messages import RunSpec
from streaming.wire.rows.row_json import read_row
from tests.reference.composing import elements_of
from tests.spark.loop import Loop

FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
STAGES = ["planned", "fed", "written", "published"]
EDGES = {"shape": "edge", "fields": {"k": "string"}}
ORDER = [{"id": "ordered", "kind": "order_edges", "input": "s"}, {"id": "out", "kind": "output", "input": "ordered"}]
COUNT = [
    {
        "id": "counted",
        "kind": "window",
        "input": "s",
        "group_by": ["k"],
        "window": {"kind": "tumbling", "size": "10us"},
        "aggregates": [{"name": "n", "function": "count"}],
    },
    {"id": "out", "kind": "output", "input": "counted"},
]
LIVES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 40), st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=8
)


def graph(nodes: list[dict[str, Any]], stream: str) -> QueryGraph:
    content = {"version": 1, "name": "q", "nodes": [{"id": "s", "kind": "input", "stream": stream}, *nodes]}
    return QueryGraph.model_validate(content)


def rows_of(lives: list[tuple[int, int, str, int]]) -> list[dict[str, Any]]:
    """Return starts and ends of edges in order of time, each edge once, each followed by a CTI, and a final CTI."""
    events = []
    for number, (start, length, key, gap) in enumerate(lives):
        payload = {"k": f"{key}{number % 2}"}
        events.append((start, number, {"edge": "start", "start": start, "payload": payload, "gap": gap}))
        end = start + length
        events.append((end, number, {"edge": "end", "start": start, "end": end, "payload": payload, "gap": gap}))
    rows: list[dict[str, Any]] = []
    batch = 0
    for at, _, row in sorted(events, key=lambda each: each[:2]):
        batch += row.pop("gap")
        rows += [{**row, "batch": batch}, {"cti": at, "batch": batch}]
    return [*rows, {"cti": None, "batch": batch + 1}]


def added(loop: Loop, binding: str, nodes: list[dict[str, Any]], adapter: dict[str, Any]) -> None:
    content = {
        "organisation": "tests",
        "binding": binding,
        "run": f"{binding}-1",
        "desired": "running",
        "query": json.loads(graph(nodes, "edges").model_dump_json()),
        "inputs": {"s": {"stream": {**EDGES, "advance": {"late": "drop"}}, "adapter": adapter}},
        "results": f"results/{binding}",
    }
    command = AddBinding(
        kind="add", tick=0, spec=RunSpec.model_validate(content), bucket_ids=[0], lanes={}, at_end="flush"
    )
    loop.carrier.control.append(command)


def both(home: Path, rows: list[dict[str, Any]]) -> Loop:
    (home / "edges.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    loop = Loop(home)
    added(loop, FIRST, ORDER, {"kind": "rows", "options": {"path": "edges.jsonl"}})
    added(loop, SECOND, COUNT, {"kind": "binding", "options": {"binding": FIRST, "output": "out"}})
    return loop


def read_rows(loop: Loop) -> list[tuple[int, int, str]]:
    return results_in(loop.home, SECOND)


def results_in(home: Path, binding: str) -> list[tuple[int, int, str]]:
    lines = committed_lines(home / "results" / binding, "results")
    return sorted((row["start"], row["end"], json.dumps(row["payload"], sort_keys=True)) for row in lines)


def wanted(rows: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """Return the reference results of a chain: the second run reads the output of the first."""
    stream = StreamDefinition.model_validate(EDGES)
    late = {"s": AdvanceTime(late=Late.DROP)}
    first = ReferenceRun(graph(ORDER, "edges"), {"edges": stream}, late)
    for row in rows:
        first.take("s", ONLY_LANE, read_row({name: of for name, of in row.items() if name != "batch"}, stream))
    second = ReferenceRun(graph(COUNT, "edges"), {"edges": stream}, late)
    for element in elements_of(first, "out"):
        second.take("s", ONLY_LANE, element)
    second.take("s", ONLY_LANE, Cti(Tick(INFINITY)))
    given = [entry for entry in elements_of(second, "out") if not isinstance(entry, Cti)]
    return sorted((each.start, each.end, json.dumps(each.payload, sort_keys=True)) for each in given)


@given(lives=LIVES)
@settings(max_examples=8, deadline=None)
def test_counts_after_ordered_edges_equal_the_reference(
    tmp_path_factory: pytest.TempPathFactory, lives: list[tuple[int, int, str, int]]
) -> None:
    rows = rows_of(lives)
    loop = both(tmp_path_factory.mktemp("composed"), rows)
    loop.run()
    assert read_rows(loop) == wanted(rows)


@pytest.mark.parametrize("stage", STAGES)
def test_a_kill_at_any_stage_of_any_batch_loses_and_repeats_nothing(tmp_path: Path, stage: str) -> None:
    rows = rows_of([(0, 15, "a", 1), (4, 30, "b", 2), (12, 9, "a", 1), (25, 3, "b", 1)])
    loop = both(tmp_path, rows)
    killed = 0
    while loop.killed_at(stage):
        shared_journal.cache_clear()
        killed += 1
        if loop.batch() is None:
            break
    loop.run()
    assert killed > 2
    assert read_rows(loop) == wanted(rows)
    assert not list(committed_lines(tmp_path / "results" / SECOND, "late"))
