"""The rows that a run on Spark has committed: their files, their lines, and what an executor tells of them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from streaming.definition.types import Boolean, Double, Fields, Long, String
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrow_types import arrow_schema
from streaming.wire.execution import ExecutionSink, ReleasedRow
from streaming.wire.payload_json import payload_from_json
from streaming.wire.results import PartKind, committed_spans, read_span

_BLOCK_BYTES: Final = 16 << 20
_AS_IT_IS: Final = (Boolean, Double, Long, String)


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


def net(rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The net result of stored rows: of those with one key the last, edges with their ends, nothing that was deleted.

    Rows without a key are final and come first, in their order.
    """
    standing: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in rows:
        if row.get("key") is None:
            yield row
        elif row["deleted"]:
            standing.pop((row["output"], row["key"]), None)
        else:
            standing[row["output"], row["key"]] = row
    yield from standing.values()


def tell_rows(parts: Iterable[Path], outputs: Mapping[str, Fields], sink: ExecutionSink) -> None:
    """Tell `sink` the net result of `parts`, oldest first: what is final as it comes, then what could be replaced.

    Parts of one output whose fields are in JSON as they are in columns are read as columns, which takes a tenth.
    """
    standing: list[Mapping[str, Any]] = []
    schema = _schema(outputs)
    for part in parts:
        table = None if schema is None else _final_rows(part, schema)
        if table is not None:
            sink.table(next(iter(outputs)), table)
            continue
        with part.open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        _tell([row for row in rows if row.get("key") is None], outputs, sink)
        standing += [row for row in rows if row.get("key") is not None]
    _tell(net(standing), outputs, sink)


def _tell(rows: Iterable[Mapping[str, Any]], outputs: Mapping[str, Fields], sink: ExecutionSink) -> None:
    told: dict[str, list[ReleasedRow]] = {name: [] for name in outputs}
    for row in rows:
        fields = outputs[row["output"]]
        payload = payload_from_json(row["payload"], fields)
        told[row["output"]].append((row["start"], INFINITY if row["end"] is None else row["end"], payload))
    for output, found in told.items():
        if found:
            sink.rows(output, found)


def _schema(outputs: Mapping[str, Fields]) -> pa.Schema | None:
    """The columns of a part; None where values stand otherwise in JSON, or several outputs share parts."""
    fields = next(iter(outputs.values()))
    if len(outputs) > 1 or not fields or not all(isinstance(of, _AS_IT_IS) for of in fields.values()):
        return None
    payload = pa.struct(list(arrow_schema(fields)))
    lifetime = [("start", pa.int64()), ("end", pa.int64())]
    return pa.schema([*lifetime, ("payload", payload), ("key", pa.string())])


def _final_rows(part: Path, schema: pa.Schema) -> pa.Table | None:
    """Start, end and fields; None where a row may have been replaced, or Arrow reads JSON otherwise."""
    ignoring = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        table = pj.read_json(part, pj.ReadOptions(block_size=_BLOCK_BYTES), ignoring)
    except pa.ArrowInvalid:
        return None
    if table["key"].null_count < table.num_rows:
        return None
    payload = table["payload"].combine_chunks()
    columns = [pc.struct_field(payload, index) for index in range(payload.type.num_fields)]
    names = [field.name for field in payload.type]
    return pa.table([table["start"], table["end"].fill_null(INFINITY), *columns], names=["@start", "@end", *names])
