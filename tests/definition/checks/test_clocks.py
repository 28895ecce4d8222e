"""The checker on nodes that wait for CTIs of an input on which nothing advances time."""

from collections.abc import Collection
from typing import Any

import pytest

from streaming.definition.checks.advance import check_advance, in_force
from streaming.definition.checks.bindings import check_binding
from streaming.definition.checks.clocks import drop_repeated_no_clock, find_held_nodes
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, Rowtime
from tests.definition.checks.graphs import CARS, OUT, OWNERS, STREAMS, graph, join, node, top_k, window

CLOCK = {"preset": "watermark(5s)"}
MORE = CARS | {"id": "more"}
UNION = {"id": "u", "kind": "union", "inputs": ["cars", "more"]}


def bound(nodes: list[Any], own: Collection[str] | None = (), **settings: dict[str, Any]) -> list[Fault]:
    """Return the warnings about clocks of a binding; `own` names the streams whose adapter sends CTIs."""
    advance = {name: AdvanceTimeSettings.model_validate(each) for name, each in settings.items()}
    faults = check_binding(QueryGraph.model_validate(graph(*nodes)), STREAMS, advance, own)
    return [fault for fault in faults if fault.code is FaultCode.NO_CLOCK]


def places(faults: list[Fault]) -> list[tuple[str | None, str | None]]:
    assert all(fault.severity is Severity.WARNING for fault in faults)
    assert all(fault.message.endswith(".") and fault.remedy.endswith(".") for fault in faults)
    return [(fault.node, fault.field) for fault in faults]


@pytest.mark.parametrize("middle", [window(), top_k(), window(emit="on_complete")])
def test_a_window_whose_input_has_no_clock_never_closes(middle: dict[str, Any]) -> None:
    (fault,) = bound([CARS, middle, OUT])
    assert places([fault]) == [("w", "window")]
    assert fault.message == (
        "Nothing advances time on 'cars', so no window closes and no result is emitted before it ends."
    )


def test_a_running_window_emits_rows_and_never_closes() -> None:
    (fault,) = bound([CARS, window(emit="running"), OUT])
    assert fault.message.endswith("no window closes before it ends, and all stay in memory.")


@pytest.mark.parametrize("of", [CLOCK, {"generate": {"every": 1}, "late": "drop"}])
def test_a_preset_and_generated_ctis_are_a_clock(of: dict[str, Any]) -> None:
    assert bound([CARS, window(), OUT], cars=of) == []


def test_the_ctis_of_an_adapter_are_a_clock_and_unknown_adapters_are_not_reported() -> None:
    assert bound([CARS, window(), OUT], {"cars"}) == []
    assert bound([CARS, window(), OUT], None) == []


def test_implicit_rowtimes_are_a_clock() -> None:
    read = QueryGraph.model_validate(graph(CARS, window(), OUT))
    implicit = {"cars": STREAMS["cars"].model_copy(update={"rowtime": Rowtime.IMPLICIT})}
    assert find_held_nodes(read, implicit, in_force(read, implicit, {}), ()) == ()


@pytest.mark.parametrize("kind", ["join", "anti_join", "semi_join", "asof_join"])
def test_a_join_side_without_a_clock_stops_the_other_side(kind: str) -> None:
    (fault,) = bound([CARS, OWNERS, join(kind), OUT], cars=CLOCK)
    assert places([fault]) == [("w", "right")]
    assert fault.message == (
        f"Nothing advances time on 'owners', so this {kind} emits nothing before it ends, "
        "although time advances on 'cars'."
    )
    assert fault.remedy == "Set 'owners' to generate CTIs, or to import those of 'cars'."
    assert bound([CARS, OWNERS, join(kind), OUT], cars=CLOCK, owners=CLOCK) == []


def test_a_clip_and_a_union_wait_for_all_their_inputs() -> None:
    clip = {"id": "w", "kind": "clip", "input": "cars", "by": "owners", "keys": ["plate"]}
    assert places(bound([CARS, OWNERS, clip, OUT], owners=CLOCK)) == [("w", "input")]
    assert places(bound([CARS, MORE, UNION, OUT | {"input": "u"}], cars=CLOCK)) == [("u", "inputs[1]")]


def test_starts_and_ends_of_edges_wait_to_be_ordered() -> None:
    edges = CARS | {"stream": "edges"}
    assert places(bound([edges, node("order_edges"), OUT])) == [("w", "input")]
    assert bound([edges, node("to_intervals"), OUT]) == []


def test_a_stitch_waits_for_a_clock_and_a_chop_does_not() -> None:
    assert places(bound([CARS, node("stitch"), OUT])) == [("w", "input")]
    assert bound([CARS, node("chop", period="1h"), OUT]) == []


def test_without_any_clock_both_sides_are_named() -> None:
    (fault,) = bound([CARS, OWNERS, join(), OUT])
    assert fault.message == "Nothing advances time on 'cars' and 'owners', so this join emits nothing before they end."


def test_imported_ctis_are_a_clock_if_those_of_the_other_input_are() -> None:
    imports = {"import_from": "cars", "late": "drop"}
    nodes = [CARS, OWNERS, join(), OUT]
    assert bound(nodes, cars=CLOCK, owners=imports) == []
    assert places(bound(nodes, owners=imports)) == [("w", "left")]


@pytest.mark.parametrize("named", ["nothing", "owners"])
def test_broken_imports_are_reported_elsewhere(named: str) -> None:
    assert bound([CARS, OWNERS, join(), OUT], cars=CLOCK, owners={"import_from": named, "late": "drop"}) == []


def test_nodes_that_do_not_wait_need_no_clock() -> None:
    assert bound([CARS, node("filter", where="n > 1"), OUT]) == []
    assert (
        bound([CARS, OWNERS, join("asof_join"), OUT, OUT | {"id": "out2", "input": "cars"}], {"cars", "owners"}) == []
    )


def test_only_the_first_node_that_waits_is_reported() -> None:
    nodes = [CARS, OWNERS, window(id="c", group_by=["plate"]), join(left="c"), window(id="d", input="w")]
    faults = bound([*nodes, OUT | {"input": "d"}], owners=CLOCK)
    assert places(faults) == [("c", "window")]


def test_an_unknown_stream_is_not_reported_here() -> None:
    assert bound([CARS | {"stream": "boats"}, window(), OUT]) == []


def test_a_missing_clock_is_reported_at_the_node_or_the_input_but_not_both() -> None:
    read = QueryGraph.model_validate(graph(CARS, MORE, window(), OUT, OUT | {"id": "out2", "input": "more"}))
    faults = [
        fault.model_copy(update={"node": name})
        for name in ("cars", "more")
        for fault in check_advance(None, STREAMS["cars"], adapter_sends_ctis=False)
    ]
    held = find_held_nodes(read, STREAMS, in_force(read, STREAMS, {}), ())
    assert [fault.node for fault in drop_repeated_no_clock(faults, held)] == ["more"]
