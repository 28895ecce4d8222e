"""An export reads whole results: while batches are merged, of the chosen runs, and never of a damaged file."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.sink import compaction
from streaming.storage.blobs import LocalFolder
from streaming.storage.stored import remove
from tests.webapp.exports.stored import FORMATS, StoredResults, final_row
from webapp.monitoring.exporting.formats import ExportFormat
from webapp.monitoring.exporting.reading import OutputReader

MIB = 1 << 20
LATER_S = 10_000_000_000.0


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merge sooner, so that a few batches behave like thousands."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr(compaction, "NEWEST_LEFT", 2)
    monkeypatch.setattr(compaction, "MERGED_AT_ONCE", 4)
    monkeypatch.setattr(compaction, "FEWEST_MERGED", 2)


@pytest.fixture
def results(tmp_path: Path) -> StoredResults:
    return StoredResults(tmp_path / "rows", {"n": "long"})


def commit(results: StoredResults, batches: int) -> None:
    for _ in range(batches):
        first = results.batch * 10
        results.commit([final_row(first, {"n": first})], [final_row(first + 1, {"n": first + 1})])


def merge(results: StoredResults) -> None:
    while compaction.compact(LocalFolder(results.folder), now_s=LATER_S):
        pass


def numbers(results: StoredResults, **changed: Any) -> list[int]:
    return [row["n"] for row in results.exported(**changed)]


def test_merged_batches_hold_the_same_rows_in_the_same_order(results: StoredResults) -> None:
    commit(results, 9)
    results.run = "two"
    commit(results, 9)
    before = {run: numbers(results, run=run) for run in ("one", "two", None)}
    merge(results)
    assert {run: numbers(results, run=run) for run in ("one", "two", None)} == before
    assert (len(before["one"]), len(before[None])) == (18, 36)


@pytest.mark.parametrize("after", range(0, 20, 3))
def test_batches_merged_during_a_pass_change_nothing(results: StoredResults, after: int) -> None:
    commit(results, 10)
    reader = OutputReader(LocalFolder(results.folder), "out", None)
    expected = [line.content for line in reader.lines()]
    found = []
    for count, line in enumerate(reader.lines()):
        found.append(line.content)
        if count == after:
            merge(results)
            commit(results, 3)  # rows of later batches belong to the next export
    assert found == expected


def test_deleted_rows_are_no_longer_exported(results: StoredResults) -> None:
    commit(results, 4)
    remove(results.folder, "results", 1)
    assert numbers(results) == [20, 21, 30, 31]


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def garble(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"{", b"[", 1))


def mistype(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"n": ', b'"n": "x" , "n2": ', 1))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("damage", [shorten, garble, empty])
def test_a_damaged_file_is_a_sentence_and_no_file(
    results: StoredResults, form: ExportFormat, damage: Callable[[Path], None]
) -> None:
    commit(results, 3)
    damage(results.folder / "results" / "part-1-0.jsonl")
    outcome = results.outcome(form)
    assert outcome.problem == "A file with these results is damaged, so no complete export is possible."
    assert outcome.remedy.startswith("Contact your administrator")


def test_a_damaged_commit_is_a_sentence(results: StoredResults) -> None:
    commit(results, 3)
    shorten(results.folder / "commits" / "1.json")
    assert "damaged" in str(results.outcome().problem)


def test_a_row_with_a_field_that_nobody_recorded_is_a_sentence(results: StoredResults) -> None:
    commit(results, 3)
    mistype(results.folder / "results" / "part-1-0.jsonl")
    assert str(results.outcome().problem).startswith("Some rows have the field n2")


def test_an_output_is_chosen_by_name(results: StoredResults) -> None:
    results.commit([final_row(0, {"n": 1}), {**final_row(0, {"m": 2}), "output": "other"}])
    columns = results.folder / "columns" / "one.json"
    columns.write_text(json.dumps({"out": {"n": "long"}, "other": {"m": "long"}}))
    assert [row["m"] for row in results.exported(output="other")] == [2]
    assert numbers(results, output="out") == [1]
    undecided, unknown = results.outcome(), results.outcome(output="x")
    assert (undecided.field, unknown.field) == ("output", "output")
    assert (undecided.remedy, unknown.remedy) == ("Pass the name of one as `output`.", "Pass one of: out, other.")


def test_memory_does_not_grow_with_the_rows(results: StoredResults) -> None:
    def peak(batches: int) -> int:
        while results.batch < batches:
            first = results.batch * 1_000
            results.commit([final_row(first + n, {"n": n}, key=str(n)) for n in range(1_000)])
        tracemalloc.start()
        try:
            assert results.outcome("csv", every_change=True).rows == batches * 1_000
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(20)
    assert peak(60) < few + MIB
