"""Each run of a binding has its own rows and its own totals, even if it continues the state of another run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.query.control import AddBinding, SaveBinding
from streaming.spark.query.manifests import Manifest
from streaming.storage.results import PartKind, committed_batches, committed_rows, read_commit
from streaming.wire.messages import RunSpec
from streaming.wire.progress import ProgressReport
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, add, loop, stop

__all__ = ["loop"]
PATH = "savepoints/a.arrow"


def listed(folder: Path, kind: PartKind, run: str | None) -> list[dict[str, Any]]:
    return list(committed_rows(folder, kind, 1_000, run=run).rows)


def last_report(manifests: list[Manifest], run: str) -> ProgressReport:
    return [each for manifest in manifests for each in manifest.reports if each.run == run][-1]


def agrees(home: Path, report: ProgressReport) -> None:
    """Check that the totals of a run are those of the rows that it lists."""
    folder = home / "results" / "a"
    assert report.of_run
    assert report.results == len(listed(folder, "results", report.run))
    assert report.quarantined == len(listed(folder, "late", report.run))
    (counts,) = report.inputs.values()
    assert counts.received == sum(counts.outcomes.values())
    assert sum(counts.lateness) + counts.outcomes["malformed"] == report.quarantined


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_resumed_run_counts_and_lists_only_its_own_rows(loop: Loop, after: int) -> None:
    add(loop, spec("a", "readings.jsonl", run="one"))
    manifests = [loop.batch() for _ in range(after)]
    stop(loop, "a", flush=False)
    manifests += loop.run()
    add(loop, spec("a", "readings.jsonl", run="two"))
    manifests += loop.run()
    found = [last_report([each for each in manifests if each is not None], run) for run in ("one", "two")]
    for report in found:
        agrees(loop.home, report)
    received = [report.inputs["readings"].received for report in found]
    assert received == [after * 5, (BATCHES - after) * 5]
    together = [row["_id"] for run in ("two", "one") for row in listed(loop.home / "results" / "a", "results", run)]
    assert together == [row["_id"] for row in listed(loop.home / "results" / "a", "results", None)]
    assert {row["_run"] for row in listed(loop.home / "results" / "a", "late", None)} == {"one", "two"}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("killed", [1, 2, 3])
def test_the_rows_of_a_new_run_are_distinguishable_however_it_is_killed(loop: Loop, stage: str, killed: int) -> None:
    add(loop, spec("a", "readings.jsonl", run="one"))
    loop.batch()
    stop(loop, "a", flush=False)
    add(loop, spec("a", "readings.jsonl", run="two"))
    for _ in range(killed):
        loop.batch()
    assert loop.killed_at(stage)
    report = last_report(loop.run(), "two")
    agrees(loop.home, report)
    assert report.inputs["readings"].received == (BATCHES - 1) * 5


@pytest.mark.parametrize("entries", [0, 7])
def test_another_version_that_starts_at_once_loses_no_rows_to_the_previous_run(loop: Loop, entries: int) -> None:
    """Check generation names as texts: that of entry 10 sorts before that of entry 9."""
    for number in range(entries):
        add(loop, spec(f"other-{number}", "readings.jsonl"))
    add(loop, spec("a", "readings.jsonl", run="one", where="value < 15"))
    loop.batch()
    loop.batch()
    stop(loop, "a", flush=True)
    add(loop, spec("a", "readings.jsonl", run="two"))
    manifests = loop.run()
    folder = loop.home / "results" / "a"
    assert sum(row["payload"]["n"] for row in listed(folder, "results", "one")) > 0
    report = last_report(manifests, "two")
    agrees(loop.home, report)
    assert report.inputs["readings"].received == BATCHES * 5
    for batch in committed_batches(folder):
        commit = read_commit(folder, batch)
        assert commit is not None
        assert [(each.first, each.last) for each in commit.runs] == [(batch, batch)]


def test_a_run_that_starts_again_within_itself_is_one_run(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path)
    for run, batches in (("zero", 1), ("one", 2)):
        add(loop, spec("a", "readings.jsonl", run=run))
        for _ in range(batches):
            loop.batch()
        stop(loop, "a", flush=False)
    loop.run()
    parked = loop.offset.parked["a"]
    other = replace(parked, generation=replace(parked.generation, routing="of another version"))
    loop.offset = replace(loop.offset, parked={"a": other})
    add(loop, spec("a", "readings.jsonl", run="one"))
    report = last_report(loop.run(), "one")
    agrees(tmp_path, report)
    assert loop.offset.parked["a"].key != parked.key

    assert report.inputs["readings"].received >= (BATCHES - 1) * 5, "replayed rows count again"


def test_a_run_that_restores_a_savepoint_counts_its_own_rows(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    old, new = Loop(tmp_path), Loop(tmp_path, str(tmp_path / "dedicated"))
    add(old, spec("a", "readings.jsonl", run="one"))
    old.batch()
    old.batch()
    old.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding="a", path=PATH))
    old.run()
    new.carrier.control.append(entering(spec("a", "readings.jsonl", run="two")))
    report = last_report(new.run(), "two")
    agrees(tmp_path, report)
    assert report.inputs["readings"].received == (BATCHES - 2) * 5


def entering(wanted: RunSpec) -> AddBinding:
    command = {"kind": "add", "tick": 0, "bucket_ids": [0], "lanes": {}, "at_end": "flush", "from_savepoint": PATH}
    return AddBinding.model_validate({**command, "spec": wanted})
