"""The guarantees of a carrier, batch by batch, killed at every stage of a batch: without Spark's own process."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.rows.adapter import RowsAdapter
from streaming.engine.columns import ipc
from streaming.spark.errors import DISK_FULL, explain_query
from streaming.spark.query.control import AddBinding, AtEnd, StopBinding
from streaming.spark.query.manifests import Manifest
from streaming.spark.sink.committed_rows import committed_lines
from streaming.storage.results import PartKind, committed_batches, read_commit
from streaming.storage.stored import remove, stored_after
from streaming.wire.messages import RunSpec
from tests.spark.loop import Crash, Loop, fault_of_operators
from tests.spark.specs import spec, write_readings

BATCHES = 6
"""Batches that read; the end of an input is one more."""
STAGES = ["planned", "fed", "written", "published"]


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return Loop(tmp_path)


def add(loop: Loop, wanted: RunSpec, at_end: AtEnd = "flush") -> int:
    command = AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={}, at_end=at_end)
    return loop.carrier.control.append(command)


def stop(loop: Loop, binding: str, *, flush: bool) -> None:
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=binding, flush=flush))


def rows(loop: Loop, binding: str) -> tuple[list[str], list[str]]:
    folder = loop.home / "results" / binding
    results, late = committed_lines(folder, "results"), committed_lines(folder, "late")
    return sorted(json.dumps(row) for row in results), sorted(json.dumps(row) for row in late)


def states(manifests: list[Manifest], binding: str) -> list[tuple[str, str | None, str | None]]:
    changes = (change for manifest in manifests for change in manifest.changes)
    return [(each.state, each.domain, each.message) for each in changes if each.binding == binding]


@pytest.fixture
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    home = tmp_path_factory.mktemp("undisturbed")
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home)
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    return rows(loop, "a")


def test_a_finite_input_is_read_to_its_end_flushed_and_reported(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    manifests = loop.run()
    assert len(manifests) == BATCHES + 1
    assert [state for state, _, _ in states(manifests, "a")] == ["running", "completed"]
    results, late = rows(loop, "a")
    report = manifests[-1].reports[0]
    assert report.results == len(results) > 0
    assert report.quarantined == len(late) > 0
    counts = report.inputs["readings"]
    assert counts.received == sum(counts.outcomes.values()) == BATCHES * 5
    assert counts.ended
    total = sum(json.loads(row)["payload"]["n"] for row in results)
    assert total == counts.outcomes["on_time"] + counts.outcomes.get("reordered", 0)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("at", range(1, BATCHES + 1))
def test_a_batch_killed_at_any_stage_changes_nothing(
    loop: Loop, undisturbed: tuple[list[str], list[str]], stage: str, at: int
) -> None:
    add(loop, spec("a", "readings.jsonl"))
    for _ in range(at - 1):
        loop.batch()

    assert loop.killed_at(stage)
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_an_idle_carrier_plans_nothing(loop: Loop) -> None:
    assert loop.batch() is None
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    assert loop.batch() is None


def test_many_bindings_share_each_batch(loop: Loop, undisturbed: tuple[list[str], list[str]]) -> None:
    for number in range(20):
        add(loop, spec(f"b{number}", "readings.jsonl"))
    assert len(loop.run()) == BATCHES + 1
    assert all(rows(loop, f"b{number}") == undisturbed for number in range(20))


def test_compressed_envelopes_have_the_same_content(
    loop: Loop, undisturbed: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ipc, "_LARGE", 0)
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_a_stop_without_flush_keeps_state_and_positions(loop: Loop, undisturbed: tuple[list[str], list[str]]) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()
    loop.batch()
    stop(loop, "a", flush=False)
    stopped = loop.run()
    assert states(stopped, "a") == [("stopped", None, None)]
    add(loop, spec("a", "readings.jsonl", run="a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


@pytest.mark.parametrize("kind", ["results", "late"])
def test_a_run_resumes_without_lost_or_repeated_rows_after_its_rows_were_deleted(
    loop: Loop, undisturbed: tuple[list[str], list[str]], kind: PartKind
) -> None:
    add(loop, spec("a", "readings.jsonl"))
    for _ in range(3):
        loop.batch()
    stop(loop, "a", flush=False)
    (stop_manifest,) = loop.run()
    stopped, first = stop_manifest.batch, stop_manifest.reports[0]
    before = rows(loop, "a")
    removed = remove(loop.home / "results" / "a", kind, stopped)
    place = 0 if kind == "results" else 1
    assert removed.rows == len(before[place]) > 0
    add(loop, spec("a", "readings.jsonl", run="a-2"))
    last = loop.run()[-1].reports[0]
    after = [list(each) for each in rows(loop, "a")]
    assert first.results + last.results == len(undisturbed[0]), "totals include deleted rows"
    after[place] = sorted([*before[place], *after[place]])
    assert tuple(after) == undisturbed


def test_a_stop_with_flush_sends_infinity_if_final_requests_it(loop: Loop) -> None:
    add(loop, spec("asks", "readings.jsonl", final=True))
    add(loop, spec("does_not", "readings.jsonl"))
    loop.batch()
    for name in ("asks", "does_not"):
        stop(loop, name, flush=True)
    manifest = loop.run()[-1]
    ended = {report.run: report.inputs["readings"].ended for report in manifest.reports}
    assert ended["asks-1"] is True
    assert not ended.get("does_not-1", False)
    assert len(rows(loop, "asks")[0]) > len(rows(loop, "does_not")[0])


def test_another_query_under_the_same_binding_starts_without_state(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()
    loop.batch()
    stop(loop, "a", flush=False)
    loop.run()
    add(loop, spec("a", "readings.jsonl", run="a-2", where="value >= 0"))
    manifests = loop.run()
    assert manifests[-1].reports[0].inputs["readings"].received == BATCHES * 5
    assert [key for key, content in loop.state.items() if content] == []


def test_a_missing_input_fails_its_own_run_with_a_sentence(
    loop: Loop, undisturbed: tuple[list[str], list[str]]
) -> None:
    add(loop, spec("lost", "nowhere.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    manifests = loop.run()
    ((state, domain, message),) = states(manifests, "lost")
    assert (state, domain) == ("failed", "user")
    assert message is not None
    assert "nowhere.jsonl" in message
    assert "Traceback" not in message
    assert rows(loop, "a") == undisturbed


def test_a_failed_run_resumes_after_the_file_returned(loop: Loop, undisturbed: tuple[list[str], list[str]]) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()
    hidden = (loop.home / "readings.jsonl").rename(loop.home / "hidden")
    assert states(loop.run(), "a")[-1][0] == "failed"
    hidden.rename(loop.home / "readings.jsonl")
    add(loop, spec("a", "readings.jsonl", run="a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


@pytest.mark.parametrize("breaks_at", [2, 5])
def test_a_read_error_undoes_the_batch_of_that_binding_alone(
    loop: Loop, undisturbed: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch, breaks_at: int
) -> None:
    read = RowsAdapter.read

    def broken(self: RowsAdapter, lane: str, start: int, end: int) -> Iterator[Any]:
        yield from read(self, lane, start, end)
        if end == breaks_at and self._options.path == "frail.jsonl":
            raise AdapterError("The disk of the device went away. Plug it in again.", domain="external")

    write_readings(loop.home / "frail.jsonl", BATCHES)
    add(loop, spec("frail", "frail.jsonl"))
    add(loop, spec("a", "readings.jsonl"))
    monkeypatch.setattr(RowsAdapter, "read", broken)
    manifests = loop.run()
    expected = ("failed", "external", "The disk of the device went away. Plug it in again.")
    assert states(manifests, "frail") == [("running", None, None), expected]
    assert rows(loop, "a") == undisturbed
    monkeypatch.setattr(RowsAdapter, "read", read)
    add(loop, spec("frail", "frail.jsonl", run="frail-2"))
    loop.run()
    assert rows(loop, "frail") == undisturbed


@pytest.mark.parametrize("breaks_at", [1, 3, BATCHES])
def test_an_error_of_the_operators_undoes_the_batch_of_that_binding_alone(
    loop: Loop, undisturbed: tuple[list[str], list[str]], breaks_at: int
) -> None:
    add(loop, spec("a", "readings.jsonl"))
    with fault_of_operators(breaks_at):
        manifests = loop.run()
    state, domain, message = states(manifests, "a")[-1]
    assert (state, domain) == ("failed", "internal")
    assert message is not None
    assert "a fault of ours" not in message
    add(loop, spec("a", "readings.jsonl", run="a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_a_full_disk_is_not_blamed_on_a_binding(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    folder = loop.home / "results" / "a" / "quarantine"
    folder.mkdir(parents=True)
    (folder / ".part-1-0.jsonl.staged").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as raised:
        loop.run()
    assert explain_query(raised.value).message == DISK_FULL


def test_an_error_of_the_machine_is_identified_by_its_cause_if_spark_reports_none() -> None:
    """Check the only signs of a commit whose Python worker did not start on a busy machine, and of its abort."""
    error, job = RuntimeError("Writing job failed."), RuntimeError("Writing job failed.")
    error._cause = job  # type: ignore[attr-defined]
    job._cause = RuntimeError("Python worker failed to connect back.")  # type: ignore[attr-defined]
    assert explain_query(error).domain == "external"
    assert "failed to connect back" in explain_query(error).detail
    assert explain_query(RuntimeError("Writing job failed.")).domain == "internal"


def test_totals_are_counted_once_when_a_batch_is_published_twice(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()

    def crash(reached: str) -> None:
        if reached == "published":
            raise Crash

    with pytest.raises(Crash):
        loop.batch(crash)
    manifest = loop.batch()
    assert manifest is not None
    assert manifest.reports[0].results == len(rows(loop, "a")[0])
    assert manifest.reports[0].inputs["readings"].received == 10


def test_commits_contain_the_sizes_of_their_parts(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    folder = loop.home / "results" / "a"
    sizes = {name: sum(path.stat().st_size for path in (folder / name).iterdir()) for name in ("results", "quarantine")}
    commits = [read_commit(folder, batch) for batch in committed_batches(folder)]
    parts = [part for commit in commits if commit is not None for part in commit.parts]
    assert sum(part.bytes or 0 for part in parts if part.kind == "results") == sizes["results"] > 0
    assert stored_after(folder, 0).late == sizes["quarantine"] > 0


def test_every_outcome_in_quarantine_is_in_the_totals(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    counts = loop.run()[-1].reports[0].inputs["readings"].outcomes
    late = Counter(json.loads(row)["outcome"] for row in rows(loop, "a")[1])
    assert late == {name: count for name, count in counts.items() if name in late and count}
    assert set(late) == {"malformed", "dropped_late"}
