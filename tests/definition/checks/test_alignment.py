"""The checker on rows of two windows that meet."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.alignment import _meets_several
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.temporal.ticks import Ticks
from streaming.temporal.windows import HoppingWindows
from tests.definition.checks.graphs import CARS, COUNT, OUT, faults, graph, top_k, window

TEN = {"kind": "tumbling", "size": "10m"}
MOVING = {"kind": "hopping", "size": "5m", "hop": "1m"}


def grouped(name: str, spec: dict[str, Any], count: str = "n") -> dict[str, Any]:
    return window(id=name, window=spec, group_by=["plate"], aggregates=[COUNT | {"name": count}])


def joined(left: dict[str, Any], right: dict[str, Any], kind: str = "join", **more: Any) -> tuple[Fault, ...]:
    both = {"id": "w", "kind": kind, "left": "a", "right": "b", "keys": ["plate"]} | more
    return faults(graph(CARS, grouped("a", left), grouped("b", right, "m"), both, OUT))


def united(left: dict[str, Any], right: dict[str, Any]) -> tuple[Fault, ...]:
    both = {"id": "w", "kind": "union", "inputs": ["a", "b"]}
    return faults(graph(CARS, grouped("a", left), grouped("b", right), both, OUT))


def place(fault: Fault) -> tuple[FaultCode, Severity, str | None, str | None]:
    return fault.code, fault.severity, fault.node, fault.field


WARNED = (FaultCode.WINDOWS_NOT_ALIGNED, Severity.WARNING, "w")


@pytest.mark.parametrize("kind", ["join", "anti_join", "semi_join"])
def test_windows_of_one_size_with_different_offsets_meet_in_part(kind: str) -> None:
    (fault,) = joined(TEN, TEN | {"offset": "5m"}, kind)
    assert place(fault) == (*WARNED, "right")
    assert "'a' live for windows of 10m, those of 'b' for windows of 10m, offset 5m" in fault.message
    assert fault.remedy == "Give both windows the same size, hop and offset."


def test_windows_of_sizes_that_do_not_nest_meet_in_part() -> None:
    (fault,) = joined(TEN, {"kind": "tumbling", "size": "15m"})
    assert place(fault) == (*WARNED, "right")
    assert "point_at_end node after both" in fault.remedy


def test_equal_overlapping_windows_also_meet_their_neighbours() -> None:
    (fault,) = joined(MOVING, MOVING)
    assert place(fault) == (*WARNED, "right")
    assert "windows of 5m, one each 1m, which overlap" in fault.message
    assert fault.remedy == "To join only rows of windows that end together, put a point_at_end node after both windows."


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (TEN, TEN),
        (TEN, TEN | {"offset": "20m"}),
        (TEN, {"kind": "time_interval", "duration": "10m"}),
        (TEN, {"kind": "tumbling", "size": "5m"}),
        ({"kind": "tumbling", "size": "1h"}, TEN),
        (TEN, {"kind": "hopping", "size": "2m", "hop": "10m", "offset": "4m"}),
        (TEN, {"kind": "session", "gap": "7m"}),
        ({"kind": "snapshot"}, {"kind": "count", "n": 3}),
    ],
)
def test_windows_that_are_equal_or_nest_or_depend_on_events_are_not_reported(left: Any, right: Any) -> None:
    for faults_found in (joined(left, right), joined(right, left)):
        assert FaultCode.WINDOWS_NOT_ALIGNED not in [fault.code for fault in faults_found]


def test_an_as_of_join_compares_starts_and_accepts_any_windows() -> None:
    assert joined(TEN, TEN | {"offset": "5m"}, "asof_join") == ()


def test_windows_are_followed_through_nodes_that_keep_lifetimes_and_through_shifts() -> None:
    between: list[dict[str, Any]] = [
        {"id": "f", "kind": "filter", "input": "a", "where": "n > 1"},
        {"id": "s", "kind": "shift", "input": "f", "by": "1h"},
        {"id": "p", "kind": "project", "input": "s", "columns": [{"name": "plate", "of": "plate"}]},
    ]
    both = {"id": "w", "kind": "join", "left": "p", "right": "b", "keys": ["plate"]}
    nodes = [CARS, grouped("a", TEN), grouped("b", TEN, "m"), *between, both, OUT]
    assert faults(graph(*nodes)) == ()
    nodes[4] = between[1] | {"by": "5m"}
    (fault,) = faults(graph(*nodes))
    assert place(fault) == (*WARNED, "right")
    assert "'p' live for windows of 10m, offset 5m" in fault.message


def test_windows_are_not_followed_through_other_nodes() -> None:
    ends = [{"id": f"{name}_end", "kind": "point_at_end", "input": name} for name in "ab"]
    both = {"id": "w", "kind": "join", "left": "a_end", "right": "b_end", "keys": ["plate"]}
    assert faults(graph(CARS, grouped("a", MOVING), grouped("b", MOVING, "m"), *ends, both, OUT)) == ()


def test_ranked_events_live_for_their_windows_too() -> None:
    ranked = top_k(id="r", window=TEN | {"offset": "5m"}, group_by=["plate"])
    both = {"id": "w", "kind": "semi_join", "left": "a", "right": "r", "keys": ["plate"]}
    (fault,) = faults(graph(CARS, grouped("a", TEN), ranked, both, OUT))
    assert place(fault) == (*WARNED, "right")


def test_a_union_of_windows_that_differ_only_in_the_offset_is_a_warning() -> None:
    (fault,) = united(TEN, TEN | {"offset": "5m"})
    assert place(fault) == (*WARNED, "inputs[1]")


@pytest.mark.parametrize("right", [TEN, MOVING, {"kind": "tumbling", "size": "1h"}])
def test_a_union_of_different_sizes_is_not_reported(right: dict[str, Any]) -> None:
    assert united(TEN, right) == ()


def test_a_union_of_equal_windows_has_those_windows() -> None:
    united_rows = {"id": "u", "kind": "union", "inputs": ["a", "c"]}
    both = {"id": "w", "kind": "semi_join", "left": "u", "right": "b", "keys": ["plate"]}
    rows = [CARS, grouped("a", TEN), grouped("c", TEN), grouped("b", TEN | {"offset": "1m"})]
    (fault,) = faults(graph(*rows, united_rows, both, OUT))
    assert place(fault) == (*WARNED, "right")
    rows[2] = grouped("c", MOVING)
    assert faults(graph(*rows, united_rows, both, OUT)) == ()


def test_windows_with_faults_are_not_reported_twice() -> None:
    assert [fault.code for fault in joined(TEN, {"kind": "tumbling", "size": "0s"})] == [FaultCode.BAD_WINDOW]


GRIDS = st.builds(
    lambda size, hop, offset: HoppingWindows(Ticks(size), Ticks(hop), Ticks(offset)),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(-12, 12),
)


@given(one=GRIDS, other=GRIDS)
def test_a_window_meets_several_if_and_only_if_some_window_does(one: HoppingWindows, other: HoppingWindows) -> None:
    meets = [len(other.indices(*one.bounds(index))) for index in range(other.hop)]
    assert _meets_several(one, other) == (max(meets) > 1)
