"""Attempts at a failing batch: the bindings to leave out, the end of the query, and the state after a restart."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streaming.resume.repairs import read_given, rows_path
from streaming.spark.errors import CULPRIT, DISK_FULL, BatchRepeated, ProbePassed, explain_query
from streaming.spark.planning.start_positions import keep_newest_points
from streaming.spark.query.binding import RunnableBinding, binding_of
from streaming.spark.query.blame import blame
from streaming.spark.query.control import RepairBinding, StopBinding
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import Manifest
from streaming.spark.query.restart_points import read_points
from streaming.spark.sink import part_files, publishing
from streaming.spark.sink.compaction_schedule import EVERY_S, CompactionScheduler
from streaming.spark.sink.points_at_rest import keep_points_at_rest
from streaming.spark.source.attempts import FILE, read_attempts
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import committed_spans
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, add, rows, states, stop

BAD = "b"


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path)
    for name in ("a", "b", "c"):
        add(loop, spec(name, "readings.jsonl"))
    return loop


@pytest.fixture
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    home = tmp_path_factory.mktemp("undisturbed")
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home)
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    return rows(loop, "a")


def poison_result(patch: pytest.MonkeyPatch, batch: int) -> None:
    """Make results of the bad binding unwritable from `batch` on."""
    take = part_files.TaskSink._take_rows

    def broken(self: part_files.TaskSink, row: Any, summary: part_files.BindingSummary) -> None:
        if row.binding.startswith(f"{BAD}@") and row.batch >= batch:
            b"\xff\xfe".decode()
        take(self, row, summary)

    patch.setattr(part_files.TaskSink, "_take_rows", broken)


def poison_manifest(patch: pytest.MonkeyPatch, batch: int) -> None:
    """Make a manifest with a report of the bad binding unwritable from `batch` on, without naming a culprit."""
    to_json = Manifest.to_json

    def broken(self: Manifest) -> bytes:
        failed = any(change.run == f"{BAD}-1" and change.state == "failed" for change in self.changes)
        if self.batch >= batch and not failed and any(report.run == f"{BAD}-1" for report in self.reports):
            raise ValueError("surrogates not allowed")
        return to_json(self)

    patch.setattr(Manifest, "to_json", broken)


def test_a_result_that_cannot_be_written_fails_its_run_alone(
    loop: Loop, undisturbed: tuple[list[str], list[str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        poison_result(patch, 3)
        with pytest.raises(BatchRepeated):
            loop.run()
        manifests = loop.upheld()
    state, domain, message = states(manifests, BAD)[-1]
    assert (state, domain) == ("failed", "internal")
    assert message is not None
    assert "writing the results" in message
    assert "UnicodeDecodeError" in message
    assert rows(loop, "a") == rows(loop, "c") == undisturbed
    left = [path.name for path in (loop.home / "results" / BAD).rglob("*") if path.name.startswith((".part", "part-3"))]
    assert left == [], "the attempt leaves no files"


def test_a_failed_attempt_does_not_affect_later_runs(loop: Loop, undisturbed: tuple[list[str], list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        poison_result(patch, 3)
        loop.upheld()
    add(loop, spec(BAD, "readings.jsonl", run="b-2"))
    add(loop, spec("d", "readings.jsonl"))
    loop.upheld()
    assert rows(loop, BAD) == rows(loop, "d") == undisturbed


def test_a_binding_that_is_deleted_while_its_batch_fails_delays_no_other(
    loop: Loop, undisturbed: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    poison_result(monkeypatch, 2)
    with pytest.raises(BatchRepeated):
        loop.run()
    loop.carrier.folder.within("..").clear(f"results/{BAD}")
    stop(loop, BAD, flush=True)
    loop.upheld()
    assert rows(loop, "a") == undisturbed


def test_the_search_for_an_unknown_culprit_continues_over_restarts_of_the_runner(
    loop: Loop, undisturbed: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    poison_manifest(monkeypatch, 2)
    ends, manifests = [], []
    while True:
        manifest, error = loop.attempted()
        if error is not None:
            ends.append(type(error))
            again = Loop(loop.home)  # a new runner on the files of the old one
            again.offset, again.planned, again.state, again.clock = loop.offset, loop.planned, loop.state, loop.clock
            loop = again
        elif manifest is None:
            break
        else:
            manifests.append(manifest)
    assert ends[:3] == [ValueError] * 3
    assert ProbePassed in ends
    assert states(manifests, BAD)[-1] == ("failed", "internal", CULPRIT)
    assert rows(loop, "a") == rows(loop, "c") == undisturbed
    assert read_attempts(loop.carrier).search is None


def test_an_error_of_the_machine_ends_the_query_and_leaves_no_binding_out(
    loop: Loop, undisturbed: tuple[list[str], list[str]]
) -> None:
    folder = loop.home / "results" / BAD / "quarantine"
    folder.mkdir(parents=True)
    (folder / ".part-1-0.jsonl.staged").symlink_to("/dev/full")
    for _ in range(5):
        with pytest.raises(OSError, match="No space left on device") as raised:
            loop.upheld()
        assert explain_query(raised.value).message == DISK_FULL
        loop.restart()
    assert loop.carrier.folder.read(FILE) is None
    (folder / ".part-1-0.jsonl.staged").unlink()
    manifests = loop.upheld()
    assert {states(manifests, name)[-1][0] for name in "abc"} == {"completed"}
    assert rows(loop, "a") == rows(loop, BAD) == undisturbed


def test_a_failure_without_any_binding_ends_the_query(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ArithmeticError("a fault of ours")

    monkeypatch.setattr(publishing, "_manifest", broken)
    with pytest.raises(ArithmeticError):
        loop.upheld()
    known = read_attempts(loop.carrier)
    assert (known.excluded, known.search) == ({}, None)


def test_the_machine_is_to_blame_if_no_file_can_be_written_and_otherwise_the_binding(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = PermissionError(13, "Permission denied", "results/b/commits/1.json")
    change = blame(loop.carrier, "b@2", refused, "writing the results")
    assert (change.state, change.domain, change.undo) == ("failed", "external", True)
    assert change.message is not None
    assert "results/b" not in change.message

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(LocalFolder, "write", refuse)
    with pytest.raises(PermissionError):
        blame(loop.carrier, "b@2", refused, "writing the results")


def test_a_binding_that_fails_after_its_commit_is_parked_at_its_new_position(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = loop.carrier.shared_of("")
    loop.batch()
    line = {"output": "out", "start": 0, "end": 10, "payload": {"device": "x", "n": 1, "total": 1}}
    shared.write(rows_path(BAD, "r1"), json.dumps(line).encode() + b"\n")
    command = RepairBinding(kind="repair", tick=0, binding=BAD, run=f"{BAD}-1", repair="r1")
    loop.carrier.control.append(command)

    def broken(*_: Any) -> None:
        raise KeyError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_given", broken)
        manifests = loop.upheld()
    (failed_in,) = (manifest for manifest in manifests if manifest.failed_after)
    assert failed_in.failed == ()
    assert states(manifests, BAD)[-1][0] == "failed"
    assert {states(manifests, name)[-1][0] for name in "ac"} == {"completed"}
    assert read_given(shared, BAD, "r1") is None
    there = len(rows(loop, BAD)[0])
    add(loop, spec(BAD, "readings.jsonl", run="b-2"))
    loop.upheld()
    assert len(rows(loop, BAD)[0]) == len(rows(loop, "a")[0]) + 1 > there, "its repair, and no batch twice"


def test_a_stop_that_fails_ends_the_run_of_its_binding_alone(
    loop: Loop, undisturbed: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.batch()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=BAD, flush=True))

    def broken(self: RunnableBinding) -> tuple[str, ...]:
        raise ArithmeticError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(RunnableBinding, "finals", property(broken))
        manifest = loop.batch()
    assert manifest is not None
    assert [(change.binding, change.state) for change in manifest.changes] == [(BAD, "failed")]
    loop.upheld()
    assert rows(loop, "a") == undisturbed
    add(loop, spec(BAD, "readings.jsonl", run="b-2"))
    loop.upheld()
    assert rows(loop, BAD) == undisturbed


def test_unmergeable_old_batches_of_one_binding_stay_as_they_are(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    loop.run()
    monkeypatch.setattr("streaming.spark.sink.compaction.NEWEST_LEFT", 0)
    monkeypatch.setattr("streaming.spark.sink.compaction.FEWEST_MERGED", 2)
    monkeypatch.setattr("streaming.spark.sink.compaction.MERGED_AT_ONCE", 2)
    damaged = loop.home / "results" / "a" / "commits"
    for path in damaged.iterdir():
        path.write_text("{")
    now = [0.0]
    tidying = CompactionScheduler(loop.carrier, lambda: now[0])
    now[0] += EVERY_S
    tidying.turn(10.0)
    counts = [len(committed_spans(loop.home / "results" / name)) for name in "abc"]
    assert counts[0] == BATCHES + 1
    assert max(counts[1:]) < BATCHES + 1


@pytest.mark.parametrize("keep", [keep_newest_points, lambda carrier: keep_points_at_rest(carrier, {})])
def test_a_binding_without_a_restart_point_does_not_keep_others_from_theirs(
    loop: Loop, monkeypatch: pytest.MonkeyPatch, keep: Callable[[CarrierFolder], object]
) -> None:
    for _ in range(3):
        loop.batch()
    shared = loop.carrier.shared_of("")
    broken = binding_of(loop.carrier, 2)
    monkeypatch.setitem(vars(broken), "facts", None)
    keep(loop.carrier)
    kept = {name: [point.batch for point in read_points(shared, name)][:1] for name in "abc"}
    assert (kept["a"], kept["c"]) == ([3], [3])
    assert kept[BAD] != [3]
