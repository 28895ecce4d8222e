"""The files and bytes of a batch, in addition to its rows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.contract import BoundedAdapter
from streaming.adapters.file.journal import Journal, TakenFile
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.spark.planning.fair_share import ReadRequest, RowBudget, share
from tests.adapters.inputs import POINTS, write

LINE = '{"ts": 1, "k": "a", "v": 1}\n'


def batches(root: Path, rows: int, **options: int) -> list[int]:
    """The ends of batches of at most `rows` rows over the files of `root`."""
    ends: list[int] = []
    reached = 0
    while True:
        adapter = input_adapter("file", {"path": ".", **options}, POINTS, root, root.parent / "journal")
        wish = ReadRequest("a", "in", adapter, {"0": reached}, rows)
        share([wish], RowBudget(1_000_000, {}), 0, first=0)
        if wish.reached["0"] == reached:
            return ends
        reached = wish.reached["0"]
        ends.append(reached)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Files of 4, 0, 2, 6 and 1 rows."""
    for number, rows in enumerate((4, 0, 2, 6, 1)):
        write(tmp_path / "in" / f"{number}.jsonl", LINE * rows, modified_s=1_000 + number)
    return tmp_path / "in"


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        pytest.param(100, {}, [13], id="no bound"),
        pytest.param(100, {"batch_files": 1}, [4, 6, 12, 13], id="one file, empty ones not counted"),
        pytest.param(100, {"batch_files": 2}, [6, 13], id="two files"),
        pytest.param(3, {"batch_files": 1}, [3, 4, 6, 9, 12, 13], id="a rest of a file is a file"),
        pytest.param(100, {"batch_bytes": 5 * len(LINE)}, [5, 10, 13], id="bytes, in the middle of files"),
        pytest.param(100, {"batch_bytes": 1}, list(range(1, 14)), id="one row at least"),
        pytest.param(2, {"batch_bytes": 5 * len(LINE)}, [2, 4, 6, 8, 10, 12, 13], id="rows are fewer"),
        pytest.param(100, {"batch_files": 2, "batch_bytes": 7 * len(LINE)}, [6, 13], id="the smaller one counts"),
    ],
)
def test_a_batch_ends_at_its_smallest_limit(
    root: Path, rows: int, options: dict[str, int], expected: list[int]
) -> None:
    assert batches(root, rows, **options) == expected


@given(
    sizes=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 500)), max_size=6),
    start=st.integers(0, 60),
    files=st.none() | st.integers(1, 4),
    most=st.none() | st.integers(1, 600),
)
def test_a_bound_is_the_furthest_within_both_limits(
    sizes: list[tuple[int, int]], start: int, files: int | None, most: int | None
) -> None:
    journal, first = Journal(None), 0
    for number, (rows, size) in enumerate(sizes):
        known = {"path": str(number), "modified_ns": 0, "columns": [], "marks": []}
        journal.append([TakenFile(first=first, rows=rows, size=max(size, rows), **known)])
        first += rows

    def is_within_limits(end: int) -> bool:
        parts = [
            (min(end, each.first + each.rows) - max(start, each.first), each)
            for each in journal.entries()
            if each.rows and each.first < end and each.first + each.rows > start
        ]
        taken = sum(-(-rows * each.size // each.rows) for rows, each in parts[:-1])
        last = parts[-1][0] * parts[-1][1].size / parts[-1][1].rows if parts else 0
        return (files is None or len(parts) <= files) and (most is None or taken + last <= most)

    best = max((end for end in range(start + 1, first + 1) if is_within_limits(end)), default=start + 1)
    bound = journal.bound(start, files, most)
    assert start >= first or (first if bound is None else bound) == best


def test_a_mirrored_folder_has_the_same_bounds(root: Path) -> None:
    from streaming.spark.query.journals import MirroredAdapter

    adapter = input_adapter("file", {"path": ".", "batch_files": 1}, POINTS, root)
    mirrored = MirroredAdapter(adapter, mirror=None)  # type: ignore[arg-type]
    assert isinstance(mirrored, BoundedAdapter)
    adapter.latest({"0": 0}, now=0, limit_rows=100)
    assert mirrored.bounds({"0": 4}) == {"0": 6}


def test_an_adapter_that_has_no_bounds_is_read_by_rows(tmp_path: Path) -> None:
    made = input_adapter("rows", {"path": "rows.jsonl"}, StreamDefinition(fields={"car": "string"}), tmp_path)
    assert not isinstance(made, BoundedAdapter)
