"""A restart without state is an event of the stream, and the start of the rows that stand, also after a merge."""

import itertools
from pathlib import Path

import pytest

from streaming.adapters.binding import history
from streaming.spark.sink import compaction
from streaming.storage.blobs import LocalFolder
from streaming.storage.stored import remove
from tests.webapp.exports.stored import final_row
from tests.webapp.subscribing.followed import Followed, fold
from webapp.monitoring.subscribing.output_rows import NOTHING_RECEIVED, OutputCursor

LATER_S = 10_000_000_000.0
RUNS = (("one", [10, 12]), ("two", [5, 20, 30]), ("three", [30, 31]), ("four", [2, 3, 4]))
"""Each run, and the CTIs after its batches; two and four start without state."""
RESTARTS = [2, 7]


@pytest.fixture(params=["recorded", "not recorded", "recorded by the last run"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> Followed:
    """Return an output whose restarts are recorded, or not by an older release, which leaves the CTIs to judge by."""
    made = Followed(tmp_path)
    for run, ctis in RUNS:
        made.results.run = run
        starts_over = run in ("one", "two", "four")
        if request.param == "recorded" or (run == "four" and request.param != "not recorded"):
            made.results.restart = made.results.batch if starts_over else made.results.restart
        for cti in ctis:
            made.results.commit([final_row(cti, {"n": cti})], cti=cti)
    return made


@pytest.fixture
def merged(output: Followed, monkeypatch: pytest.MonkeyPatch) -> Followed:
    """Merge all batches but the last one into three commits, and these into one."""
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 1)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", 3)
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 2)
    monkeypatch.setattr(compaction, "_size", lambda span: (span.last - span.first + 1) // 3)
    while compaction.compact(LocalFolder(output.results.folder), now_s=LATER_S):
        pass
    assert len(list((output.results.folder / "commits").iterdir())) == 2
    return output


def restarted(output: Followed, batch: int) -> list[int]:
    """Return the batches of the restarts that a subscriber receives after `batch`."""
    cursor = NOTHING_RECEIVED if batch < 0 else OutputCursor(batch)
    return [each.cursor.batch for each in output.events(cursor) if each.name == "restarted"]


def test_a_subscriber_receives_each_restart_after_a_merge(merged: Followed) -> None:
    for batch in range(-1, 10):
        assert restarted(merged, batch) == [each for each in RESTARTS if each > batch]


def test_the_rows_that_stand_begin_at_the_last_restart_after_a_merge(merged: Followed) -> None:
    ctis = [cti for _, each in RUNS for cti in each]
    for upto in range(10):
        begin = max(each for each in (0, *RESTARTS) if each <= upto)
        standing = [batch for batch in range(begin, upto + 1) if ctis[batch] <= 13 < ctis[batch] + 10]
        assert merged.standing(13, upto=upto) == [f"{batch}-0-0" for batch in standing]


def test_the_rows_that_stand_are_the_fold_of_a_merged_stream(merged: Followed) -> None:
    events = merged.events()
    for as_of in range(45):
        assert merged.standing(as_of) == fold(events, as_of)


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_long_history_is_read_in_steps(output: Followed, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    events = output.events()
    monkeypatch.setattr(history, "COMMITS_AT_ONCE", at_once)
    items = output.subscriber().read()
    reads = count_commits(monkeypatch)
    next(items)
    assert len(reads) <= 2 * at_once, "a step reads each commit for its restarts, and for its rows"
    assert output.events() == events
    for batch in range(10):
        assert restarted(output, batch) == [each for each in RESTARTS if each > batch]
    assert output.standing(12) == ["8-0-0", "9-0-0"]


def test_a_restart_whose_results_were_deleted_is_an_event(output: Followed) -> None:
    output.results.restart = 7
    output.results.commit([final_row(5, {"n": 5})], cti=5)
    remove(output.results.folder, "results", 9)
    assert restarted(output, 1) == [7]
    assert restarted(output, 8) == []


def count_commits(patch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with each commit that is read."""
    reads: list[str] = []
    read = LocalFolder.read

    def counted(self: LocalFolder, name: str) -> bytes | None:
        reads.extend([name] if name.startswith("commits/") else [])
        return read(self, name)

    patch.setattr(LocalFolder, "read", counted)
    return reads


def test_the_start_of_the_rows_that_stand_costs_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = Followed(tmp_path)
    for number, run in enumerate(itertools.islice(itertools.cycle("ab"), 300)):
        output.results.run = f"{run} {number}"
        output.results.restart = number // 100 * 100
        output.results.commit(cti=number)
    reads = count_commits(monkeypatch)
    assert output.history.last_restart(299) == 200
    assert output.history.last_restart(150) == 100
    assert len(reads) == 2
    assert output.history.since(history.Reached()) == (history.Reached(299, "b 299", 299), 200)
    assert len(reads) <= 4
