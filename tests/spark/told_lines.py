"""The lines of results that runs write for people and programs, as an executor tells rows: what they mean is tried."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from streaming.definition.check import check
from streaming.definition.types import Fields
from streaming.spark.committed_rows import committed_lines
from streaming.temporal.ticks import INFINITY
from streaming.wire.execution import ExecutionSink, QueryExecution
from streaming.wire.payload_json import payload_from_json


def net(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Of rows with one key the last, edges with their ends, nothing that was deleted; first those without a key."""
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
    """Tells the net result of the lines of a run of `query`."""
    schemas = check(query.graph, query.streams).schemas

    def told(folder: Path, sink: ExecutionSink) -> None:
        for row in net(committed_lines(folder, "results")):
            fields: Fields = schemas[row["output"]]
            end = INFINITY if row["end"] is None else row["end"]
            sink.rows(row["output"], [(row["start"], end, payload_from_json(row["payload"], fields))])

    return told
