"""Runs one prepared case by the columnar kernels: what the transcripts call the executor `engine`."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

import pyarrow as pa

from streaming.definition.advance import temporal_settings
from streaming.definition.graph import InputNode
from streaming.definition.types import parse_fields
from streaming.engine.arrivals import arrived_of
from streaming.engine.compile import compile_binding
from streaming.engine.plan import NotRunnable, Plan
from streaming.engine.run import EngineRun, Lane, Released, records
from streaming.temporal.outcomes import Outcome, Reason
from streaming.wire.arrived import Arrived
from streaming.wire.case import ONLY_LANE, Case, CaseEvent, CaseLate, CaseResult, CaseRow
from streaming.wire.rows import Element, MalformedRow, read_row


def run_case(case: Case, buckets: int = 1) -> CaseResult:
    """Run `case` to its end; `failure` says what the engine cannot run.

    With `restart` the run is thrown away before each batch but the first and restored from its snapshot.
    """
    streams = {node.stream: node.id for node in case.graph.nodes if isinstance(node, InputNode)}
    advance = temporal_settings(case.graph, case.streams, case.advance)
    try:
        plan = compile_binding(case.graph, case.streams, advance, buckets)
    except NotRunnable as refusal:
        return CaseResult(case.id, failure=str(refusal))
    run = EngineRun(plan)
    released = []
    for number, batch in enumerate(_batches(case, streams)):
        if case.restart and number:
            run = EngineRun.restored(plan, run.snapshot())
        released.append(run.batch(batch))
    released.append(run.end(case.end))
    return _result(case, plan, run, released)


def _batches(case: Case, streams: dict[str, str]) -> Iterator[dict[Lane, list[Arrived]]]:
    """The rows as one chunk for each lane and batch; a row of an unlisted lane is a bad row of the first lane."""
    positions: dict[Lane, int] = defaultdict(int)
    batches = max((row.batch for row in case.rows), default=-1) + 1
    by_batch: list[dict[Lane, list[tuple[int, Element, str]]]] = [defaultdict(list) for _ in range(batches)]
    for row in case.rows:
        if row.stream not in streams or row.heartbeat is not None:  # nothing that the engine carries waits for one
            continue
        stream = case.streams[row.stream]
        lanes = stream.lanes or [ONLY_LANE]
        known = row.lane in lanes
        lane = (streams[row.stream], row.lane if known else lanes[0])
        element = read_row(row.fields, stream, row.arrival) if known else MalformedRow(Reason.BAD_ROW)
        by_batch[row.batch][lane].append((positions[lane], element, _raw(row)))
        positions[lane] += 1
    fields = {node: parse_fields(case.streams[stream].fields) for stream, node in streams.items()}
    for batch in by_batch:
        yield {lane: [_chunk(rows, fields[lane[0]])] for lane, rows in batch.items()}


def _chunk(rows: list[tuple[int, Element, str]], fields: object) -> Arrived:
    positions, elements, raw = zip(*rows, strict=True)
    return arrived_of(elements, fields, positions, raw)  # type: ignore[arg-type]


def _raw(row: CaseRow) -> str:
    return json.dumps(dict(row.fields), default=str)


def _result(case: Case, plan: Plan, run: EngineRun, released: list[Released]) -> CaseResult:
    streams = {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}
    events = [
        CaseEvent(output, start, end, payload)
        for each in released
        for output, tables in each.rows.items()
        for table in tables
        for start, end, payload in records(table)
    ]
    outcomes: dict[str, Counter[Outcome]] = {stream: Counter() for stream in streams.values()}
    for (node, _), counts in run.counts.items():
        outcomes[streams[node]].update(dict(counts.outcomes))
    return CaseResult(
        id=case.id,
        events=tuple(events),
        ctis={output: tuple(cti for each in released for cti in each.ctis.get(output, ())) for output in plan.outputs},
        late=tuple(_late(row, streams) for each in released for row in _rows(each.late)),
        outcomes=outcomes,
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
        moved_by=_tick(row["moved_by"]),
    )


def _tick(value: object) -> int | None:
    return value if isinstance(value, int) else None
