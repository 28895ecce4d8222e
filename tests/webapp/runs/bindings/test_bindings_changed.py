"""Replaced and deleted bindings, and the places that may define the time of their events."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.conftest import POINTS, Person, file_adapter, graph, join
from tests.webapp.runs.bindings.test_bindings import spec_of, start
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.models import Binding, BindingInput, Run

BY_SEEN = {"path": "_value.seen.at", "unit": "ms", "zone": "UTC"}


def put(person: Person, binding: dict[str, Any], **changes: Any) -> Any:
    inputs = {each["node"]: {"stream": each["stream"]} for each in binding["inputs"]}
    body = {"name": binding["name"], "query_version": binding["query_version"], "inputs": inputs, **changes}
    return person.put(f"bindings/{binding['id']}/", body)


def delete(person: Person, binding: dict[str, Any]) -> Any:
    return person.client.delete(person.url(f"bindings/{binding['id']}/"))


def end_runs(person: Person) -> None:
    with organisation_context(person.organisation.pk):
        Run.objects.update(ended_at="2026-11-21T12:00:00Z")


@pytest.fixture
def vans(alice: Person, cars_file: str) -> dict[str, Any]:
    body = {"name": "vans", "definition": POINTS, "adapter": file_adapter(cars_file)}
    made: dict[str, Any] = alice.post("streams/", body).json()
    return made


def test_a_binding_is_replaced_whole(
    alice: Person, binding: dict[str, Any], vans: dict[str, Any], speeding: dict[str, Any]
) -> None:
    body = {"graph": graph(where="speed > 90")}
    version = alice.post(f"queries/{speeding['id']}/versions/", body).json()
    inputs = {"cars": {"stream": vans["id"], "event_time": BY_SEEN}}
    answered = put(alice, binding, name="slower", query_version=version["id"], inputs=inputs)
    assert answered.status_code == 200
    shown = answered.json()
    assert (shown["id"], shown["name"], shown["query_version_number"]) == (binding["id"], "slower", 2)
    assert shown["inputs"] == [
        {"node": "cars", "stream": vans["id"], "stream_name": "vans", "advance": None, "event_time": BY_SEEN}
    ]
    assert alice.get("bindings/").json() == [shown]


def test_a_run_that_is_under_way_keeps_what_it_started_with(
    alice: Person, binding: dict[str, Any], vans: dict[str, Any]
) -> None:
    run = start(alice, binding).json()
    before = spec_of(alice, run["id"])
    assert put(alice, binding, inputs={"cars": {"stream": vans["id"]}}).status_code == 200
    assert spec_of(alice, run["id"]) == before


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"query_version": str(uuid.uuid4())}, "bad_shape"),
        ({"inputs": {"cars": {"stream": str(uuid.uuid4())}}}, "unknown_stream"),
        ({"inputs": {"nobody": {"stream": str(uuid.uuid4())}}}, "unknown_node"),
        ({"name": "no name"}, "bad_shape"),
    ],
)
def test_a_replacement_with_faults_changes_nothing(
    alice: Person, binding: dict[str, Any], changes: dict[str, Any], code: str
) -> None:
    answered = put(alice, binding, **changes)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, code)
    assert alice.get(f"bindings/{binding['id']}/").json() == binding


def test_a_name_that_another_binding_has_is_a_conflict(alice: Person, binding: dict[str, Any]) -> None:
    alice.post("bindings/", {"name": "other", "query_version": binding["query_version"]})
    assert put(alice, binding, name="other").status_code == 409
    assert alice.get(f"bindings/{binding['id']}/").json() == binding


def test_an_input_reads_the_time_where_the_binding_says(alice: Person, binding: dict[str, Any]) -> None:
    by_at = {"path": "at", "unit": "iso", "zone": "Europe/Zurich"}
    changed = put(alice, binding, inputs={"cars": {"stream": binding["inputs"][0]["stream"], "event_time": by_at}})
    assert changed.status_code == 200
    times = spec_of(alice, start(alice, binding).json()["id"]).inputs["cars"].stream.event_time
    assert times is not None
    assert (times.start.column, times.start.zone) == ("at", "Europe/Zurich")


def test_a_time_that_cannot_be_is_a_fault_of_its_input(alice: Person, binding: dict[str, Any]) -> None:
    by_nowhere = {"path": "at", "zone": "Europe/Nowhere"}
    inputs = {"cars": {"stream": binding["inputs"][0]["stream"], "event_time": by_nowhere}}
    answered = put(alice, binding, inputs=inputs)
    assert answered.status_code == 422
    assert [(each["node"], each["field"]) for each in answered.json()["faults"]] == [("cars", "event_time.zone")]


def test_a_binding_is_deleted_with_its_runs_that_have_ended_and_its_results_stay(
    alice: Person, binding: dict[str, Any], acme: Organisation, tmp_path: Path
) -> None:
    start(alice, binding)
    end_runs(alice)
    results = tmp_path / str(acme.pk) / "results" / binding["id"]
    results.mkdir(parents=True)
    assert delete(alice, binding).status_code == 204
    assert [alice.get(path).json() for path in ("bindings/", "runs/")] == [[], []]
    assert alice.get(f"bindings/{binding['id']}/").status_code == 404
    with organisation_context(alice.organisation.pk):
        assert not BindingInput.objects.exists()
    assert results.is_dir()


def test_a_binding_is_not_deleted_while_a_run_is_open(alice: Person, binding: dict[str, Any]) -> None:
    run = start(alice, binding).json()
    answered = delete(alice, binding)
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")
    assert [each["id"] for each in alice.get("runs/").json()] == [run["id"]]
    with organisation_context(alice.organisation.pk):
        assert Binding.objects.count() == 1


def test_operators_neither_replace_nor_delete(acme: Organisation, binding: dict[str, Any]) -> None:
    olga = join("olga@acme.example", acme, Role.OPERATOR)
    assert [put(olga, binding).status_code, delete(olga, binding).status_code] == [403, 403]


def test_a_stream_of_another_organisation_is_not_there(
    alice: Person, charlie: Person, binding: dict[str, Any], cars_file: str
) -> None:
    theirs = charlie.post("streams/", {"name": "theirs", "definition": POINTS, "adapter": file_adapter(cars_file)})
    assert theirs.status_code == 201, theirs.content
    answered = put(alice, binding, inputs={"cars": {"stream": theirs.json()["id"]}})
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "unknown_stream")


def test_a_query_of_its_own_holds_from_the_next_start_and_is_written_to_the_audit_log(
    alice: Person, binding: dict[str, Any]
) -> None:
    run = start(alice, binding).json()
    assert put(alice, binding, dedicated=True).json()["dedicated"] is True
    assert alice.get(f"runs/{run['id']}/").json()["dedicated"] is False
    assert spec_of(alice, run["id"]).dedicated is False
    end_runs(alice)
    assert start(alice, binding).json()["dedicated"] is True
    with organisation_context(alice.organisation.pk):
        event = AuditEvent.objects.get(action="binding.replaced")
        started = AuditEvent.objects.filter(action="run.started").order_by("at")
        assert [each.after["dedicated"] for each in started] == [False, True]
    assert (event.before["dedicated"], event.after["dedicated"]) == (False, True)
    assert put(alice, binding).json()["dedicated"] is False, "a replacement is whole"


def test_a_viewer_may_not_give_a_binding_a_query_of_its_own(
    alice: Person, bob: Person, binding: dict[str, Any]
) -> None:
    assert put(bob, binding, dedicated=True).status_code == 403
    assert alice.get(f"bindings/{binding['id']}/").json()["dedicated"] is False


def test_how_fresh_results_must_be_holds_at_once(alice: Person, binding: dict[str, Any]) -> None:
    assert binding["freshness"] == "5s"
    run = start(alice, binding).json()
    assert spec_of(alice, run["id"]).freshness == 5_000_000
    assert put(alice, binding, freshness="200ms").json()["freshness"] == "200ms"
    assert spec_of(alice, run["id"]).freshness == 200_000, "a run that is under way hears of it"
    end_runs(alice)
    assert spec_of(alice, start(alice, binding).json()["id"]).freshness == 200_000
    for wrong in ("-1s", "soon", "2s", 5, None):
        refused = put(alice, binding, freshness=wrong)
        assert refused.status_code == 422
        assert refused.json()["faults"][0]["field"] == "freshness"
        assert "200ms" in refused.json()["faults"][0]["message"], "it says what may be chosen"


def test_completeness_is_kept_until_it_is_changed(alice: Person, binding: dict[str, Any]) -> None:
    assert binding["completeness"] == 99.9
    changed = put(alice, binding, completeness=99.99).json()
    assert changed["completeness"] == 99.99
    assert changed["revision"] != binding["revision"]
    assert put(alice, binding, freshness="1s").json()["completeness"] == 99.99, "another change leaves it alone"
    for wrong in (100, 49.9, 99.9999, "99.9"):
        refused = put(alice, binding, completeness=wrong)
        assert refused.status_code == 422
        assert refused.json()["faults"][0]["field"] == "completeness"
    assert alice.get(f"bindings/{binding['id']}/").json()["completeness"] == 99.99
