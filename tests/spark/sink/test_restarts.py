"""Commits record the last restart without state, so that readers discard rows that are emitted again."""

import shutil
from pathlib import Path

import pytest

from streaming.adapters.binding.history import Reached, ResultHistory
from streaming.adapters.committed import CommittedBatches
from streaming.spark.query.offset import Offset
from streaming.spark.sink import compaction
from streaming.spark.sink.compaction import compact
from streaming.storage.blobs import LocalFolder
from streaming.storage.restarts import restart_at
from streaming.storage.results import committed_spans, read_span
from streaming.wire.beginning import BeginAt, BeginAtTime
from tests.spark.loop import Loop
from tests.spark.planning.test_begin_elsewhere import OLD, add, ran, reading, write_file
from tests.spark.planning.test_changeover import AS_THEY_COME, catch_up, take_over
from tests.spark.planning.test_changeover import add as add_version
from tests.spark.planning.test_changeover import changed as version
from tests.spark.planning.test_start_at_the_end import start
from tests.spark.specs import write_readings
from tests.spark.test_loop import STAGES

LATER_S = 1e10
ANYWHERE = BeginAtTime(kind="time", at=0)


def restarts(home: Path) -> list[int | None]:
    """Return the restart that each commit records."""
    folder = home / "results" / "a"
    commits = [read_span(folder, span) for span in committed_spans(folder)]
    return [restart_at(each, each.batch) for each in commits if each is not None]


def history(home: Path) -> ResultHistory:
    return ResultHistory(LocalFolder(home), "a", CommittedBatches(LocalFolder(home / "results" / "a"), "out"))


def forget_points(home: Path) -> None:
    shutil.rmtree(home / "kept")


@pytest.fixture
def stopped(tmp_path: Path) -> Loop:
    """Return a carrier with the stopped run a-1, and new rows."""
    loop = ran(tmp_path, [1, 11, 12, 31])
    write_file(tmp_path, "new.jsonl", [33, 41], OLD)
    return loop


@pytest.mark.parametrize(
    ("begin", "again"),
    [(None, False), ("old_positions", False), ("now", False), ("beginning", True), (ANYWHERE, True)],
)
def test_a_run_that_emits_results_again_is_recorded_as_a_restart(
    stopped: Loop, begin: BeginAt | None, again: bool
) -> None:
    before = restarts(stopped.home)
    assert set(before) == {1}, "the first run started without state"
    reached = history(stopped.home).at(1)
    add(stopped, reading("a-2", begin=begin))
    stopped.run()
    after = restarts(stopped.home)[len(before) :]
    assert len(set(after)) == 1
    assert (after[0] != 1) is again
    assert history(stopped.home).restarts_since(reached)[1] == ([after[0]] if again else [])


@pytest.mark.parametrize("stage", [None, *STAGES])
def test_a_run_without_restart_points_is_a_restart_though_its_cti_is_not_lower(
    stopped: Loop, stage: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = history(stopped.home).at(len(restarts(stopped.home)))
    forget_points(stopped.home)
    add(stopped, reading("a-2", begin="beginning"))
    if stage is not None:
        assert stopped.killed_at(stage)
    stopped.run()
    now, found = history(stopped.home).restarts_since(reached)
    assert reached.cti is not None
    assert now.cti is not None
    assert now.cti > reached.cti
    assert found == [reached.batch + 1]
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 0)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", len(restarts(stopped.home)))
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 2)
    assert compact(LocalFolder(stopped.home / "results" / "a"), now_s=LATER_S)
    assert len(restarts(stopped.home)) == 1
    assert history(stopped.home).restarts_since(reached) == (now, found)
    assert history(stopped.home).since(Reached()) == (now, found[0])


def test_a_start_without_new_rows_is_no_restart(tmp_path: Path) -> None:
    write_file(tmp_path, "first.jsonl", [1, 11, 12, 31], OLD)
    loop = Loop(tmp_path)
    start(loop, "a-1")
    reached = history(tmp_path).at(len(restarts(tmp_path)))
    start(loop, "a-2")
    assert history(tmp_path).restarts_since(reached) == (Reached(reached.batch + 1, "a-2"), [])
    start(loop, "a-3", begin="beginning")
    assert history(tmp_path).restarts_since(reached)[1] == [reached.batch + 2]


def test_a_takeover_is_no_restart(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 8)
    loop = Loop(tmp_path)
    add_version(loop, version({}))
    loop.batch()
    catch_up(loop, AS_THEY_COME)
    loop.batch()
    take_over(loop, AS_THEY_COME)
    loop.run()
    assert len(restarts(tmp_path)) > 2
    assert set(restarts(tmp_path)) == {restarts(tmp_path)[0]}
    assert restarts(tmp_path)[0] is not None


def test_a_run_that_resumes_elsewhere_keeps_the_restart(stopped: Loop) -> None:
    loop = Loop(stopped.home, str(stopped.home / "elsewhere"))
    loop.offset = Offset(n=stopped.offset.n)
    before = restarts(stopped.home)
    add(loop, reading("a-2"))
    loop.run()
    assert len(restarts(stopped.home)) > len(before)
    assert set(restarts(stopped.home)) == {1}
