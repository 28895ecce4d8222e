"""A run by the columnar kernels, in this process: micro-batch by micro-batch, nothing held but the state."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.engine.exchange.net_rows import Net
from streaming.engine.executor import EngineRun, Heard, Released
from streaming.planning.compile import compile_binding
from streaming.run.outcome import Counted, Sink
from streaming.run.sources import Chunk, Source, rounds
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY
from streaming.wire.case import EndMode
from streaming.wire.messages import LateEvent


def run_engine(
    graph: QueryGraph,
    streams: Mapping[str, StreamDefinition],
    advance: Mapping[str, AdvanceTime],
    sources: Sequence[Source],
    rows_a_batch: int,
    sink: Sink,
) -> dict[str, Counted]:
    """Run to the end of all inputs, then flush; by input, what became of its rows.

    Raises `AdapterError` for inputs that cannot be read.
    """
    run = EngineRun(compile_binding(graph, streams, advance, buckets=1))
    nets: dict[str, Net] = defaultdict(Net)
    for batch in rounds(sources, rows_a_batch):
        heard: list[Heard] = []
        for source, items in batch:
            for item in items:
                if isinstance(item, Chunk):
                    heard.append((source.node, item.lane, item.arrived))
                else:
                    heard.append((source.node, item.at))
            sink.read(sum(len(item) for item in items if isinstance(item, Chunk)))
        _tell(run.hear(heard), nets, sink)
    _tell(run.end(EndMode.FLUSH), nets, sink)
    for output, net in nets.items():
        sink.rows(output, net)
    sink.failures(run.failures.counts())
    counted = {source.node: Counted() for source in sources}
    for (node, _), lane in run.counts.items():
        counted[node].outcomes.update({str(outcome): count for outcome, count in lane.outcomes.items() if count})
        counted[node].reasons.update({str(reason): count for reason, count in lane.reasons.items() if count})
    return counted


def _tell(released: Released, nets: dict[str, Net], sink: Sink) -> None:
    """Rows that are final at once; edges and rows that may be replaced are kept for their net result."""
    for output, tables in released.rows.items():
        for table in tables:
            if "@id" in table.column_names:
                nets[output].add(table)
            else:
                sink.table(output, table)
    for row in _rows(released.late):
        sink.late(LateEvent.model_validate(row))


def _rows(late: pa.Table) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = late.to_pylist()
    return [row | {"end": None if row["end"] == INFINITY else row["end"]} for row in rows]
