from typing import Any

import pytest

from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.event_time import (
    check_event_times,
    event_path,
    value_at,
    value_in_facets,
    with_event_times,
)
from streaming.definition.streams.stream import EventTime, EventTimeBy, Rowtime, StreamDefinition, TimeColumn

GRAPH = QueryGraph.model_validate(
    {
        "version": 1,
        "name": "q",
        "nodes": [
            {"id": "a", "kind": "input", "stream": "cars"},
            {"id": "b", "kind": "input", "stream": "cars"},
            {"id": "out", "kind": "output", "input": "a"},
        ],
    }
)


def test_the_facets_come_before_the_steps() -> None:
    assert (event_path("_key.a.b").facet, event_path("_key.a.b").steps) == ("key", ("a", "b"))
    assert (event_path("_value.a").facet, event_path("_value.a").steps) == ("value", ("a",))
    assert (event_path("_meta.partition").facet, event_path("_meta.partition").steps) == ("meta", ("partition",))
    assert (event_path("a.b").facet, event_path("a.b").steps) == (None, ("a", "b"))


def test_a_step_in_backticks_is_a_name_with_any_characters() -> None:
    assert event_path("`_key`.a").facet is None
    assert event_path("`a.b`.`c``d`").steps == ("a.b", "c`d")


@pytest.mark.parametrize("text", ["", ".a", "a.", "a..b", "`a", "a`b", "``"])
def test_text_that_isnt_a_path_is_the_name_of_a_column(text: str) -> None:
    assert event_path(text).steps == ()
    assert value_at({text: 7}, event_path(text)) == 7
    assert value_at({"a": {"b": 1}}, event_path(text)) is None


@pytest.mark.parametrize(
    ("row", "path", "found"),
    [
        ({"t": 1}, "t", 1),
        ({"t": 1}, "_value.t", 1),
        ({"a": {"b": 2}}, "a.b", 2),
        ({"a": {"b": 2}}, "_value.a.b", 2),
        ({"a.b": 3, "a": {"b": 2}}, "a.b", 3),
        ({"a.b": 3, "a": {"b": 2}}, "_value.a.b", 3),
        ({"_value.t": 4, "t": 1}, "_value.t", 4),
        ({"key": {"t": 5}}, "_key.t", 5),
        ({"_key": {"t": 6}, "key": {"t": 5}}, "_key.t", 6),
        ({"key": 7}, "_key", 7),
        ({"a.b": {"c": 8}}, "`a.b`.c", 8),
        ({"a": {"b": 2}}, "a.c", None),
        ({"a": 2}, "a.b", None),
        ({"t": 1}, "_key.t", None),
        ({"t": 1}, "_meta.t", None),
    ],
)
def test_a_column_of_the_whole_name_comes_before_nested_fields(row: Any, path: str, found: object) -> None:
    assert value_at(row, event_path(path)) == found


@pytest.mark.parametrize(
    ("path", "found"), [("t", 1), ("_value.t", 1), ("a.t", 2), ("_key.t", 3), ("_meta.t", 4), ("_key", {"t": 3})]
)
def test_transcript_rows_have_separate_facets(path: str, found: object) -> None:
    row = {"key": {"t": 3}, "payload": {"t": 1, "a": {"t": 2}}, "meta": {"t": 4}, "t": 9}
    assert value_in_facets(row, event_path(path)) == found
    assert value_in_facets({"t": 9}, event_path(path)) is None


def test_each_input_has_its_own_start() -> None:
    stream = StreamDefinition(fields={"k": "string"})
    found = with_event_times(
        GRAPH, {"cars": stream}, {"a": EventTimeBy(path="_key.t", unit="ms", zone="Europe/Zurich")}
    )
    assert found["a"].event_time == EventTime(start=TimeColumn(column="_key.t", unit="ms", zone="Europe/Zurich"))
    assert found["b"] == stream


def test_the_end_stays_the_streams_and_arrivals_are_no_longer_times() -> None:
    times = EventTime(start=TimeColumn(column="from"), end=TimeColumn(column="until", unit="s"), edge="which")
    stream = StreamDefinition(fields={}, event_time=times, rowtime=Rowtime.IMPLICIT)
    found = with_event_times(GRAPH, {"cars": stream}, {"a": EventTimeBy(path="t")})["a"]
    assert found.event_time == EventTime(start=TimeColumn(column="t"), end=times.end, edge="which")
    assert found.rowtime is Rowtime.EXPLICIT


def test_inputs_of_unknown_streams_are_left_out() -> None:
    assert with_event_times(GRAPH, {}, {"a": EventTimeBy(path="t")}) == {}


def test_every_fault_of_event_times_is_reported_at_once() -> None:
    stream = StreamDefinition(fields={"on": "boolean", "a": "struct<b: array<long>>"})
    event_times = {
        "out": EventTimeBy(path="t"),
        "a": EventTimeBy(path="a.b", zone="Nowhere"),
        "b": EventTimeBy(path="_value"),
    }
    faults = check_event_times(GRAPH, {"cars": stream}, event_times)
    assert [(fault.code, fault.node, fault.field) for fault in faults] == [
        (FaultCode.UNKNOWN_INPUT, "out", "event_time"),
        (FaultCode.BAD_SHAPE, "a", "event_time.zone"),
        (FaultCode.TYPE_MISMATCH, "a", "event_time.path"),
        (FaultCode.BAD_SHAPE, "b", "event_time.path"),
    ]


@pytest.mark.parametrize("path", ["seen", "_key.t", "_key", "elsewhere", "_meta.partition"])
def test_a_path_that_may_hold_a_time_is_valid(path: str) -> None:
    stream = StreamDefinition(fields={"seen": "timestamp", "on": "boolean"})
    assert check_event_times(GRAPH, {"cars": stream}, {"a": EventTimeBy(path=path)}) == ()


@pytest.mark.parametrize("of", ["long", "double", "decimal(20,3)"])
def test_a_number_without_a_unit_is_an_error(of: str) -> None:
    streams = {"cars": StreamDefinition(fields={"at": of, "ts": "timestamp", "s": "string"})}
    (found,) = check_event_times(GRAPH, streams, {"a": EventTimeBy(path="_value.at")})
    assert (found.code, found.field) == (FaultCode.TYPE_MISMATCH, "event_time.path")
    assert "UNIT s" in found.remedy
    event_times = {"a": EventTimeBy(path="at", unit="ms"), "b": EventTimeBy(path="ts")}
    assert check_event_times(GRAPH, streams, event_times) == ()
    assert check_event_times(GRAPH, streams, {"a": EventTimeBy(path="s")}) == ()
