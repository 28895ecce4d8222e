"""Why an event is in no result: decisions as data, and the smallest delay that would have kept it, tried out."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from streaming.definition.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Decision
from streaming.reference.flow import ElementId
from streaming.temporal.outcomes import Outcome
from streaming.wire.case import ONLY_LANE, EndMode
from streaming.wire.rows import read_row

ROWS = st.lists(
    st.one_of(
        st.integers(-10, 40).map(lambda at: {"start": at, "payload": {}}),
        st.integers(-10, 40).map(lambda at: {"start": at, "payload": {}}),
        st.integers(-10, 20).map(lambda at: {"cti": at}),
    ),
    max_size=15,
)
EVERY = st.one_of(st.integers(1, 4), st.integers(1, 9).map(lambda ticks: f"{ticks}us"))
WINDOW = {"id": "w", "kind": "window", "aggregates": [{"name": "n", "function": "count"}], "input": "s"}
OUT = {"id": "out", "kind": "output"}


def run_of(rows: list[dict[str, Any]], advance: dict[str, Any], between: list[dict[str, Any]]) -> ReferenceRun:
    """`rows` into an output, through the nodes `between`."""
    stream = StreamDefinition.model_validate({"fields": {}, "advance": advance})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, *between]
    graph = QueryGraph.model_validate(
        {"version": 1, "name": "explained", "nodes": [*nodes, OUT | {"input": nodes[-1]["id"]}]}
    )
    run = ReferenceRun(graph, {"s": stream}, {"s": to_temporal(stream.advance)})
    for row in rows:
        run.take("s", ONLY_LANE, read_row(row, stream))
    run.end(EndMode.FLUSH)
    return run


def settings(every: int | str, delay: int, late: str, basis: str) -> dict[str, Any]:
    return {"generate": {"every": every, "delay": delay, "basis": basis}, "late": late}


@given(ROWS, EVERY, st.integers(-3, 10), st.sampled_from(("last", "max")))
def test_the_smallest_delay_keeps_a_dropped_event_and_one_tick_less_does_not(
    rows: list[dict[str, Any]], every: int | str, delay: int, basis: str
) -> None:
    run = run_of(rows, settings(every, delay, "drop", basis), [])
    for element, judged in run.judged.items():
        if judged.outcome is not Outcome.DROPPED_LATE:
            continue
        absence = run.why_absent(element)
        assert absence is not None
        assert absence.decision is Decision.TOO_LATE
        if absence.smallest_delay is None:
            assert run_of(rows, settings(every, 1_000, "drop", basis), []).why_absent(element) is not None
            continue
        assert run_of(rows, settings(every, absence.smallest_delay, "drop", basis), []).why_absent(element) is None
        assert run_of(rows, settings(every, absence.smallest_delay - 1, "drop", basis), []).why_absent(element)


@given(ROWS, EVERY, st.integers(-3, 10), st.integers(1, 8), st.integers(1, 8), st.integers(0, 6))
def test_the_smallest_delay_keeps_an_event_that_windows_refused(
    rows: list[dict[str, Any]], every: int | str, delay: int, size: int, hop: int, grace: int
) -> None:
    assume(hop <= size)
    window = WINDOW | {"window": {"kind": "hopping", "size": size, "hop": hop}, "grace": grace}
    run = run_of(rows, settings(every, delay, "keep", "last"), [window])
    for element, judged in run.judged.items():
        if judged.outcome is not Outcome.DROPPED_WINDOW_CLOSED:
            continue
        absence = run.why_absent(element)
        assert absence is not None
        assert absence.decision is Decision.WINDOW_CLOSED
        if absence.smallest_delay is None:
            continue
        kept = run_of(rows, settings(every, absence.smallest_delay, "keep", "last"), [window])
        assert kept.why_absent(element) is None
        refused = run_of(rows, settings(every, absence.smallest_delay - 1, "keep", "last"), [window])
        assert refused.why_absent(element) is not None


def test_no_delay_helps_against_a_cti_that_was_not_generated() -> None:
    rows = [{"start": 5, "payload": {}}, {"cti": 20}, {"start": 15, "payload": {}}]
    absence = run_of(rows, settings(1, 0, "drop", "last"), []).why_absent(ElementId("s", ONLY_LANE, 2))
    assert absence is not None
    assert absence.smallest_delay is None
    assert absence.lateness == 5


def test_an_event_dropped_at_the_door_names_no_node_and_says_the_delay() -> None:
    rows = [{"start": 20, "payload": {}}, {"start": 15, "payload": {}}]
    absence = run_of(rows, settings(1, 2, "drop", "last"), []).why_absent(ElementId("s", ONLY_LANE, 1))
    assert absence is not None
    assert (absence.nodes, absence.smallest_delay) == ((), 5)
    assert absence.sentence.endswith("; with a delay of 5us it would have been taken.")


def test_a_row_knows_the_elements_that_made_it_and_how_each_was_judged() -> None:
    rows = [{"start": 2, "payload": {}}, {"start": 1, "payload": {}}, {"cti": 9}]
    run = run_of(rows, {"late": "drop"}, [WINDOW | {"window": {"kind": "tumbling", "size": 5}}])
    (row,) = run.outputs
    made_of = run.origin(row)
    assert [(element.position, judged.outcome) for element, judged in made_of.elements] == [
        (0, Outcome.ON_TIME),
        (1, Outcome.REORDERED),
    ]
    assert made_of.released_by is not None
    assert made_of.released_by.cti == 9
