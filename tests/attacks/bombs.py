"""Inputs that are much larger than they look, read by a viewer."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq

from tests.attacks.asking import describe
from tests.attacks.stage import Stage


def sample(stage: Stage, stream: str) -> str:
    return describe(stage.viewer.get(f"{stream}sample/")) if stream.startswith("streams/") else stream


def stream_of_one_text(stage: Stage) -> str:
    """Create a stream over a million rows with one text of 10 KB, in a file of a few kilobytes; return its address."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["x" * 10_240]))
    at = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array([1_767_225_600_000_000]))
    table = pa.table({"at": at.cast(pa.int64()), "k": texts})
    pq.write_table(table, stage.files / "bomb.parquet", compression="zstd")
    return stage.stream("bomb.parquet", {"k": "string"})


def parquet_of_one_text(stage: Stage) -> str:
    """Read a million rows with one text of 10 KB."""
    return sample(stage, stream_of_one_text(stage))


def parquet_of_large_cells(stage: Stage) -> str:
    """Read rows of 64 MiB each, which compress to almost nothing."""
    table = pa.table({"at": [1_767_225_600_000_000] * 20, "k": ["x" * (64 << 20)] * 20})
    pq.write_table(table, stage.files / "cells.parquet", compression="zstd", use_dictionary=False)
    return sample(stage, stage.stream("cells.parquet", {"k": "string"}))


def parquet_of_a_long_list(stage: Stage) -> str:
    """Read a row with a list that contains the same text of 10 KB a million times."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["x" * 10_240]))
    lists = pa.ListArray.from_arrays(pa.array([0, 1_000_000], pa.int32()), texts)
    pq.write_table(
        pa.table({"at": [1_767_225_600_000_000], "k": lists}), stage.files / "list.parquet", compression="zstd"
    )
    return sample(stage, stage.stream("list.parquet", {"k": "string"}))


def gzip_without_a_line_end(stage: Stage) -> str:
    """Read 4.7 GB of one character in a gzip file."""
    part = gzip.compress(b"x" * 100_000_000)  # a file may have many in sequence
    (stage.files / "bomb.jsonl.gz").write_bytes(part * 47)
    return sample(stage, stage.stream("bomb.jsonl.gz", {"k": "string"}))


def csv_with_an_open_quote(stage: Stage) -> str:
    """Read 200 MB after a quote that is never closed."""
    with (stage.files / "quote.csv").open("wb") as file:
        file.write(b'at,k\n1,"')
        for _ in range(200):
            file.write(b"y,\n" * 333_333)
    return sample(stage, stage.stream("quote.csv", {"k": "string"}))


def deep_and_wide_json(stage: Stage) -> str:
    """Read a line of a million brackets, and lines of a hundred thousand keys."""
    wide = json.dumps({f"k{number}": number for number in range(100_000)})
    (stage.files / "deep.jsonl").write_text("[" * 1_000_000 + "\n" + f"{wide}\n" * 100)
    return sample(stage, stage.stream("deep.jsonl", {"k": "string"}))


def a_stream_of_many_lanes(stage: Stage) -> str:
    """Create a stream with 25,000 lanes, about the most that a body contains."""
    return stage.stream("bomb.parquet", {"k": "string"}, lanes=[str(number) for number in range(25_000)])


def brackets(stage: Stage) -> str:
    """Send a hundred thousand brackets as a body."""
    headers = {"Content-Type": "application/json"}
    return describe(stage.mallory.post("queries/validate/", content=b"[" * 100_000, headers=headers))
