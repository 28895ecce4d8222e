"""Committed results and quarantine: the rows that count, their order, and the next page."""

from pathlib import Path

import pytest

from streaming.storage import results
from streaming.storage.results import Commit, CursorError, committed_batches, committed_rows
from streaming.wire.messages import ResultRow
from tests.wire.written import write_commit, write_part


def row(start: int, output: str = "out") -> ResultRow:
    return ResultRow(output=output, start=start, end=None, payload={"n": start})


def batch(folder: Path, number: int, *tasks: list[int]) -> None:
    parts = [write_part(folder, "results", number, task, [row(s) for s in starts]) for task, starts in enumerate(tasks)]
    write_commit(folder, Commit(batch=number, parts=parts, totals={}))


def starts(folder: Path, limit: int = 100, before: str | None = None) -> list[int]:
    return [item["start"] for item in committed_rows(folder, "results", limit, before).rows]


def test_a_missing_folder_has_no_rows(tmp_path: Path) -> None:
    page = committed_rows(tmp_path / "absent", "results", 10)
    assert (page.rows, page.next) == ([], None)


def test_rows_come_newest_first_by_number_not_by_name(tmp_path: Path) -> None:
    for number in (2, 9, 10):
        batch(tmp_path, number, [number * 10, number * 10 + 1], [number * 10 + 2])
    assert starts(tmp_path) == [102, 101, 100, 92, 91, 90, 22, 21, 20]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 100])
def test_pages_have_no_gap_and_no_repeated_row(tmp_path: Path, limit: int) -> None:
    for number in range(4):
        batch(tmp_path, number, [number * 10, number * 10 + 1], [], [number * 10 + 2])
    seen: list[int] = []
    page = committed_rows(tmp_path, "results", limit)
    while True:
        seen += [item["start"] for item in page.rows]
        if page.next is None:
            break
        page = committed_rows(tmp_path, "results", limit, page.next)
    assert seen == [32, 31, 30, 22, 21, 20, 12, 11, 10, 2, 1, 0]


def test_new_batches_do_not_disturb_an_older_page(tmp_path: Path) -> None:
    batch(tmp_path, 1, [1, 2, 3])
    page = committed_rows(tmp_path, "results", 1)
    batch(tmp_path, 2, [4])
    assert starts(tmp_path, before=page.next) == [2, 1]


def test_a_part_without_a_commit_is_not_read(tmp_path: Path) -> None:
    batch(tmp_path, 1, [1])
    write_part(tmp_path, "results", 2, 0, [row(2)])
    assert starts(tmp_path) == [1]


def test_writing_a_batch_again_replaces_its_rows(tmp_path: Path) -> None:
    batch(tmp_path, 1, [1, 2])
    batch(tmp_path, 1, [3])
    assert starts(tmp_path) == [3]


def test_kinds_are_separate_and_rows_can_be_selected(tmp_path: Path) -> None:
    parts = [
        write_part(tmp_path, "results", 1, 0, [row(1, "a"), row(2, "b"), row(3, "a")]),
        write_part(tmp_path, "late", 1, 0, [row(4)]),
    ]
    write_commit(tmp_path, Commit(batch=1, parts=parts, totals={}))
    assert [r["start"] for r in committed_rows(tmp_path, "late", 9).rows] == [4]
    assert [
        r["start"] for r in committed_rows(tmp_path, "results", 9, matching=lambda row: row["output"] == "a").rows
    ] == [3, 1]


def test_a_page_ends_after_many_commits_and_has_a_next_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MAX_COMMITS_A_PAGE", 2)
    for number in range(5):
        batch(tmp_path, number, [number] if number == 0 else [])
    found: list[int] = []
    page = committed_rows(tmp_path, "results", 5)
    pages = 1
    while page.next is not None:
        page = committed_rows(tmp_path, "results", 5, page.next)
        found += [r["start"] for r in page.rows]
        pages += 1
    assert (found, pages > 1) == ([0], True)


def test_a_page_of_long_rows_is_short_and_reads_only_its_own_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MOST_BYTES_A_PAGE", 1_700)
    long = [row(number).model_copy(update={"payload": {"text": "x" * 600}}) for number in range(6)]
    part = write_part(tmp_path, "results", 1, 0, [row(99), *long])
    write_commit(tmp_path, Commit(batch=1, parts=[part], totals={}))
    path = tmp_path / part.path
    whole = path.read_bytes()
    path.write_bytes(b"#" * whole.index(b"\n") + whole[whole.index(b"\n") :])  # the oldest row is no longer JSON
    first = committed_rows(tmp_path, "results", 5)
    assert [each["start"] for each in first.rows] == [5, 4]
    second = committed_rows(tmp_path, "results", 5, first.next)
    assert [each["start"] for each in second.rows] == [3, 2]


def test_a_row_longer_than_a_page_is_a_page_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_BYTES_A_PAGE", 10)
    batch(tmp_path, 1, [1, 2])
    page = committed_rows(tmp_path, "results", 5)
    assert [each["start"] for each in page.rows] == [2]
    assert [each["start"] for each in committed_rows(tmp_path, "results", 5, page.next).rows] == [1]


def test_a_page_ends_after_many_bytes_without_match_and_has_a_next_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MOST_BYTES_LOOKED_AT", 100)
    part = write_part(tmp_path, "results", 1, 0, [row(0, "a"), *(row(number, "b") for number in range(1, 6))])
    write_commit(tmp_path, Commit(batch=1, parts=[part], totals={}))
    page = committed_rows(tmp_path, "results", 5, matching=lambda row: row["output"] == "a")
    assert page.rows == []
    found: list[int] = []
    while page.next is not None:
        page = committed_rows(tmp_path, "results", 5, page.next, matching=lambda row: row["output"] == "a")
        found += [each["start"] for each in page.rows]
    assert found == [0]


def test_temporary_and_foreign_files_among_the_commits_are_ignored(tmp_path: Path) -> None:
    batch(tmp_path, 7, [1])
    (tmp_path / "commits" / ".8.json.1.tmp").write_text("{")
    (tmp_path / "commits" / "x.json").write_text("{")
    assert committed_batches(tmp_path) == [7]


def test_a_failed_write_leaves_the_old_file_and_no_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    results.write_atomically(path, b"old")

    def full(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(results.os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        results.write_atomically(path, b"new")
    assert (path.read_bytes(), [p.name for p in tmp_path.iterdir()]) == (b"old", ["a"])


@pytest.mark.parametrize("cursor", ["", "1", "1-2", "a-b-c", "1-2-3-4", "-1-2-3", "1-2-" + "9" * 30])
def test_a_foreign_cursor_is_refused(tmp_path: Path, cursor: str) -> None:
    with pytest.raises(CursorError, match="not a cursor"):
        committed_rows(tmp_path, "results", 1, cursor)


def test_every_row_has_its_own_id(tmp_path: Path) -> None:
    batch(tmp_path, 1, [1, 1], [1])
    rows = committed_rows(tmp_path, "results", 9).rows
    assert len({r["_id"] for r in rows}) == 3
