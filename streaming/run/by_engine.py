"""A run by the columnar kernels, in this process: micro-batch by micro-batch, nothing held but the state."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.engine.compile import compile_binding
from streaming.engine.run import EngineRun, Lane, Released
from streaming.run.outcome import Counted, Sink
from streaming.run.sources import Chunk, Source, rounds
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY
from streaming.wire.arrived import Arrived
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

    The definition is one that `not_carried` takes. Raises `AdapterError` for inputs that cannot be read. Heartbeats
    say nothing here: what is carried waits for none.
    """
    run = EngineRun(compile_binding(graph, streams, advance, buckets=1))
    for batch in rounds(sources, rows_a_batch):
        arrived: dict[Lane, list[Arrived]] = defaultdict(list)
        for source, items in batch:
            for item in items:
                if isinstance(item, Chunk):
                    arrived[source.node, item.lane].append(item.arrived)
            sink.read(sum(len(item) for item in items if isinstance(item, Chunk)))
        _tell(run.batch(arrived), sink)
    _tell(run.end(EndMode.FLUSH), sink)
    counted = {source.node: Counted() for source in sources}
    for (node, _), lane in run.counts.items():
        counted[node].outcomes.update({str(outcome): count for outcome, count in lane.outcomes.items() if count})
        counted[node].reasons.update({str(reason): count for reason, count in lane.reasons.items() if count})
    return counted


def _tell(released: Released, sink: Sink) -> None:
    for output, tables in released.rows.items():
        for table in tables:
            sink.table(output, table)
    for row in _rows(released.late):
        sink.late(LateEvent.model_validate(row))


def _rows(late: pa.Table) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = late.to_pylist()
    return [row | {"end": None if row["end"] == INFINITY else row["end"]} for row in rows]
