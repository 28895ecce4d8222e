"""What Spark cannot run yet is refused by name, and what it can run is let pass."""

from dataclasses import fields, replace
from typing import Any, get_args

import pytest

from streaming.definition.carried import (
    CARRIED_ADVANCE,
    CARRIED_AGGREGATES,
    CARRIED_GENERATE,
    CARRIED_KINDS,
    CARRIED_WINDOWS,
    not_carried,
)
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.graph import AggregateFunction, Node, QueryGraph, WindowSpec
from streaming.definition.streams import Rowtime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import Ticks

POINTS = StreamDefinition.model_validate({"fields": {"k": "string", "v": "long"}})
TUMBLING = {"kind": "tumbling", "size": 10}
COUNT = {"name": "n", "function": "count"}
NODES: dict[str, dict[str, Any]] = {
    "shift": {"input": "s", "by": "1s"},
    "set_duration": {"input": "s", "duration": "1s"},
    "extend": {"input": "s", "by": "1s"},
    "clip": {"input": "s", "by": "s", "keys": ["k"]},
    "point_at_end": {"input": "s"},
    "to_intervals": {"input": "s"},
    "order_edges": {"input": "s"},
    "union": {"inputs": ["s", "s"]},
    "join": {"left": "s", "right": "s", "keys": ["k"]},
    "anti_join": {"left": "s", "right": "s", "keys": ["k"]},
    "semi_join": {"left": "s", "right": "s", "keys": ["k"]},
    "asof_join": {"left": "s", "right": "s", "keys": ["k"]},
    "top_k": {"input": "s", "window": TUMBLING, "by": "v", "k": 1},
}
WINDOWS: dict[str, dict[str, Any]] = {
    "session": {"gap": "1s"},
    "count": {"n": 2},
    "time_interval": {"duration": "1s"},
    "snapshot": {},
}
SETTINGS: dict[str, Any] = {
    "import_from": "t",
    "late_arrival": Ticks(1),
    "over": "k",
    "idle_after": Ticks(1),
    "idle": Idle.ADVANCE,
    "max_ahead": Ticks(1),
    "future": Future.DROP,
    "default_grace": Ticks(1),
}
SETTINGS_OF_GENERATE: dict[str, Any] = {"minimum_gap": Ticks(1)}
EVERY_EVENT = Generate(delay=Ticks(-1), every_count=1, basis=Basis.MAX, final=True)


def faults(
    *middle: dict[str, Any], stream: StreamDefinition = POINTS, advance: AdvanceTime | None = None, **out: Any
) -> tuple[Fault, ...]:
    nodes = [
        {"kind": "input", "id": "s", "stream": "s"},
        *middle,
        {"kind": "output", "id": "out", "input": middle[-1]["id"] if middle else "s", **out},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    return not_carried(graph, {"s": stream}, {} if advance is None else {"s": advance})


def window(**settings: Any) -> dict[str, Any]:
    return {"kind": "window", "id": "w", "input": "s", "window": TUMBLING, "aggregates": [COUNT]} | settings


def the_only(found: tuple[Fault, ...]) -> tuple[str | None, str | None]:
    """The place of the one fault, which refuses and says what to change."""
    [fault] = found
    assert (fault.code, fault.severity) == (FaultCode.NOT_CARRIED, Severity.ERROR)
    assert fault.message.endswith(".")
    assert fault.remedy.endswith(".")
    return fault.node, fault.field


def tags(union: Any) -> set[str]:
    return {get_args(model.model_fields["kind"].annotation)[0] for model in get_args(get_args(union)[0])}


def test_every_kind_is_either_carried_or_tested_here() -> None:
    assert tags(Node) == CARRIED_KINDS | NODES.keys()
    assert tags(WindowSpec) == CARRIED_WINDOWS | WINDOWS.keys()
    assert {each.name for each in fields(AdvanceTime)} == CARRIED_ADVANCE | SETTINGS.keys()
    assert {each.name for each in fields(Generate)} == CARRIED_GENERATE | SETTINGS_OF_GENERATE.keys()


def test_what_spark_carries_is_let_pass() -> None:
    filtered = {"kind": "filter", "id": "f", "input": "s", "where": "v > 1"}
    hopping = window(
        input="f",
        window={"kind": "hopping", "size": 10, "hop": 5},
        grace="0s",
        group_by=["k"],
        aggregates=[{"name": name, "function": name, "of": "v"} for name in CARRIED_AGGREGATES],
    )
    time = AdvanceTime(generate=EVERY_EVENT, late=Late.SHIFT, late_end=LateEnd.CLOSE_AT_CTI)
    assert faults(filtered, hopping, advance=time) == ()


@pytest.mark.parametrize("kind", NODES)
def test_a_node_of_another_kind_is_refused(kind: str) -> None:
    assert the_only(faults({"kind": kind, "id": "x"} | NODES[kind])) == ("x", "kind")


@pytest.mark.parametrize("kind", WINDOWS)
def test_windows_of_another_kind_are_refused(kind: str) -> None:
    assert the_only(faults(window(window={"kind": kind} | WINDOWS[kind]))) == ("w", "window.kind")


@pytest.mark.parametrize("function", sorted(set(get_args(AggregateFunction)) - CARRIED_AGGREGATES))
def test_another_aggregate_is_refused(function: str) -> None:
    aggregates = [COUNT, {"name": "x", "function": function, "of": "v"}]
    assert the_only(faults(window(aggregates=aggregates))) == ("w", "aggregates[1].function")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("grace", "1s"), ("emit", "on_complete"), ("emit", "running"), ("retract", True), ("empty", "default")],
)
def test_a_setting_of_windows_that_changes_what_comes_out_is_refused(setting: str, value: object) -> None:
    assert the_only(faults(window(**{setting: value}))) == ("w", setting)


@pytest.mark.parametrize("timestamp", ["point_at_end", "latest_input"])
def test_an_output_timestamp_other_than_the_lifetime_is_refused(timestamp: str) -> None:
    assert the_only(faults(timestamp=timestamp)) == ("out", "timestamp")


def test_a_stream_of_edges_is_refused() -> None:
    assert the_only(faults(stream=POINTS.model_copy(update={"shape": Shape.EDGE}))) == ("s", "stream")


def test_a_stream_whose_times_are_arrivals_is_refused() -> None:
    assert the_only(faults(stream=POINTS.model_copy(update={"rowtime": Rowtime.IMPLICIT}))) == ("s", "stream")


@pytest.mark.parametrize("name", SETTINGS)
def test_every_other_setting_of_time_is_refused(name: str) -> None:
    settings = replace(AdvanceTime(), **{name: SETTINGS[name]})
    assert the_only(faults(window(), advance=settings)) == ("s", name)


@pytest.mark.parametrize("name", SETTINGS_OF_GENERATE)
def test_every_other_setting_of_generated_ctis_is_refused(name: str) -> None:
    settings = AdvanceTime(generate=replace(EVERY_EVENT, **{name: SETTINGS_OF_GENERATE[name]}))
    assert the_only(faults(window(), advance=settings)) == ("s", f"generate.{name}")


@pytest.mark.parametrize("grace", ["0s", None])
def test_a_grace_by_default_concerns_only_windows_that_say_none(grace: str | None) -> None:
    settings = AdvanceTime(default_grace=Ticks(1))
    assert bool(faults(window(grace=grace), advance=settings)) == (grace is None)


def test_all_that_is_not_carried_is_said_at_once() -> None:
    found = faults(window(emit="running", retract=True), advance=AdvanceTime(over="k"))
    assert [fault.field for fault in found] == ["over", "emit", "retract"]
