"""The checker on lifetimes that are certain to be too long for later windows (T24)."""

from typing import Any

import pytest

from tests.definition.checks.graphs import CARS, OUT, fault_places, faults, graph, top_k, window

LENGTH = {"id": "d", "kind": "set_duration", "input": "cars", "duration": 10_000}
TICK = {"kind": "tumbling", "size": 1}
TOO_MANY = [("too_many_windows", "w", "window")]


def behind(*nodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return graph(CARS, *nodes, window(input=nodes[-1]["id"], window=TICK) | fields, OUT)


def test_an_event_as_long_as_the_cap_of_windows_is_allowed_and_one_tick_longer_is_not() -> None:
    assert faults(behind(LENGTH)) == ()
    assert fault_places(behind(LENGTH | {"duration": 10_001})) == TOO_MANY


def test_the_same_is_true_of_hopping_windows_and_of_ranks() -> None:
    # [0, 9_992) is in the windows [k, k+10) for k = -9 to 9_991: 10_001 of them
    spec = {"kind": "hopping", "size": 10, "hop": 1}
    ranked = [("overlapping_ranks", "w", "window")]
    for middle, also in ((window, []), (top_k, ranked)):
        assert fault_places(graph(CARS, LENGTH | {"duration": 9_991}, middle(input="d", window=spec), OUT)) == also
        both = fault_places(graph(CARS, LENGTH | {"duration": 9_992}, middle(input="d", window=spec), OUT))
        assert sorted(both) == sorted([*TOO_MANY, *also])


@pytest.mark.parametrize(
    "then",
    [
        {"kind": "filter", "where": "n > 1"},
        {"kind": "shift", "by": "-1h"},
        {"kind": "extend", "by": 1},
        {"kind": "project", "columns": [{"name": "n", "of": "n"}]},
    ],
)
def test_lengths_are_followed_through_nodes_that_keep_or_add_to_them(then: dict[str, Any]) -> None:
    assert fault_places(behind(LENGTH | {"duration": 10_001}, {"id": "t", "input": "d"} | then)) == TOO_MANY


@pytest.mark.parametrize(
    "then",
    [
        {"kind": "point_at_end", "input": "d"},
        {"kind": "extend", "input": "d", "by": -1},
        {"kind": "union", "inputs": ["d", "cars"]},
        {"kind": "clip", "input": "d", "by": "cars", "keys": ["plate"]},
        {"kind": "semi_join", "left": "d", "right": "cars", "keys": ["plate"]},
    ],
)
def test_lifetimes_that_may_be_shorter_are_not_reported(then: dict[str, Any]) -> None:
    assert faults(behind(LENGTH | {"duration": 10_001}, {"id": "t"} | then)) == ()


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"kind": "tumbling", "size": 10_001}, True),
        ({"kind": "time_interval", "duration": 10_001, "period": 20_000}, True),
        ({"kind": "session", "gap": 10_001}, True),
        ({"kind": "session", "gap": 10_000}, False),
        ({"kind": "snapshot"}, False),
    ],
)
def test_rows_of_windows_live_as_long_as_their_windows(spec: dict[str, Any], wrong: bool) -> None:
    raw = behind(window(id="v", window=spec))
    assert ("too_many_windows" in [code for code, _, _ in fault_places(raw)]) is wrong


def test_windows_that_are_too_many_for_a_point_are_reported_once() -> None:
    raw = graph(CARS, LENGTH, window(input="d", window={"kind": "hopping", "size": 10_001, "hop": 1}), OUT)
    assert fault_places(raw) == [("too_many_windows", "w", "window.hop")]


def test_a_wrong_length_causes_no_other_fault() -> None:
    assert fault_places(behind(LENGTH | {"duration": -5})) == [("bad_duration", "d", "duration")]
