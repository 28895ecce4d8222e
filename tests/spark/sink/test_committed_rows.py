"""Committed tables on their way into files: the net result."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from streaming.definition.payload.type_text import parse_fields
from streaming.engine.columns.flows import GONE, WHOLE
from streaming.engine.columns.ipc import to_bytes
from streaming.run.outputs.places import OutputPlace, OutputPlaces
from streaming.run.outputs.results import ResultFiles
from streaming.run.progress import NoProgress
from streaming.spark.sink.committed_rows import send_rows
from streaming.spark.sink.part_files import OUTPUT, PartWriter
from streaming.storage.results import Commit, CommitSpan, blobs, commit_path, part_path
from streaming.temporal.ticks import INFINITY

FIELDS = parse_fields({"n": "long"})


def final(start: int, end: int, n: int | None) -> pa.Table:
    return pa.table({"@start": [start], "@end": [end], "n": pa.array([n], pa.int64())})


def keyed(key: str, n: int, flag: int = WHOLE) -> pa.Table:
    return final(1, 2, n).append_column("@flag", pa.array([flag], pa.int8())).append_column("@id", pa.array([key]))


def written(folder: Path, *batches: list[tuple[str, pa.Table]]) -> dict[str, list[tuple[Any, ...]]]:
    """Return start, end and `n` of each row in the files of a run that has committed `batches` of outputs and rows."""
    for number, tables in enumerate(batches):
        writer = PartWriter(blobs(folder), "results", part_path("results", number, 0, "arrow"))
        for output, table in tables:
            writer.add(table.num_rows, [to_bytes(table, {OUTPUT: output})])
        commit = Commit(batch=number, parts=[writer.finish()], totals={})
        blobs(folder).write(commit_path(CommitSpan(number, number)), commit.model_dump_json().encode())
    outputs = sorted({output for tables in batches for output, _ in tables})
    places = {name: OutputPlace(folder / f"{name}.jsonl", "json_lines") for name in outputs}
    results = ResultFiles(OutputPlaces(outputs=places, late=None), dict.fromkeys(outputs, FIELDS), NoProgress())
    results.open()
    send_rows(folder, results)
    results.finish()
    found: dict[str, list[tuple[Any, ...]]] = {}
    for name in outputs:
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        found[name] = [(row["start"], row["end"], row["payload"]["n"]) for row in rows]
    return found


def test_final_rows_keep_every_digit_and_their_order(tmp_path: Path) -> None:
    batches = [("out", final(3, INFINITY, None))], [("out", final(1, 2, 2**60 + 1)), ("out", final(1, 2, 7))]
    assert written(tmp_path, *batches) == {"out": [(3, None, None), (1, 2, 2**60 + 1), (1, 2, 7)]}


def test_the_last_replacement_of_a_row_counts_and_deleted_rows_are_gone(tmp_path: Path) -> None:
    first = [("out", keyed("p", 1)), ("out", keyed("q", 5)), ("out", final(1, 2, 9))]
    second = [("out", keyed("p", 2)), ("out", keyed("q", 5, GONE))]
    assert written(tmp_path, first, second) == {"out": [(1, 2, 9), (1, 2, 2)]}


def test_the_rows_of_each_output_go_to_its_own_file(tmp_path: Path) -> None:
    tables = [(name, final(at, 9, at)) for at, name in enumerate("aba")]
    assert written(tmp_path, tables) == {"a": [(0, 9, 0), (2, 9, 2)], "b": [(1, 9, 1)]}
