"""Streams over the API: stored as sent, refused with every fault, sampled through their adapter."""

import uuid
from typing import Any

import pytest

from tests.webapp.conftest import POINTS, Person, file_adapter, graph


def stream(path: str, name: str = "cars", **definition: Any) -> dict[str, Any]:
    return {"name": name, "definition": {**POINTS, **definition}, "adapter": file_adapter(path)}


def codes(answered: Any) -> list[tuple[str, str | None]]:
    assert answered.status_code == 422, answered.content
    return [(fault["code"], fault["field"]) for fault in answered.json()["faults"]]


def test_a_stream_is_shown_as_it_was_sent(alice: Person, cars: dict[str, Any]) -> None:
    shown = alice.get(f"streams/{cars['id']}/").json()
    assert shown == cars
    assert shown["definition"]["advance"]["generate"]["delay"] == "5s"


def test_a_list_of_streams_has_what_a_table_shows_and_no_definitions(alice: Person, cars: dict[str, Any]) -> None:
    assert alice.get("streams/").json() == [
        {
            "id": cars["id"],
            "name": "cars",
            "shape": "point",
            "event_time": cars["definition"]["event_time"],
            "advance": cars["definition"]["advance"],
            "fields": ["plate", "speed"],
            "field_count": 2,
            "adapter_kind": "file",
            "created_at": cars["created_at"],
            "updated_at": cars["updated_at"],
        }
    ]


def test_a_list_names_the_first_fields_of_a_wide_stream(alice: Person, cars: dict[str, Any]) -> None:
    fields = {f"f{number:03}": "string" for number in range(900)}
    body = {"name": "cars", "definition": {**POINTS, "fields": fields}, "adapter": cars["adapter"]}
    assert alice.put(f"streams/{cars['id']}/", body).status_code == 200
    [listed] = alice.get("streams/").json()
    assert (listed["fields"], listed["field_count"]) == (list(fields)[:20], 900)


def test_a_list_is_read_page_by_page(alice: Person, cars: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vans", "bikes"):
        body = {"name": name, "definition": POINTS, "adapter": cars["adapter"]}
        assert alice.post("streams/", body).status_code == 201
        query = {"graph": graph(name=f"of_{name}", stream=name), "comment": ""}
        assert alice.post("queries/", query).status_code == 201
    monkeypatch.setattr("webapp.streams.api.LISTED", 2)
    monkeypatch.setattr("webapp.queries.api.LISTED", 1)
    pages = ("streams/", "streams/?after=cars", "streams/?after=vans", "queries/", "queries/?after=of_bikes")
    names = [[each["name"] for each in alice.get(page).json()] for page in pages]
    assert names == [["bikes", "cars"], ["vans"], [], ["of_bikes"], ["of_vans"]]


def test_a_name_is_taken_once(alice: Person, cars: dict[str, Any], cars_file: str) -> None:
    answered = alice.post("streams/", stream(cars_file))
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")


def test_every_fault_of_a_body_is_listed(alice: Person) -> None:
    body = stream("files", name="2 cars", shape="blob")
    body["definition"]["unknown"] = 1
    answered = codes(alice.post("streams/", body))
    assert {code for code, _ in answered} == {"bad_shape"}
    assert {field for _, field in answered} == {"name", "definition.shape", "definition.unknown"}


def test_a_type_that_cannot_be_read_and_settings_without_a_policy_are_both_listed(alice: Person) -> None:
    body = stream("files", fields={"a": "array<blob>"}, advance={"generate": {"every": 1}})
    assert {code for code, _ in codes(alice.post("streams/", body))} == {"bad_schema", "late_not_said"}


def test_an_unknown_adapter_is_a_fault_that_names_the_known_ones(alice: Person) -> None:
    body = stream("files") | {"adapter": {"kind": "pigeon", "options": {}}}
    answered = alice.post("streams/", body)
    assert codes(answered) == [("bad_adapter", "adapter")]
    assert "file" in answered.json()["faults"][0]["message"]


@pytest.mark.parametrize("path", ["../other/cars.jsonl", "/etc/passwd", "files/../../x"])
def test_a_path_out_of_the_organisations_folder_is_never_read(alice: Person, cars_file: str, path: str) -> None:
    made = alice.post("streams/", stream(path)).json()
    sample = alice.get(f"streams/{made['id']}/sample/").json()
    assert (sample["rows"], [fault["code"] for fault in sample["faults"]]) == ([], ["bad_adapter"])


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [(b"{", "application/json", 422), (b"name=cars", "application/x-www-form-urlencoded", 415), (b"", "", 415)],
)
def test_a_body_that_is_not_json_is_refused(alice: Person, content: bytes, content_type: str, status: int) -> None:
    answered = alice.client.post(alice.url("streams/"), content, content_type=content_type)
    assert (answered.status_code, set(answered.json())) == (status, {"code", "message", "faults"})


def test_a_stream_is_replaced(alice: Person, cars: dict[str, Any], cars_file: str) -> None:
    changed = alice.put(f"streams/{cars['id']}/", stream(cars_file, name="vehicles"))
    assert (changed.status_code, changed.json()["name"]) == (200, "vehicles")
    assert [each["name"] for each in alice.get("streams/").json()] == ["vehicles"]


def test_a_stream_is_deleted_unless_a_binding_uses_it(alice: Person, cars: dict[str, Any], cars_file: str) -> None:
    spare = alice.post("streams/", stream(cars_file, name="spare")).json()
    assert alice.client.delete(alice.url(f"streams/{spare['id']}/")).status_code == 204
    assert alice.get(f"streams/{spare['id']}/").status_code == 404


def test_a_stream_that_is_bound_is_not_deleted(alice: Person, binding: dict[str, Any], cars: dict[str, Any]) -> None:
    assert alice.client.delete(alice.url(f"streams/{cars['id']}/")).status_code == 409
    assert alice.get(f"streams/{cars['id']}/").status_code == 200


def test_a_sample_shows_events_and_malformed_rows(alice: Person, cars: dict[str, Any]) -> None:
    sample = alice.get(f"streams/{cars['id']}/sample/").json()
    assert sample["faults"] == []
    assert [(row["kind"], row["reason"], row["payload"]) for row in sample["rows"]] == [
        ("event", None, {"plate": "AB 1", "speed": 130.5}),
        ("malformed", "bad_row", None),
        ("event", None, {"plate": "CD 2", "speed": 90.0}),
    ]
    assert sample["rows"][1]["raw"] == "{broken"
    assert sample["rows"][0]["start"] == 1_767_225_600_000_000


def test_a_sample_without_its_file_says_so(alice: Person, cars_file: str) -> None:
    made = alice.post("streams/", stream("files/absent.jsonl")).json()
    sample = alice.get(f"streams/{made['id']}/sample/").json()
    assert (sample["rows"], [fault["code"] for fault in sample["faults"]]) == ([], ["bad_adapter"])


def test_adapters_come_with_the_schema_of_their_options(alice: Person) -> None:
    kinds = {kind["kind"]: kind for kind in alice.get("adapters/").json()}
    assert "path" in kinds["file"]["options_schema"]["properties"]


def test_an_absent_stream_is_404_with_the_envelope(alice: Person) -> None:
    answered = alice.get(f"streams/{uuid.uuid4()}/")
    assert (answered.status_code, answered.json()["code"], answered.json()["faults"]) == (404, "not_found", [])


def test_the_fields_of_a_stream_keep_their_order(alice: Person, cars: dict[str, Any]) -> None:
    fields = {"speed": "double", "plate": "string", "a": "long"}
    body = {"name": "cars", "definition": {**POINTS, "fields": fields}, "adapter": cars["adapter"]}
    assert list(alice.put(f"streams/{cars['id']}/", body).json()["definition"]["fields"]) == ["speed", "plate", "a"]
    assert list(alice.get(f"streams/{cars['id']}/").json()["definition"]["fields"]) == ["speed", "plate", "a"]


def archived(**history: Any) -> dict[str, Any]:
    return {"seam": {"id": "plate", "over": "1h"}, "adapter": file_adapter("archive"), **history}


def test_a_stream_keeps_the_history_that_is_read_before_live(alice: Person) -> None:
    created = alice.post("streams/", stream("live.csv", history=archived(historic="deliver")))
    assert created.status_code == 201, created.content
    shown = alice.get(f"streams/{created.json()['id']}/").json()["definition"]["history"]
    assert shown["adapter"] == file_adapter("archive")
    assert shown["historic"] == "deliver"


@pytest.mark.parametrize(
    ("history", "code", "field"),
    [
        ({"adapter": None}, "missing_argument", "definition.history"),
        ({"seam": {"id": "nothing"}}, "unknown_field", "definition.history.seam.id"),
        ({"order": "time"}, "bad_adapter", "definition.history.adapter"),
        ({"adapter": {"kind": "push", "options": {"inbox": "a"}}}, "bad_adapter", "definition.history.adapter"),
        (
            {"adapter": {"kind": "file", "options": {"path": "a", "follow": True}}},
            "bad_adapter",
            "definition.history.adapter",
        ),
        ({"adapter": {"kind": "file", "options": {}}}, "bad_adapter", "definition.history.adapter"),
    ],
)
def test_a_history_that_can_t_be_read_is_refused(alice: Person, history: dict[str, Any], code: str, field: str) -> None:
    refused = alice.post("streams/", stream("live.csv", history=archived(**history)))
    assert (code, field) in codes(refused)
