"""Committed rows of a run on Spark: their files, their lines, or the tables of a carrier with `columns`."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from streaming.engine.columns.ipc import metadata_of
from streaming.engine.exchange.net_rows import CompactedChanges
from streaming.spark.sink.part_files import OUTPUT
from streaming.storage.results import PartKind, committed_spans, read_span
from streaming.wire.execution.interface import ExecutionSink


def committed_parts(folder: Path, kind: PartKind) -> Iterator[Path]:
    """Yield the committed part files of `kind` of the binding with results in `folder`, oldest batch first."""
    for span in committed_spans(folder):
        commit = read_span(folder, span)
        for part in commit.parts if commit is not None else ():
            if part.kind == kind:
                yield folder / part.path


def committed_lines(folder: Path, kind: PartKind) -> Iterator[dict[str, Any]]:
    """Yield all committed rows of `kind` of the binding with results in `folder`, oldest batch first."""
    for part in committed_parts(folder, kind):
        with part.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file)


def committed_tables(folder: Path) -> Iterator[tuple[str, pa.Table]]:
    """Yield all committed tables of results with their outputs, oldest batch first."""
    for part in committed_parts(folder, "results"):
        with pa.memory_map(str(part)) as file:
            while file.tell() < file.size():
                table = pa.ipc.open_stream(file).read_all()
                yield metadata_of(table, OUTPUT), table


def send_rows(folder: Path, sink: ExecutionSink) -> None:
    """Send the net result of a run to `sink`: final tables as they come, then the net of replaceable rows."""
    nets: dict[str, CompactedChanges] = defaultdict(CompactedChanges)
    for output, table in committed_tables(folder):
        if "@id" in table.column_names:
            nets[output].add(table)
        else:
            sink.table(output, table.replace_schema_metadata())
    for output, net in nets.items():
        sink.rows(output, net)
