"""Entry point of the reference: runs a query row by row to its end."""

import pickle  # nosec B403 # for an object of this process
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from streaming.definition.checks.advance import temporal_settings
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.reference.output import OutputRow
from streaming.temporal.clock import JudgedElement
from streaming.temporal.outcomes import IN_TIME, Outcome
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution import case_execution
from streaming.wire.execution.case import Case, CaseResult, CaseStep, StepPane
from streaming.wire.execution.interface import ClockReading, ExecutionSink, HistoryMark, OutcomeCounts, QueryExecution
from streaming.wire.messages import LateEvent

MOVED = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED})


def execute(query: QueryExecution, sink: ExecutionSink) -> dict[str, OutcomeCounts]:
    """Run a query; see `Execute`. With `restart` the run is pickled and restored before every later batch.

    Raises `InvalidDefinition` for a definition with errors.
    """
    run = finished(query, sink.read)
    for output, rows in groupby(run.outputs, key=lambda row: row.output):
        sink.rows(output, ((row.flow.start, row.flow.end, row.flow.payload) for row in rows))
    sink.steps(map(_step, run.released))
    for output, ctis in run.output_ctis.items():
        sink.ctis(output, ctis)
    for event in _late_events(run, query):
        sink.late(event)
    sink.failures(run.trace.failed_rows.counts())
    counted = {node: OutcomeCounts() for node in query.input_nodes}
    for element, judged in run.judged.items():
        counted[element.input].outcomes[str(judged.outcome)] += 1
        if judged.reason is not None:
            counted[element.input].reasons[str(judged.reason)] += 1
    return counted


def run_case(case: Case) -> CaseResult:
    """Run `case` to its end."""
    return case_execution.run_case(execute, case)


def finished_run(case: Case) -> ReferenceRun:
    """Return the run after all rows of `case` and its end, with its trace."""
    return finished(case_execution.execution_of(case))


def finished(query: QueryExecution, read: Callable[[int], None] = lambda _: None) -> ReferenceRun:
    """Return the run after all rows of `query` and its end; `read` receives how many rows were read."""
    run = ReferenceRun(query.graph, query.streams, temporal_settings(query.graph, query.streams, query.advance))
    for number, batch in enumerate(query.inputs.batches()):
        if query.restart and number:
            run = pickle.loads(pickle.dumps(run))  # nosec B301 # bytes that the same line made
        for heard in batch:
            if isinstance(heard, ClockReading):
                run.heartbeat(heard.input, heard.at)
                continue
            if isinstance(heard, HistoryMark):
                run.mark_history(heard.input, heard.lanes)
                continue
            for element, arrival in heard.elements():
                run.take(heard.input, heard.lane, element, arrival)
            read(len(heard))
        run.boundary()
    run.end(query.end)
    return run


def _step(row: OutputRow) -> CaseStep:
    flow = row.flow
    pane = flow.pane
    return CaseStep(
        output=row.output,
        start=flow.start,
        end=flow.end,
        payload=flow.payload,
        edge=row.edge,
        deleted=flow.gone or flow.vanishes,
        pane=None if pane is None else StepPane(pane.start, pane.end, pane.timing, pane.index, pane.is_last),
    )


def _late_events(run: ReferenceRun, query: QueryExecution) -> Iterator[LateEvent]:
    """Yield every exceptional row. Its text is read again, because windows refuse rows long after they were taken."""
    settings = temporal_settings(query.graph, query.streams, query.advance)
    found = [(element, judged) for element, judged in run.judged.items() if judged.outcome not in IN_TIME]
    for node in query.input_nodes:
        own = [(element, judged) for element, judged in found if element.input == node]
        texts = query.inputs.originals(node, [(element.lane, element.position) for element, _ in own]) if own else {}
        for element, judged in own:
            yield _late(element, judged, settings[node], texts)


def _late(
    element: ElementId, judged: JudgedElement, settings: AdvanceTime, texts: Mapping[tuple[str, int], str]
) -> LateEvent:
    received = judged.original
    return LateEvent(
        input=element.input,
        lane=element.lane,
        position=element.position,
        start=None if received is None else received.start,
        end=None if received is None else _finite(received.end),
        edge=None if received is None or received.edge is None else received.edge.value,
        cti=_finite(judged.cti_met),
        outcome=str(judged.outcome),
        reason=None if judged.reason is None else str(judged.reason),
        policy=str(settings.late),
        moved_by=judged.moved_by if judged.outcome in MOVED else None,
        raw=texts[element.lane, element.position],
    )


def _finite(tick: Tick) -> int | None:
    return None if tick in (INFINITY, NO_CTI) else tick
