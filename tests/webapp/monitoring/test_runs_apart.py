"""Two runs of a file binding, two versions: each shows its own rows, and what it ran, whatever is changed later."""

import importlib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import ResultRow
from tests.webapp.conftest import Person, graph, join
from tests.webapp.monitoring.test_pages import all_pages, late
from tests.webapp.runs.bindings.test_bindings_changed import delete, end_runs, put
from tests.wire.written import write_commit, write_part
from webapp.accounts.permissions import Role
from webapp.administration.exporting import _write_results
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.queries.models import Query
from webapp.queries.services import delete_query
from webapp.runs.api.history import shown_definition
from webapp.runs.models import Run

Runs = list[dict[str, Any]]


def commit(folder: Path, batch: int, payload: dict[str, Any], run: str | None) -> None:
    """Write a runner's batch; without `run`, like an earlier release without ids of runs."""
    rows = [ResultRow(output="out", start=batch, end=None, payload=payload)] * 2
    parts = [write_part(folder, "results", batch, 0, rows), write_part(folder, "late", batch, 0, [late(batch)])]
    runs = [] if run is None else [RunBatches(run=run, first=batch, last=batch)]
    write_commit(folder, Commit(batch=batch, parts=parts, totals={"batch": batch}, runs=runs))


@pytest.fixture
def folder(alice: Person, binding: dict[str, Any], tmp_path: Path) -> Path:
    return tmp_path / str(alice.organisation.pk) / "results" / binding["id"]


@pytest.fixture
def runs(alice: Person, binding: dict[str, Any], speeding: dict[str, Any], folder: Path) -> Runs:
    """A run of version 1, and one of version 2 whose rows have other columns; the binding has another name since."""
    first = alice.post(f"bindings/{binding['id']}/start/").json()
    commit(folder, 1, {"n": 1}, None)
    for batch in (2, 3):
        commit(folder, batch, {"n": batch}, first["id"])
    end_runs(alice)
    version = alice.post(f"queries/{speeding['id']}/versions/", {"graph": graph("fast", where="speed > 90")}).json()
    assert put(alice, binding, name="observe", query_version=version["id"]).status_code == 200
    second = alice.post(f"bindings/{binding['id']}/start/").json()
    commit(folder, 4, {"plates": "AB 1"}, second["id"])
    return [first, second]


def payloads(person: Person, run: dict[str, Any], **asked: str) -> list[dict[str, Any]]:
    return [row["payload"] for row in all_pages(person, f"runs/{run['id']}/results/", limit="1", **asked)]


def test_a_run_shows_its_own_rows_and_those_of_all_runs_where_it_is_asked_to(bob: Person, runs: Runs) -> None:
    first, second = runs
    assert payloads(bob, second) == [{"plates": "AB 1"}] * 2
    assert payloads(bob, first) == [{"n": 3}] * 2 + [{"n": 2}] * 2
    assert len(all_pages(bob, f"runs/{second['id']}/quarantine/")) == 1
    assert len(all_pages(bob, f"runs/{first['id']}/quarantine/")) == 2
    for run in runs:
        together = all_pages(bob, f"runs/{run['id']}/quarantine/", runs="all", limit="1")
        assert [row["run"] for row in together] == [second["id"], first["id"], first["id"], None]
        assert len(payloads(bob, run, runs="all")) == 8
    refused = bob.get(f"runs/{first['id']}/results/?runs=mine")
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "runs")


def test_what_ended_runs_ran_stays_whatever_is_changed_or_deleted(
    alice: Person, bob: Person, charlie: Person, runs: Runs, speeding: dict[str, Any], binding: dict[str, Any]
) -> None:
    def summary_of(run: dict[str, Any]) -> list[Any]:
        found = bob.get(f"runs/{run['id']}/").json()
        return [found[name] for name in ("binding_name", "query_name", "query_version", "query", "binding_name_now")]

    first, second = runs
    assert summary_of(first) == ["watch", "speeding", 1, speeding["id"], "observe"]
    assert summary_of(second) == ["observe", "fast", 2, speeding["id"], "observe"]
    ran = bob.get(f"runs/{first['id']}/definition/").json()
    assert "speed > 120" in ran["text"]
    assert ran["query_version"] == 1
    assert [(each["stream"], each["adapter"], each["definition"]["fields"]["speed"]) for each in ran["inputs"]] == [
        ("cars", "file", "double")
    ]
    assert "cars.jsonl" not in str(ran), "where the rows came from is the stream's secret-bearing part"
    assert charlie.get(f"runs/{first['id']}/definition/").status_code == 404

    end_runs(alice)
    other = alice.post("queries/", {"graph": graph("other"), "comment": ""}).json()
    assert put(alice, binding, query_version=other["current"]["id"]).status_code == 200
    with organisation_context(alice.organisation.pk):
        delete_query(query=Query.objects.get(pk=speeding["id"]))
    assert summary_of(first) == ["watch", "speeding", 1, None, "watch"]
    assert "speed > 90" in bob.get(f"runs/{second['id']}/definition/").json()["text"]
    assert [(each["query_name"], each["query_version"]) for each in bob.get("runs/").json()] == [
        ("fast", 2),
        ("speeding", 1),
    ]


def test_what_is_kept_is_listed_and_deleted_by_run(
    alice: Person, bob: Person, charlie: Person, runs: Runs, binding: dict[str, Any], folder: Path
) -> None:
    address = f"bindings/{binding['id']}/results/"
    first, second = runs
    listed = bob.get(address).json()
    reported = ("run", "query_version", "open", "results", "quarantine")
    assert [tuple(each[name] for name in reported) for each in listed] == [
        (second["id"], 2, True, 2, 1),
        (first["id"], 1, False, 4, 2),
        (None, None, False, 2, 1),
    ]
    on_disk = sum(path.stat().st_size for path in folder.rglob("*.json*"))
    assert sum(each["result_bytes"] + each["quarantine_bytes"] for each in listed) == on_disk
    assert charlie.get(address).status_code == 404

    def deleted(person: Person, run: str) -> Any:
        return person.client.delete(person.url(f"{address}?kind=results&run={run}"))

    assert deleted(alice, second["id"]).status_code == 409
    assert deleted(charlie, first["id"]).status_code == 404
    assert deleted(join("oscar@acme.example", alice.organisation, Role.OPERATOR), first["id"]).status_code == 403
    assert deleted(alice, "x").json()["faults"][0]["field"] == "run"
    assert deleted(alice, binding["id"]).status_code == 404
    assert deleted(alice, first["id"]).json()["rows"] == 4
    assert payloads(bob, first) == []
    assert payloads(bob, second) == [{"plates": "AB 1"}] * 2
    assert len(payloads(bob, second, runs="all")) == 4
    assert len(all_pages(bob, f"runs/{first['id']}/quarantine/")) == 2
    with organisation_context(alice.organisation.pk):
        assert AuditEvent.objects.get(action="results.deleted").after["run"] == first["id"]
    end_runs(alice)
    assert delete(alice, binding).status_code == 204
    left = alice.get(address).json()
    assert [(each["run"], each["started_at"], each["results"]) for each in left] == [
        (second["id"], None, 2),
        (first["id"], None, 0),
        (None, None, 2),
    ]


def test_an_export_has_the_rows_of_each_run_in_files_of_their_own(alice: Person, runs: Runs, tmp_path: Path) -> None:
    first, second = runs
    with organisation_context(alice.organisation.pk), zipfile.ZipFile(tmp_path / "all.zip", "w") as file:
        _write_results(file)
    with zipfile.ZipFile(tmp_path / "all.zip") as file:
        lines = {name: len(file.read(name).splitlines()) for name in file.namelist() if name.endswith("results.jsonl")}
    folder = "bindings/observe"
    assert lines == {
        f"{folder}/before-runs-had-ids-1/results.jsonl": 2,
        f"{folder}/{first['id']}/results.jsonl": 4,
        f"{folder}/{second['id']}/results.jsonl": 2,
    }


def test_earlier_runs_get_the_facts_of_the_audit_log_and_the_versions(alice: Person, runs: Runs) -> None:
    def names_of_runs() -> list[tuple[Any, ...]]:
        names = ("binding_name", "query_name", "query_version", "query_id")
        return [
            (*(getattr(run, name) for name in names), shown_definition(run).text)
            for run in Run.objects.order_by("created_at")
        ]

    migration = importlib.import_module("webapp.runs.migrations.0013_history_of_before")
    with organisation_context(alice.organisation.pk):
        before = names_of_runs()
        Run.objects.update(binding_name="", query_name="", query_version=None, query_text="", query=None)
        migration.fill(apps, None)
        assert names_of_runs() == before
        for run in Run.objects.all():
            run.spec["query"]["name"] = "of_a_deleted_query"
            run.query = None
            run.query_version = None
            run.save()
        migration.fill(apps, None)
        assert {(each[2], each[3]) for each in names_of_runs()} == {(None, None)}, "unknown is said, not guessed"
