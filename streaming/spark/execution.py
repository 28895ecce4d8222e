"""Spark as an executor: queries as bindings of one carrier on this machine, in one streaming query, to their end."""

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streaming.adapters.rows.adapter import MOST_BYTES
from streaming.definition.graph import InputNode
from streaming.definition.payload.types import Fields
from streaming.definition.streams.stream import AdapterChoice
from streaming.spark.errors import PunctualError
from streaming.spark.local_run import LocalResult, run_to_end
from streaming.spark.query.control import AtEnd
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.manifests import Manifest
from streaming.spark.session.session import is_started, start_session
from streaming.spark.sink.committed_rows import send_rows
from streaming.temporal.events import Cti, Event, OverlapRow
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import MalformedVersion, Snapshot, TableRow, Version
from streaming.temporal.ticks import INFINITY
from streaming.wasm.modules import FOLDER as MODULES
from streaming.wasm.modules import named_modules, store
from streaming.wire.execution.case import EndMode
from streaming.wire.execution.failures import FailureCount
from streaming.wire.execution.interface import (
    ClockReading,
    ExecutionError,
    ExecutionSink,
    HistoryMark,
    OutcomeCounts,
    QueryExecution,
)
from streaming.wire.messages import InputSpec, LateEvent, RunSpec
from streaming.wire.rows.arrow_types import fields_of
from streaming.wire.rows.payload_json import payload_to_json, row_text
from streaming.wire.rows.row_json import Element, MalformedRow

QUERIES_IN_ONE_CARRIER: Final = 400
AT_END: Final[Mapping[EndMode, AtEnd]] = {EndMode.FLUSH: "flush", EndMode.STOP: "final", EndMode.NONE: "nothing"}
_DEADLINE_S: Final = 24 * 3600.0
_LOG_LINES: Final = 10
_ROOT: Final = Path("/")
_BAD: Final[Mapping[Reason, Mapping[str, Any]]] = {
    Reason.BAD_ROW: {"bad": ""},
    Reason.BAD_TIME: {"start": None},
    Reason.BAD_LIFETIME: {"start": 1, "end": 1, "edge": "end"},
    Reason.BAD_PAYLOAD: {"start": 0, "end": 1, "edge": "end", "payload": 0},
    Reason.BAD_CTI: {"cti": ""},
}
"""A row for each reason; the late rows get their own text later."""


def execute(query: QueryExecution, sink: ExecutionSink, rows_a_batch: int | None = None) -> Mapping[str, OutcomeCounts]:
    """Run `query` as `Execute` specifies. `rows_a_batch`: the number of rows that adapters read in a batch."""
    (counted,) = execute_together([(query, sink)], rows_a_batch=rows_a_batch)
    if isinstance(counted, ExecutionError):
        raise counted
    return counted


TOO_MANY_ROWS: Final = (
    "The input {node} has more than {mib} MiB of rows that are passed to Spark one by one. Provide them as CSV or "
    "Parquet files, which Spark reads directly, or use the executor `engine`."
)


def execute_together(
    queries: Sequence[tuple[QueryExecution, ExecutionSink]],
    *,
    rows_a_batch: int | None = None,
    list_ctis: bool = False,
) -> list[Mapping[str, OutcomeCounts] | ExecutionError]:
    """Run `queries`, which share nothing but streaming queries; return for each the result of `execute`, or its error.

    A failed query does not affect the others. `list_ctis`: report every CTI of an output, not only the last of a batch.
    Raises `ExecutionError` where Spark itself fails, and `AdapterError`.
    """
    results: list[Mapping[str, OutcomeCounts] | ExecutionError] = []
    batch_size = {} if rows_a_batch is None else {"rows_per_batch": rows_a_batch}
    # a task that Spark has stopped may still write for a moment: what it leaves must not cost the results
    with tempfile.TemporaryDirectory(prefix="punctual-execution-", ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        settings = CarrierSettings(
            home=str(_ROOT), list_ctis=list_ctis, columns=True, modules=str(home / MODULES), **batch_size
        )
        try:
            with _session(home / "spark.log", [sink for _, sink in queries]) as session:
                store(home / MODULES, chain.from_iterable(named_modules(query.graph) for query, _ in queries))
                for first in range(0, len(queries), QUERIES_IN_ONE_CARRIER):
                    some = queries[first : first + QUERIES_IN_ONE_CARRIER]
                    results += _in_one_carrier(session, some, home / str(first), settings)
        except (PunctualError, TimeoutError) as error:
            raise ExecutionError(f"Spark: {error}") from None
        except PySparkException as error:
            raise ExecutionError(
                f"Spark did not start ({error}). Its log ends with:\n{_end_of(home / 'spark.log')}"
            ) from None
    return results


def _in_one_carrier(
    session: SparkSession,
    queries: Sequence[tuple[QueryExecution, ExecutionSink]],
    home: Path,
    settings: CarrierSettings,
) -> Iterator[Mapping[str, OutcomeCounts] | ExecutionError]:
    names = [f"q{number}" for number in range(len(queries))]
    sinks = [sink for _, sink in queries]

    def report_read(manifest: Manifest) -> None:
        for sink in sinks:
            sink.read(manifest.read)

    specs = [
        (spec_of(query, name, home, _ROOT), AT_END[query.end]) for (query, _), name in zip(queries, names, strict=True)
    ]
    for sink in sinks:
        sink.begin("running on Spark")
    found = run_to_end(session, specs, home / "carrier", settings, deadline_s=_DEADLINE_S, on_manifest=report_read)
    for (query, sink), name in zip(queries, names, strict=True):
        sink.begin("writing the results")
        try:
            yield send_results(query, found[name], sink)
        except ExecutionError as error:
            yield error


@contextmanager
def _session(log: Path, sinks: Sequence[ExecutionSink]) -> Iterator[SparkSession]:
    """Yield the running session, or a session of our own that ends here."""
    for sink in sinks:
        sink.begin("starting Spark")
    if is_started():
        yield start_session()
        return
    with errors_kept_in(log):
        session = start_session(make_archive=True)
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def errors_kept_in(log: Path) -> Iterator[None]:
    """Redirect the standard error of processes that start inside to `log`, for good: Java and Spark are chatty."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _end_of(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return "\n".join(f"  {line}" for line in lines[-_LOG_LINES:])


def spec_of(query: QueryExecution, name: str, home: Path, root: Path) -> RunSpec:
    """Return the binding `name` that runs `query`; rows and results are in `home`, the carrier's home is `root`."""
    adapters = dict(query.inputs.adapters)
    streams = {node.id: query.streams[node.stream] for node in query.graph.nodes if isinstance(node, InputNode)}
    given = [node for node in streams if node not in adapters]
    _write_rows(query, {node: fields_of(streams[node].fields) for node in given}, home / name)
    for node in given:
        rows = home / name / f"{node}.jsonl"
        if rows.stat().st_size > MOST_BYTES:
            raise ExecutionError(TOO_MANY_ROWS.format(node=node, mib=MOST_BYTES >> 20))
        path = rows.relative_to(root)
        adapters[node] = AdapterChoice(kind="rows", options={"path": str(path)})
        streams[node] = streams[node].model_copy(update={"event_time": None})
    return RunSpec(
        organisation="execution",
        binding=name,
        run=name,
        desired="running",
        query=query.graph,
        inputs={
            node: InputSpec(stream=stream, adapter=adapters[node], advance=query.advance.get(node))
            for node, stream in streams.items()
        },
        results=str((home / "results" / name).relative_to(root)),
    )


def _write_rows(query: QueryExecution, fields: Mapping[str, Fields], folder: Path) -> None:
    """Write the in-memory rows as files of the `rows` adapter, which preserves their batches and their order."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        files: dict[str, IO[str]] = {
            node: opened.enter_context((folder / f"{node}.jsonl").open("w", encoding="utf-8")) for node in fields
        }
        order = 0
        for batch, chunks in enumerate(query.inputs.batches() if fields else ()):
            for item in chunks:
                if isinstance(item, HistoryMark):
                    mark = {"history": item.lanes, "batch": batch, "order": order}
                    files[item.input].write(json.dumps(mark) + "\n")
                    order += 1
                    continue
                if isinstance(item, ClockReading):
                    beat = {"heartbeat": item.at, "batch": batch, "order": order}
                    files[item.input].write(json.dumps(beat) + "\n")
                    order += 1
                    continue
                for element, arrival in item.elements():
                    origin = {"lane": item.lane, "batch": batch, "order": order, "arrival": arrival}
                    files[item.input].write(_line(element, origin, fields[item.input]) + "\n")
                    order += 1


def _line(element: Element, origin: Mapping[str, Any], fields: Fields) -> str:
    match element:
        case MalformedRow(reason):
            return json.dumps({**_BAD[reason], **origin})
        case Cti(at):
            return json.dumps({"cti": None if at == INFINITY else at, **origin})
        case Event() as event:
            edge = {} if event.edge is None else {"edge": str(event.edge)}
            return row_text(event.start, event.end, event.payload, fields, **edge, **origin)
        case OverlapRow(start, end):
            lifetime = {"start": start, "end": None if end == INFINITY else end}
            kind = "start" if end == INFINITY else "end"  # read for edges only
            return json.dumps({**lifetime, "edge": kind, "overlap": True, **origin})
        case Version() | Snapshot() | MalformedVersion() as row:
            return json.dumps({**_table_row(row, fields), **origin})


def _table_row(row: TableRow, fields: Fields) -> Mapping[str, Any]:
    match row:
        case Snapshot(start, rows):
            return {"snapshot": start, "rows": [payload_to_json(each, fields) for each in rows]}
        case Version(start, payload, deleted):
            return {"start": start, "delete" if deleted else "payload": payload_to_json(payload, fields)}
        case MalformedVersion(start, reason):
            return {"start": start, "refused": reason}


def send_results(
    query: QueryExecution,
    found: LocalResult,
    sink: ExecutionSink,
    results: Callable[[Path, ExecutionSink], None] = send_rows,
) -> Mapping[str, OutcomeCounts]:
    """Send the committed results of a run of `query` to `sink`, by `results`. Raises `ExecutionError` if it failed."""
    if found.failure is not None:
        raise ExecutionError(f"Spark: {found.failure}")
    results(found.folder, sink)
    for output, ctis in found.ctis.items():
        sink.ctis(output, [cti for cti in ctis if cti != INFINITY])
    _send_late(list(found.rows("late")), query, sink)
    if found.report is None:
        return {node: OutcomeCounts() for node in query.input_nodes}
    failed = found.report.failures
    sink.failures([FailureCount(each.node, each.field, each.kind, each.count, each.example) for each in failed])
    inputs = found.report.inputs
    return {node: OutcomeCounts(Counter(each.outcomes), Counter(each.reasons)) for node, each in inputs.items()}


def _send_late(rows: Sequence[Mapping[str, Any]], query: QueryExecution, sink: ExecutionSink) -> None:
    """Send late rows with their original text: on Spark, in-memory rows do not have the text that was written."""
    texts: dict[tuple[str, str, int], str] = {}
    for node in query.input_nodes:
        wanted = [(row["lane"], row["position"]) for row in rows if row["input"] == node]
        own = query.inputs.originals(node, wanted)
        texts |= {(node, lane, position): text for (lane, position), text in own.items()}
    for row in rows:
        text = texts.get((row["input"], row["lane"], row["position"]), row["raw"])
        sink.late(LateEvent.model_validate({name: row[name] for name in LateEvent.model_fields} | {"raw": text}))
