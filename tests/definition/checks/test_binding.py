"""The checker on a query together with the advance-time settings of its inputs."""

from typing import Any

import pytest

from streaming.definition.checks.advance import check_advance
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.late_events import grace_of
from streaming.definition.faults import Fault, Severity
from streaming.definition.graph import QueryGraph, WindowNode
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_TICKS, Ticks
from tests.definition.checks.graphs import CARS, OUT, OWNERS, STREAMS, checked, graph, join, node, top_k, window

KEEP = {"late": "keep"}
DROP = {"late": "drop"}
MORE = CARS | {"id": "more"}
STRAIGHT = [CARS, OUT | {"input": "cars"}]
SECOND = [OWNERS, OUT | {"id": "out2", "input": "owners"}]
DAY = Ticks(24 * 3_600_000_000)


def bound(nodes: list[Any], **settings: dict[str, Any]) -> tuple[Fault, ...]:
    """Return the faults of a binding whose graph alone has no error."""
    raw = graph(*nodes)
    checked(raw)
    advance = {name: AdvanceTimeSettings.model_validate(each) for name, each in settings.items()}
    return check_binding(QueryGraph.model_validate(raw), STREAMS, advance)


def places(faults: tuple[Fault, ...]) -> list[tuple[str, str | None, str | None]]:
    assert all(fault.message.endswith(".") and fault.remedy.endswith((".", "?")) for fault in faults)
    return [(fault.code.value, fault.node, fault.field) for fault in faults]


def test_a_plain_binding_has_no_fault() -> None:
    assert bound(STRAIGHT, cars=DROP) == ()


def test_an_input_without_settings_has_those_of_its_stream() -> None:
    assert bound(STRAIGHT) == ()


# Imports


@pytest.mark.parametrize("named", ["owners", "cars"])
def test_ctis_are_imported_from_another_input_or_from_the_one_that_reads_a_stream(named: str) -> None:
    slow = {"id": "slow", "kind": "input", "stream": "owners"}
    other = {"cars": CARS, "owners": CARS | {"id": "owners"}}[named]
    nodes = [other, slow, OUT | {"input": other["id"]}, OUT | {"id": "out2", "input": "slow"}]
    assert bound(nodes, slow={"import_from": named, "late": "drop"}) == ()


def test_an_import_from_nowhere_names_the_nearest() -> None:
    (fault,) = bound(STRAIGHT + SECOND, cars={"import_from": "owner", "late": "drop"})
    assert places((fault,)) == [("unknown_input", "cars", "import_from")]
    assert fault.remedy == "Did you mean 'owners'?"


def test_an_import_from_a_stream_that_two_inputs_read_says_which() -> None:
    one, two = OWNERS | {"id": "one"}, OWNERS | {"id": "two"}
    outs = [OUT | {"id": f"out_{name}", "input": name} for name in ("one", "two")]
    (fault,) = bound([*STRAIGHT, one, two, *outs], cars={"import_from": "owners", "late": "drop"})
    assert places((fault,)) == [("unknown_input", "cars", "import_from")]
    assert "one, two" in fault.message


def test_an_input_does_not_import_from_itself() -> None:
    assert places(bound(STRAIGHT, cars={"import_from": "cars", "late": "drop"})) == [
        ("import_cycle", "cars", "import_from")
    ]


def test_a_cycle_of_imports_is_one_error_without_the_imports_that_lead_into_it() -> None:
    nodes = [*STRAIGHT, *SECOND, MORE, OUT | {"id": "out3", "input": "more"}]
    faults = bound(
        nodes,
        more={"import_from": "owners", "late": "drop"},
        cars={"import_from": "owners", "late": "drop"},
        owners={"import_from": "cars", "late": "drop"},
    )
    assert places(faults) == [("import_cycle", "cars", "import_from")]
    assert "cars <- owners <- cars" in faults[0].message


def test_a_chain_of_imports_is_valid() -> None:
    nodes = [*STRAIGHT, *SECOND, MORE, OUT | {"id": "out3", "input": "more"}]
    settings = {"cars": {"import_from": "owners", "late": "drop"}, "more": {"import_from": "cars", "late": "drop"}}
    assert bound(nodes, **settings) == ()


# Substreams


@pytest.mark.parametrize("over", ["plate", "upper(plate)", "n", "at"])
def test_a_clock_for_each_value_of_an_ordered_type(over: str) -> None:
    assert bound(STRAIGHT, cars={"over": over}) == ()


@pytest.mark.parametrize("over", ["tags", "null"])
def test_no_clock_for_each_value_of_another_type(over: str) -> None:
    assert places(bound(STRAIGHT, cars={"over": over})) == [("type_mismatch", "cars", "over")]


@pytest.mark.parametrize(("over", "code"), [("plat", "unknown_field"), ("plate +", "bad_expression")])
def test_an_expression_that_cannot_be_read_is_reported_once_by_check_advance(over: str, code: str) -> None:
    settings = AdvanceTimeSettings.model_validate({"over": over})
    assert bound(STRAIGHT, cars={"over": over}) == ()
    assert [fault.code.value for fault in check_advance(settings, STREAMS["cars"], adapter_sends_ctis=True)] == [code]


# Late events that are kept

EDGES = CARS | {"stream": "edges"}
UNION = {"id": "u", "kind": "union", "inputs": ["cars", "more"]}
COUNTED = window(id="c", group_by=["plate"], grace="1m")
TAKING = {"duration": "5m", "discard_age": "1m"}


@pytest.mark.parametrize("kind", ["anti_join", "semi_join", "asof_join"])
def test_kept_late_events_cannot_reach_the_side_that_filters_others(kind: str) -> None:
    nodes = [CARS, OWNERS, join(kind), OUT]
    assert places(bound(nodes, owners=KEEP)) == [("late_keep_refused", "owners", "late")]


def test_kept_late_events_do_not_reach_the_right_of_an_outer_join() -> None:
    nodes = [CARS, OWNERS, join(type="left_outer"), OUT]
    assert places(bound(nodes, owners=KEEP)) == [("late_keep_refused", "owners", "late")]


def test_kept_late_events_do_not_clip_others() -> None:
    clip = {"id": "w", "kind": "clip", "input": "cars", "by": "owners", "keys": ["plate"]}
    assert places(bound([CARS, OWNERS, clip, OUT], owners=KEEP)) == [("late_keep_refused", "owners", "late")]


@pytest.mark.parametrize("policy", ["drop", "adjust", "shift"])
def test_with_every_other_policy_late_events_may_reach_any_node(policy: str) -> None:
    assert bound([CARS, OWNERS, join("anti_join"), OUT], owners={"late": policy}) == ()


@pytest.mark.parametrize(
    "right",
    [
        {"kind": "filter", "input": "cars", "where": "n > 1"},
        {"kind": "set_duration", "input": "cars", "duration": "1m"},
        {"kind": "shift", "input": "cars", "by": "1m"},
        {"kind": "union", "inputs": ["more", "cars"]},
    ],
)
def test_kept_late_events_are_followed_through_other_nodes(right: dict[str, Any]) -> None:
    nodes = [CARS, MORE, OWNERS, right | {"id": "r"}, join("anti_join", left="owners", right="r"), OUT]
    assert ("late_keep_refused", "cars", "late") in places(bound(nodes, cars=KEEP))


@pytest.mark.parametrize("between", [COUNTED, top_k(id="c", window={"kind": "time_interval"} | TAKING)])
def test_windows_and_ranks_pass_no_late_event(between: dict[str, Any]) -> None:
    nodes = [CARS, OWNERS, between, join("anti_join", left="owners", right="c"), OUT]
    assert bound(nodes, cars=KEEP) == ()


@pytest.mark.parametrize("preset", ["lenses", "spl_event_time(1s, 1s)"])
def test_a_preset_that_keeps_late_events_is_refused_by_its_name(preset: str) -> None:
    nodes = [CARS, OWNERS, join("semi_join"), OUT]
    (fault,) = bound(nodes, owners={"preset": preset})
    assert places((fault,)) == [("late_keep_refused", "owners", "preset")]
    assert bound(nodes, owners={"preset": "watermark(1s)"}) == ()


@pytest.mark.parametrize("kind", ["join", "anti_join", "semi_join", "asof_join"])
def test_kept_late_edges_reach_no_side_of_a_join(kind: str) -> None:
    assert places(bound([EDGES, OWNERS, join(kind), OUT], cars=KEEP)) == [("late_keep_refused", "cars", "late")]


def test_kept_late_edges_may_join_once_they_are_intervals() -> None:
    whole = {"id": "i", "kind": "to_intervals", "input": "cars"}
    faults = bound([EDGES, OWNERS, whole, join(left="i"), OUT], cars=KEEP)
    assert [fault.code.value for fault in faults] == ["unbounded_state"]


def test_kept_late_edges_may_be_filtered_counted_and_united() -> None:
    other = CARS | {"id": "more", "stream": "edges"}
    assert bound([EDGES, other, UNION, window(input="u", grace="1m"), OUT], cars=KEEP) == ()


@pytest.mark.parametrize(("kind", "side"), [("join", "cars"), ("join", "owners"), ("semi_join", "cars")])
def test_kept_late_events_give_a_warning_about_unbounded_joins(kind: str, side: str) -> None:
    (fault,) = bound([CARS, OWNERS, join(kind), OUT], **{side: KEEP})
    port = "left" if side == "cars" else "right"
    assert places((fault,)) == [("unbounded_state", "w", port)]
    assert fault.severity is Severity.WARNING


def test_each_input_that_is_refused_is_reported() -> None:
    right = {"id": "r", "kind": "union", "inputs": ["cars", "more"]}
    nodes = [CARS, MORE, OWNERS, right, join("anti_join", left="owners", right="r"), OUT]
    assert places(bound(nodes, cars=KEEP, more=KEEP)) == [
        ("late_keep_refused", "cars", "late"),
        ("late_keep_refused", "more", "late"),
    ]


# Grace

INTERVAL = {"kind": "time_interval"} | TAKING


@pytest.mark.parametrize(
    ("middle", "field"),
    [
        (window(grace="1m"), "grace"),
        (window(grace="1m", emit="running"), "grace"),
        (window(window=INTERVAL), "window.discard_age"),
        (top_k(window=INTERVAL), "window.discard_age"),
    ],
)
def test_a_grace_that_no_late_event_can_use_is_a_warning(middle: dict[str, Any], field: str) -> None:
    (fault,) = bound([CARS, middle, OUT], cars=DROP)
    assert places((fault,)) == [("no_effect", "w", field)]
    assert fault.severity is Severity.WARNING
    assert bound([CARS, middle, OUT], cars=KEEP) == ()


def test_a_grace_of_zero_gets_no_warning() -> None:
    assert bound([CARS, window(grace="0s"), OUT], cars=DROP) == ()


def test_one_input_that_keeps_late_events_is_enough_for_a_grace() -> None:
    assert bound([CARS, MORE, UNION, window(input="u", grace="1m"), OUT], cars=DROP, more=KEEP) == ()


def test_late_events_do_not_reach_a_window_after_a_window() -> None:
    nodes = [CARS, window(id="v", grace="0s"), node("window", input="v", **_second()), OUT]
    assert places(bound(nodes, cars=KEEP)) == [("no_effect", "w", "grace")]


def _second() -> dict[str, Any]:
    return {key: value for key, value in window(grace="1m").items() if key not in ("id", "kind", "input")}


@pytest.mark.parametrize(
    ("middle", "field", "each"),
    [
        (window(), "grace", "each window of 5m"),
        (window(emit="running"), "grace", "each window of 5m"),
        (window(window={"kind": "session", "gap": "30s"}), "grace", "each session window"),
        (window(window=INTERVAL | {"discard_age": 0}), "window.discard_age", "each window of 5m"),
        (top_k(), "window", "each window of 5m"),
    ],
)
def test_kept_late_events_before_a_window_without_a_grace_are_a_warning(
    middle: dict[str, Any], field: str, each: str
) -> None:
    (fault,) = bound([CARS, middle, OUT], cars=KEEP)
    assert places((fault,)) == [("keep_without_grace", "w", field)]
    assert fault.severity is Severity.WARNING
    assert each in fault.message
    assert bound([CARS, middle, OUT], cars=DROP) == ()


def test_a_written_grace_of_zero_gets_no_warning() -> None:
    assert bound([CARS, window(grace="0s"), OUT], cars=KEEP) == ()


def test_every_input_whose_late_events_reach_a_window_without_a_grace_is_named() -> None:
    (fault,) = bound([CARS, MORE, UNION, window(input="u"), OUT], cars=KEEP, more=KEEP)
    assert "'cars' and 'more'" in fault.message


@pytest.mark.parametrize(("middle", "field"), [(window(), "grace"), (top_k(), "window")])
def test_after_lenses_a_window_without_a_grace_emits_results_a_day_late(middle: dict[str, Any], field: str) -> None:
    (fault,) = bound([CARS, middle, OUT], cars={"preset": "lenses"})
    assert places((fault,)) == [("late_results", "w", field)]
    assert fault.severity is Severity.WARNING
    assert "1d" in fault.message


@pytest.mark.parametrize("middle", [window(grace="0s"), window(emit="on_complete"), window(window=INTERVAL)])
def test_after_lenses_a_grace_or_another_emission_emits_results_in_time(middle: dict[str, Any]) -> None:
    assert bound([CARS, middle, OUT], cars={"preset": "lenses"}) == ()


def test_the_default_grace_of_a_window_is_the_longest_of_the_inputs_that_reach_it() -> None:
    raw = graph(CARS, MORE, OWNERS, UNION, window(input="u"), OUT, OUT | {"id": "out2", "input": "owners"})
    advance = {"more": AdvanceTime(default_grace=DAY), "owners": AdvanceTime(default_grace=Ticks(2 * DAY))}
    found = QueryGraph.model_validate(raw)
    (windowed,) = (node for node in found.nodes if isinstance(node, WindowNode))
    assert grace_of(windowed, found, advance) == DAY
    assert grace_of(windowed, found, {}) == NO_TICKS
