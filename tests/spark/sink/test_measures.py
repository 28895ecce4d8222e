"""A report measures all rows of its run, exactly: however they are cut, and wherever a batch is killed."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from streaming.spark.query.manifests import Manifest
from streaming.spark.query.totals import BindingTotals
from streaming.wire.measures import Measures, bucket_of
from streaming.wire.progress import InputCounts
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import STAGES, add, rows, stop

BATCHES = 6
STARTS = [number * 3 - (40 if number % 5 == 4 else 0) for number in range(BATCHES * 4)]
"""The starts of the readings in order of arrival (`write_readings`)."""


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return Loop(tmp_path)


def counts(manifests: list[Manifest]) -> InputCounts:
    return manifests[-1].reports[-1].inputs["readings"]


def test_the_largest_lateness_is_that_of_a_row_in_quarantine(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    measured = counts(loop.run()).measures
    assert measured is not None
    late = [json.loads(row) for row in rows(loop, "a")[1]]
    assert measured.largest_late == max(row["cti"] - row["start"] for row in late if row["start"] is not None) > 0


def test_every_readable_row_is_measured_by_its_distance_to_the_largest_start(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    found = counts(loop.run())
    behind = [max(STARTS[: number + 1]) - start for number, start in enumerate(STARTS)]
    assert found.measures is not None
    assert found.measures.behind == Counter(map(bucket_of, behind))
    assert found.measures.largest_behind == max(behind)
    assert sum(found.measures.behind.values()) == found.received - found.outcomes["malformed"] == len(STARTS)
    assert sum(found.outcomes.values()) == found.received


@pytest.mark.parametrize("stage", STAGES)
def test_a_repeated_batch_is_measured_once(loop: Loop, tmp_path: Path, stage: str) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()
    loop.killed_at(stage)
    other = Loop(tmp_path / "other")
    write_readings(other.home / "readings.jsonl", BATCHES)
    add(other, spec("a", "readings.jsonl"))
    assert counts(loop.run()) == counts(other.run())


def test_a_resumed_run_measures_its_own_rows_alone(loop: Loop) -> None:
    add(loop, spec("a", "readings.jsonl"))
    loop.batch()
    loop.batch()
    stop(loop, "a", flush=False)
    before = counts(loop.run())
    add(loop, spec("a", "readings.jsonl", run="a-2"))
    after = counts(loop.run())
    assert before.measures is not None
    assert after.measures is not None
    assert sum(before.measures.behind.values()) == before.received - before.outcomes["malformed"]
    assert sum(after.measures.behind.values()) == after.received - after.outcomes["malformed"]


def test_a_run_that_began_without_measuring_has_no_measurements_until_the_next_one() -> None:
    known = BindingTotals("a").begun_by("one", "results/a", [])
    old = BindingTotals.of_json({name: value for name, value in known.to_json().items() if name != "measures"})
    assert (known.measures_of("in"), old.measures_of("in")) == (Measures(), None)
    assert old.with_lanes({}).measures_of("in") is None
    assert old.begun_by("two", "results/a", [old]).measures_of("in") == Measures()
    generation = replace(known, binding="a", measures={"in": Measures({"0": 2}, 0)})
    again = BindingTotals("a").begun_by("one", "results/a", [generation])
    assert again.measures_of("in") == Measures({"0": 2}, 0)
    assert BindingTotals("a").begun_by("one", "results/a", [old]).measures_of("in") is None
