"""Runs one prepared case by the columnar kernels: what the transcripts call the executor `engine`."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import groupby

import pyarrow as pa

from streaming.definition.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.engine.exchange.net_rows import Net
from streaming.engine.executor import EngineRun, Heard, Released
from streaming.planning.compile import compile_binding
from streaming.planning.plan import NotRunnable, Plan
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.wire.arrived_rows import JudgedRow, arrived_of
from streaming.wire.case import ONLY_LANE, Case, CaseEvent, CaseLate, CaseResult, CaseRow
from streaming.wire.rows import MalformedRow, read_row

Place = tuple[str, str] | tuple[str, int]
"""Where a row goes: (input, lane), or (input, ticks of a heartbeat)."""


def run_case(case: Case, buckets: int = 1, stages: int = 1) -> CaseResult:
    """Run `case` to its end; `failure` says what the engine cannot run.

    With `restart` the run is thrown away before each batch but the first and restored from its snapshot.
    """
    advance = temporal_settings(case.graph, case.streams, case.advance)
    try:
        plan = compile_binding(case.graph, case.streams, advance, buckets, stages)
    except NotRunnable as refusal:
        return CaseResult(case.id, failure=str(refusal))
    run = EngineRun(plan)
    released = []
    for number, heard in enumerate(_batches(case)):
        if case.restart and number:
            run = EngineRun.restored(plan, run.snapshot())
        released.append(run.hear(heard))
    released.append(run.end(case.end))
    return _result(case, plan, run, released)


def _batches(case: Case) -> Iterator[list[Heard]]:
    """The rows of each batch in order of arrival, those of a lane that follow one another as one chunk.

    A row of an unlisted lane is a bad row of the first lane.
    """
    inputs = {node.stream: node.id for node in case.graph.nodes if isinstance(node, InputNode)}
    positions: dict[tuple[str, str], int] = defaultdict(int)
    batches = max((row.batch for row in case.rows), default=-1) + 1
    by_batch: list[list[tuple[Place, JudgedRow | None, str]]] = [[] for _ in range(batches)]
    for row in case.rows:
        if row.stream not in inputs:
            continue
        if row.heartbeat is not None:
            by_batch[row.batch].append(((inputs[row.stream], row.heartbeat), None, row.stream))
            continue
        stream = case.streams[row.stream]
        lanes = stream.lanes or [ONLY_LANE]
        known = row.lane in lanes
        lane = (inputs[row.stream], row.lane if known else lanes[0])
        element = read_row(row.fields, stream, row.arrival) if known else MalformedRow(Reason.BAD_ROW)
        judged = JudgedRow(positions[lane], element, _raw(row), row.arrival)
        by_batch[row.batch].append((lane, judged, row.stream))
        positions[lane] += 1
    for batch in by_batch:
        yield [_heard(case, list(same)) for _, same in groupby(batch, key=lambda each: (each[0], each[1] is None))]


def _heard(case: Case, rows: list[tuple[Place, JudgedRow | None, str]]) -> Heard:
    place, _, stream = rows[0]
    input_id, lane = place
    if isinstance(lane, int):
        return (input_id, lane)
    chunk = arrived_of([row for _, row, _ in rows if row is not None], case.streams[stream])
    return (input_id, lane, chunk)


def _raw(row: CaseRow) -> str:
    return json.dumps(dict(row.fields), default=str)


def _result(case: Case, plan: Plan, run: EngineRun, released: list[Released]) -> CaseResult:
    """What was released, of each element its last late row: an edge may be late_kept, and be cut off later (T24)."""
    streams = {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}
    nets: dict[str, Net] = defaultdict(Net)
    for each in released:
        for output, tables in each.rows.items():
            for table in tables:
                nets[output].add(table)
    late = [_late(row, streams) for each in released for row in _rows(each.late)]
    outcomes: dict[str, Counter[Outcome]] = {stream: Counter() for stream in streams.values()}
    for (node, _), counts in run.counts.items():
        outcomes[streams[node]].update(dict(counts.outcomes))
    return CaseResult(
        id=case.id,
        events=tuple(CaseEvent(output, *record) for output, net in nets.items() for record in net),
        ctis={output: tuple(cti for each in released for cti in each.ctis.get(output, ())) for output in plan.outputs},
        late=tuple({(each.stream, each.lane, each.position): each for each in late}.values()),
        outcomes=outcomes,
        failures=run.failures.by_expression(),
    )


def _rows(late: pa.Table) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = late.to_pylist()
    return rows


def _late(row: dict[str, object], streams: dict[str, str]) -> CaseLate:
    reason = row["reason"]
    return CaseLate(
        stream=streams[str(row["input"])],
        lane=str(row["lane"]),
        position=_tick(row["position"]) or 0,
        outcome=Outcome(str(row["outcome"])),
        reason=None if reason is None else Reason(str(reason)),
        start=_tick(row["start"]),
        end=_tick(row["end"]),
        edge=None if row["edge"] is None else EdgeKind(str(row["edge"])),
        moved_by=_tick(row["moved_by"]),
    )


def _tick(value: object) -> int | None:
    return value if isinstance(value, int) else None
