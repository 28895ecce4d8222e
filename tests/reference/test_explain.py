"""Explanations of an absent event: decisions as data, and the smallest delay that would have kept it, tested."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.advance import to_temporal
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Absence, Decision
from streaming.reference.flow import ElementId
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import Tick, Ticks
from streaming.wire.execution.case import ONLY_LANE, EndMode
from streaming.wire.rows.row_json import read_row

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
ARRIVAL = 1_000
"""The arrival of every row."""


def run_of(
    rows: list[dict[str, Any]], advance: dict[str, Any], between: list[dict[str, Any]], shape: str = "point"
) -> ReferenceRun:
    """Run `rows` into an output, through the nodes `between`."""
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {}, "advance": advance})
    nodes = [{"id": "s", "kind": "input", "stream": "s"}, *between]
    graph = QueryGraph.model_validate(
        {"version": 1, "name": "explained", "nodes": [*nodes, OUT | {"input": nodes[-1]["id"]}]}
    )
    run = ReferenceRun(graph, {"s": stream}, {"s": to_temporal(stream.advance)})
    for row in rows:
        run.take("s", ONLY_LANE, read_row(row, stream), Tick(ARRIVAL))
    run.end(EndMode.FLUSH)
    return run


def absence_of(run: ReferenceRun, position: int) -> Absence:
    """Return why the row at `position` is absent."""
    found = run.why_absent(element(position))
    assert found is not None
    return found


def element(position: int) -> ElementId:
    return ElementId("s", ONLY_LANE, position)


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


@given(ROWS, EVERY, st.integers(-3, 10), st.integers(1, 8), st.integers(0, 7), st.integers(0, 6))
def test_the_smallest_delay_keeps_an_event_that_windows_refused(
    rows: list[dict[str, Any]], every: int | str, delay: int, hop: int, beyond: int, grace: int
) -> None:
    window = WINDOW | {"window": {"kind": "hopping", "size": hop + beyond, "hop": hop}, "grace": grace}
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


@pytest.mark.parametrize("moved_by", [-7, 4])
def test_the_smallest_delay_is_the_same_after_a_shift(moved_by: int) -> None:
    rows: list[dict[str, Any]] = [{"start": 20, "payload": {}}, {"start": 3, "payload": {}}]
    moved = {"id": "moved", "kind": "shift", "input": "s", "by": moved_by}
    window = WINDOW | {"input": "moved", "window": {"kind": "tumbling", "size": 6, "offset": moved_by}}
    smallest = absence_of(run_of(rows, settings(1, 2, "keep", "last"), [moved, window]), 1).smallest_delay
    assert smallest == 20 - (6 - 1)
    assert run_of(rows, settings(1, smallest, "keep", "last"), [moved, window]).why_absent(element(1)) is None
    assert run_of(rows, settings(1, smallest - 1, "keep", "last"), [moved, window]).why_absent(element(1)) is not None


def test_no_delay_helps_against_a_cti_that_was_not_generated() -> None:
    rows: list[dict[str, Any]] = [{"start": 5, "payload": {}}, {"cti": 20}, {"start": 15, "payload": {}}]
    absence = absence_of(run_of(rows, settings(1, 0, "drop", "last"), []), 2)
    assert (absence.smallest_delay, absence.lateness) == (None, 5)


def test_a_delay_helps_down_to_a_cti_that_was_not_generated() -> None:
    rows: list[dict[str, Any]] = [{"cti": 15}, {"start": 18, "payload": {}}, {"start": 15, "payload": {}}]
    assert absence_of(run_of(rows, settings(1, 1, "drop", "last"), []), 2).smallest_delay == 3


def test_the_smallest_delay_opens_the_last_window_that_refused_an_event() -> None:
    rows: list[dict[str, Any]] = [{"start": 20, "payload": {}}, {"start": 3, "payload": {}}]
    hopping = WINDOW | {"window": {"kind": "hopping", "size": 6, "hop": 3}, "grace": 1}
    absence = absence_of(run_of(rows, settings(1, 2, "keep", "last"), [hopping]), 1)
    closed_at, met = 9 + 1, 20 - 2
    assert (absence.decision, absence.smallest_delay) == (Decision.WINDOW_CLOSED, 2 + met - (closed_at - 1))


def test_the_absence_of_an_event_dropped_at_the_input_is_complete() -> None:
    rows: list[dict[str, Any]] = [{"start": 20, "payload": {}}, {"start": 15, "payload": {}}]
    absence = absence_of(run_of(rows, settings(1, 2, "drop", "last"), []), 1)
    assert absence == Absence(
        element=element(1),
        decision=Decision.TOO_LATE,
        nodes=(),
        outcome=Outcome.DROPPED_LATE,
        reason=Reason.BEFORE_CTI,
        cti_met=Tick(18),
        lateness=Ticks(3),
        smallest_delay=Ticks(5),
        sentence="row 1 of lane '0' of 's' is in no result: it was 3us late for the CTI "
        "1970-01-01T00:00:00.000018Z, and its policy dropped it; with a delay of 5us it would have been taken.",
    )


DOOR: list[tuple[dict[str, Any], Decision, str]] = [
    ({"edge": "start", "start": "noon", "payload": {}}, Decision.MALFORMED, "it is malformed (bad_time)"),
    (
        {"edge": "start", "start": 9_999, "payload": {}},
        Decision.TOO_EARLY,
        "it is further ahead of its arrival than 'max_ahead' allows",
    ),
    (
        {"edge": "end", "start": 9_999, "end": 10_000, "payload": {}},
        Decision.START_DROPPED,
        "it ends an edge whose start was dropped",
    ),
    ({"edge": "end", "start": 3, "end": 7, "payload": {}}, Decision.MALFORMED, "it is malformed (orphan_end)"),
]


@pytest.mark.parametrize(("position", "decision", "why"), [(at, *each[1:]) for at, each in enumerate(DOOR)])
def test_decisions_at_the_input_have_a_reason_and_no_delay(position: int, decision: Decision, why: str) -> None:
    advance = settings(1, 0, "drop", "last") | {"max_ahead": "2us", "future": "drop"}
    rows = [row for row, *_ in DOOR] + [{"cti": None}, {"edge": "start", "start": 1, "payload": {}}]
    run = run_of(rows, advance, [], "edge")
    absence = absence_of(run, position)
    assert (absence.decision, absence.nodes, absence.smallest_delay) == (decision, (), None)
    assert absence.sentence == f"row {position} of lane '0' of 's' is in no result: {why}."
    after = absence_of(run, len(rows) - 1)
    assert after.decision is Decision.AFTER_END
    assert after.sentence.endswith("is in no result: it arrived after CTI infinity had ended its lane.")


def branches(*nodes: dict[str, Any]) -> ReferenceRun:
    """Run rows at 1 and 6 through `nodes`, each but `dead` with its own output, not ended."""
    stream = StreamDefinition.model_validate({"fields": {}, "advance": {"late": "keep"}})
    inputs = [{"id": name, "kind": "input", "stream": name} for name in ("s", "other")]
    read = ["other", *(node["id"] for node in nodes if node["id"] != "dead")]
    outputs = [OUT | {"id": f"{node}_out", "input": node} for node in read]
    graph = QueryGraph.model_validate({"version": 1, "name": "branches", "nodes": [*inputs, *nodes, *outputs]})
    run = ReferenceRun(graph, {"s": stream, "other": stream}, {"s": to_temporal(stream.advance)})
    for row in ({"cti": 5}, {"start": 1, "payload": {}}, {"start": 6, "payload": {}}):
        run.take("s", ONLY_LANE, read_row(row, stream))
    return run


NEVER = {"id": "never", "kind": "filter", "input": "s", "where": "false"}
TUMBLING = WINDOW | {"window": {"kind": "tumbling", "size": 5}}


def test_what_one_branch_removes_and_another_keeps_is_waiting() -> None:
    other = TUMBLING | {"id": "v", "window": {"kind": "tumbling", "size": 9}}
    absence = absence_of(branches(NEVER, TUMBLING, other), 2)
    assert (absence.decision, absence.nodes) == (Decision.WAITING, ("w", "v"))
    assert absence.sentence == "row 2 of lane '0' of 's' is in no result yet: it waits in 'w' and 'v' for a CTI."


def test_all_removals_of_an_event_are_reported() -> None:
    absence = absence_of(branches(NEVER, TUMBLING), 1)
    assert (absence.decision, absence.nodes) == (Decision.REMOVED, ("never", "w"))
    assert absence.sentence.endswith(
        "filter 'never' removed it: false is false; all its windows in 'w' were closed, the last at "
        "1970-01-01T00:00:00.000005Z."
    )
    assert absence.outcome is Outcome.DROPPED_WINDOW_CLOSED


def test_an_event_without_a_path_to_an_output_says_so() -> None:
    absence = absence_of(branches(NEVER | {"id": "dead", "where": "true"}), 2)
    assert absence.decision is Decision.WAITING
    assert absence.sentence.endswith("is in no result yet: none of its nodes leads to an output.")


def test_an_event_in_too_many_windows_says_so_and_no_delay_helps() -> None:
    window = WINDOW | {"window": {"kind": "tumbling", "size": 1}}
    advance = settings(1, 0, "drop", "last")
    absence = absence_of(run_of([{"start": 0, "end": 10_001, "payload": {}}], advance, [window], "interval"), 0)
    assert (absence.decision, absence.nodes, absence.smallest_delay) == (Decision.TOO_MANY_WINDOWS, ("w",), None)
    assert (absence.outcome, absence.reason) == (Outcome.MALFORMED, Reason.TOO_MANY_WINDOWS)


def test_a_row_knows_the_elements_that_made_it_and_how_each_was_judged() -> None:
    rows: list[dict[str, Any]] = [{"start": 2, "payload": {}}, {"start": 1, "payload": {}}, {"cti": 9}]
    run = run_of(rows, {"late": "drop"}, [WINDOW | {"window": {"kind": "tumbling", "size": 5}}])
    (row,) = run.outputs
    made_of = run.origin(row)
    assert [(element.position, judged.outcome) for element, judged in made_of.elements] == [
        (0, Outcome.ON_TIME),
        (1, Outcome.REORDERED),
    ]
    assert made_of.released_by is not None
    assert made_of.released_by.cti == 9
