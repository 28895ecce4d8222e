"""Disk usage counts each batch once; deleting one kind of rows leaves the other kind, later batches and cursors."""

from pathlib import Path

import pytest

from streaming.storage import stored
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import Commit, PartKind, ResultPart, committed_batches, committed_rows
from streaming.storage.stored import RemovedRows, StoredSizes, remove, stored_after
from streaming.wire.messages import LateEvent, ResultRow
from tests.wire.written import write_commit, write_part

LATE = LateEvent(
    input="in",
    lane="0",
    position=3,
    start=1,
    end=2,
    cti=9,
    outcome="dropped_late",
    reason=None,
    policy="drop",
    moved_by=None,
    raw="{}",
)


def batch(folder: Path, number: int, results: int = 2, late: int = 1) -> None:
    rows = [ResultRow(output="out", start=number, end=None, payload={"n": each}) for each in range(results)]
    parts = [write_part(folder, "results", number, 0, rows)] if results else []
    parts += [write_part(folder, "late", number, 0, [LATE] * late)] if late else []
    write_commit(folder, Commit(batch=number, parts=parts, totals={"results": number}))


def on_disk(folder: Path, *names: str) -> int:
    return sum(path.stat().st_size for name in names for path in (folder / name).glob("*.json*"))


def count(folder: Path, kind: PartKind) -> int:
    return len(committed_rows(folder, kind, 1_000).rows)


def test_the_counted_size_is_that_of_the_files(tmp_path: Path) -> None:
    for number in (1, 2, 5):
        batch(tmp_path, number)
    sizes = stored_after(tmp_path, 0)
    assert sizes == StoredSizes(5, on_disk(tmp_path, "results", "commits"), on_disk(tmp_path, "quarantine"))
    assert sizes.late > 0


def test_incremental_counting_counts_each_batch_once(tmp_path: Path) -> None:
    batch(tmp_path, 1)
    first = stored_after(tmp_path, 0)
    batch(tmp_path, 2)
    batch(tmp_path, 7, late=0)
    second = stored_after(tmp_path, first.batch, newest=7)
    whole = stored_after(tmp_path, 0, newest=700)
    assert (first.results + second.results, first.late + second.late) == (whole.results, whole.late)
    assert second.batch == whole.batch == 7
    assert stored_after(tmp_path, 7, newest=7) == stored_after(tmp_path, 7) == StoredSizes(7, 0, 0)


def test_parts_without_a_recorded_size_are_measured(tmp_path: Path) -> None:
    batch(tmp_path, 1)
    whole = stored_after(tmp_path, 0)
    parts = [ResultPart(kind="results", path="results/part-1-0.jsonl", rows=2)]
    write_commit(tmp_path, Commit(batch=1, parts=parts, totals={}))
    old = stored_after(tmp_path, 0)
    assert old.results == on_disk(tmp_path, "results", "commits") > 0
    assert old.late == 0 != whole.late


def test_a_missing_folder_uses_no_space(tmp_path: Path) -> None:
    assert stored_after(tmp_path / "none", 0) == StoredSizes(0, 0, 0)
    assert remove(tmp_path / "none", "results", 9) == RemovedRows(0, 0, 0, 0)


@pytest.mark.parametrize(("kind", "other"), [("results", "late"), ("late", "results")])
def test_deleting_one_kind_leaves_the_other_and_frees_the_reported_bytes(
    tmp_path: Path, kind: PartKind, other: PartKind
) -> None:
    for number in (1, 2, 3):
        batch(tmp_path, number)
    before, kept = stored_after(tmp_path, 0), count(tmp_path, other)
    rows = count(tmp_path, kind)
    removed = remove(tmp_path, kind, 3)
    after = stored_after(tmp_path, 0)
    assert (removed.rows, removed.parts) == (rows, 3)
    assert (count(tmp_path, kind), count(tmp_path, other)) == (0, kept)
    assert (before.results - after.results, before.late - after.late) == (removed.results, removed.late)
    folder = "results" if kind == "results" else "quarantine"
    assert list((tmp_path / folder).iterdir()) == []
    again = remove(tmp_path, kind, 3)
    assert (again.rows, again.results, again.late) == (0, 0, 0)


def test_deleting_both_kinds_leaves_nothing(tmp_path: Path) -> None:
    for number in (1, 2):
        batch(tmp_path, number)
    remove(tmp_path, "late", 2)
    remove(tmp_path, "results", 2)
    assert on_disk(tmp_path, "results", "quarantine", "commits") == 0
    assert stored_after(tmp_path, 0).results == 0


def test_later_batches_stay_and_an_earlier_cursor_stays_valid(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        batch(tmp_path, number)
    cursor = committed_rows(tmp_path, "results", 3).next
    assert remove(tmp_path, "results", 2).rows == 4
    assert committed_rows(tmp_path, "results", 10, cursor).rows == []
    assert [row["start"] for row in committed_rows(tmp_path, "results", 10).rows] == [3, 3]
    assert committed_batches(tmp_path) == [1, 2, 3], "commits with quarantine stay"
    batch(tmp_path, 4)
    assert [row["start"] for row in committed_rows(tmp_path, "results", 10).rows] == [4, 4, 3, 3]


@pytest.mark.parametrize("kind", ["results", "late"])
def test_leftovers_of_a_killed_deletion_are_deleted_by_the_next_one(
    tmp_path: Path, kind: PartKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        batch(tmp_path, number)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as disk:
        disk.setattr(LocalFolder, "remove", killed) if kind == "late" else disk.setattr(
            stored, "_shorten", killed_after_it
        )
        with pytest.raises(KeyboardInterrupt):
            remove(tmp_path, kind, 2)
    remove(tmp_path, kind, 2)
    folder = tmp_path / ("results" if kind == "results" else "quarantine")
    assert [path.name for path in folder.iterdir()] == ["part-3-0.jsonl"]
    assert count(tmp_path, kind) == (2 if kind == "results" else 1)


def killed_after_it(folder: LocalFolder, commit: Commit, *_: object, **__: object) -> int:
    """Delete the commit, then kill the process."""
    folder.remove(f"commits/{commit.batch}.json")
    raise KeyboardInterrupt


def test_a_full_disk_does_not_prevent_deletion_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch(tmp_path, 1)
    before = stored_after(tmp_path, 0)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(LocalFolder, "write", full)
        removed = remove(tmp_path, "late", 1)
    assert (removed.rows, removed.late) == (1, before.late)
    assert (count(tmp_path, "late"), count(tmp_path, "results")) == (0, 2)
    assert remove(tmp_path, "late", 1).late == 0, "deleted bytes are not freed twice"
