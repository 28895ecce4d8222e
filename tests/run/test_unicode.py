"""A text that is not UTF-8 in a Parquet file: the same with every executor."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.run.runs import Folder, node

STREAM = {"fields": {"v": "string"}, "event_time": {"start": {"column": "ts", "unit": "us"}}}


def write_bad_text(path: Path) -> None:
    """Write three rows; the second holds a text in another encoding."""
    stored = pa.array([b"caf\xc3\xa9", b"caf\xe9", None], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, stored.buffers(), stored.null_count)
    pq.write_table(pa.table({"ts": pa.array([1, 2, 3]), "v": text}), path)


@pytest.mark.parametrize("executor", ["reference", "engine", pytest.param("spark", marks=pytest.mark.spark)])
def test_its_row_is_malformed_and_the_others_are_read(folder: Folder, executor: str) -> None:
    write_bad_text(folder.path / "in.parquet")
    query = folder.graph(node("s", "input", stream="s"), node("out", "output", input="s"))
    streams = folder.yaml("streams.yaml", {"s": STREAM})
    inputs = {"s": str(folder.path / "in.parquet")}
    ran = folder.run(query, inputs, "--streams", streams, "--executor", executor)
    assert ran.code == 0, ran.messages
    assert [row["payload"]["v"] for row in folder.read()] == ["caf\u00e9", None]
    (late,) = folder.read("out.late.jsonl")
    assert (late["reason"], json.loads(late["raw"])["v"]) == ("bad_payload", "caf\\xe9")
