"""Merging old batches changes nothing for readers: rows, their names, cursors, sizes, deletions."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.spark.sink import compaction
from streaming.spark.sink.committed_rows import committed_lines
from streaming.spark.sink.compaction import compact
from streaming.storage.blobs import LocalFolder
from streaming.storage.by_run import kept_by_run, lines_by_run
from streaming.storage.results import (
    Commit,
    CommitSpan,
    PartKind,
    RunBatches,
    committed_rows,
    committed_spans,
    spans_of,
)
from streaming.storage.stored import remove, stored_after
from streaming.wire.messages import LateEvent, ResultRow
from tests.wire.written import write_commit, write_part

LATER_S = 10_000_000_000.0
"""A time at which no reader uses files from before the merge any more."""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merge sooner, so that a few dozen batches behave like thousands."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 5)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", 8)
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 2)
    monkeypatch.setattr(compaction, "_size", lambda span: ((span.last - span.first + 1).bit_length() - 1) // 3)


def batch(folder: Path, number: int, tasks: int = 2, at: int = 0, run: str | None = None) -> None:
    """Write rows in two parts; every third batch has late rows. Without `run`: as in old commits without runs."""
    parts = []
    for task in range(tasks):
        rows = [ResultRow(output="out", start=number, end=None, payload={"n": n}) for n in range((number + task) % 4)]
        if rows:
            parts.append(write_part(folder, "results", number, task, rows))
    if number % 3 == 0:
        parts.append(write_part(folder, "late", number, 0, [late(number), late(number)]))
    runs = [] if run is None else [RunBatches(run=run, first=number, last=number)]
    write_commit(folder, Commit(batch=number, parts=parts, totals={"batch": number, "at": at}, runs=runs))


def late(number: int) -> LateEvent:
    times: dict[str, Any] = {"start": number, "end": None, "cti": 0, "moved_by": None}
    what: dict[str, Any] = {"outcome": "dropped_late", "reason": None, "policy": "drop", "raw": "{}"}
    return LateEvent(input="in", lane="0", position=number, **times, **what)


def pages(folder: Path, kind: PartKind, limit: int, run: str | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = committed_rows(folder, kind, limit, cursor, run=run)
        found += page.rows
        cursor = page.next
        if cursor is None:
            return found


def tidy_up(folder: Path) -> int:
    count = 0
    while compact(LocalFolder(folder), now_s=LATER_S):
        count += 1
    return count


def files(folder: Path) -> int:
    return sum(path.is_file() and path.name != ".lock" for path in folder.rglob("*"))


@pytest.mark.parametrize("kind", ["results", "late"])
def test_rows_and_their_names_stay_while_the_number_of_files_shrinks(tmp_path: Path, kind: PartKind) -> None:
    for number in range(1, 150):
        batch(tmp_path, number)
    before, lines, many = pages(tmp_path, kind, 7), list(committed_lines(tmp_path, kind)), files(tmp_path)
    assert tidy_up(tmp_path) > 2
    assert pages(tmp_path, kind, 7) == before
    assert list(committed_lines(tmp_path, kind)) == lines
    assert files(tmp_path) < many / 4
    spans = committed_spans(tmp_path)
    assert [span.first for span in spans[1:]] == [span.last + 1 for span in spans[:-1]]
    assert max(span.last - span.first + 1 for span in spans) == 64
    assert all(span.first == span.last for span in spans[-5:])


@settings(max_examples=20)
@given(batches=st.integers(10, 60), limit=st.integers(1, 9), merged_after=st.integers(0, 12), page=st.integers(1, 40))
def test_a_cursor_from_before_a_merge_continues_at_its_position(
    tmp_path_factory: pytest.TempPathFactory, batches: int, limit: int, merged_after: int, page: int
) -> None:
    folder = tmp_path_factory.mktemp("cursor")
    for number in range(1, batches + 1):
        batch(folder, number)
    whole = pages(folder, "results", 1_000)
    cursor, seen = None, []
    for turn in range(len(whole) + 1):
        if turn == merged_after:
            tidy_up(folder)
        found = committed_rows(folder, "results", limit if turn != merged_after else page, cursor)
        seen += found.rows
        cursor = found.next
        if cursor is None:
            break
    assert seen == whole


def test_matching_rows_are_found_in_merged_batches_and_a_page_ends_after_many_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 60):
        batch(tmp_path, number)
    tidy_up(tmp_path)
    monkeypatch.setattr("streaming.storage.results.MAX_COMMITS_A_PAGE", 3)
    cursor, found, turns = None, [], 0
    while True:
        page = committed_rows(tmp_path, "late", 5, cursor, matching=lambda row: row["outcome"] == "dropped_late")
        found, cursor, turns = [*found, *page.rows], page.next, turns + 1
        if cursor is None:
            break
    assert [row["position"] for row in found] == [n for n in range(57, 0, -3) for _ in range(2)]
    assert turns > 3


def test_merged_files_stay_until_nobody_reads_them_but_do_not_count(tmp_path: Path) -> None:
    for number in range(1, 14):
        batch(tmp_path, number)
    before, many = pages(tmp_path, "results", 3), files(tmp_path)
    assert compact(LocalFolder(tmp_path))
    assert not compact(LocalFolder(tmp_path))
    assert files(tmp_path) > many
    assert pages(tmp_path, "results", 3) == before
    assert compact(LocalFolder(tmp_path), now_s=LATER_S)
    assert files(tmp_path) < many
    assert pages(tmp_path, "results", 3) == before


def test_a_killed_merge_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 30):
        batch(tmp_path, number)
    before = pages(tmp_path, "results", 100)
    write = LocalFolder.write

    def killed(self: LocalFolder, name: str, content: bytes) -> None:
        raise KeyboardInterrupt(f"killed before {name}")

    monkeypatch.setattr(LocalFolder, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        compact(LocalFolder(tmp_path), now_s=LATER_S)
    monkeypatch.setattr(LocalFolder, "write", write)
    assert pages(tmp_path, "results", 100) == before
    tidy_up(tmp_path)
    assert pages(tmp_path, "results", 100) == before


@pytest.mark.parametrize("swept", [True, False])
def test_the_size_after_a_batch_is_that_of_the_later_rows(tmp_path: Path, swept: bool) -> None:
    for number in range(1, 40):
        batch(tmp_path, number)
    before = [stored_after(tmp_path, number).late for number in range(40)]
    if swept:
        tidy_up(tmp_path)
    else:
        assert compact(LocalFolder(tmp_path))
    assert [stored_after(tmp_path, number).late for number in range(40)] == before
    assert stored_after(tmp_path, 0).batch == 39


@pytest.mark.parametrize("swept", [True, False])
@pytest.mark.parametrize("upto", [1, 5, 8, 9, 30, 39])
@pytest.mark.parametrize("kind", ["results", "late"])
def test_a_deletion_has_the_same_effect_with_and_without_a_merge(
    tmp_path: Path, kind: PartKind, upto: int, swept: bool
) -> None:
    plain, merged = tmp_path / "plain", tmp_path / "merged"
    for folder in (plain, merged):
        for number in range(1, 40):
            batch(folder, number)
    if swept:
        tidy_up(merged)
    else:
        assert compact(LocalFolder(merged))
    wanted, found = remove(plain, kind, upto), remove(merged, kind, upto)
    assert found.rows == wanted.rows
    for each in ("results", "late"):
        assert pages(merged, each, 6) == pages(plain, each, 6)
    tidy_up(merged)
    for each in ("results", "late"):
        assert pages(merged, each, 6) == pages(plain, each, 6)


RUNS = {None: range(1, 6), "one": range(6, 20), "two": range(20, 23), "three": range(23, 40)}
"""The batches of each run; the oldest one is not recorded."""


def several_runs(folder: Path) -> None:
    for run, numbers in RUNS.items():
        for number in numbers:
            batch(folder, number, run=run)


@pytest.mark.parametrize("kind", ["results", "late"])
def test_rows_of_several_runs_stay_distinguishable_when_they_are_merged(tmp_path: Path, kind: PartKind) -> None:
    several_runs(tmp_path)
    before = {run: pages(tmp_path, kind, 5, run) for run in RUNS}
    lines = list(lines_by_run(tmp_path, kind))
    assert tidy_up(tmp_path) > 2
    assert len(committed_spans(tmp_path)) < 15
    assert {run: pages(tmp_path, kind, 5, run) for run in RUNS} == before
    for run, numbers in RUNS.items():
        own = {row["start"] for row in pages(tmp_path, "results", 100) if row["_run"] == run}
        assert own <= set(numbers)
        assert {row["_run"] for row in before["one"]} == {"one"}
    assert list(lines_by_run(tmp_path, kind)) == lines


@pytest.mark.parametrize("merged", [True, False])
@pytest.mark.parametrize("run", ["one", "two", "three"])
@pytest.mark.parametrize("kind", ["results", "late"])
def test_the_rows_of_one_run_are_deleted_and_those_of_others_stay(
    tmp_path: Path, kind: PartKind, run: str, merged: bool
) -> None:
    several_runs(tmp_path)
    if merged:
        tidy_up(tmp_path)
    others = {each: pages(tmp_path, kind, 7, each) for each in RUNS if each not in (None, run)}
    rows, before = len(pages(tmp_path, kind, 50, run)), stored_after(tmp_path, 0)
    whole = pages(tmp_path, kind, 50)
    removed = remove(tmp_path, kind, 39, run)
    assert removed.rows == rows > 0
    assert pages(tmp_path, kind, 9, run) == []
    assert pages(tmp_path, kind, 50) == [row for row in whole if row["_run"] != run]
    assert {each: pages(tmp_path, kind, 7, each) for each in others} == others
    assert remove(tmp_path, kind, 39, run).rows == 0, "repeated"
    assert pages(tmp_path, kind, 50) == [row for row in whole if row["_run"] != run]
    after = stored_after(tmp_path, 0)
    assert (before.results - after.results, before.late - after.late) == (removed.results, removed.late)
    kept = kept_by_run(tmp_path)
    assert (sum(each.result_bytes for each in kept), sum(each.late_bytes for each in kept)) == (
        after.results,
        after.late,
    )
    tidy_up(tmp_path)
    assert pages(tmp_path, kind, 50) == [row for row in whole if row["_run"] != run]


def test_a_deletion_in_the_middle_of_merged_batches_may_be_repeated(tmp_path: Path) -> None:
    for number in range(1, 40):
        batch(tmp_path, number)
    tidy_up(tmp_path)
    before = pages(tmp_path, "results", 100)
    for _ in range(3):
        remove(tmp_path, "results", 5)
        assert pages(tmp_path, "results", 100) == [row for row in before if int(row["_id"].split("-")[0]) > 5]


def test_parts_that_would_make_a_too_large_part_are_not_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 40):
        batch(tmp_path, number)
    monkeypatch.setattr(compaction, "MOST_BYTES", 600)
    tidy_up(tmp_path)
    assert max(path.stat().st_size for path in (tmp_path / "results").iterdir()) <= 600


def test_old_rows_are_deleted_if_a_setting_requires_it(tmp_path: Path) -> None:
    for number in range(1, 40):
        batch(tmp_path, number, at=number * 1_000_000)
    tidy_up(tmp_path)
    before = pages(tmp_path, "results", 1_000)
    while compact(LocalFolder(tmp_path), keep_s=10, now_s=35):
        pass
    left = pages(tmp_path, "results", 1_000)
    assert left == before[: len(left)]
    assert {row["start"] for row in left} >= {n for n in range(25, 40) if n % 4 or (n + 1) % 4}
    assert min(row["start"] for row in left) > 15, "a merged commit is deleted when all of it is old"
    while compact(LocalFolder(tmp_path), keep_s=1, now_s=LATER_S):
        pass
    assert [span.last for span in committed_spans(tmp_path)] == [39]


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5)), max_size=8))
def test_a_commit_counts_unless_another_one_covers_it(made: list[tuple[int, int]]) -> None:
    spans = {CommitSpan(first + more, first) for first, more in made}
    counting = spans_of([span.name for span in spans] + ["7.json.tmp", ".8.json.1.tmp", "x.json"])
    assert set(counting) == {span for span in spans if not any(each.covers(span) for each in spans)}


def test_commits_from_before_merging_existed_are_read(tmp_path: Path) -> None:
    batch(tmp_path, 3)
    path = tmp_path / "commits" / "3.json"
    content = json.loads(path.read_text())
    del content["first"]
    for part in content["parts"]:
        del part["merged"]
    before = pages(tmp_path, "results", 10)
    path.write_text(json.dumps(content))
    assert pages(tmp_path, "results", 10) == before != []
