"""Parquet inputs of the command line: nested values with every executor, columns that no field holds, damaged files."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.run.runs import Folder

AT_MS = 1_709_632_800_000
QUERY = "SELECT * FROM a EVENTTIME BY ts\n"


def save(path: Path, **columns: Any) -> str:
    pq.write_table(pa.table({"ts": pa.array([AT_MS, AT_MS + 1], pa.timestamp("ms")), **columns}), path)
    return str(path)


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_nested_moments_are_right_and_bad_ones_malformed(folder: Folder, executor: str) -> None:
    times = pa.StructArray.from_arrays([pa.array([AT_MS, 2**60], pa.timestamp("ms"))], ["t"])
    inputs = {"a": save(folder.path / "a.parquet", x=times)}
    ran = folder.run(folder.write("q.sql", QUERY), inputs, "--executor", executor)
    assert ran.code == 0, ran.messages
    assert [row["payload"]["x"] for row in folder.read()] == [{"t": "2024-03-05T10:00:00Z"}]
    assert "bad_payload 1" in ran.messages


def test_columns_that_no_field_holds_are_left_out_and_named(folder: Folder) -> None:
    table = pa.Table.from_arrays(
        [
            pa.array([AT_MS, 2**60], pa.timestamp("ms")),
            pa.array([b"\xff", None]),
            *[pa.array([1, 2])] * 2,
            pa.array([5, 6]),
        ],
        names=["ts", "b", "v", "v", "w"],
    )
    pq.write_table(table, folder.path / "a.parquet")
    query = folder.write("q.sql", QUERY)
    ran = folder.run(query, {"a": str(folder.path / "a.parquet")}, "--late", str(folder.path / "late.jsonl"))
    assert ran.code == 0, ran.messages
    assert (
        "'b': its type in the file is binary, which no field can have; 'v': several columns have this name."
        in ran.messages
    )
    assert [sorted(row["payload"]) for row in folder.read()] == [["ts", "w"]]
    [late] = folder.read("late.jsonl")
    assert late["reason"] == "bad_time"


def test_a_damaged_page_is_an_input_that_cannot_be_read(folder: Folder) -> None:
    path = Path(save(folder.path / "a.parquet", w=pa.array([5, 6])))
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    ran = folder.run(folder.write("q.sql", QUERY), {"a": str(path)})
    assert ran.code == 3, ran.messages
    assert "a.parquet' can't be read" in ran.messages
    assert "Replace it" in ran.messages
