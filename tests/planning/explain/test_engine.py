"""Explained stages, folds and slices are those of the engine's plan, if the engine supports the graph."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph, WindowNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.compile import compile_binding
from streaming.planning.explain import Explanation, explain
from streaming.planning.explain.explain_facts import LifetimeBound
from streaming.planning.explain.slices import slices_of
from streaming.planning.plan import Branch, QueryPlan, WindowSpec
from streaming.temporal.ticks import Tick, Ticks
from streaming.temporal.windows import HoppingWindows

STREAMS = {
    name: StreamDefinition.model_validate(
        {"shape": shape, "fields": {"k": "string", "v": "long"}, "advance": {"preset": "watermark(3us)"}}
    )
    for name, shape in (("s", "point"), ("r", "interval"))
}
SIZES = st.integers(1, 40)
COLUMNS = [{"name": "k", "of": "k"}, {"name": "v", "of": "v + 1"}]
SUM = [{"name": "v", "function": "sum", "of": "v"}]


@st.composite
def carried(draw: st.DrawFn) -> QueryGraph:
    """Draw inputs, each with chains of filters, projections and windows, and an output after each chain."""
    nodes: list[dict[str, Any]] = [{"id": name, "kind": "input", "stream": name} for name in STREAMS]
    for number in range(draw(st.integers(2, 4))):
        last = "s" if number == 0 else draw(st.sampled_from([each["id"] for each in nodes if each["kind"] != "output"]))
        last = "r" if number == 1 else last
        for step in range(draw(st.integers(0, 4))):
            name = f"n{number}_{step}"
            nodes.append({"id": name, "input": last, **draw(st.sampled_from(STEPS).flatmap(lambda each: each))})
            last = name
        nodes.append({"id": f"out{number}", "kind": "output", "input": last})
    return QueryGraph.model_validate({"version": 1, "name": "carried", "nodes": nodes})


def window(size: int, hop: int, offset: int) -> dict[str, Any]:
    spec = {"kind": "hopping", "size": size, "hop": hop, "offset": offset}
    return {"kind": "window", "window": spec, "group_by": ["k"], "aggregates": SUM}


STEPS = (
    st.just({"kind": "filter", "where": "v > 0"}),
    st.just({"kind": "project", "columns": COLUMNS}),
    st.builds(window, SIZES, SIZES, st.integers(-9, 9)),
)


def both(graph: QueryGraph) -> tuple[Explanation, QueryPlan]:
    plan = compile_binding(graph, STREAMS, temporal_settings(graph, STREAMS, {}), buckets=8)
    return explain(graph, STREAMS, {}), plan


def first(plan: QueryPlan) -> Iterator[Branch]:
    for each in plan.inputs.values():
        yield from each.branches


def windows_of(plan: QueryPlan) -> Iterator[tuple[WindowSpec, HoppingWindows]]:
    for node in plan.nodes:
        if isinstance(node.spec, WindowSpec) and isinstance(node.spec.panes, HoppingWindows):
            yield node.spec, node.spec.panes


@given(graph=carried())
def test_the_explained_feed_has_the_nodes_of_the_plans_feed(graph: QueryGraph) -> None:
    explained, plan = both(graph)
    (part,) = explained.stages[0].parts
    steps = {step.node for branch in first(plan) for step in branch.steps}
    assert set(part.nodes) == steps | set(plan.inputs)
    assert set(explained.stages[0].folds) == {branch.window.node for branch in first(plan) if branch.window is not None}


@given(graph=carried())
def test_windows_are_in_stages_by_their_groups(graph: QueryGraph) -> None:
    explained, plan = both(graph)
    homes = {name: part.keys for stage in explained.stages[1:-1] for part in stage.parts for name in part.nodes}
    for spec, _ in windows_of(plan):
        assert homes[spec.node] == list(spec.group_by)
    assert ("one bucket per core" in explained.buckets) == (plan.buckets == 8)


@given(graph=carried())
def test_slices_are_the_partial_results_of_the_engine(graph: QueryGraph) -> None:
    """The engine aggregates points that are in the same windows into one partial result, whatever their times."""
    explained, plan = both(graph)
    slices = {node.id: node.slices for node in explained.nodes}
    for spec, windows in windows_of(plan):
        stated = slices[spec.node]
        assert stated is not None
        start, end = windows.bounds(7)
        partials = Counter(str(windows.indices(Tick(at), Tick(at + 1))) for at in range(start, end))
        assert stated.per_window == len(partials)
        assert set(stated.lengths) == set(partials.values())
        assert all(length % stated.grid == 0 for length in stated.lengths)
        assert (stated.size, stated.hop, stated.offset) == (windows.size, windows.hop, windows.offset % windows.hop)


@given(size=SIZES, hop=SIZES, offset=st.integers(-9, 9), length=st.integers(1, 60))
def test_events_are_in_as_many_windows_as_explained(size: int, hop: int, offset: int, length: int) -> None:
    node = WindowNode.model_validate({"id": "w", "input": "s", **window(size, hop, offset)})
    stated = slices_of(node, LifetimeBound(Ticks(length)))
    _, windows = next(windows_of(compile_one(node)))
    counts = [
        len(windows.indices(Tick(at), Tick(at + lives)))
        for at in range(offset, offset + hop)
        for lives in range(1, length + 1)
    ]
    assert (min(counts), max(counts)) == (stated.fewest, stated.most)


def compile_one(node: WindowNode) -> QueryPlan:
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, node, {"id": "out", "kind": "output", "input": "w"}]
    graph = QueryGraph.model_validate({"version": 1, "name": "one", "nodes": nodes})
    return compile_binding(graph, STREAMS, temporal_settings(graph, STREAMS, {}), buckets=8)


@given(graph=carried())
def test_schemas_are_those_of_the_plan(graph: QueryGraph) -> None:
    explained, plan = both(graph)
    fields = {node.id: node.fields for node in explained.nodes}
    for output, schema in plan.outputs.items():
        assert fields[output] == {name: str(of) for name, of in schema.items()}
