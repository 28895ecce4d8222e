"""Late rows are counted in the results that would have had them, and only where that is certain."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.simulator.replay.belonging import Belonging, NotKnown, ResultKey
from streaming.temporal.events import Event
from streaming.temporal.outcomes import Outcome
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.case import EndMode
from streaming.wire.messages import LateEvent

some = settings(max_examples=max(20, settings.default.max_examples // 4), deadline=None)
FIELDS = {"gate": "string", "fee": "decimal(6,2)"}
WINDOWS: Sequence[dict[str, Any]] = (
    {"kind": "tumbling", "size": 10},
    {"kind": "tumbling", "size": 7, "offset": 3},
    {"kind": "hopping", "size": 10, "hop": 4},
    {"kind": "hopping", "size": 4, "hop": 10},
)
BEFORE: Sequence[Sequence[dict[str, Any]]] = (
    (),
    ({"kind": "filter", "where": "fee > 2"},),
    ({"kind": "shift", "by": 5}, {"kind": "filter", "where": "gate <> 'b'"}),
    ({"kind": "set_duration", "duration": 6}, {"kind": "extend", "by": 3}),
    (
        {
            "kind": "project",
            "columns": [{"name": "gate", "of": "upper(gate)"}, {"name": "fee", "of": "fee * 2"}],
        },
    ),
)
AFTER: Sequence[Sequence[dict[str, Any]]] = (
    (),
    ({"kind": "filter", "where": "n > 1"}, {"kind": "shift", "by": 100}),
    ({"kind": "project", "columns": [{"name": "passed", "of": "n"}, {"name": "at_gate", "of": "gate"}]},),
)


def query(*middle: Mapping[str, Any], **output: Any) -> QueryGraph:
    nodes: list[dict[str, Any]] = [{"kind": "input", "id": "in", "stream": "passages"}]
    for number, each in enumerate(middle):
        nodes.append({"id": f"node_{number}", "input": nodes[-1]["id"], **each})
    nodes.append({"kind": "output", "id": "out", "input": nodes[-1]["id"], **output})
    return QueryGraph.model_validate_json(json.dumps({"version": 1, "name": "tolls", "nodes": nodes}))


def window(spec: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "window",
        "group_by": ["gate"],
        "window": dict(spec),
        "aggregates": [{"name": "n", "function": "count"}],
        **more,
    }


def stream(shape: str = "interval", **advance: Any) -> StreamDefinition:
    definition = {"shape": shape, "fields": FIELDS, "advance": {"late": "drop", **advance}}
    return StreamDefinition.model_validate_json(json.dumps(definition))


def executed(graph: QueryGraph, source: StreamDefinition, events: Sequence[Event]) -> ReferenceRun:
    streams = {"passages": source}
    run = ReferenceRun(graph, streams, temporal_settings(graph, streams, {}))
    for event in events:
        run.take("in", "0", event, None)
        run.boundary()
    run.end(EndMode.FLUSH)
    return run


def counts(run: ReferenceRun) -> Counter[ResultKey]:
    found: Counter[ResultKey] = Counter()
    for row in run.outputs:
        payload = row.flow.payload
        gate, count = payload.get("gate", payload.get("at_gate")), payload.get("n", payload.get("passed"))
        place = ResultKey(row.flow.start, None if row.flow.end == INFINITY else row.flow.end, (gate,))
        found[place] += count
    return found


def dropped(run: ReferenceRun, belonging: Belonging) -> Counter[ResultKey]:
    found: Counter[ResultKey] = Counter()
    for element, judged in run.judged.items():
        if judged.outcome == Outcome.DROPPED_LATE and judged.original is not None:
            places = belonging.places(late_of(judged.original, element.position))
            assert places is not None
            found.update(places)
    return found


def late_of(event: Event, position: int) -> LateEvent:
    payload = {"gate": event.payload["gate"], "fee": str(event.payload["fee"])}
    return LateEvent(
        input="in",
        lane="0",
        position=position,
        start=event.start,
        end=event.end,
        cti=0,
        outcome="dropped_late",
        reason="before_cti",
        policy="drop",
        moved_by=None,
        raw=json.dumps({"payload": payload}),
    )


@st.composite
def drawn_events(draw: st.DrawFn) -> list[Event]:
    return [
        Event(
            Tick(start := draw(st.integers(0, 60))),
            Tick(start + draw(st.integers(1, 12))),
            {"gate": draw(st.sampled_from(["a", "b", None])), "fee": Decimal(draw(st.integers(0, 900))) / 100},
        )
        for _ in range(draw(st.integers(1, 25)))
    ]


@some
@given(
    spec=st.sampled_from(WINDOWS),
    before=st.sampled_from(BEFORE),
    after=st.sampled_from(AFTER),
    events=drawn_events(),
)
def test_a_result_and_its_dropped_rows_are_the_result_of_all_rows(
    spec: Mapping[str, Any],
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    events: list[Event],
) -> None:
    graph = query(*before, window(spec), *after)
    late_source = stream(generate={"every": 1, "delay": 5})
    run = executed(graph, late_source, events)
    in_time = counts(executed(graph, stream(generate={"every": 1, "delay": 1000}), events))
    belonging = Belonging(graph, {"in": late_source}, "out")
    assert belonging.totals == {"passed" if "columns" in str(after) else "n"}
    missing = dropped(run, belonging)
    for place, count in counts(run).items():
        assert count + missing[place] == in_time[place]


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (query(window({"kind": "session", "gap": 5})), "the windows depend on the rows"),
        (query(window({"kind": "tumbling", "size": 5}), timestamp="point_at_end"), "don't have the times"),
        (query({"kind": "filter", "where": "fee > 1"}), "no window summarises"),
        (
            query(
                window({"kind": "tumbling", "size": 5}),
                {"kind": "project", "columns": [{"name": "n", "of": "n"}]},
            ),
            "doesn't have the field 'gate'",
        ),
        (
            query(
                window({"kind": "tumbling", "size": 5}),
                window({"kind": "tumbling", "size": 50}, aggregates=[{"name": "all", "function": "sum", "of": "n"}]),
            ),
            "the node 'node_0' before the window",
        ),
        (
            query(
                window({"kind": "tumbling", "size": 5}),
                {"kind": "top_k", "window": {"kind": "tumbling", "size": 5}, "by": "n", "k": 2},
            ),
            "the node 'node_1' is between",
        ),
    ],
)
def test_where_it_is_not_certain_the_reason_is_named(graph: QueryGraph, reason: str) -> None:
    with pytest.raises(NotKnown, match=reason):
        Belonging(graph, {"in": stream()}, "out")


def test_rows_of_edges_have_no_fixed_lifetime() -> None:
    with pytest.raises(NotKnown, match="edges"):
        Belonging(query(window({"kind": "tumbling", "size": 5})), {"in": stream("edge")}, "out")


def test_a_row_whose_text_is_lost_has_no_known_results() -> None:
    belonging = Belonging(query(window({"kind": "tumbling", "size": 5})), {"in": stream()}, "out")
    late = late_of(Event(Tick(1), Tick(2), {"gate": "a", "fee": 1}), 0)
    assert belonging.places(late.model_copy(update={"raw": "a;1"})) is None
    assert belonging.places(late) == [ResultKey(0, 5, ("a",))]


def test_a_longer_delay_assigns_rows_alike_and_another_filter_does_not() -> None:
    def of(where: str, delay: int) -> Belonging:
        graph = query({"kind": "filter", "where": where}, window({"kind": "tumbling", "size": 5}))
        return Belonging(graph, {"in": stream(generate={"every": 1, "delay": delay})}, "out")

    assert of("fee > 1", 5).same_as(of("fee > 1", 15))
    assert not of("fee > 1", 5).same_as(of("fee > 2", 5))
