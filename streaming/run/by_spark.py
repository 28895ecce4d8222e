"""A run by the real job on this machine's Spark: adapters feed it, its committed parts are the result."""

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from streaming.definition.check import check
from streaming.definition.graph import InputNode, OutputNode, QueryGraph
from streaming.definition.streams import AdapterChoice, AdvanceTimeSettings, StreamDefinition
from streaming.definition.types import Fields
from streaming.run.errors import Failed
from streaming.run.outcome import Counted, Sink
from streaming.run.sources import Chunk, FileSource, Source, originals, rounds
from streaming.temporal.events import Cti, Event
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.arrived_rows import elements
from streaming.wire.arrow_types import fields_of
from streaming.wire.failures import FailureCount
from streaming.wire.messages import InputSpec, LateEvent, RunSpec
from streaming.wire.payload_json import row_text
from streaming.wire.rows import Element, MalformedRow

if TYPE_CHECKING:
    from streaming.spark.layout import CarrierSettings
    from streaming.spark.local_run import LocalResult

_BINDING: Final = "run"
_DEADLINE_S: Final = 24 * 3600.0
_LINES_TOLD: Final = 10
_BAD: Final[Mapping[Reason, Mapping[str, Any]]] = {
    Reason.BAD_ROW: {"bad": ""},
    Reason.BAD_TIME: {"start": None},
    Reason.BAD_LIFETIME: {"start": 1, "end": 1, "edge": "end"},
    Reason.BAD_PAYLOAD: {"start": 0, "end": 1, "edge": "end", "payload": 0},
    Reason.BAD_CTI: {"cti": ""},
}
"""A row of each reason; its own text is read again for the late rows."""


def run_spark(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTimeSettings],
    sources: Sequence[Source],
    rows_a_batch: int,
    sink: Sink,
) -> dict[str, Counted]:
    """Run to the end of all inputs, then flush; by input, what became of its rows. `streams` is by input node.

    Raises `Failed` with what Spark says, `AdapterError`.
    """
    try:
        from pyspark.errors import PySparkException

        from streaming.run.committed import tell_rows
        from streaming.spark.errors import PunctualError
        from streaming.spark.layout import CarrierSettings
    except ModuleNotFoundError as error:
        raise Failed(f"{error}; install the extra 'spark', or run by the reference.") from None
    with tempfile.TemporaryDirectory(prefix="punctual-run-") as folder:
        home = Path(folder).resolve()
        inputs = _inputs(graph, streams, sources, rows_a_batch, home)
        spec = RunSpec(
            organisation="run",
            binding=_BINDING,
            run=_BINDING,
            desired="running",
            query=graph,
            inputs={node: each.model_copy(update={"advance": advance.get(node)}) for node, each in inputs.items()},
            results=str((home / "results").relative_to("/")),
        )
        settings = CarrierSettings(home="/", rows_per_batch=rows_a_batch)
        try:
            result = _run_to_end(spec, settings, home, sink)
        except (PunctualError, TimeoutError) as error:
            raise Failed(f"Spark: {error}") from None
        except PySparkException as error:
            raise Failed(f"Spark did not start ({error}). It said:\n{_end_of(home / 'spark.log')}") from None
        if result.failure is not None:
            raise Failed(f"Spark: {result.failure}")
        sink.begin("writing the results")
        schemas = check(graph, streams).schemas
        outputs = {node.id: schemas[node.id] for node in graph.nodes if isinstance(node, OutputNode)}
        tell_rows(result.parts("results"), outputs, sink)
        _tell_late(list(result.rows("late")), sources, sink)
        if result.report is not None:
            told = result.report.failures
            sink.failures(FailureCount(each.node, each.field, each.kind, each.count, each.example) for each in told)
        counts = {} if result.report is None else result.report.inputs
    return {node: Counted(Counter(each.outcomes), Counter(each.reasons)) for node, each in counts.items()} or {
        source.node: Counted() for source in sources
    }


def _run_to_end(spec: RunSpec, settings: "CarrierSettings", home: Path, sink: Sink) -> "LocalResult":
    from streaming.spark.local_run import run_to_end
    from streaming.spark.session import start_session

    sink.begin("starting Spark")
    with errors_kept_in(home / "spark.log"):
        session = start_session(make_archive=True)
    sink.begin("running on Spark")
    try:
        found = run_to_end(
            session,
            [(spec, "flush")],
            home / "carrier",
            settings,
            deadline_s=_DEADLINE_S,
            on_manifest=lambda manifest: sink.read(manifest["read"]),
        )
    finally:
        session.stop()
    return found[_BINDING]


@contextmanager
def errors_kept_in(log: Path) -> Iterator[None]:
    """What is started meanwhile tells its standard error to `log`, for good: Java and Spark chat there."""
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
    return "\n".join(f"  {line}" for line in lines[-_LINES_TOLD:])


def _inputs(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    sources: Sequence[Source],
    rows_a_batch: int,
    home: Path,
) -> dict[str, InputSpec]:
    """What feeds each input node: files as they are; rows of transcripts, which have lanes, as rows that were read."""
    specs: dict[str, InputSpec] = {}
    by_node = {source.node: source for source in sources}
    for node in graph.nodes:
        if not isinstance(node, InputNode):
            continue
        source, stream = by_node[node.id], streams[node.stream]
        if isinstance(source, FileSource):
            adapter = AdapterChoice(kind="file", options=source.options.model_dump())
        else:
            path = home / f"{node.id}.jsonl"
            _write_rows(source, stream, rows_a_batch, path)
            adapter = AdapterChoice(kind="rows", options={"path": str(path)})
            stream = stream.model_copy(update={"event_time": None})
        specs[node.id] = InputSpec(stream=stream, adapter=adapter)
    return specs


def _write_rows(source: Source, stream: StreamDefinition, rows_a_batch: int, path: Path) -> None:
    fields = fields_of(stream.fields)
    with path.open("w", encoding="utf-8") as file:
        for batch, ((_, items),) in enumerate(rounds([source], rows_a_batch)):
            for item in items:
                for index, element in enumerate(elements(item.arrived) if isinstance(item, Chunk) else ()):
                    arrivals = item.arrived.arrival if isinstance(item, Chunk) else None
                    said = {"lane": item.lane, "batch": batch} if isinstance(item, Chunk) else {}
                    if arrivals is not None and arrivals[index] != NO_CTI:
                        said["arrival"] = int(arrivals[index])
                    file.write(_line(element, said, fields) + "\n")


def _line(element: Element, said: Mapping[str, Any], fields: Fields) -> str:
    match element:
        case MalformedRow(reason):
            return json.dumps({**_BAD[reason], **said})
        case Cti(at):
            return json.dumps({"cti": None if at == INFINITY else at, **said})
        case Event() as event:
            edge = {} if event.edge is None else {"edge": str(event.edge)}
            return row_text(event.start, event.end, event.payload, fields, **edge, **said)


def _tell_late(rows: Sequence[Mapping[str, Any]], sources: Sequence[Source], sink: Sink) -> None:
    """Late rows with their own text; rows of transcripts are not on Spark as they were written."""
    texts: dict[tuple[str, str, int], str] = {}
    for source in sources:
        if not isinstance(source, FileSource):
            wanted = [(row["lane"], row["position"]) for row in rows if row["input"] == source.node]
            found = originals(source, wanted)
            texts |= {(source.node, lane, position): text for (lane, position), text in found.items()}
    for row in rows:
        text = texts.get((row["input"], row["lane"], row["position"]), row["raw"])
        sink.late(LateEvent.model_validate({name: row[name] for name in LateEvent.model_fields} | {"raw": text}))
