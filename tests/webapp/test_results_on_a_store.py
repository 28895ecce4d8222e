"""Results that lie on the installation's object store: pages, files, sizes, clean-up and replays are as on a disk."""

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from streaming.storage.object_store import object_folder
from streaming.storage.result_location import NOTE
from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import ResultRow
from tests.object_store import KEY, SECRET, ObjectStore, object_store
from tests.webapp.administration.test_deleting import condemned
from tests.webapp.conftest import Person
from tests.webapp.monitoring.test_pages import all_pages, late
from tests.webapp.runs.bindings.test_bindings_changed import end_runs
from tests.webapp.samples.test_replay import Stage, stage  # noqa: F401 - a fixture
from tests.wire.written import write_commit, write_part
from webapp.accounts.limits.quotas import set_limit
from webapp.administration.deleting import delete_if_due
from webapp.administration.exporting import _write_results
from webapp.audit.recording import Target, record
from webapp.core.context import organisation_context
from webapp.core.limited.fair import Claim, FairPlaces
from webapp.monitoring.exporting import preparing
from webapp.runs.audit_targets import BINDING_DELETED
from webapp.runs.models import Run
from webapp.runs.storage.storage_cleanup import forget_left_over

BUCKET = "planted-bucket"
REMOTE = ("results", "kept", "savepoints")


@pytest.fixture(scope="module")
def one_store() -> Iterator[ObjectStore]:
    with object_store() as found:
        found.client().create_bucket(Bucket=BUCKET)
        yield found


@pytest.fixture
def store(one_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    object_folder.cache_clear()
    yield one_store
    one_store.fail()
    object_folder.cache_clear()


def move(own: Path, store: ObjectStore) -> None:
    """Bring what an organisation keeps to the store, as if it had been written there from the first run on."""
    for path in sorted(path for name in REMOTE for path in (own / name).rglob("*") if path.is_file()):
        store.put(BUCKET, f"all/{own.name}/{path.relative_to(own)}", path.read_bytes())
        path.unlink()
    options = f"endpoint_override=127.0.0.1:{store.port}&scheme=http&region=us-east-1"
    (own / NOTE).write_text(f"s3://{BUCKET}/all/{own.name}?{options}")


def commit(folder: Path, batch: int, run: str) -> None:
    rows = [ResultRow(output="out", start=batch, end=None, payload={"n": batch, "of": of}) for of in range(3)]
    parts = [write_part(folder, "results", batch, 0, rows), write_part(folder, "late", batch, 0, [late(batch)] * 2)]
    runs = [RunBatches(run=run, first=batch, last=batch)]
    write_commit(folder, Commit(batch=batch, parts=parts, totals={"batch": batch, "run": run}, runs=runs))


@pytest.fixture
def own(alice: Person, tmp_path: Path) -> Path:
    return tmp_path / str(alice.organisation.pk)


@pytest.fixture
def folder(own: Path, binding: dict[str, Any]) -> Path:
    return own / "results" / binding["id"]


@pytest.fixture
def runs(alice: Person, binding: dict[str, Any], folder: Path) -> list[str]:
    """Write two runs; the second one is open."""
    found = []
    for first in (1, 6):
        end_runs(alice)
        found.append(str(alice.post(f"bindings/{binding['id']}/start/").json()["id"]))
        for batch in range(first, first + 5):
            commit(folder, batch, found[-1])
    return found


def answers(alice: Person, binding: dict[str, Any], runs: list[str]) -> dict[str, Any]:
    """All that is shown of what is kept."""
    found: dict[str, Any] = {}
    for run in runs:
        for limit, scope in (("1", "own"), ("2", "all"), ("500", "all")):
            for kind in ("results", "quarantine"):
                found[f"{kind} {run} {limit} {scope}"] = all_pages(
                    alice, f"runs/{run}/{kind}/", limit=limit, runs=scope
                )
        answered = alice.get(f"runs/{run}/quarantine/file/?format=csv&runs=all")
        found[f"file {run}"] = b"".join(answered.streaming_content if answered.streaming else [answered.content])
    found["standing"] = alice.get(f"bindings/{binding['id']}/outputs/out/current/?as_of=7").json()
    found["kept"] = alice.get("kept/").json()
    found["of runs"] = alice.get(f"bindings/{binding['id']}/results/").json()
    found["next"] = alice.get(f"bindings/{binding['id']}/next-start/").json()
    asked = {"binding": binding["id"], "rows": 5}
    found["sample"] = alice.post("samples/quarantine/", asked).json()
    with organisation_context(alice.organisation.pk):
        content = BytesIO()
        with zipfile.ZipFile(content, "w") as file:
            _write_results(file)
        with zipfile.ZipFile(content) as file:
            found["export"] = {name: file.read(name) for name in file.namelist()}
    return found


def test_everything_is_shown_as_it_was_on_the_disk(
    alice: Person, binding: dict[str, Any], runs: list[str], own: Path, store: ObjectStore
) -> None:
    before = answers(alice, binding, runs)
    move(own, store)
    after = answers(alice, binding, runs)
    for name, expected in before.items():
        assert after[name] == expected, name
    assert len(after[f"results {runs[0]} 2 all"]) == 30
    assert len(after[f"quarantine {runs[0]} 1 own"]) == 10
    assert len(after["standing"]["rows"]) == 21
    assert len(after["sample"]["rows"]) == 5
    assert list((own / ".previews").iterdir()) == [], "what a limited process was given is gone"


def test_copies_for_the_rows_that_stand_are_limited(
    alice: Person,
    binding: dict[str, Any],
    runs: list[str],
    own: Path,
    store: ObjectStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    share = replace(preparing.COMPUTED.share, waits_s=0.0)
    monkeypatch.setattr(preparing, "COMPUTED", FairPlaces(share, preparing.BUSY))
    standing = f"bindings/{binding['id']}/outputs/out/current/?as_of=7"
    with ExitStack() as exports:
        for number in range(share.organisation):
            exports.enter_context(preparing.COMPUTED.place(Claim(alice.organisation.pk, str(number))))
        assert alice.get(standing).status_code == 200, "nothing is copied from the disk"
        move(own, store)
        refused = alice.get(standing)
        assert (refused.status_code, refused.json()["message"]) == (429, preparing.BUSY)
    assert alice.get(standing).status_code == 200
    with organisation_context(alice.organisation.pk):
        set_limit("disk_bytes", 0)
    full = alice.get(standing)
    assert (full.status_code, full.json()["code"]) == (409, "over_quota")


def test_a_replay_gives_the_same_as_on_the_disk(stage: Stage, store: ObjectStore) -> None:  # noqa: F811
    before = stage.replay_answer(outcome="dropped_late")
    move(stage.data / stage.scene.organisation, store)
    assert stage.replay_answer(outcome="dropped_late") == before
    assert before["counted"] == 4


def test_rows_are_deleted_where_they_lie_and_counted_so(
    alice: Person, binding: dict[str, Any], runs: list[str], own: Path, store: ObjectStore
) -> None:
    move(own, store)
    address = f"bindings/{binding['id']}/results/?kind=quarantine"
    assert alice.client.delete(alice.url(address)).status_code == 409, "its run has not ended"
    end_runs(alice)
    removed = alice.client.delete(alice.url(f"{address}&run={runs[0]}")).json()
    assert removed["rows"] == 10
    assert len(all_pages(alice, f"runs/{runs[1]}/quarantine/", runs="all")) == 10
    assert len(all_pages(alice, f"runs/{runs[1]}/results/", runs="all")) == 30
    assert alice.client.delete(alice.url(address)).json()["rows"] == 10
    assert alice.client.delete(alice.url(f"bindings/{binding['id']}/results/?kind=results")).json()["rows"] == 30
    assert [key for key in store.objects(BUCKET) if binding["id"] in key and "part-" in key] == []
    [kept] = alice.get("kept/").json()
    assert (kept["result_bytes"], kept["quarantine_bytes"]) == (0, 0)


@pytest.mark.thorough
def test_a_page_costs_few_requests_and_never_lists_parts(
    alice: Person, binding: dict[str, Any], folder: Path, own: Path, store: ObjectStore
) -> None:
    run = str(alice.post(f"bindings/{binding['id']}/start/").json()["id"])
    for batch in range(1, 101):
        commit(folder, batch, run)
    move(own, store)
    before = len(store.requests_seen())
    page = alice.get(f"runs/{run}/results/?limit=50").json()
    asked = store.requests_seen()[before:]
    assert len(page["rows"]) == 50
    # The commits are listed once; then 17 of them are read, and the part of each, twice: its size, and its content.
    assert sum("list-type" in each or each.split(" ")[1].count("/") < 3 for each in asked) <= 1
    assert len(asked) <= 1 + 17 * 6
    before = len(store.requests_seen())
    rare = alice.get(f"runs/{run}/quarantine/?text=nowhere").json()
    assert (rare["rows"], rare["next"]) == ([], "37-0-0"), "a page ends after 64 commits, and says where to go on"
    assert len(store.requests_seen()) - before <= 1 + 64 * 6


def test_a_refusing_store_is_reported_in_a_sentence_without_its_name_or_keys(
    alice: Person, runs: list[str], own: Path, store: ObjectStore
) -> None:
    move(own, store)
    with store.guarded():
        answered = alice.get(f"runs/{runs[0]}/results/")
        page = alice.get(f"runs/{runs[0]}/")
    assert answered.status_code == 503
    assert "object store" in answered.json()["message"]
    assert page.status_code == 200, "the page of the run is there all the same"
    for hidden in (KEY, SECRET, BUCKET, str(store.port)):
        assert hidden not in answered.content.decode()
    assert alice.get(f"runs/{runs[0]}/results/").status_code == 200


def test_what_deleted_bindings_and_organisations_left_goes_from_the_store(
    alice: Person, binding: dict[str, Any], runs: list[str], own: Path, store: ObjectStore, redis_connection: Any
) -> None:
    deleted, unknown = "0b5d0e5e-0000-4000-8000-000000000000", "1c5d0e5e-0000-4000-8000-000000000000"
    for name in (f"kept/{each}/points/1.json" for each in (binding["id"], deleted, unknown, "later")):
        (own / name).parent.mkdir(parents=True)
        (own / name).write_text("{}")
    move(own, store)
    store.put(BUCKET, f"all/{own.name}-neighbour/results/x", b"theirs")
    with organisation_context(alice.organisation.pk):
        record(BINDING_DELETED, target=Target("binding", UUID(deleted), "deleted"))
        forget_left_over()
        Run.objects.update(ended_at=timezone.now())
    there = set(store.objects(BUCKET))
    assert f"all/{own.name}/kept/{binding['id']}/points/1.json" in there
    assert not any(deleted in key for key in there)
    assert {f"all/{own.name}/kept/{each}/points/1.json" for each in (unknown, "later")} <= there
    assert delete_if_due(condemned(alice), timezone.now())
    mine = [key for key in store.objects(BUCKET) if key.startswith(f"all/{own.name}")]
    assert mine == [f"all/{own.name}-neighbour/results/x"]
