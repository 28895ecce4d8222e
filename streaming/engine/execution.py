"""Entry point of the columnar kernels: runs a query in this process, micro-batch by micro-batch."""

from collections import defaultdict
from collections.abc import Sequence

from streaming.definition.checks.advance import temporal_settings
from streaming.engine.exchange.net_rows import CompactedChanges
from streaming.engine.executor import Arrival, BatchResult, EngineRun
from streaming.planning.compile import compile_binding
from streaming.planning.plan import NotRunnable, QueryPlan
from streaming.temporal.ticks import INFINITY
from streaming.wasm.function import TooMuchFuel
from streaming.wire.execution import case_execution
from streaming.wire.execution.case import Case, CaseResult
from streaming.wire.execution.interface import (
    ClockReading,
    ExecutionError,
    ExecutionSink,
    Heard,
    HistoryMark,
    OutcomeCounts,
    QueryExecution,
)
from streaming.wire.messages import LateEvent


def execute(query: QueryExecution, sink: ExecutionSink, buckets: int = 1, stages: int = 1) -> dict[str, OutcomeCounts]:
    """Run a query; see `Execute`. Only the state is held, and edges and rows that may be replaced.

    With `restart` the run is discarded before each batch but the first and restored from its snapshot.
    """
    advance = temporal_settings(query.graph, query.streams, query.advance)
    try:
        plan = compile_binding(query.graph, query.streams, advance, buckets, stages)
    except NotRunnable as refusal:
        raise ExecutionError(str(refusal)) from None
    try:
        return go_on(EngineRun(plan), plan, query, sink)
    except TooMuchFuel as error:
        raise ExecutionError(str(error).splitlines()[0]) from None


def run_case(case: Case, buckets: int = 1, stages: int = 1) -> CaseResult:
    """Run `case` to its end; `failure` describes what the engine cannot run."""
    return case_execution.run_case(lambda query, sink: execute(query, sink, buckets, stages), case)


def go_on(run: EngineRun, plan: QueryPlan, query: QueryExecution, sink: ExecutionSink) -> dict[str, OutcomeCounts]:
    """Let `run` of `plan` read all batches of `query`, whatever it has read before, and end it; see `Execute`."""
    nets: dict[str, CompactedChanges] = defaultdict(CompactedChanges)
    for number, batch in enumerate(query.inputs.batches()):
        if query.restart and number:
            run = EngineRun.restored(plan, run.snapshot())
        sink.read(sum(len(each) for each in batch if not isinstance(each, ClockReading | HistoryMark)))
        _send(run.turn(arrivals_of(batch)), nets, sink)
    _send(run.end(query.end), nets, sink)
    for output, net in nets.items():
        sink.rows(output, net)
    sink.failures(run.failures.counts())
    counted = {node: OutcomeCounts() for node in query.input_nodes}
    for (node, _), lane in run.counts.items():
        counted[node].outcomes.update({str(outcome): count for outcome, count in lane.outcomes.items() if count})
        counted[node].reasons.update({str(reason): count for reason, count in lane.reasons.items() if count})
    return counted


def arrivals_of(batch: Sequence[Heard]) -> list[Arrival]:
    """Return a batch in the form that `EngineRun.turn` takes."""
    return [_arrival(each) for each in batch]


def _arrival(heard: Heard) -> Arrival:
    if isinstance(heard, HistoryMark):
        return (heard.input, heard.lanes)
    return (heard.input, heard.at) if isinstance(heard, ClockReading) else (heard.input, heard.lane, heard.arrived)


def _send(released: BatchResult, nets: dict[str, CompactedChanges], sink: ExecutionSink) -> None:
    """Send rows that are final at once; collect edges and rows that may be replaced for their net result."""
    for output, tables in released.rows.items():
        for table in tables:
            if "@id" in table.column_names:
                nets[output].add(table)
            else:
                sink.table(output, table)
    for output, ctis in released.ctis.items():
        sink.ctis(output, ctis)
    for row in released.late.to_pylist():
        sink.late(LateEvent.model_validate(row | {"end": None if row["end"] == INFINITY else row["end"]}))
