"""An export holds the rows that count after all changes, or every change, with the knowledge about each."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.storage.blobs import LocalFolder
from tests.webapp.exports.stored import Row, StoredResults, final_row
from webapp.monitoring.exporting import net
from webapp.monitoring.exporting.problems import ExportProblem
from webapp.monitoring.exporting.reading import OutputReader

FIELDS = {"n": "long"}


@pytest.fixture
def results(tmp_path: Path) -> StoredResults:
    return StoredResults(tmp_path / "rows", FIELDS)


def pane(index: int, n: int, *, deleted: bool = False, start: int = 0, end: int | None = 10) -> Row:
    shown = {"start": start, "end": end, "timing": "early", "index": index, "is_last": False}
    return {
        "output": "out",
        "start": start,
        "end": end,
        "payload": {"n": n},
        "key": f"pane {start}",
        "deleted": deleted,
        "pane": shown,
    }


def edge(side: str, end: int | None, key: str = "edge") -> Row:
    fixed = {"output": "out", "start": 0, "payload": {"n": 1}, "deleted": False}
    return {**fixed, "end": end, "key": key, "edge": side}


def seen(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_the_last_row_of_a_pane_counts(results: StoredResults) -> None:
    results.commit([pane(0, 1), final_row(50, {"n": 7})], [pane(0, 2, start=20)])
    results.commit([pane(1, 3)], [pane(1, 4, deleted=True, start=20)])
    assert seen(results.exported(), "n", "op") == [(7, "insert"), (3, "insert")]
    changes = results.exported(every_change=True)
    assert seen(changes, "n", "op", "key") == [
        (1, "insert", "pane 0"),
        (7, "insert", None),
        (2, "insert", "pane 20"),
        (3, "update", "pane 0"),
        (4, "delete", "pane 20"),
    ]


def test_an_edge_is_one_row_with_both_times(results: StoredResults) -> None:
    results.commit([edge("start", None), edge("start", None, "open")])
    results.commit([edge("end", 40)])
    rows = results.exported()
    assert seen(rows, "end", "final") == [(None, False), ("1970-01-01T00:00:00.000040Z", False)]
    assert seen(results.exported(every_change=True), "op") == [("insert",), ("insert",), ("update",)]


def test_a_row_is_final_if_nothing_can_replace_it(results: StoredResults) -> None:
    rows = [pane(0, 1, start=0, end=10), pane(0, 2, start=10, end=20), pane(0, 3, start=20, end=None)]
    results.commit([*rows, final_row(90, {"n": 4})], cti=10)
    assert seen(results.exported(), "final") == [(True,), (False,), (False,), (True,)]
    results.commit([], cti=20)
    assert seen(results.exported(), "final") == [(True,), (True,), (False,), (True,)]
    results.commit([], cti=None)
    assert seen(results.exported(), "final") == [(True,)] * 4


def test_a_repair_replaces_one_row_and_marks_its_own(results: StoredResults) -> None:
    twice, changed = final_row(0, {"n": 1}), final_row(10, {"n": 2})
    results.commit([twice, twice, changed])
    results.commit([{**each, "deleted": True, "repair": "r"} for each in (twice, changed)])
    results.commit([final_row(10, {"n": 3}, repair="r")])
    assert seen(results.exported(), "n", "repaired") == [(1, False), (3, True)]
    assert seen(results.exported(every_change=True), "n", "op", "repaired") == [
        (1, "insert", False),
        (1, "insert", False),
        (2, "insert", False),
        (1, "delete", True),
        (2, "delete", True),
        (3, "insert", True),
    ]


def test_dropped_rows_are_counted_only_where_somebody_counted_them(results: StoredResults) -> None:
    results.commit([final_row(0, {"n": 1}), final_row(10, {"n": 2}, dropped=3)])
    assert seen(results.exported(), "dropped") == [(None,), (3,)]


def test_an_incomplete_row_says_in_which_columns(results: StoredResults) -> None:
    whole = final_row(0, {"n": 1}, incomplete=True)
    results.commit([whole, {**whole, "incomplete_columns": ["n", "m"]}, final_row(0, {"n": 1})])
    assert seen(results.exported(), "incomplete") == [("all columns",), ("n, m",), (None,)]


def test_a_range_is_half_open_and_of_the_rows_that_count(results: StoredResults) -> None:
    results.commit([final_row(start, {"n": start}) for start in range(0, 50, 10)], [pane(0, 1)])
    results.commit([{**pane(1, 2), "start": 40}])
    assert seen(results.exported(begin=10, end=40), "n") == [(10,), (20,), (30,)]
    assert seen(results.exported(begin=40), "n") == [(40,), (2,)]
    assert seen(results.exported(end=10), "n") == [(0,)]


def test_a_row_deleted_between_the_passes_is_a_sentence(results: StoredResults, tmp_path: Path) -> None:
    results.commit([pane(0, 1)])
    results.commit([pane(1, 2)])
    reader = OutputReader(LocalFolder(results.folder), "out", None)
    counting = net.net_rows(reader, tmp_path)
    (results.folder / "results" / "part-1-0.jsonl").unlink()
    list(reader.lines())
    with pytest.raises(ExportProblem, match="were deleted while"):
        counting.check(reader.rows_read)


CHANGES = st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 99), st.booleans())


@settings(max_examples=100)
@given(st.lists(st.lists(CHANGES, max_size=8), max_size=6))
def test_what_counts_is_the_fold_of_all_changes(batches: list[list[tuple[str | None, int, bool]]]) -> None:
    fold: dict[object, tuple[int, bool]] = {}
    with tempfile.TemporaryDirectory() as folder:
        results = StoredResults(Path(folder) / "rows", FIELDS)
        results.commit([])
        number = 0
        for changes in batches:
            rows: list[Row] = []
            for key, n, deleted in changes:
                number += 1
                rows.append(final_row(number, {"n": n}, **({"key": key, "deleted": deleted} if key else {})))
                identity = key or number
                fold.pop(identity, None)
                fold[identity] = (n, bool(key) and deleted)
            results.commit(rows)
        expected = [(n,) for n, deleted in fold.values() if not deleted]
        assert seen(results.exported(), "n") == expected
