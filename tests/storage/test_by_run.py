"""Committed rows of all runs of a binding, read for an export."""

import tracemalloc
from pathlib import Path

from streaming.storage.by_run import lines_by_run
from streaming.storage.results import Commit, MergedPart, ResultPart, RunBatches, part_path
from streaming.wire.messages import ResultRow
from tests.wire.written import write_commit, write_part

MIB = 1 << 20


def test_a_part_is_read_line_by_line_in_constant_memory(tmp_path: Path) -> None:
    line, rows = b"x" * 4_095 + b"\n", 8_192
    path = tmp_path / part_path("results", 0, 0)
    path.parent.mkdir()
    with path.open("wb") as file:
        file.writelines(line for _ in range(rows))
    part = ResultPart(kind="results", path=part_path("results", 0, 0), rows=rows, bytes=32 * MIB)
    write_commit(tmp_path, Commit(batch=0, parts=[part], totals={"run": "one"}))
    tracemalloc.start()
    try:
        read = sum(len(each) for _, each in lines_by_run(tmp_path, "results"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == 32 * MIB
    assert peak < MIB


def test_merged_rows_belong_to_the_runs_that_made_them_also_without_a_last_newline(tmp_path: Path) -> None:
    rows = [ResultRow(output="out", start=number, end=number + 1, payload={}) for number in range(3)]
    part = write_part(tmp_path, "results", 2, 0, rows)
    path = tmp_path / part.path
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    places = [MergedPart(batch=1, part=0, rows=1, bytes=1), MergedPart(batch=2, part=0, rows=2, bytes=1)]
    runs = [RunBatches(run="one", first=1, last=1), RunBatches(run="two", first=2, last=2)]
    merged = part.model_copy(update={"merged": places})
    write_commit(tmp_path, Commit(batch=2, parts=[merged], totals={}, first=1, runs=runs))
    assert list(lines_by_run(tmp_path, "results")) == list(zip(["one", "two", "two"], lines, strict=True))
