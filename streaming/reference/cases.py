"""Runs one prepared case by the reference."""

import pickle  # nosec B403 # for an object of this process
from collections import Counter

from streaming.definition.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.definition.streams import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.reference.output import OutputRow
from streaming.temporal.clock import Judged
from streaming.temporal.outcomes import IN_TIME, Outcome
from streaming.temporal.ticks import Tick
from streaming.wire.case import Case, CaseEvent, CaseLate, CaseResult, CaseRow, ResultPane, ResultRow
from streaming.wire.rows import read_row

MOVED = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED})


def run_case(case: Case) -> CaseResult:
    """Run `case` to its end. With `restart` the run is written to bytes and read back before every later batch.

    Raises `Unsound` for a definition with faults.
    """
    run = finished_run(case)
    streams = stream_by_input(case)
    late = [
        _late(streams[element.input], element, judged)
        for element, judged in run.judged.items()
        if judged.outcome not in IN_TIME
    ]
    counts: dict[str, Counter[Outcome]] = {stream: Counter() for stream in streams.values()}
    for element, judged in run.judged.items():
        counts[streams[element.input]][judged.outcome] += 1
    return CaseResult(
        id=case.id,
        events=tuple(CaseEvent(row.output, row.flow.start, row.flow.end, row.flow.payload) for row in run.outputs),
        rows=tuple(map(_row, run.released)),
        ctis={output: tuple(ctis) for output, ctis in run.output_ctis.items()},
        late=tuple(late),
        outcomes=counts,
        failures=run.trace.failed_rows.by_expression(),
    )


def stream_by_input(case: Case) -> dict[str, str]:
    """The stream of each input node."""
    return {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}


def finished_run(case: Case) -> ReferenceRun:
    """The run after all rows of `case` and its end, with its trace."""
    inputs = {stream: node for node, stream in stream_by_input(case).items()}
    run = ReferenceRun(case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance))
    batch = 0
    for row in case.rows:
        while batch != row.batch:
            run.boundary()
            batch += 1
            if case.restart:
                run = pickle.loads(pickle.dumps(run))  # nosec B301 # bytes that the same line made
        if row.stream in inputs:
            _take(run, inputs[row.stream], row, case.streams[row.stream])
    run.boundary()
    run.end(case.end)
    return run


def _take(run: ReferenceRun, node: str, row: CaseRow, stream: StreamDefinition) -> None:
    if row.heartbeat is not None:
        run.heartbeat(node, Tick(row.heartbeat))
    else:
        arrival = None if row.arrival is None else Tick(row.arrival)
        run.take(node, row.lane, read_row(row.fields, stream, arrival), arrival)


def _row(row: OutputRow) -> ResultRow:
    flow = row.flow
    pane = flow.pane
    return ResultRow(
        output=row.output,
        start=flow.start,
        end=flow.end,
        payload=flow.payload,
        edge=row.edge,
        deleted=flow.gone or flow.vanishes,
        pane=None if pane is None else ResultPane(pane.start, pane.end, pane.timing, pane.index, pane.is_last),
    )


def _late(stream: str, element: ElementId, judged: Judged) -> CaseLate:
    received = judged.original
    return CaseLate(
        stream=stream,
        lane=element.lane,
        position=element.position,
        outcome=judged.outcome,
        reason=judged.reason,
        start=None if received is None else received.start,
        end=None if received is None else received.end,
        edge=None if received is None else received.edge,
        moved_by=judged.moved_by if judged.outcome in MOVED else None,
    )
