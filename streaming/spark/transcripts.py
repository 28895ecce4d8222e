"""Transcripts on Spark: hundreds of cases as bindings of one carrier, in one streaming query."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from streaming.definition.check import check
from streaming.definition.graph import InputNode
from streaming.definition.streams import AdapterChoice
from streaming.definition.types import Fields
from streaming.spark.control import AtEnd
from streaming.spark.layout import CarrierSettings
from streaming.spark.local_run import LocalResult, net, run_to_end
from streaming.spark.session import is_started, start_session
from streaming.temporal.events import EdgeKind
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY
from streaming.wire.case import Case, CaseEvent, CaseLate, CaseResult, EndMode
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.payload_json import payload_from_json

CASES_IN_ONE_QUERY = 400
_SECONDS_FOR_ALL = 300.0
_AT_END: Mapping[EndMode, AtEnd] = {EndMode.FLUSH: "flush", EndMode.STOP: "final", EndMode.NONE: "nothing"}


def run_cases(cases: Sequence[Case]) -> list[CaseResult]:
    """Run `cases`, which share nothing but the streaming query, on a local Spark session; results in their order.

    A case that cannot run has its `failure`; the others do not notice.
    """
    mine = not is_started()
    session = start_session()
    results: list[CaseResult] = []
    try:
        for first in range(0, len(cases), CASES_IN_ONE_QUERY):
            with tempfile.TemporaryDirectory(prefix="punctual-transcripts-") as home:
                results += _run_together(session, cases[first : first + CASES_IN_ONE_QUERY], Path(home))
    finally:
        if mine:
            session.stop()
    return results


def _run_together(session: SparkSession, cases: Sequence[Case], home: Path) -> list[CaseResult]:
    settings = CarrierSettings(home=str(home), list_ctis=True)
    specs = [(_spec(case, f"c{index}", home), _AT_END[case.end]) for index, case in enumerate(cases)]
    found = run_to_end(session, specs, home / "carrier", settings, deadline_s=_SECONDS_FOR_ALL)
    return [_case_result(case, found[f"c{index}"]) for index, case in enumerate(cases)]


def _spec(case: Case, name: str, home: Path) -> RunSpec:
    inputs = {}
    for node, stream in _stream_by_input(case).items():
        path = f"rows/{name}/{stream}.jsonl"
        _write_rows(case, stream, home / path)
        adapter = AdapterChoice(kind="rows", options={"path": path})
        inputs[node] = InputSpec(stream=case.streams[stream], adapter=adapter, advance=case.advance.get(node))
    return RunSpec(
        organisation="transcripts",
        binding=name,
        run=name,
        desired="running",
        query=case.graph,
        inputs=inputs,
        results=f"results/{name}",
    )


def _write_rows(case: Case, stream: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for order, row in enumerate(case.rows):
            if row.stream == stream:
                said = {"lane": row.lane, "batch": row.batch, "arrival": row.arrival, "order": order}
                file.write(json.dumps({**row.fields, **said}) + "\n")


def _stream_by_input(case: Case) -> dict[str, str]:
    return {node.id: node.stream for node in case.graph.nodes if isinstance(node, InputNode)}


def _case_result(case: Case, found: LocalResult) -> CaseResult:
    """What was committed, of each row its last late row: an edge may be late_kept, and be cut off later (T24)."""
    if found.failure is not None:
        return CaseResult(case.id, failure=found.failure)
    schemas = check(case.graph, case.streams).schemas
    streams = _stream_by_input(case)
    report = found.report
    outcomes = {
        streams[node]: {Outcome(name): count for name, count in counts.outcomes.items() if count}
        for node, counts in (report.inputs.items() if report is not None else ())
    }
    ctis = {output: tuple(cti for cti in moved if cti != INFINITY) for output, moved in found.ctis.items()}
    late = (_late(row, streams) for row in found.rows("late"))
    return CaseResult(
        id=case.id,
        events=tuple(_event(row, schemas[row["output"]]) for row in net(found.rows("results"))),
        ctis={output: moved for output, moved in ctis.items() if moved},
        late=tuple({(each.stream, each.lane, each.position): each for each in late}.values()),
        outcomes=outcomes,
        failures=None
        if report is None
        else {(each.node, each.field, each.kind): each.count for each in report.failures},
    )


def _event(row: Mapping[str, Any], schema: Fields) -> CaseEvent:
    end = INFINITY if row["end"] is None else row["end"]
    return CaseEvent(row["output"], row["start"], end, payload_from_json(row["payload"], schema))


def _late(row: Mapping[str, Any], streams: Mapping[str, str]) -> CaseLate:
    reason = row["reason"]
    return CaseLate(
        stream=streams[row["input"]],
        lane=row["lane"],
        position=row["position"],
        outcome=Outcome(row["outcome"]),
        reason=None if reason is None else Reason(reason),
        start=row["start"],
        end=_end(row),
        edge=None if row["edge"] is None else EdgeKind(row["edge"]),
        moved_by=row["moved_by"],
    )


def _end(row: Mapping[str, Any]) -> int | None:
    """An open end is null on the wire, and so is that of a row without a lifetime."""
    end: int | None = row["end"]
    return INFINITY if end is None and row["start"] is not None else end
