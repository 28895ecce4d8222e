"""The checker on nodes with several inputs."""

from typing import Any

import pytest

from streaming.definition.faults import Severity
from tests.definition.checks.graphs import (
    CARS,
    FIELDS,
    OUT,
    checked,
    fault_places,
    faults,
    graph,
    join,
    joined,
    node,
    only,
    schema,
)

PAIR = FIELDS | {"owner": "string", "since": "timestamp"}
ALL_JOINS = ["join", "anti_join", "semi_join", "asof_join"]
WITH_WHERE = ["join", "anti_join", "semi_join"]


def renamed(**columns: str) -> dict[str, Any]:
    listed = [{"name": name, "of": of} for name, of in columns.items()]
    return {"id": "p", "kind": "project", "input": "owners", "columns": listed}


# Fields


@pytest.mark.parametrize("kind", ["join", "asof_join"])
@pytest.mark.parametrize("how", ["inner", "left_outer"])
def test_a_pair_has_the_fields_of_the_left_then_those_of_the_right_that_arent_keys(kind: str, how: str) -> None:
    raw = joined(join(kind, type=how))
    assert faults(raw) == ()
    assert list(schema(raw).items()) == list(PAIR.items())


@pytest.mark.parametrize("kind", ["anti_join", "semi_join"])
def test_a_filtering_join_has_the_fields_of_the_left(kind: str) -> None:
    raw = joined(join(kind))
    assert faults(raw) == ()
    assert list(schema(raw).items()) == list(FIELDS.items())


def test_names_on_both_sides_are_refused_each_with_its_remedy() -> None:
    raw = joined(join(right="p"), renamed(plate="plate", speed="1.5", n="2"))
    assert fault_places(raw)[:2] == [("duplicate_name", "w", "right")] * 2
    assert "project" in faults(raw)[0].remedy


def test_a_self_join_has_every_name_twice_except_the_keys() -> None:
    raw = graph(CARS, join(right="cars"), OUT)
    assert fault_places(raw) == [("duplicate_name", "w", "right")] * (len(FIELDS) - 1)


def test_a_self_join_on_all_fields_is_valid() -> None:
    columns = [{"name": "plate", "of": "plate"}]
    project = {"id": "p", "kind": "project", "input": "cars", "columns": columns}
    raw = graph(CARS, project, join(left="p", right="p"), OUT)
    assert faults(raw) == ()
    assert schema(raw) == {"plate": "string"}


@pytest.mark.parametrize("kind", ["anti_join", "semi_join"])
def test_a_filtering_join_refuses_equal_names_only_with_a_condition(kind: str) -> None:
    assert faults(graph(CARS, join(kind, right="cars"), OUT)) == ()
    assert {code for code, _, _ in fault_places(graph(CARS, join(kind, right="cars", where="n > 1"), OUT))} == {
        "duplicate_name"
    }


# Keys


@pytest.mark.parametrize("kind", ALL_JOINS)
def test_a_join_without_keys_is_a_warning(kind: str) -> None:
    raw = joined(join(kind, right="p", keys=[]), renamed(owner="owner"))
    assert only(raw) == ("join_without_keys", "w", "keys")
    assert checked(raw).faults[0].severity is Severity.WARNING


@pytest.mark.parametrize("kind", ALL_JOINS)
@pytest.mark.parametrize(("key", "missing_in"), [("speed", ["owners"]), ("owner", ["cars"]), ("x", ["cars", "owners"])])
def test_a_key_is_a_field_on_both_sides(kind: str, key: str, missing_in: list[str]) -> None:
    found_there = faults(joined(join(kind, keys=["plate", key])))
    assert [(fault.code.value, fault.field) for fault in found_there] == [("unknown_field", "keys[1]")] * len(
        missing_in
    )
    for fault, side in zip(found_there, missing_in, strict=True):
        assert repr(side) in fault.message


def test_a_misspelt_key_names_the_nearest_and_causes_no_other_fault() -> None:
    raw = joined(join(keys=["plat"], where="whatever = plat"))
    assert [fault.remedy for fault in faults(raw)] == ["Did you mean 'plate'?"] * 2


@pytest.mark.parametrize("kind", ALL_JOINS)
def test_a_key_has_one_type_on_both_sides(kind: str) -> None:
    raw = joined(join(kind, right="p"), renamed(plate="1"))
    assert only(raw) == ("type_mismatch", "w", "keys[0]")


@pytest.mark.parametrize("kind", ALL_JOINS)
def test_an_array_cannot_be_a_key(kind: str) -> None:
    others = {"id": "p", "kind": "project", "input": "cars", "columns": [{"name": "tags", "of": "tags"}]}
    assert only(graph(CARS, others, join(kind, left="p", right="p", keys=["tags"]), OUT)) == (
        "type_mismatch",
        "w",
        "keys[0]",
    )


@pytest.mark.parametrize("kind", ALL_JOINS)
def test_a_key_that_is_named_twice(kind: str) -> None:
    assert only(joined(join(kind, keys=["plate", "plate"]))) == ("duplicate_name", "w", "keys")


# Conditions


@pytest.mark.parametrize("kind", WITH_WHERE)
@pytest.mark.parametrize("where", ["since < at", "owner = plate", "null"])
def test_a_condition_reads_the_fields_of_both_sides(kind: str, where: str) -> None:
    assert faults(joined(join(kind, where=where))) == ()


@pytest.mark.parametrize("kind", WITH_WHERE)
@pytest.mark.parametrize(
    ("where", "code"), [("owner", "type_mismatch"), ("owners > 1", "unknown_field"), ("n >", "bad_expression")]
)
def test_a_condition_of_another_type(kind: str, where: str, code: str) -> None:
    assert only(joined(join(kind, where=where))) == (code, "w", "where")


@pytest.mark.parametrize("kind", WITH_WHERE)
def test_with_an_unknown_side_a_condition_is_still_parsed(kind: str) -> None:
    raw = graph(CARS, join(kind, right="cars", left="nowhere", where="n >"), OUT)
    assert fault_places(raw) == [("unknown_node", "w", "left"), ("bad_expression", "w", "where")]


# Unions


def test_a_union_has_the_fields_of_its_inputs() -> None:
    raw = graph(CARS, CARS | {"id": "more"}, {"id": "w", "kind": "union", "inputs": ["cars", "more"]}, OUT)
    assert faults(raw) == ()
    assert schema(raw) == FIELDS


def test_a_union_takes_the_order_of_the_first() -> None:
    columns = [{"name": name, "of": name} for name in reversed(FIELDS)]
    reverse = {"id": "p", "kind": "project", "input": "cars", "columns": columns}
    raw = graph(CARS, reverse, {"id": "w", "kind": "union", "inputs": ["cars", "p"]}, OUT)
    assert faults(raw) == ()
    assert list(schema(raw)) == list(FIELDS)


def test_a_union_of_other_fields_names_each_difference() -> None:
    other = renamed(plate="1", speed="1.5", since="since")
    raw = joined({"id": "w", "kind": "union", "inputs": ["cars", "cars", "p"]}, other)
    (fault,) = errors(raw)
    assert (fault.code.value, fault.node, fault.field) == ("fields_differ", "w", "inputs[2]")
    for difference in ("'plate' is long instead of string", "'n' is missing", "'since' is extra"):
        assert difference in fault.message


def errors(raw: Any) -> list[Any]:
    return [fault for fault in faults(raw) if fault.severity is Severity.ERROR]


def test_a_union_of_one_is_a_shape_error() -> None:
    assert only(graph(CARS, {"id": "w", "kind": "union", "inputs": ["cars"]}, OUT)) == ("bad_shape", "w", "inputs")


# Wiring


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (join(left="nowhere"), "left"),
        (join(right="nowhere"), "right"),
        (join("asof_join", right="nowhere"), "right"),
        ({"id": "w", "kind": "clip", "input": "nowhere", "by": "owners", "keys": ["plate"]}, "input"),
        ({"id": "w", "kind": "clip", "input": "cars", "by": "nowhere", "keys": ["plate"]}, "by"),
        ({"id": "w", "kind": "union", "inputs": ["cars", "owners", "nowhere"]}, "inputs[2]"),
    ],
)
def test_an_unknown_node_is_named_with_the_port_that_reads_it(bad: dict[str, Any], field: str) -> None:
    assert ("unknown_node", "w", field) in fault_places(joined(bad))


def test_an_output_that_a_join_reads() -> None:
    again = {"id": "again", "kind": "output", "input": "owners"}
    assert ("output_as_input", "w", "right") in fault_places(joined(join(right="again"), again))


def test_a_cycle_through_the_second_port_of_a_join() -> None:
    assert fault_places(graph(CARS, join(right="f"), node("filter", id="f", input="w", where="true"), OUT)) == [
        ("cycle", "w", "right")
    ]


def test_a_node_on_two_cycles_is_named_in_one_and_the_other_is_reported_too() -> None:
    loops = [node("filter", id=name, input="w", where="true") for name in ("a", "b")]
    raw = graph(CARS, {"id": "w", "kind": "union", "inputs": ["a", "b"]}, *loops, OUT)
    cycles = [fault.message for fault in faults(raw) if fault.code.value == "cycle"]
    assert cycles == [
        "The nodes w <- a <- w read each other in a cycle.",
        "The nodes b <- w <- b read each other in a cycle.",
    ]


def test_both_sides_of_a_join_are_used() -> None:
    raw = joined(join(), {"id": "f", "kind": "filter", "input": "owners", "where": "true"})
    assert fault_places(raw) == [("unused_node", "f", None)]
