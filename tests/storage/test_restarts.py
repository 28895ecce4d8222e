"""Restarts without state that two neighbouring commits show, in commits from before they were recorded."""

from pathlib import Path
from typing import Any

import pytest

from streaming.storage.restarts import restart_at, restart_before, with_restarts
from streaming.storage.results import Commit, RunBatches, joined
from streaming.storage.stored import remove
from tests.wire.written import write_commit, write_part

BEGINNING: dict[str, Any] = {
    "after": "one", "incomplete_before": {}, "until": {}, "alike": [], "open_from": None, "open_until": None,
    "rows_again": 0, "sentence": "It started.",
}  # fmt: skip


def commit(number: int, run: str, cti: int | None = 5, *, restart: int | None = None, how: str | None = None) -> Commit:
    beginning = None if how is None else {**BEGINNING, "how": how}
    totals = {"run": run, "output_ctis": {"out": cti, "other": 1}, "beginning": beginning}
    runs = [RunBatches(run=run, first=number, last=number, restart=restart)]
    return Commit(batch=number, parts=[], totals=totals, runs=runs)


@pytest.mark.parametrize(
    ("before", "after", "restart"),
    [
        (commit(6, "one"), commit(7, "two", 4), 7),
        (commit(6, "one", None), commit(7, "two"), 7),
        (commit(6, "one", None), commit(7, "two", None), 7),
        (commit(6, "one"), commit(7, "two"), None),
        (commit(6, "one"), commit(7, "two", None), None),
        (commit(6, "one", restart=3), commit(7, "two"), 3),
        (commit(6, "one", restart=3), commit(7, "one", 4), 3),
        (commit(6, "one", restart=3), commit(7, "two", 4, restart=3), 3),
        (commit(6, "one"), commit(7, "two", 9, how="beginning"), 7),
        (commit(6, "one", restart=3), commit(7, "two", 4, how="old_positions"), 3),
        (commit(6, "one", restart=3), commit(7, "two", 4, how="now"), 3),
        (commit(6, "one", restart=3, how="beginning"), commit(7, "two", 9, how="beginning"), 3),
        (commit(6, "one").model_copy(update={"totals": {}}), commit(7, "two", 4), None),
        (commit(6, "one", restart=3), commit(7, "two", 4).model_copy(update={"totals": {}}), None),
        (None, commit(7, "two", 4), None),
    ],
)
def test_the_first_run_of_a_commit_is_judged_by_the_commit_before_it(
    before: Commit | None, after: Commit, restart: int | None
) -> None:
    assert with_restarts(before, after) == [RunBatches(run=after.runs[0].run, first=7, last=7, restart=restart)]


def test_batches_whose_run_is_not_recorded_stay_unknown() -> None:
    unknown = Commit(batch=7, parts=[], totals={})
    assert with_restarts(commit(6, "one", restart=3), unknown) == []
    assert with_restarts(unknown, commit(8, "one")) == commit(8, "one").runs
    partly = Commit(batch=8, first=6, parts=[], totals={}, runs=[RunBatches(run="one", first=7, last=8)])
    assert with_restarts(commit(5, "one", restart=3), partly) == partly.runs


def test_merged_entries_of_one_run_keep_its_restarts() -> None:
    runs = [RunBatches(run="one", first=each, last=each, restart=restart) for each, restart in ((1, 1), (2, 1), (3, 3))]
    merged = Commit(batch=3, first=1, parts=[], totals={}, runs=joined(runs))
    assert [(each.first, each.last) for each in merged.runs] == [(1, 2), (3, 3)]
    assert [restart_at(merged, each) for each in (0, 1, 2, 3)] == [None, 1, 1, 3]


def test_all_rows_of_a_run_with_a_restart_inside_are_deleted(tmp_path: Path) -> None:
    part = write_part(tmp_path, "results", 2, 0, [])
    runs = [RunBatches(run="one", first=each, last=each, restart=each) for each in (1, 2)]
    write_commit(tmp_path, Commit(batch=2, first=1, parts=[part], totals={"run": "one"}, runs=runs))
    (tmp_path / "commits" / "2.json").rename(tmp_path / "commits" / "2-1.json")
    assert restart_before(tmp_path, 3) == 2
    remove(tmp_path, "results", 2, "one")
    assert restart_before(tmp_path, 3) is None, "the commit is deleted with its rows"


def test_a_damaged_commit_records_no_restart(tmp_path: Path) -> None:
    write_commit(tmp_path, commit(6, "one", restart=3))
    assert restart_before(tmp_path, 7) == 3
    assert restart_before(tmp_path, 6) is None
    (tmp_path / "commits" / "6.json").write_text("{")
    assert restart_before(tmp_path, 7) is None
