"""Exports over HTTP: rights, organisations, ranges, errors, audit, gzip, places, and no file that is left."""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import ResultRow
from tests.webapp.conftest import Person, join
from tests.webapp.exports.stored import FORMATS, read_back
from tests.webapp.runs.bindings.test_bindings_changed import end_runs
from tests.wire.written import write_commit, write_part
from webapp.accounts.limits.quotas import set_limit
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.core.limited.fair import Claim
from webapp.monitoring.exporting import preparing
from webapp.monitoring.exporting.formats import ExportFormat

S = 1_000_000


@pytest.fixture
def folder(alice: Person, binding: dict[str, Any], tmp_path: Path) -> Path:
    return tmp_path / str(alice.organisation.pk) / "results" / binding["id"]


@pytest.fixture
def write(alice: Person, binding: dict[str, Any], folder: Path) -> Callable[[], str]:
    """Write a run with three results in a batch of its own; return its id."""

    def written() -> str:
        end_runs(alice)
        run = str(alice.post(f"bindings/{binding['id']}/start/").json()["id"])
        batch = len(list(folder.glob("commits/*")))
        rows = [
            ResultRow(output="out", start=n * S, end=(n + 10) * S, payload={"plate": f"={batch}-{n}", "n": n})
            for n in range(3)
        ]
        part = write_part(folder, "results", batch, 0, rows)
        runs = [RunBatches(run=run, first=batch, last=batch)]
        totals = {"run": run, "output_ctis": {"out": 5 * S}}
        write_commit(folder, Commit(batch=batch, parts=[part], totals=totals, runs=runs))
        return run

    return written


@pytest.fixture
def run(write: Callable[[], str]) -> str:
    return write()


@pytest.fixture(autouse=True)
def _every_place_is_freed() -> Iterator[None]:
    yield
    assert not preparing.EXPORTS._total
    assert not preparing.COMPUTED._total


def body(answered: Any) -> bytes:
    assert answered.status_code == 200, answered.content
    content: bytes = answered.getvalue()
    answered.close()
    assert answered.headers["Content-Length"] == str(len(content))
    return content


def exported(person: Person, path: str, form: ExportFormat = "json_lines", **more: str) -> list[dict[str, Any]]:
    query = "&".join(f"{name}={value}" for name, value in {"format": form, **more}.items())
    return read_back(form, body(person.get(f"{path}results/file/?{query}")))


def left_over(folder: Path) -> list[Path]:
    return list((folder.parents[1] / ".exports").iterdir())


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_is_exported_in_each_format(alice: Person, run: str, folder: Path, form: ExportFormat) -> None:
    answered = alice.get(f"runs/{run}/results/file/?format={form}")
    rows = read_back(form, body(answered))
    assert [int(row["n"]) for row in rows] == [0, 1, 2]
    assert [row["plate"].removeprefix("'") for row in rows] == ["=0-0", "=0-1", "=0-2"]
    assert answered.headers["Content-Disposition"].startswith(f'attachment; filename="results-{run}-out.')
    assert answered.headers["Cache-Control"] == "no-store"
    assert (answered.headers["Punctual-Rows"], "Content-Encoding" in answered.headers) == ("3", False)
    assert left_over(folder) == []


def test_all_runs_are_exported_by_run_and_by_binding(
    alice: Person, binding: dict[str, Any], write: Callable[[], str]
) -> None:
    first, second = write(), write()
    whole = exported(alice, f"bindings/{binding['id']}/")
    assert [(row["run"], row["n"]) for row in whole] == [(run, n) for run in (first, second) for n in range(3)]
    assert exported(alice, f"runs/{first}/", runs="all") == whole
    own = exported(alice, f"runs/{second}/")
    assert [row["plate"] for row in own] == ["=1-0", "=1-1", "=1-2"]
    assert "run" not in own[0]


def test_a_range_is_half_open_in_iso_or_ticks(alice: Person, run: str) -> None:
    iso = exported(alice, f"runs/{run}/", **{"from": "1970-01-01T00:00:01Z", "to": "1970-01-01T02:00:02%2B02:00"})
    assert [row["n"] for row in iso] == [1]
    assert exported(alice, f"runs/{run}/", **{"from": str(S), "to": str(2 * S)}) == iso
    assert exported(alice, f"runs/{run}/", revisions="all", to="1970-01-01T00:00:00.5")[0]["key"] is None


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("", "format", ""),
        ("format=excel", "format", ""),
        ("format=csv&from=yesterday", "from", "isn't a time"),
        ("format=csv&from=2026", "from", "isn't a time"),
        ("format=csv&to=99999999999999999999", "to", "isn't a time"),
        ("format=csv&from=2026-01-02&to=2026-01-01", "to", "isn't after"),
        ("format=csv&from=5000000&to=5000000", "to", "isn't after"),
        ("format=csv&revisions=some", "revisions", ""),
        ("format=csv&output=x", "output", "no output 'x'"),
        ("format=csv&columns=n", "columns", ""),
    ],
)
def test_a_wrong_choice_is_an_error_at_its_parameter(
    alice: Person, run: str, folder: Path, query: str, field: str, words: str
) -> None:
    answered = alice.get(f"runs/{run}/results/file/?{query}")
    assert answered.status_code == 422, answered.content
    [fault] = answered.json()["faults"]
    assert fault["field"] == field
    assert words in fault["message"]
    assert fault["remedy"]


@pytest.mark.parametrize("role", list(Role))
def test_everybody_who_may_view_may_export(acme: Organisation, run: str, role: Role) -> None:
    person = join("somebody@acme.example", acme, role)
    assert len(exported(person, f"runs/{run}/")) == 3


def test_results_of_others_are_absent(charlie: Person, run: str, binding: dict[str, Any]) -> None:
    for path in (f"runs/{run}/", f"bindings/{binding['id']}/", f"runs/{uuid4()}/"):
        answered = charlie.get(f"{path}results/file/?format=csv")
        assert (answered.status_code, answered.json()["code"]) == (404, "not_found")


def test_nobody_exports_without_signing_in(client: Any, alice: Person, run: str) -> None:
    assert client.get(alice.url(f"runs/{run}/results/file/?format=csv")).status_code == 401


def test_an_export_is_recorded_with_its_choice(alice: Person, binding: dict[str, Any], run: str) -> None:
    exported(alice, f"runs/{run}/", "csv", **{"from": "5"})
    exported(alice, f"bindings/{binding['id']}/")
    with organisation_context(alice.organisation.pk):
        events = AuditEvent.objects.filter(action="results.exported").order_by("at")
        found = [(each.target_kind, each.target_label, each.after) for each in events]
    choice = {"format": "csv", "from": "5", "revisions": "net", "runs": "own", "rows": 2}
    assert found == [
        ("run", "watch", choice),
        ("binding", "watch", {"format": "json_lines", "revisions": "net", "rows": 3}),
    ]


@pytest.mark.parametrize(
    ("accepted", "packed"), [("gzip, br", True), ("*", True), ("br", False), ("gzip;q=0", False), ("", False)]
)
def test_a_file_is_packed_for_clients_that_accept_it(alice: Person, run: str, accepted: str, packed: bool) -> None:
    url = alice.url(f"runs/{run}/results/file/?format=json_lines")
    answered = alice.client.get(url, headers={"Accept-Encoding": accepted})
    content = body(answered)
    assert (answered.headers.get("Content-Encoding") == "gzip") == packed
    assert "Accept-Encoding" in answered.headers["Vary"]
    text = gzip.decompress(content) if packed else content
    assert answered.headers["Punctual-Bytes"] == str(len(text))
    assert [json.loads(line)["n"] for line in text.splitlines()] == [0, 1, 2]


def test_places_of_a_person_and_of_an_organisation_are_limited(alice: Person, bob: Person, run: str) -> None:
    url = f"runs/{run}/results/file/?format=csv"
    taken = [alice.get(url), alice.get(url)]
    refused = alice.get(url)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
    assert refused.json()["message"] == preparing.BUSY
    taken += [bob.get(url), bob.get(url)]
    others = Claim(alice.organisation.pk, "somebody else")
    with pytest.raises(Exception, match="Too many exports"):
        preparing.EXPORTS.enter(others)
    assert [each.status_code for each in taken] == [200] * 4
    for each in taken:
        each.close()
    assert len(exported(alice, f"runs/{run}/")) == 3


def test_a_damaged_file_is_a_sentence_without_a_file(alice: Person, run: str, folder: Path) -> None:
    part = next(folder.glob("results/*.jsonl"))
    part.write_bytes(part.read_bytes()[:-20])
    answered = alice.get(f"runs/{run}/results/file/?format=parquet")
    assert (answered.status_code, answered.json()["code"]) == (409, "export_failed")
    assert "damaged" in answered.json()["message"]
    assert left_over(folder) == []


def test_an_export_needs_room(alice: Person, run: str, folder: Path) -> None:
    with organisation_context(alice.organisation.pk):
        set_limit("disk_bytes", 0)
    answered = alice.get(f"runs/{run}/results/file/?format=csv")
    assert (answered.status_code, answered.json()["code"]) == (409, "over_quota")
    assert left_over(folder) == []


def test_files_of_a_killed_server_are_removed(alice: Person, run: str, folder: Path) -> None:
    for name, age in (("old", preparing.LEFT_OVER_S + 60), ("new", 0)):
        made = folder.parents[1] / ".exports" / name
        made.mkdir(parents=True)
        status = made.stat()
        os.utime(made, (status.st_atime - age, status.st_mtime - age))
    exported(alice, f"runs/{run}/")
    assert [each.name for each in left_over(folder)] == ["new"]


def test_a_binding_without_runs_has_no_results(alice: Person, binding: dict[str, Any]) -> None:
    answered = alice.get(f"bindings/{binding['id']}/results/file/?format=csv")
    assert answered.status_code == 409
    assert answered.json()["message"] == "watch has no results, because it has never run. Start it first."
