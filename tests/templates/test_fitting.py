"""The checker decides which streams fit a template; guesses have reasons."""

import pytest

from streaming.definition.faults import Severity
from streaming.definition.sql.check import check_sql
from streaming.definition.streams.stream import StreamDefinition
from streaming.templates.catalogue import QueryTemplate, templates
from streaming.templates.fitting import InputFit, StreamFit, fits
from streaming.temporal.events import Shape
from tests.templates.test_templates import named

KINDS = {
    "plate": "string",
    "count": "long",
    "speed": "double",
    "price": "decimal(12, 2)",
    "ok": "boolean",
    "at": "timestamp",
    "tags": "array<string>",
    "place": "struct<x: long>",
}


def stream(fields: dict[str, str], shape: Shape = Shape.POINT) -> StreamDefinition:
    return StreamDefinition(shape=shape, fields=fields)


def fit(name: str, streams: dict[str, StreamDefinition]) -> list[InputFit]:
    [template] = [each for each in templates() if each.name == name]
    return fits(template, streams)


def only(name: str, fields: dict[str, str], shape: Shape = Shape.POINT) -> StreamFit:
    [each] = fit(name, {"mine": stream(fields, shape)})
    [found] = each.streams
    return found


@pytest.mark.parametrize("template", templates(), ids=named)
def test_its_own_streams_fit_it_best_by_their_names(template: QueryTemplate) -> None:
    for each in fits(template, template.streams):
        assert each.proposed == each.input
        [found] = [one for one in each.streams if one.stream == each.input]
        assert [(one.proposed, one.reason) for one in found.fields] == [
            (one.field, "It has the same name.") for one in found.fields
        ]


@pytest.mark.parametrize("template", templates(), ids=named)
def test_each_offered_field_makes_a_sound_query_and_no_other_does(template: QueryTemplate) -> None:
    """Checked for one input; keys of joins are then compared with others of the same type."""
    for name, own in template.streams.items():
        [each] = [one for one in fits(template, {"mine": stream(KINDS, own.shape)}) if one.input == name]
        for field in each.streams[0].fields:
            sound = {of for of in KINDS if is_sound_somehow(template, name, field.field, of)}
            assert set(field.offered) == sound, field


def is_sound_somehow(template: QueryTemplate, name: str, field: str, of: str) -> bool:
    """Return true if the query is valid with `of` for a field: alone, or with the same type in the other streams."""
    for alike in (False, True):
        streams = {
            each: stream(
                {
                    one: KINDS[of] if one == field and (alike or each == name) else type_
                    for one, type_ in given.fields.items()
                },
                given.shape,
            )
            for each, given in template.streams.items()
        }
        if not any(each.severity is Severity.ERROR for each in check_sql(template.sql, streams).faults):
            return True
    return False


def test_names_precede_types_and_each_guess_has_a_reason() -> None:
    found = only("speeding_cars", {"id": "string", "road_name": "string", "Speed": "long", "mass": "double"})
    assert [(each.field, each.proposed, each.reason) for each in found.fields] == [
        ("road", "road_name", "Its name is similar."),
        ("speed", "Speed", "It has the same name."),
    ]
    found = only("speeding_cars", {"street": "string", "a": "long", "b": "double"})
    assert [(each.proposed, each.reason) for each in found.fields] == [
        ("street", "It is the only other field of type string."),
        ("b", "It is the only other field of type double."),
    ]
    found = only("web_sessions", {"who": "string"})
    assert [each.proposed for each in found.fields] == ["who", "who"]
    assert found.fields[1].reason == "No other matching field is left, so it is used twice."


def test_wrong_types_are_not_offered_and_missing_fields_are_reported() -> None:
    found = only("speeding_cars", KINDS)
    assert [each.offered for each in found.fields] == [
        ["plate", "count", "speed", "price", "ok", "at"],
        ["count", "speed", "price"],
    ]
    found = only("power_meters", {"plate": "string"})
    assert found.missing == [
        "Its events are points; this input takes intervals or edges.",
        "It has no field that could be watts (a number).",
    ]
    [each] = fit("speeding_cars", {"mine": stream({"plate": "string"})})
    assert (each.proposed, each.needs) == (None, "points with road (any simple type), speed (a number)")


def test_points_may_be_longer_which_is_noted_and_comes_second() -> None:
    fields = {"road": "string", "speed": "double"}
    [each] = fit("speeding_cars", {"a": stream(fields, Shape.INTERVAL), "b": stream(fields)})
    assert each.proposed == "b"
    assert [(one.note, one.missing) for one in each.streams] == [
        ("Its events are intervals, not points: each counts for as long as it lasts.", []),
        ("", []),
    ]


def test_two_inputs_are_given_two_streams() -> None:
    fields = {"machine": "string"}
    lasting, also = stream(fields, Shape.INTERVAL), stream(fields, Shape.EDGE)
    inputs = fit("dead_man", {"a": stream(fields), "b": lasting, "c": also})
    assert {each.input: each.proposed for each in inputs} == {"machines": "b", "signals": "a"}
    inputs = fit("ticks_and_reference", {"a": stream({"symbol": "string", "price": "double", "quantity": "long"})})
    assert {each.input: each.proposed for each in inputs} == {"trades": "a", "listings": None}
