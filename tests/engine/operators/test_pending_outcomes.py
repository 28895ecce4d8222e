"""Late rows whose outcome is decided after the shuffle leave once, and again only if a refusal changes it (T12)."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import yaml

from streaming.definition.checks.advance import temporal_settings
from streaming.engine.execution import arrivals_of
from streaming.engine.executor import Arrival, EngineRun
from streaming.planning.compile import compile_binding
from streaming.planning.plan import QueryPlan
from streaming.transcripts.load import parse
from streaming.transcripts.prepare import define, prepare
from streaming.wire.execution.case import Case, EndMode
from streaming.wire.execution.case_execution import CaseInputs
from tests.reference.laws.runs import cut

OPEN_FOR_A_WHILE = """
name: open_for_a_while
streams:
  s: {shape: edge, fields: {k: string}, advance: {late: keep}}
query:
  nodes:
    - {id: s, kind: input, stream: s}
    - {id: whole, kind: to_intervals, input: s}
    - id: w
      kind: window
      input: whole
      window: {kind: tumbling, size: 10us}
      aggregates: [{name: n, function: count}]
    - {id: out, kind: output, input: w}
input:
  - {stream: s, cti: 20}
  - {stream: s, edge: start, start: 2, payload: {k: a}}
  - {stream: s, edge: start, start: 30, payload: {k: b}}
  - {stream: s, edge: end, start: 2, end: END, payload: {k: a}}
  - {stream: s, cti: 21}
end: none
expect: {events: []}
"""


def case_until(end: int) -> Case:
    transcript = parse(yaml.safe_load(OPEN_FOR_A_WHILE.replace("END", str(end))), "open_for_a_while.yaml")
    case = prepare(transcript, define(transcript))
    return replace(cut(case, range(1, len(case.rows))), end=EndMode.NONE)


def plan_of(case: Case) -> QueryPlan:
    return compile_binding(case.graph, case.streams, temporal_settings(case.graph, case.streams, case.advance), 1)


def batches_of(case: Case) -> Iterator[list[Arrival]]:
    return map(arrivals_of, CaseInputs(case).batches())


def listed(run: EngineRun, batches: Iterator[list[Arrival]]) -> list[list[tuple[int, str]]]:
    """Return for each batch the position and the outcome of the rows that it lists."""
    late = [run.turn(arrivals).late.to_pylist() for arrivals in batches]
    return [[(row["position"], row["outcome"]) for row in rows] for rows in late]


@pytest.mark.parametrize(("end", "last"), [(7, [(1, "dropped_window_closed"), (3, "dropped_window_closed")]), (25, [])])
def test_a_row_is_listed_when_it_comes_and_again_if_windows_refuse_it(end: int, last: list[tuple[int, str]]) -> None:
    case = case_until(end)
    found = listed(EngineRun(plan_of(case)), batches_of(case))
    assert found == [[], [(1, "late_kept")], [], last, []]
