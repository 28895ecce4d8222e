"""Streams, queries and bindings are changed, renamed and deleted; their users follow, are reported, or prevent it."""

from typing import Any

from tests.webapp.conftest import Person
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context


def body_of(shown: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a page's request that changes a part of a stream that it has shown."""
    kept = {key: shown[key] for key in ("name", "definition", "adapter")}
    return {**kept, "upon": shown["revision"], **changes}


def binding_body(shown: dict[str, Any], **changes: Any) -> dict[str, Any]:
    inputs = {each["node"]: {"stream": each["stream"]} for each in shown["inputs"]}
    kept = {key: shown[key] for key in ("name", "query_version", "dedicated")}
    return {**kept, "inputs": inputs, "upon": shown["revision"], **changes}


def delete(person: Person, path: str) -> Any:
    return person.client.delete(person.url(path))


def uses(person: Person, path: str) -> list[tuple[str, str, str]]:
    answered = person.get(f"{path}uses/")
    assert answered.status_code == 200
    return [(each["kind"], each["name"], each["says"]) for each in answered.json()]


def test_what_needs_a_stream_or_a_query_is_listed_and_keeps_it_from_being_deleted(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    stream, query = f"streams/{cars['id']}/", f"queries/{binding['query']}/"
    assert uses(alice, stream) == [
        ("binding", "watch", "reads it as its input cars"),
        ("query", "speeding", "names it in version 1"),
    ]
    assert uses(alice, query) == [("binding", "watch", "runs its version 1")]
    refused = delete(alice, stream)
    assert refused.status_code == 409
    assert "the binding watch, the query speeding" in refused.json()["message"]
    assert [each["code"] for each in refused.json()["faults"]] == ["in_use", "in_use"]
    assert delete(alice, query).status_code == 409
    for path in (f"bindings/{binding['id']}/", query, stream):
        assert delete(alice, path).status_code == 204
        assert alice.get(path).status_code == 404
    with organisation_context(alice.organisation.pk):
        event = list(AuditEvent.objects.values_list("action", flat=True)[:3])
    assert event == ["stream.deleted", "query.deleted", "binding.deleted"]


def test_a_renamed_stream_takes_queries_and_bindings_with_it(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    changed = alice.put(f"streams/{cars['id']}/", body_of(cars, name="vehicles"))
    assert changed.status_code == 200, changed.json()
    query = alice.get(f"queries/{binding['query']}/").json()
    assert query["streams"] == [{"name": "vehicles", "id": cars["id"]}]
    assert (query["current"]["number"], query["current"]["comment"]) == (2, "The stream cars is now called vehicles")
    assert "vehicles" in query["current"]["text"]
    first = alice.get(f"queries/{binding['query']}/versions/").json()[-1]
    assert first["graph"]["nodes"][0]["stream"] == "cars"  # a version is written once
    bound = alice.get(f"bindings/{binding['id']}/").json()
    assert [each["stream_name"] for each in bound["inputs"]] == ["vehicles"]
    moved = alice.put(f"bindings/{binding['id']}/", binding_body(bound, query_version=query["current"]["id"]))
    assert moved.status_code == 200, moved.json()
    assert moved.json()["query_version_number"] == 2


def test_a_query_is_renamed_by_a_new_version_and_bindings_keep_theirs(alice: Person, binding: dict[str, Any]) -> None:
    path, before = f"queries/{binding['query']}/", alice.get(f"queries/{binding['query']}/").json()
    renamed = alice.put(path, {"name": "racing", "parent": before["current"]["id"]})
    assert renamed.status_code == 200, renamed.json()
    assert (renamed.json()["name"], renamed.json()["current"]["number"]) == ("racing", 2)
    assert renamed.json()["current"]["comment"] == "Renamed from speeding"
    shown = alice.get(f"bindings/{binding['id']}/").json()
    assert (shown["query_name"], shown["query_version_number"]) == ("racing", 1)
    assert alice.put(path, {"name": "slow", "parent": before["current"]["id"]}).status_code == 409
    assert alice.put(path, {"name": "2 slow"}).json()["faults"][0]["field"] == "name"


def test_a_text_follows_what_is_renamed_and_keeps_its_comments(alice: Person, cars: dict[str, Any]) -> None:
    text = "QUERY watching;\nINSERT INTO out\nSELECT STREAM * FROM cars -- all of them\n;\n"
    made = alice.post("queries/", {"text": text})
    assert made.status_code == 201, made.json()
    path = f"queries/{made.json()['id']}/"
    assert alice.put(f"streams/{cars['id']}/", body_of(cars, name="vehicles")).status_code == 200
    followed = alice.get(path).json()["current"]["text"]
    assert ("FROM vehicles" in followed, "FROM cars" in followed, "-- all of them" in followed) == (True, False, True)
    renamed = alice.put(path, {"name": "looking"})
    assert renamed.status_code == 200, renamed.json()
    assert renamed.json()["current"]["text"] == followed.replace("watching", "looking")


def test_a_change_based_on_an_old_state_is_refused_and_says_who_changed_it(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    assert alice.put(f"streams/{cars['id']}/", body_of(cars, name="lorries")).status_code == 200
    stale = alice.put(f"streams/{cars['id']}/", body_of(cars, name="vans"))
    assert stale.status_code == 409
    assert "alice@acme.example changed the stream lorries at" in stale.json()["message"]
    assert alice.get(f"streams/{cars['id']}/").json()["name"] == "lorries"
    assert alice.put(f"bindings/{binding['id']}/", binding_body(binding, dedicated=True)).status_code == 200
    stale = alice.put(f"bindings/{binding['id']}/", binding_body(binding, name="look"))
    assert (stale.status_code, "changed the binding watch" in stale.json()["message"]) == (409, True)
    assert alice.get(f"bindings/{binding['id']}/").json()["name"] == "watch"


def test_runs_are_listed_by_binding(
    alice: Person, scene: Any, binding: dict[str, Any], speeding: dict[str, Any]
) -> None:
    other = alice.post("bindings/", {"name": "other", "query_version": speeding["current"]["id"]}).json()
    assert [each["binding"] for each in alice.get(f"runs/?binding={binding['id']}").json()] == [binding["id"]]
    assert alice.get(f"runs/?binding={other['id']}").json() == []


def test_strangers_see_nothing_and_viewers_change_nothing(
    bob: Person, charlie: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    stream, query = f"streams/{cars['id']}/", f"queries/{binding['query']}/"
    for path in (f"{stream}uses/", f"{query}uses/"):
        assert bob.get(path).status_code == 200
        assert charlie.get(path).status_code == 404
    for stranger, status in ((bob, 403), (charlie, 404)):
        assert delete(stranger, query).status_code == status
        assert stranger.put(query, {"name": "mine"}).status_code == status
