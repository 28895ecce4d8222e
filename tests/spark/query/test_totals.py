"""Totals are values: adding makes new ones, they survive writing and reading, and each run is counted alone."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from streaming.spark.query.manifests import Manifest, RunChange, SavepointWritten
from streaming.spark.query.totals import BindingTotals, InputTotals, LaneReport, RunCounts
from streaming.wire.progress import LATENESS_BUCKETS
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add

LATENESS = [0] * LATENESS_BUCKETS
SAID = LaneReport(
    tick=9,
    held=None,
    again=False,
    at=4,
    reach=70,
    clock=None,
    received=3,
    outcomes={"on_time": 2, "dropped_late": 1},
    reasons={},
    lateness=LATENESS,
    cti=50,
    ended=False,
    largest_start=60,
    cti_suppressed=0,
)
BEGUN = BindingTotals("a").begun_by("one", "results/a", [])


def received(counts: RunCounts) -> dict[str, int]:
    return {name: each.received for name, each in counts.inputs.items()}


def test_the_reach_of_a_lane_never_shrinks() -> None:
    once = BEGUN.with_lanes({"in": {"0": SAID}})
    for reach, expected in ((None, 70), (60, 70), (80, 80)):
        assert once.with_lanes({"in": {"0": replace(SAID, reach=reach)}}).inputs["in"]["0"].reach == expected
    assert BEGUN.inputs == {}


def test_a_run_excludes_earlier_counts() -> None:
    first = BEGUN.with_lanes({"in": {"0": SAID}}).with_output(5, {}, ())
    second = first.begun_by("two", "results/a", [first])
    assert (received(second.of_run), second.of_run.results) == ({"in": 0}, 0)
    after = second.with_lanes({"in": {"0": replace(SAID, received=7)}}).with_output(2, {}, ())
    assert (received(after.of_run), after.of_run.results) == ({"in": 4}, 2)
    assert received(after.counts) == {"in": 7}


def test_the_counts_of_a_run_continue_over_generations() -> None:
    first = BEGUN.with_lanes({"in": {"0": SAID}}).with_output(5, {}, ())
    anew = BindingTotals("a").begun_by("one", "results/a", [first])
    assert (received(anew.of_run), anew.of_run.results) == ({"in": 3}, 5)


def test_rows_that_windows_refuse_move_from_one_outcome_to_another() -> None:
    changes = {"in": {"0": {"outcomes": {"on_time": -2, "dropped_window_closed": 2}, "reasons": {"window_closed": 2}}}}
    counts = BEGUN.with_lanes({"in": {"0": SAID}}).with_output(0, {3: changes}, ()).counts.inputs["in"]
    assert counts.outcomes == {"dropped_late": 1, "dropped_window_closed": 2}
    assert counts.reasons == {"window_closed": 2}


def test_the_cti_of_an_input_is_the_smallest_of_its_lanes_and_none_while_one_has_none() -> None:
    others = [replace(SAID, cti=cti) for cti in (None, 40)]
    assert InputTotals.over([SAID, others[1]]).cti == 40
    assert InputTotals.over([SAID, *others]).cti is None


def test_the_cti_of_an_output_is_the_smallest_of_its_buckets() -> None:
    ids = {"out": [0, 1]}
    first, emitted = BEGUN.moved_on({"out": {0: [5]}}, ids)
    assert (emitted, first.ctis) == ({}, {})
    both, emitted = first.moved_on({"out": {1: [3, 4]}}, ids)
    assert (emitted, both.ctis) == ({"out": [4]}, {"out": 4})
    alike, emitted = both.moved_on({"out": {0: [7, 8], 1: [7, 8]}}, ids)
    assert (emitted, alike.ctis) == ({"out": [7, 8]}, {"out": 8})


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 3)
    loop = Loop(tmp_path, list_ctis=True)
    add(loop, spec("a", "readings.jsonl"))
    for manifest in loop.run():
        assert Manifest.of_json(manifest.to_json()) == manifest
    changed = replace(manifest, changes=(RunChange("a", "a-1", "failed", "user", "No.", "trace"),), failed=("a@1",))
    changed = replace(changed, saved=(SavepointWritten("a", "savepoints/a.arrow"),))
    assert Manifest.of_json(changed.to_json()) == changed


def test_totals_cannot_be_changed_in_place() -> None:
    for value, name in ((BEGUN, "results"), (SAID, "received"), (RunCounts(), "results"), (Manifest(1), "batch")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 7)
