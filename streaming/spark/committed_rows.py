"""The rows that a run on Spark has committed: their files, their lines, or the tables of a carrier of `columns`."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from streaming.engine.columns.ipc import metadata_of
from streaming.engine.exchange.net_rows import NetRows
from streaming.spark.part_files import OUTPUT
from streaming.wire.execution import ExecutionSink
from streaming.wire.results import PartKind, committed_spans, read_span


def committed_parts(folder: Path, kind: PartKind) -> Iterator[Path]:
    """The committed part files of `kind` of the binding whose results are in `folder`, oldest batch first."""
    for span in committed_spans(folder):
        commit = read_span(folder, span)
        for part in commit.parts if commit is not None else ():
            if part.kind == kind:
                yield folder / part.path


def committed_lines(folder: Path, kind: PartKind) -> Iterator[dict[str, Any]]:
    """All committed rows of `kind` of the binding whose results are in `folder`, oldest batch first."""
    for part in committed_parts(folder, kind):
        with part.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file)


def committed_tables(folder: Path) -> Iterator[tuple[str, pa.Table]]:
    """All committed tables of results with the output of each, oldest batch first."""
    for part in committed_parts(folder, "results"):
        with pa.memory_map(str(part)) as file:
            while file.tell() < file.size():
                table = pa.ipc.open_stream(file).read_all()
                yield metadata_of(table, OUTPUT), table


def tell_rows(folder: Path, sink: ExecutionSink) -> None:
    """Tell `sink` the net result of a run: what is final as it comes, then what could be replaced."""
    nets: dict[str, NetRows] = defaultdict(NetRows)
    for output, table in committed_tables(folder):
        if "@id" in table.column_names:
            nets[output].add(table)
        else:
            sink.table(output, table.replace_schema_metadata())
    for output, net in nets.items():
        sink.rows(output, net)
