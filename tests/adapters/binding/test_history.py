"""Restarts without state in the results of a binding, also after somebody deleted some of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.binding.history import Reached, ResultHistory
from streaming.adapters.committed import CommittedBatches
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import read_commit
from streaming.storage.stored import remove
from streaming.temporal.ticks import INFINITY
from streaming.wire.messages import LateEvent
from tests.adapters.binding.feeding import BINDING, Feeder, row
from tests.wire.written import write_commit, write_part

FROM_THE_START: dict[str, Any] = {
    "how": "beginning", "after": "first", "incomplete_before": {}, "until": {}, "alike": [], "open_from": None,
    "open_until": None, "rows_again": 0, "sentence": "It started from the beginning.",
}  # fmt: skip


def history_of(feeder: Feeder) -> ResultHistory:
    return ResultHistory(LocalFolder(feeder.own), BINDING, CommittedBatches(feeder.folder, "out"))


@pytest.mark.parametrize("cti", [None, 7])
def test_a_run_that_lost_its_state_is_a_restart_of_the_same_run(tmp_path: Path, cti: int | None) -> None:
    feeder = Feeder(tmp_path, restart=0)
    feeder.commit([row(1, 0, 5)], 5)
    feeder.restart = 1
    feeder.commit([row(1, 0, 5)], cti)
    history = history_of(feeder)
    assert history.restarts_since(Reached(0, "first", 5)) == (Reached(1, "first", cti), [1])
    assert history.since(Reached()) == (Reached(1, "first", cti), 1)
    assert history.restarts_since(Reached(1, "first", cti)) == (Reached(1, "first", cti), [])


def test_a_recorded_run_without_a_restart_is_none_whatever_its_cti(tmp_path: Path) -> None:
    feeder = Feeder(tmp_path, restart=0)
    feeder.commit([row(1, 0, 5)], INFINITY)
    feeder.commit([], None, run="second")
    assert history_of(feeder).restarts_since(Reached(0, "first", INFINITY)) == (Reached(1, "second"), [])


def quarantine_a_row(feeder: Feeder, batch: int) -> None:
    late = LateEvent(
        input="cars", lane="0", position=1, start=1, end=None, cti=2, outcome="dropped", reason=None, policy="drop",
        moved_by=None, raw="",
    )  # fmt: skip
    commit = read_commit(feeder.folder, batch)
    assert commit is not None
    part = write_part(feeder.folder, "late", batch, 0, [late])
    write_commit(feeder.folder, commit.model_copy(update={"parts": [*commit.parts, part]}))


@pytest.mark.parametrize(("ctis", "restarts"), [((9, 12), []), ((3, 4), [1])])
def test_a_run_whose_first_results_were_deleted_is_judged_by_its_next_cti(
    tmp_path: Path, ctis: tuple[int, int], restarts: list[int]
) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    feeder.commit([row(2, 0, 5)], ctis[0], run="second")
    quarantine_a_row(feeder, 1)
    remove(feeder.folder, "results", 1, "second")
    reached = Reached(0, "first", 5)
    assert history_of(feeder).restarts_since(reached) == (Reached(1, "second"), [])
    feeder.commit([row(3, 5, 9)], ctis[1], run="second")
    assert history_of(feeder).restarts_since(reached) == (Reached(2, "second", ctis[1]), restarts)


@pytest.mark.parametrize(("beginning", "restarts"), [(FROM_THE_START, [1]), (None, [])])
def test_after_all_results_were_deleted_the_start_of_the_next_run_decides(
    tmp_path: Path, beginning: dict[str, Any] | None, restarts: list[int]
) -> None:
    feeder = Feeder(tmp_path)
    feeder.commit([row(1, 0, 5)], 5)
    remove(feeder.folder, "results", 0)
    feeder.commit([row(1, 0, 5)], 5, run="second", beginning=beginning)
    history = history_of(feeder)
    assert history.restarts_since(history.at(0))[1] == restarts


@pytest.mark.parametrize(("cti", "restarts"), [(9, []), (3, [1])])
def test_a_run_with_the_beginning_of_the_one_before_it_resumed(tmp_path: Path, cti: int, restarts: list[int]) -> None:
    feeder = Feeder(tmp_path)
    for run in ("second", "third"):
        path = tmp_path / "kept" / BINDING / "begin" / f"{run}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(FROM_THE_START))
    feeder.commit([row(1, 0, 5)], 5, run="second", beginning=FROM_THE_START)
    feeder.commit([row(2, 5, 9)], cti, run="third", beginning=FROM_THE_START)
    assert history_of(feeder).restarts_since(Reached(0, "second", 5))[1] == restarts
