"""The lines of results that runs write for people and programs, sent to a sink as an executor sends rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from streaming.definition.checks.check import check
from streaming.definition.payload.types import Fields
from streaming.spark.sink.committed_rows import committed_lines
from streaming.temporal.ticks import INFINITY
from streaming.wire.execution.interface import ExecutionSink, QueryExecution
from streaming.wire.rows.payload_json import payload_from_json


def net(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the net rows: first those without a key, then the last row of each key, without deleted ones."""
    standing: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if row.get("key") is None:
            yield row
        elif row["deleted"]:
            standing.pop((row["output"], row["key"]), None)
        else:
            standing[row["output"], row["key"]] = row
    yield from standing.values()


def lines_of(query: QueryExecution) -> Callable[[Path, ExecutionSink], None]:
    """Return a function that sends the net result of the lines of a run of `query`."""
    schemas = check(query.graph, query.streams).schemas

    def send_lines(folder: Path, sink: ExecutionSink) -> None:
        for row in net(committed_lines(folder, "results")):
            fields: Fields = schemas[row["output"]]
            end = INFINITY if row["end"] is None else row["end"]
            sink.rows(row["output"], [(row["start"], end, payload_from_json(row["payload"], fields))])

    return send_lines
