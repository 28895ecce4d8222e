"""Notes: at a time or over a range, of a binding or of all, within limits of length and count, by role."""

from typing import Any

import pytest

from tests.webapp.alerts.scripted import MINUTE
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.alerts.api import annotations as api
from webapp.alerts.services import annotations


def texts(person: Person, query: str = "") -> list[str]:
    answered = person.get(f"annotations/{query}")
    assert answered.status_code == 200, answered.content
    return [each["text"] for each in answered.json()["annotations"]]


def written(person: Person, text: str, **more: Any) -> Any:
    return person.post("annotations/", {"text": text, **more})


def test_a_note_is_about_now_unless_it_has_a_time(scene: Scene) -> None:
    before = scene.clock.ticks
    made = written(scene.person, "release 7", binding=scene.binding["id"]).json()
    assert (made["begin"] >= before, made["end"], made["binding"]["name"]) == (True, None, scene.binding["name"])
    assert made["by"] == scene.person.user.email


def test_a_range_has_the_notes_that_touch_it(scene: Scene) -> None:
    written(scene.person, "before", begin=0, end=MINUTE)
    written(scene.person, "across", begin=0, end=MINUTE + 1)
    written(scene.person, "at its start", begin=MINUTE)
    written(scene.person, "at its end", begin=2 * MINUTE)
    found = texts(scene.person, f"?begin={MINUTE}&end={2 * MINUTE}")
    assert found == ["at its start", "across"]


def test_a_binding_has_its_notes_and_those_about_all_bindings(scene: Scene) -> None:
    written(scene.person, "own", begin=1, binding=scene.binding["id"])
    written(scene.person, "deployment", begin=2)
    assert texts(scene.person, f"?binding={scene.binding['id']}") == ["deployment", "own"]
    assert texts(scene.person, "?binding=11111111-1111-4111-8111-111111111111") == ["deployment"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "  "}, "text"),
        ({"text": "x" * 1_001}, "text"),
        ({"text": "x", "begin": 5, "end": 5}, "end"),
        ({"text": "x", "begin": -(10**30)}, "begin"),
    ],
)
def test_an_empty_note_a_long_one_and_an_empty_range_are_refused(
    scene: Scene, body: dict[str, Any], field: str
) -> None:
    refused = scene.person.post("annotations/", body)
    assert refused.status_code == 422
    assert [each["field"] for each in refused.json()["faults"]] == [field]
    assert texts(scene.person) == []


def test_the_number_of_notes_has_a_limit(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotations, "MOST_ANNOTATIONS", 1)
    assert written(scene.person, "one").status_code == 201
    refused = written(scene.person, "two")
    assert (refused.status_code, refused.json()["message"]) == (
        409,
        "There already are 1 note. Delete old ones first.",
    )
    assert texts(scene.person) == ["one"]


def test_pages_have_every_note_once(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "PAGE", 2)
    for number in range(5):
        written(scene.person, f"note {number}", begin=number // 2)
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = scene.person.get("annotations/" + (f"?before={cursor}" if cursor else "")).json()
        found += [each["text"] for each in page["annotations"]]
        cursor = page["next"]
    assert sorted(found) == [f"note {number}" for number in range(5)]
    assert found[0] == "note 4"


def test_viewers_read_notes_and_operators_write_them(scene: Scene, bob: Person) -> None:
    made = written(scene.person, "release 7").json()
    assert texts(bob) == ["release 7"]
    assert written(bob, "mine").status_code == 403
    assert bob.client.delete(bob.url(f"annotations/{made['id']}/")).status_code == 403


def test_a_note_of_another_organisation_does_not_exist(scene: Scene, charlie: Person) -> None:
    made = written(scene.person, "release 7").json()
    assert charlie.client.delete(charlie.url(f"annotations/{made['id']}/")).status_code == 404
    assert charlie.post("annotations/", {"text": "x", "binding": scene.binding["id"]}).status_code == 404
    assert texts(charlie) == []
    assert scene.person.client.delete(scene.person.url(f"annotations/{made['id']}/")).status_code == 204
    assert texts(scene.person) == []
