"""Bindings, and starting and stopping them over the API."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from streaming.wire.messages import RunSpec
from tests.webapp.conftest import POINTS, Person, file_adapter, graph, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs import tasks
from webapp.runs.models import Run

LATE_KEPT = {"generate": {"every": 100, "delay": "2h", "final": True}, "late": "adjust"}


def start(person: Person, binding: dict[str, Any]) -> Any:
    return person.post(f"bindings/{binding['id']}/start/")


def stop(person: Person, binding: dict[str, Any], flush: bool = False) -> Any:
    return person.post(f"bindings/{binding['id']}/stop/", {"flush": flush})


def spec_of(person: Person, run: str) -> RunSpec:
    with organisation_context(person.organisation.pk):
        return Run.objects.get(pk=run).read_spec()


def test_an_input_takes_the_stream_that_the_query_names(binding: dict[str, Any], cars: dict[str, Any]) -> None:
    fields = {"node": "cars", "stream": cars["id"], "stream_name": "cars"}
    assert binding["inputs"] == [{**fields, "advance": None, "event_time": None}]
    assert binding["latest_run"] is None


def test_an_input_may_take_another_stream_and_other_settings(
    alice: Person, speeding: dict[str, Any], cars_file: str
) -> None:
    other = alice.post("streams/", {"name": "vans", "definition": POINTS, "adapter": file_adapter(cars_file)}).json()
    inputs = {"cars": {"stream": other["id"], "advance": LATE_KEPT}}
    body = {"name": "vans", "query_version": speeding["current"]["id"], "inputs": inputs}
    made = alice.post("bindings/", body).json()
    run = start(alice, made).json()
    spec = spec_of(alice, run["id"])
    assert spec.inputs["cars"].advance is not None
    assert spec.inputs["cars"].advance.late == "adjust"
    assert spec.query.nodes[0].model_dump()["stream"] == "vans"


def test_all_faults_of_a_binding_come_at_once(alice: Person, speeding: dict[str, Any], cars: dict[str, Any]) -> None:
    inputs = {
        "nobody": {"stream": cars["id"]},
        "cars": {"stream": cars["id"], "advance": {"generate": {"every": 1}}},
    }
    body = {"name": "watch", "query_version": speeding["current"]["id"], "inputs": inputs}
    answered = alice.post("bindings/", body)
    assert answered.status_code == 422
    assert {(fault["code"], fault["node"]) for fault in answered.json()["faults"]} == {
        ("unknown_node", "nobody"),
        ("late_not_said", "cars"),
    }


def test_a_stream_that_is_absent_is_a_fault_of_its_input(alice: Person, speeding: dict[str, Any]) -> None:
    inputs = {"cars": {"stream": str(uuid.uuid4())}}
    body = {"name": "watch", "query_version": speeding["current"]["id"], "inputs": inputs}
    faults = alice.post("bindings/", body).json()["faults"]
    assert [(fault["code"], fault["node"]) for fault in faults] == [("unknown_stream", "cars")]


def test_rows_before_the_final_one_can_be_bound_and_started(alice: Person, cars: dict[str, Any]) -> None:
    running = graph()
    running["nodes"][2]["emit"] = "running"
    query = alice.post("queries/", {"graph": running})
    bound = alice.post("bindings/", {"name": "watch", "query_version": query.json()["current"]["id"]})
    assert (query.status_code, bound.status_code) == (201, 201)
    assert start(alice, bound.json()).status_code == 201


def test_a_binding_refuses_settings_that_do_not_fit_its_query(
    alice: Person, speeding: dict[str, Any], cars: dict[str, Any]
) -> None:
    inputs = {"cars": {"stream": cars["id"], "advance": {"import_from": "nowhere", "late": "drop"}}}
    answered = alice.post("bindings/", {"name": "watch", "query_version": speeding["current"]["id"], "inputs": inputs})
    assert answered.status_code == 422
    assert [(fault["code"], fault["node"]) for fault in answered.json()["faults"]] == [("unknown_input", "cars")]


def test_a_binding_refuses_a_stream_that_its_query_does_not_fit(
    alice: Person, speeding: dict[str, Any], cars_file: str
) -> None:
    narrow = {**POINTS, "fields": {"plate": "string"}}
    vans = alice.post("streams/", {"name": "vans", "definition": narrow, "adapter": file_adapter(cars_file)}).json()
    inputs = {"cars": {"stream": vans["id"]}}
    body = {"name": "vans", "query_version": speeding["current"]["id"], "inputs": inputs}
    answered = alice.post("bindings/", body)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "unknown_field")


def test_a_start_requests_a_run(alice: Person, binding: dict[str, Any]) -> None:
    answered = start(alice, binding)
    run = answered.json()
    assert answered.status_code == 201
    assert run.pop("begins") == "This is its first start: it reads its inputs from the beginning."
    assert (run["desired"], run["observed"], run["started_by"]) == ("running", "requested", "alice@acme.example")
    assert alice.get("runs/").json() == [run]
    runner = {"shared": False, "others": 0}
    assert alice.get(f"runs/{run['id']}/").json() | {"mend": None} == run | {"mend": None, "runner": runner}
    assert alice.get(f"bindings/{binding['id']}/").json()["latest_run"] == run


def test_a_start_says_what_the_runner_must_do(alice: Person, binding: dict[str, Any]) -> None:
    run = start(alice, binding).json()
    spec = spec_of(alice, run["id"])
    assert (spec.binding, spec.desired, spec.flush) == (binding["id"], "running", False)
    assert spec.results == f"results/{binding['id']}"
    assert spec.inputs["cars"].adapter.kind == "file"


def test_a_double_click_on_start_is_one_start(alice: Person, binding: dict[str, Any]) -> None:
    first, second = (start(alice, binding) for _ in range(2))
    assert [first.status_code, second.status_code] == [201, 200]
    assert second.json()["id"] == first.json()["id"]
    with organisation_context(alice.organisation.pk):
        assert AuditEvent.objects.filter(action="run.started").count() == 1


@pytest.mark.parametrize("change", [{"observed": "running"}, {"desired": "stopped"}])
def test_a_start_during_an_open_or_stopping_run_is_a_conflict(
    alice: Person, binding: dict[str, Any], change: dict[str, str]
) -> None:
    run = start(alice, binding).json()["id"]
    with organisation_context(alice.organisation.pk):
        Run.objects.filter(pk=run).update(**change)
    answered = start(alice, binding)
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")


def test_a_start_refuses_an_input_that_cannot_be_read(
    alice: Person, acme: Organisation, binding: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / str(acme.pk) / "files" / "cars.jsonl").unlink()
    answered = start(alice, binding)
    assert answered.status_code == 422
    assert [(fault["code"], fault["node"]) for fault in answered.json()["faults"]] == [("bad_adapter", "cars")]
    assert alice.get("runs/").json() == []


def test_a_start_refuses_a_query_that_no_longer_fits_its_stream(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    narrower = {**POINTS, "fields": {"plate": "string"}}
    body = {"name": "cars", "definition": narrower, "adapter": cars["adapter"]}
    assert alice.put(f"streams/{cars['id']}/", body).status_code == 200
    answered = start(alice, binding)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "unknown_field")


def test_an_edit_of_the_stream_changes_no_run_that_is_under_way(
    alice: Person, binding: dict[str, Any], cars: dict[str, Any]
) -> None:
    run = start(alice, binding).json()
    before = spec_of(alice, run["id"])
    body = {"name": "cars", "definition": {**POINTS, "advance": LATE_KEPT}, "adapter": cars["adapter"]}
    assert alice.put(f"streams/{cars['id']}/", body).status_code == 200
    assert spec_of(alice, run["id"]) == before


def test_a_stop_with_flush_is_passed_on(alice: Person, binding: dict[str, Any]) -> None:
    run = start(alice, binding).json()
    assert stop(alice, binding, flush=True).json()["desired"] == "stopped"
    spec = spec_of(alice, run["id"])
    assert (spec.desired, spec.flush) == ("stopped", True)


def test_a_stop_of_what_does_not_run_is_a_conflict(alice: Person, binding: dict[str, Any]) -> None:
    assert stop(alice, binding).status_code == 409


def test_start_and_stop_reconcile_at_once(
    alice: Person,
    binding: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
    settings: Any,
    redis_server_url: str,
) -> None:
    settings.REDIS_URL = redis_server_url
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, kwargs: sent.append((name, kwargs["organisation"])))
    with django_capture_on_commit_callbacks(execute=True):
        start(alice, binding)
        stop(alice, binding)
    assert sent == [(tasks.reconcile.name, str(alice.organisation.pk))] * 2


def test_an_operator_starts_but_does_not_design(acme: Organisation, binding: dict[str, Any]) -> None:
    olga = join("olga@acme.example", acme, Role.OPERATOR)
    assert start(olga, binding).status_code == 201
    assert olga.post("queries/", {"graph": graph()}).status_code == 403


def test_a_list_of_runs_costs_the_same_however_long_it_is(
    alice: Person, binding: dict[str, Any], django_assert_max_num_queries: Any
) -> None:
    start(alice, binding)
    for number in range(5):
        body = {"name": f"watch_{number}", "query_version": binding["query_version"]}
        start(alice, alice.post("bindings/", body).json())
    with django_assert_max_num_queries(4):  # session, user, membership, runs
        assert len(alice.get("runs/").json()) == 6


def test_a_binding_shares_its_query_unless_it_says_otherwise(
    alice: Person, binding: dict[str, Any], speeding: dict[str, Any]
) -> None:
    assert binding["dedicated"] is False
    body = {"name": "alone", "query_version": speeding["current"]["id"], "dedicated": True}
    made = alice.post("bindings/", body).json()
    assert made["dedicated"] is True
    runs = [start(alice, each).json() for each in (binding, made)]
    assert [each["dedicated"] for each in runs] == [False, True]
    assert [spec_of(alice, each["id"]).dedicated for each in runs] == [False, True]


def test_the_bindings_of_one_query_are_listed(
    alice: Person, charlie: Person, binding: dict[str, Any], speeding: dict[str, Any]
) -> None:
    other = graph() | {"name": "other"}
    copied = alice.post("queries/", {"graph": other}).json()
    alice.post("bindings/", {"name": "apart", "query_version": copied["current"]["id"]})
    assert [each["name"] for each in alice.get(f"bindings/?query={speeding['id']}").json()] == [binding["name"]]
    assert [each["name"] for each in alice.get(f"bindings/?query={copied['id']}").json()] == ["apart"]
    assert charlie.get(f"bindings/?query={speeding['id']}").json() == []
    assert alice.get("bindings/?query=speeding").status_code == 422
