"""Each run of a binding has its own rows and its own totals, also where it goes on with the state of another."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.control import AddBinding, SaveBinding
from streaming.spark.manifests import Manifest
from streaming.wire.messages import ProgressReport, RunSpec
from streaming.wire.results import PartKind, committed_batches, committed_rows, read_commit
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, add, loop, stop

__all__ = ["loop"]
PATH = "savepoints/a.arrow"


def listed(folder: Path, kind: PartKind, run: str | None) -> list[dict[str, Any]]:
    return list(committed_rows(folder, kind, 1_000, run=run).rows)


def last_report(manifests: list[Manifest], run: str) -> ProgressReport:
    reports = [each for manifest in manifests for each in manifest.reports if each["run"] == run]
    return ProgressReport.model_validate_json(json.dumps(reports[-1]))


def agrees(home: Path, report: ProgressReport) -> None:
    """The totals of a run are those of the rows that it lists."""
    folder = home / "results" / "a"
    assert report.of_run
    assert report.results == len(listed(folder, "results", report.run))
    assert report.quarantined == len(listed(folder, "late", report.run))
    (counts,) = report.inputs.values()
    assert counts.received == sum(counts.outcomes.values())
    assert sum(counts.lateness) + counts.outcomes["malformed"] == report.quarantined


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_run_that_goes_on_counts_and_lists_what_it_made_itself(loop: Loop, after: int) -> None:
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
def test_a_run_that_begins_is_told_apart_however_it_is_killed(loop: Loop, stage: str, killed: int) -> None:
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
def test_another_version_started_at_once_loses_nothing_to_the_run_before(loop: Loop, entries: int) -> None:
    """The names of generations are texts: that of entry 10 stands before that of entry 9."""
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


def test_a_run_that_begins_anew_within_itself_is_one_run(tmp_path: Path) -> None:
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

    assert report.inputs["readings"].received >= (BATCHES - 1) * 5, "what is read again counts again"


def test_a_run_that_enters_by_a_savepoint_counts_its_own(tmp_path: Path) -> None:
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
