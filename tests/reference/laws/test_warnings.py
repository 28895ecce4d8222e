"""The warnings of the checker on results, demonstrated by results."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.check import check
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.execution import run_case
from streaming.wire.execution.case import ONLY_LANE, Case, CaseResult, CaseRow, EndMode
from tests.reference.drawn.cases import Scope, cases, each_operator
from tests.reference.drawn.readable import ReadableCase
from tests.reference.laws.runs import net

WINDOWS = ("tumbling", "hopping", "time_interval", "session", "snapshot", "count")
FLUSHED = Scope(ends=(EndMode.FLUSH,))


def warned(case: Case, code: FaultCode) -> list[Fault]:
    found = (*check(case.graph, case.streams).faults, *check_binding(case.graph, case.streams, case.advance))
    return [fault for fault in found if fault.code is code]


@pytest.mark.parametrize("kind", WINDOWS)
@each_operator
@given(data=st.data())
def test_a_grace_with_a_warning_of_no_effect_has_none_on_any_row(kind: str, data: st.DataObject) -> None:
    case = data.draw(cases(kind, FLUSHED))
    idle = [fault for fault in warned(case, FaultCode.NO_EFFECT) if fault.field in ("grace", "window.discard_age")]
    note(ReadableCase(case))
    assert net(run_case(case).events) == net(run_case(without_grace(case, {fault.node for fault in idle})).events)


def without_grace(case: Case, nodes: set[str | None]) -> Case:
    """Return `case` with windows that close at their end at `nodes`."""
    raw = case.graph.model_dump(mode="json")
    for node in raw["nodes"]:
        if node["id"] in nodes and node["window"]["kind"] == "time_interval":
            node["window"]["discard_age"] = 0
        elif node["id"] in nodes:
            node["grace"] = 0
    return replace(case, graph=QueryGraph.model_validate(raw))


COUNT = {"name": "n", "function": "count"}
TEN = {"kind": "tumbling", "size": "10us"}
INPUT = {"id": "s", "kind": "input", "stream": "s"}


def case_of(nodes: list[dict[str, Any]], times: list[int | tuple[int, int]], **advance: Any) -> Case:
    """Return one event at each of the `times`, each followed by a CTI unless `advance` differs, through `nodes`."""
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": [INPUT, *nodes]})
    shape = "interval" if any(isinstance(time, tuple) for time in times) else "point"
    settings = {"generate": {"every": 1}, "late": "keep"} | advance
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {}, "advance": settings})
    rows = [
        CaseRow("s", ONLY_LANE, 0, {"start": time, "payload": {}})
        if isinstance(time, int)
        else CaseRow("s", ONLY_LANE, 0, {"start": time[0], "end": time[1], "payload": {}})
        for time in times
    ]
    return Case("warned", graph, {"s": stream}, tuple(rows), EndMode.FLUSH)


def counted(grace: str | None = None, name: str = "w") -> list[dict[str, Any]]:
    window = {"id": name, "kind": "window", "input": "s", "window": TEN, "grace": grace, "aggregates": [COUNT]}
    return [window, {"id": "out", "kind": "output", "input": name}]


def counts(result: CaseResult) -> list[tuple[int, int, Any]]:
    return sorted((event.start, event.end, event.payload["n"]) for event in result.events)


def outcomes(result: CaseResult) -> list[str]:
    return [each.outcome for each in result.late]


def test_without_a_grace_a_kept_late_event_counts_until_its_window_ends_and_is_refused_after_that() -> None:
    case = case_of(counted(), [5, 3, 12, 4])
    assert [fault.node for fault in warned(case, FaultCode.KEEP_WITHOUT_GRACE)] == ["w"]
    assert counts(run_case(case)) == [(0, 10, 2), (10, 20, 1)]
    assert outcomes(run_case(case)) == ["late_kept", "dropped_window_closed"]


def test_with_a_grace_a_kept_late_event_counts_after_the_end_of_its_window() -> None:
    case = case_of(counted("5us"), [5, 3, 12, 4])
    assert warned(case, FaultCode.KEEP_WITHOUT_GRACE) == []
    assert counts(run_case(case)) == [(0, 10, 3), (10, 20, 1)]
    assert outcomes(run_case(case)) == ["late_kept", "late_kept"]


@pytest.mark.parametrize(
    ("late", "outcome"), [("drop", "dropped_late"), ("shift", "shifted"), ("keep", "late_kept"), ("adjust", "adjusted")]
)
def test_under_a_negative_delay_a_second_event_of_one_start_is_late(late: str, outcome: str) -> None:
    times: list[int | tuple[int, int]] = [(5, 9), (5, 9)]
    case = case_of(counted("0s"), times, generate={"every": 1, "delay": "-1tick"}, late=late)
    assert outcomes(run_case(case)) == [outcome]
    assert outcomes(run_case(case_of(counted("0s"), times, late=late))) == []


def grouped(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Return a window whose rows hold, with its name, where they start: the smallest start of any of its events."""
    smallest = {"name": name, "function": "min", "of": "at"}
    return {"id": name, "kind": "window", "input": "s", "window": spec, "aggregates": [smallest]}


@pytest.mark.parametrize(
    ("left", "right", "partners"),
    [
        (TEN, TEN, (1, 1)),
        (TEN, {"kind": "tumbling", "size": "5us"}, (2, 1)),
        (TEN, TEN | {"offset": "5us"}, (2, 2)),
        (TEN, {"kind": "tumbling", "size": "15us"}, (2, 2)),
        ({"kind": "hopping", "size": "10us", "hop": "5us"}, {"kind": "hopping", "size": "10us", "hop": "5us"}, (3, 3)),
    ],
)
def test_rows_of_windows_that_are_not_aligned_meet_several_rows_of_either_side(
    left: dict[str, Any], right: dict[str, Any], partners: tuple[int, int]
) -> None:
    join = {"id": "j", "kind": "join", "left": "a", "right": "b"}
    case = case_of([grouped("a", left), grouped("b", right), join, {"id": "out", "kind": "output", "input": "j"}], [])
    stream = case.streams["s"].model_copy(update={"fields": {"at": "long"}})
    rows = [CaseRow("s", ONLY_LANE, 0, {"start": at, "payload": {"at": at}}) for at in range(60)]
    met = [
        (row.payload["a"], row.payload["b"])
        for row in run_case(replace(case, streams={"s": stream}, rows=tuple(rows))).events
        if min(row.payload.values()) > 0  # several windows hold the first event
    ]
    most = tuple(max(Counter(pair[side] for pair in met).values()) for side in (0, 1))
    assert most == partners
    assert bool(warned(replace(case, streams={"s": stream}), FaultCode.WINDOWS_NOT_ALIGNED)) == (min(partners) > 1)


HOPPING = {"kind": "hopping", "size": "10us", "hop": "5us"}
TOTALS = {
    "id": "totals",
    "kind": "window",
    "input": "s",
    "window": HOPPING,
    "group_by": ["k"],
    "aggregates": [{"name": "total", "function": "sum", "of": "v"}],
}
FIVE = {"kind": "tumbling", "size": "5us"}


def ranking(source: str, window: dict[str, Any], by: str) -> dict[str, Any]:
    return {"id": "r", "kind": "top_k", "input": source, "window": window, "by": by, "k": 1}


@pytest.mark.parametrize(
    ("nodes", "warns", "most"),
    [
        ([ranking("s", HOPPING, "v")], True, 2),
        ([ranking("s", FIVE, "v")], False, 1),
        ([TOTALS, ranking("totals", HOPPING, "total")], True, 3),
        ([TOTALS, ranking("totals", FIVE, "total")], True, 2),
        ([TOTALS, {"id": "e", "kind": "point_at_end", "input": "totals"}, ranking("e", FIVE, "total")], False, 1),
        ([TOTALS | {"window": TEN}, ranking("totals", TEN, "total")], False, 1),
    ],
)
def test_ranks_of_windows_that_overlap_hold_one_row_several_times(
    nodes: list[dict[str, Any]], *, warns: bool, most: int
) -> None:
    case = case_of([*nodes, {"id": "out", "kind": "output", "input": "r"}], [])
    stream = case.streams["s"].model_copy(update={"fields": {"k": "string", "v": "long"}})
    # totals rise, so each is the largest of its windows and of all before
    rows = [CaseRow("s", ONLY_LANE, 0, {"start": at, "payload": {"k": "ab"[at % 2], "v": 2**at}}) for at in range(40)]
    case = replace(case, streams={"s": stream}, rows=tuple(rows))
    assert [fault.node for fault in warned(case, FaultCode.OVERLAPPING_RANKS)] == (["r"] if warns else [])
    found = Counter(str(sorted(row.payload.items())) for row in run_case(case).events)
    assert max(found.values()) == most


@pytest.mark.parametrize(("idle", "warns", "left"), [("leave_out", True, 0), (None, True, 0), ("advance", False, 1)])
def test_leaving_the_only_lane_out_has_no_effect(idle: str | None, *, warns: bool, left: int) -> None:
    nodes = [INPUT, INPUT | {"id": "t", "stream": "t"}, {"id": "u", "kind": "union", "inputs": ["s", "t"]}]
    graph = {"version": 1, "name": "q", "nodes": [*nodes, {"id": "out", "kind": "output", "input": "u"}]}
    warnings_found = {"generate": {"every": 1}, "late": "drop", "idle_after": "10us", "idle": idle}
    streams = {
        name: StreamDefinition.model_validate({"fields": {}, "advance": settings, "lanes": lanes})
        for name, settings, lanes in (
            ("s", {"generate": {"every": 1}, "late": "drop"}, None),
            ("t", warnings_found, ["0"]),
        )
    }
    rows = [
        CaseRow("t", ONLY_LANE, 0, {"start": 1, "payload": {}}),
        CaseRow("t", ONLY_LANE, 0, {"heartbeat": 1}),
        CaseRow("s", ONLY_LANE, 0, {"start": 5, "payload": {}}),
        CaseRow("t", ONLY_LANE, 0, {"heartbeat": 1_000}),
    ]
    case = Case("idle", QueryGraph.model_validate(graph), streams, tuple(rows), EndMode.NONE)
    faults = [fault for fault in warned(case, FaultCode.NO_EFFECT) if fault.field == "idle"]
    assert [fault.node for fault in faults] == (["t"] if warns else [])
    assert len([row for row in run_case(case).events if row.start == 5]) == left


def test_leaving_out_one_of_several_lanes_or_keys_has_no_warning() -> None:
    case = case_of(counted(), [1], idle_after="10us", idle="leave_out", late="drop")
    stream = case.streams["s"]
    several = stream.model_copy(update={"lanes": ["0", "1"]})
    keys = stream.model_copy(
        update={"fields": {"k": "string"}, "advance": stream.advance.model_copy(update={"over": "k"})}
    )
    for each, count in ((stream, 1), (several, 0), (keys, 0)):
        assert len(warned(replace(case, streams={"s": each}), FaultCode.NO_EFFECT)) == count
