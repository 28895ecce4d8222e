"""The journal of a run: what happened, when, and by whom; what is kept of it, and who sees it."""

from typing import Any

import pytest
from django.conf import LazySettings

from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.runs.lifecycle.journal import RunEventKind, note
from webapp.runs.models import Run


def journal(person: Person, scene: Scene, query: str = "") -> dict[str, Any]:
    answered = person.get(f"runs/{scene.run_id}/journal/{query}")
    assert answered.status_code == 200, answered.content
    read: dict[str, Any] = answered.json()
    return read


def entries_of(read: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    """Kind, state and actor of the entries, oldest first."""
    return [(each["kind"], each["observed"], each["who"]) for each in reversed(read["events"])]


def test_a_journal_covers_a_run_from_start_to_end(alice: Person, scene: Scene) -> None:
    scene.running()
    changed = alice.client.put(
        alice.url(f"bindings/{scene.binding['id']}/"),
        {"name": "watch", "query_version": scene.binding["query_version"], "freshness": "1s"},
        content_type="application/json",
    )
    assert changed.status_code == 200, changed.content
    scene.silence()
    scene.turn()
    scene.stop()
    scene.turn()
    read = journal(alice, scene)
    assert entries_of(read) == [
        ("started", None, "alice@acme.example"),
        ("moved", "running", None),
        ("changed", None, "alice@acme.example"),
        ("moved", "lost", None),
        ("stop", None, "alice@acme.example"),
        ("moved", "stopped", None),
    ]
    assert [each["number"] for each in read["events"]] == [6, 5, 4, 3, 2, 1]
    messages = {each["kind"]: each["message"] for each in read["events"]}
    assert messages["started"] == "speeding, version 1."
    assert messages["changed"] == "Freshness: 1s, was 5s."
    assert (read["next"], read["not_kept"]) == (None, 0)


def test_a_failure_says_why_and_who_must_act(alice: Person, scene: Scene) -> None:
    scene.running()
    scene.report("failed", domain="user", message="The speed is no number.")
    scene.turn()
    newest = journal(alice, scene)["events"][0]
    assert (newest["observed"], newest["domain"], newest["message"]) == ("failed", "user", "The speed is no number.")


def test_pages_join_and_of_a_long_journal_the_newest_are_kept(
    alice: Person, scene: Scene, settings: LazySettings
) -> None:
    settings.JOURNAL_EVENTS = 5
    with organisation_context(alice.organisation.pk):
        for number in range(9):
            note(Run.objects.get(), RunEventKind.TOLD, message=f"{number}")
    first = journal(alice, scene, "?limit=3")
    second = journal(alice, scene, f"?limit=3&before={first['next']}")
    assert [each["message"] for each in (*first["events"], *second["events"])] == ["8", "7", "6", "5", "4"]
    assert (second["next"], second["not_kept"]) == (None, 5)


@pytest.mark.parametrize("query", ["?before=x", "?before=0", "?limit=501"])
def test_what_is_no_page_is_refused(alice: Person, scene: Scene, query: str) -> None:
    assert alice.get(f"runs/{scene.run_id}/journal/{query}").status_code == 422


def test_another_organisation_sees_nothing(charlie: Person, scene: Scene) -> None:
    assert charlie.get(f"runs/{scene.run_id}/journal/").status_code == 404
