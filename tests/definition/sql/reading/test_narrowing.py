"""Joins as SQL users write them: sides are narrowed to the named fields, which are renamed if both have a name."""

import pytest

from streaming.definition.faults import FaultCode
from streaming.definition.sql.check import check_sql
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.streams.stream import StreamDefinition
from tests.definition.sql.reading.read import fault, graph, ids, node

FIELDS = {
    "cars": {"plate": "string", "speed": "double", "lane": "long"},
    "drivers": {"plate": "string", "number": "string", "speed": "double", "lane": "long", "name": "string"},
    "tolls": {"plate": "string", "speed": "double", "cost": "long"},
}
STREAMS = {
    name: StreamDefinition.model_validate({"fields": fields, "advance": {"preset": "watermark(5s)"}})
    for name, fields in FIELDS.items()
}


def columns(text: str, name: str) -> dict[str, str]:
    """Return the columns of a project: the expression by name."""
    found = node(text, name)["columns"]
    assert isinstance(found, list)
    return {column["name"]: column["of"] for column in found}


@pytest.mark.parametrize("words", ["cars c JOIN drivers d", "cars AS c INNER JOIN drivers AS d"])
def test_sides_have_the_named_fields_and_the_second_field_of_a_name_is_renamed(words: str) -> None:
    text = f"SELECT c.plate, d.speed AS x FROM {words} ON c.plate = d.plate WHERE d.speed > c.speed"
    assert ids(text) == ["c", "d", "out_left", "out_right", "out_join", "out_select", "out"]
    assert columns(text, "out_left") == {"plate": "plate", "speed": "speed"}
    assert columns(text, "out_right") == {"d_speed": "speed", "plate": "plate"}
    assert (node(text, "out_join")["keys"], node(text, "out_join")["where"]) == (["plate"], "d_speed > speed")
    assert columns(text, "out_select") == {"plate": "plate", "x": "d_speed"}


def test_keys_with_different_names_get_the_name_of_the_left() -> None:
    text = "SELECT c.plate, d.number AS n FROM cars c JOIN drivers d ON c.lane = d.lane AND (d.number = c.plate)"
    assert columns(text, "out_right") == {"plate": "number", "lane": "lane"}
    assert node(text, "out_join")["keys"] == ["lane", "plate"]
    assert columns(text, "out_select") == {"plate": "plate", "n": "plate"}


def test_the_right_key_after_a_left_join_is_null_without_a_partner() -> None:
    text = "SELECT c.plate, d.plate AS other FROM cars c LEFT JOIN drivers d ON c.plate = d.plate WHERE d.plate IS NULL"
    assert columns(text, "out_right") == {"plate": "plate", "d_plate": "plate"}
    assert node(text, "out_where")["where"] == "d_plate IS NULL"
    assert columns(text, "out_select") == {"plate": "plate", "other": "d_plate"}


def test_groups_aggregates_and_having_use_their_source_and_keep_their_names() -> None:
    text = (
        "SELECT d.lane, AVG(d.speed), COUNT(*) FILTER (WHERE c.speed > 2) AS fast FROM cars c JOIN drivers d USING "
        "(plate) WHERE c.lane < 4 WINDOW BY TUMBLE 5m GROUP BY d.lane HAVING d.lane > 1 AND fast > 2"
    )
    window = node(text, "out_window")
    assert window["group_by"] == ["d_lane"]
    assert [(each["name"], each.get("of"), each.get("filter")) for each in window["aggregates"]] == [  # type: ignore[attr-defined]
        ("avg_speed", "d_speed", None),
        ("fast", None, "speed > 2"),
    ]
    assert node(text, "out_having")["where"] == "d_lane > 1 AND fast > 2"
    assert columns(text, "out_post") == {"lane": "d_lane", "avg_speed": "avg_speed", "fast": "fast"}


def test_a_chain_of_joins_uses_the_names_that_it_assigned() -> None:
    text = (
        "SELECT plate, d.speed, t.speed AS toll FROM cars c JOIN drivers d USING (plate) "
        "LEFT JOIN tolls t ON d.number = t.plate AND t.speed > d.speed"
    )
    assert columns(text, "out_left") == {"plate": "plate"}
    assert columns(text, "out_right_2") == {"t_speed": "speed", "number": "plate"}
    assert node(text, "out_join_2")["where"] == "t_speed > speed"


@pytest.mark.parametrize("kind", ["SEMI", "ANTI"])
def test_the_right_side_of_a_semi_join_may_have_another_key(kind: str) -> None:
    text = f"SELECT c.plate FROM cars c {kind} JOIN drivers d ON c.plate = d.number AND d.lane > c.lane"
    assert columns(text, "out_right") == {"plate": "number", "d_lane": "lane"}
    assert node(text, "out_join")["where"] == "d_lane > lane"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM a JOIN b ON a.k = b.k",
        "SELECT k, y FROM a JOIN b USING (k)",
        "SELECT a.k, y FROM a JOIN b ON a.k = b.k",
        "SELECT a.k FROM a JOIN b ON a.k = b.k WHERE y > 1",
        "SELECT a.k FROM a JOIN b ON EXPRESSION 'k = k'",
    ],
)
def test_sides_keep_all_fields_if_the_source_of_a_field_is_not_named(text: str) -> None:
    assert "out_left" not in ids(text)


def test_a_field_of_a_later_source_is_not_available_yet() -> None:
    assert "out_left" not in ids("SELECT a.k FROM a JOIN b ON a.k = c.k JOIN c ON a.k = c.k")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT c.plate, d.speed AS x FROM cars c JOIN drivers d ON c.plate = d.plate WHERE d.speed > c.speed",
        "SELECT c.plate, d.name FROM cars c LEFT JOIN drivers d ON c.plate = d.number AND d.number <> 'x'",
        "SELECT a.plate, b.speed AS later FROM cars a JOIN cars b ON a.plate = b.plate",
        "SELECT d.lane, MAX(c.speed) AS m FROM cars c ASOF JOIN drivers d ON c.plate = d.plate "
        "WINDOW BY TUMBLE 5m GROUP BY d.lane",
        "SELECT c.plate, d.speed FROM cars c JOIN drivers d ON c.plate = d.plate TOP 3 BY d.speed WINDOW BY TUMBLE 5m",
    ],
)
def test_narrowed_joins_are_valid_and_printed_as_the_same_graph(text: str) -> None:
    assert [each.code for each in check_sql(text, STREAMS).faults] == []
    made = graph(text).graph
    assert made is not None
    printed = print_sql(made)
    assert parse_sql(printed).graph == made
    assert print_sql(made) == printed


def test_a_missing_field_is_reported_once_at_its_place() -> None:
    text = "SELECT c.plate, d.sped FROM cars c JOIN drivers d ON c.plate = d.plate"
    (fault,) = check_sql(text, STREAMS).faults
    assert fault.code is FaultCode.UNKNOWN_FIELD
    assert fault.span is not None
    assert (text[fault.span.start : fault.span.end], fault.remedy) == ("sped", "Did you mean speed?")


def test_keys_of_two_types_are_reported_at_their_condition() -> None:
    text = "SELECT c.plate FROM cars c JOIN drivers d ON c.plate = d.lane"
    (fault,) = check_sql(text, STREAMS).faults
    assert fault.span is not None
    assert text[fault.span.start : fault.span.end] == "c.plate = d.lane"
    assert "CAST" in fault.remedy


def test_if_sides_keep_all_fields_the_remedy_is_to_name_the_source() -> None:
    text = "SELECT c.plate, speed FROM cars c JOIN drivers d ON c.plate = d.plate"
    assert {each.remedy for each in check_sql(text, STREAMS).faults} == {
        "List the fields that you want, each with its source: SELECT a.x, b.x AS other. Or add the field to the keys."
    }


def test_a_semi_joined_source_gives_no_columns() -> None:
    assert fault("SELECT a.k, b.x FROM a SEMI JOIN b ON a.k = b.k")[0] == "b.x"
