"""Conversion of a case for executors, and collection of its result."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import pyarrow as pa

from streaming.definition.graph import InputNode, OutputNode
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.execution.case import Case, CaseEvent, CaseLate, CaseResult, CaseRow, CaseStep, listed_lanes
from streaming.wire.execution.failures import ExpressionFailure, FailureCount
from streaming.wire.execution.interface import (
    ClockReading,
    Execute,
    ExecutionError,
    Heard,
    HistoryMark,
    OutcomeCounts,
    QueryExecution,
    ReleasedRow,
    RowPlace,
)
from streaming.wire.messages import LateEvent
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of
from streaming.wire.rows.row_json import Element, MalformedRow, read_rows


def run_case(execute: Execute, case: Case) -> CaseResult:
    """Run `case` by an executor; if it can't, the result's `failure` is the reason."""
    sink = CaseSink(case)
    try:
        counted = execute(execution_of(case), sink)
    except ExecutionError as error:
        return CaseResult(case.id, failure=str(error))
    return sink.result(counted)


def execution_of(case: Case) -> QueryExecution:
    """Return `case` in the form that an executor runs."""
    return QueryExecution(case.graph, case.streams, CaseInputs(case), case.advance, case.end, case.restart)


def stream_by_input(case: Case) -> dict[str, str]:
    """Return the stream of each input node."""
    return {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}


@dataclass(frozen=True)
class _CaseRows:
    """Consecutive rows of a case in a lane, converted to columns on demand."""

    input: str
    lane: str
    rows: Sequence[JudgedRow]
    stream: StreamDefinition

    @cached_property
    def arrived(self) -> Arrived:
        return arrived_of(self.rows, self.stream)

    def elements(self) -> Iterator[tuple[Element, Tick | None]]:
        for row in self.rows:
            yield row.element, None if row.arrival is None else Tick(row.arrival)

    def __len__(self) -> int:
        return len(self.rows)


class CaseInputs:
    """The rows of a case, each for every input that reads its stream.

    A row of an unlisted lane is a bad row of the first lane; a row of a stream without readers is left out.
    """

    adapters: Mapping[str, AdapterChoice] = {}

    def __init__(self, case: Case) -> None:
        self._case = case
        named = stream_by_input(case)
        self._inputs = {stream: [node for node, each in named.items() if each == stream] for stream in named.values()}
        self._streams = {node: case.streams[stream] for node, stream in named.items()}

    def batches(self) -> Iterator[Sequence[Heard]]:
        """See `QueryInputs`: consecutive rows of a lane form one chunk."""
        positions: dict[tuple[str, str], int] = defaultdict(int)
        count = max((row.batch for row in self._case.rows), default=-1) + 1
        by_batch: list[list[tuple[tuple[str, str], JudgedRow | ClockReading | HistoryMark]]] = [
            [] for _ in range(count)
        ]
        for row in self._case.rows:
            for node in self._inputs.get(row.stream, ()):
                by_batch[row.batch] += self._judged(node, row, positions)
        for batch in by_batch:
            following = groupby(batch, key=lambda each: (each[0], type(each[1])))
            yield [heard for (place, _), rows in following for heard in self._heard(place, [row for _, row in rows])]

    def originals(self, node: str, wanted: Collection[RowPlace]) -> Mapping[RowPlace, str]:
        """See `QueryInputs`."""
        rows = (
            each for batch in self.batches() for each in batch if isinstance(each, _CaseRows) and each.input == node
        )
        texts = {(each.lane, row.position): row.raw for each in rows for row in each.rows}
        return {place: texts[place] for place in wanted}

    def _judged(
        self, node: str, row: CaseRow, positions: dict[tuple[str, str], int]
    ) -> Iterator[tuple[tuple[str, str], JudgedRow | ClockReading | HistoryMark]]:
        if row.heartbeat is not None:
            yield (node, ""), ClockReading(node, Tick(row.heartbeat))
            return
        if row.marks_history:
            lanes = row.fields["history"]
            yield (node, ""), HistoryMark(node, None if lanes is None else tuple(lanes))
            return
        stream = self._streams[node]
        lanes = listed_lanes(stream)
        known = row.lane in lanes
        place = node, row.lane if known else lanes[0]
        elements = read_rows(row.fields, stream, row.arrival) if known else [MalformedRow(Reason.BAD_ROW)]
        raw = json.dumps(dict(row.fields), default=str)
        for element in elements:
            yield place, JudgedRow(positions[place], element, raw, row.arrival)
            positions[place] += 1

    def _heard(self, place: tuple[str, str], rows: Sequence[JudgedRow | ClockReading | HistoryMark]) -> Iterator[Heard]:
        yield from (each for each in rows if isinstance(each, ClockReading | HistoryMark))
        judged = [each for each in rows if isinstance(each, JudgedRow)]
        if judged:
            yield _CaseRows(*place, judged, self._streams[place[0]])


class CaseSink:
    """Collects an executor's results of a case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._streams = stream_by_input(case)
        self._events: list[CaseEvent] = []
        self._steps: tuple[CaseStep, ...] | None = None
        self._ctis: dict[str, list[int]] = {node.id: [] for node in case.graph.nodes if isinstance(node, OutputNode)}
        self._late: dict[tuple[str, str, int], CaseLate] = {}
        self._failures: dict[ExpressionFailure, int] | None = None

    def result(self, counted: Mapping[str, OutcomeCounts]) -> CaseResult:
        """Return the result, with the outcomes of the rows of each input."""
        outcomes: dict[str, Counter[Outcome]] = {}
        for node, each in counted.items():
            outcomes.setdefault(self._streams[node], Counter()).update(
                {Outcome(name): count for name, count in each.outcomes.items() if count}
            )
        return CaseResult(
            id=self._case.id,
            events=tuple(self._events),
            rows=self._steps,
            ctis={output: tuple(ctis) for output, ctis in self._ctis.items()},
            late=tuple(self._late.values()),
            outcomes={stream: dict(counts) for stream, counts in outcomes.items()},
            failures=self._failures,
        )

    def read(self, rows: int) -> None:
        """Ignore progress: nobody waits for a case."""

    def begin(self, stage: str) -> None:
        """Ignore progress: nobody waits for a case."""

    def rows(self, output: str, rows: Iterable[ReleasedRow]) -> None:
        """See `ExecutionSink`."""
        self._events += (CaseEvent(output, start, end, payload) for start, end, payload in rows)

    def table(self, output: str, rows: pa.Table) -> None:
        """See `ExecutionSink`."""
        starts, ends, *columns = (column.to_pylist() for column in rows.columns)
        names = rows.column_names[2:]
        values = zip(*columns, strict=True) if columns else [()] * rows.num_rows
        payloads = (dict(zip(names, each, strict=True)) for each in values)
        self.rows(output, zip(starts, ends, payloads, strict=True))

    def steps(self, rows: Iterable[CaseStep]) -> None:
        """See `ExecutionSink`."""
        self._steps = tuple(rows)

    def ctis(self, output: str, ctis: Iterable[int]) -> None:
        """See `ExecutionSink`."""
        self._ctis[output] += ctis

    def late(self, event: LateEvent) -> None:
        """See `ExecutionSink`."""
        lifetime = event.start is not None
        self._late[event.input, event.lane, event.position] = CaseLate(
            stream=self._streams[event.input],
            lane=event.lane,
            position=event.position,
            outcome=Outcome(event.outcome),
            reason=None if event.reason is None else Reason(event.reason),
            start=event.start,
            end=INFINITY if event.end is None and lifetime else event.end,
            edge=None if event.edge is None else EdgeKind(event.edge),
            moved_by=event.moved_by,
        )

    def failures(self, counts: Iterable[FailureCount]) -> None:
        """See `ExecutionSink`."""
        self._failures = {(each.node, each.field, each.kind): each.count for each in counts}
