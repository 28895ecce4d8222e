"""Steps in columns are the reference's rules, one by one and in a row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import Fields, Long
from streaming.engine.columns.flows import OLD, Flows
from streaming.engine.columns.steps import follow, follow_flows, step_times
from streaming.planning import checked
from streaming.planning.steps import ExtendStep, FilterStep, ProjectStep, SetDurationStep, ShiftStep, Step
from streaming.reference.flow import Flow, FlowOperator
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick
from tests.engine.operators.lifetimes.flows_drawn import cuts, heard
from tests.engine.operators.lifetimes.kernel_runs import (
    SCHEMA,
    RecordingWitness,
    operator,
    reference_rows,
    rows_of,
    settled,
    to_flows,
)

LENGTHS = st.one_of(st.integers(1, 15), st.sampled_from((LAST_TICK, LAST_TICK - FIRST_TICK)))
MOVES = st.one_of(
    st.integers(-25, 25), st.sampled_from((FIRST_TICK, LAST_TICK, LAST_TICK - FIRST_TICK, FIRST_TICK - LAST_TICK))
)
CONDITIONS = ("v > 0", "k = 'a'", "not (v > 1)", "6 / v > 1", "true", "null")
PROJECTIONS = (("k", "v * 2"), ("upper(k)", "6 % v"), ("'x'", "v + 1"))
DURATIONS = ("v", "v * 3 + 1", "6 % v", "v * 2", "9223372036854775807 - v")


def expression(text: str) -> Expression:
    return checked.expression(text, SCHEMA)


def columns(projection: Sequence[str]) -> Any:
    return tuple((name, expression(of), kind) for (name, kind), of in zip(SCHEMA.items(), projection, strict=True))


@st.composite
def nodes(draw: st.DrawFn) -> tuple[Step, FlowOperator]:
    """Draw a step, and the equivalent operator of the reference."""
    match draw(st.sampled_from(("filter", "project", "shift", "set_duration", "set_duration_by", "extend"))):
        case "filter":
            where = draw(st.sampled_from(CONDITIONS))
            return FilterStep("n", expression(where)), operator({"kind": "filter", "where": where})
        case "project":
            of = draw(st.sampled_from(PROJECTIONS))
            rows = [{"name": name, "of": text} for name, text in zip(SCHEMA, of, strict=True)]
            return ProjectStep("n", columns(of)), operator({"kind": "project", "columns": rows})
        case "shift":
            by = draw(MOVES)
            return ShiftStep("n", by), operator({"kind": "shift", "by": by})
        case "set_duration":
            length = draw(LENGTHS)
            return SetDurationStep("n", length), operator({"kind": "set_duration", "duration": length})
        case "set_duration_by":
            text = draw(st.sampled_from(DURATIONS))
            return SetDurationStep("n", expression(text)), operator({"kind": "set_duration", "expression": text})
        case _:
            by = draw(LENGTHS)
            return ExtendStep("n", by), operator({"kind": "extend", "by": by})


def through(operators: Sequence[FlowOperator], flows: Sequence[Flow]) -> list[Flow]:
    witness: Any = RecordingWitness()
    for each in operators:
        flows = [after for flow in flows for after in each.take(0, flow, witness)]
    return list(flows)


@given(st.data(), st.lists(nodes(), max_size=4))
def test_flows_follow_steps(data: st.DataObject, drawn: list[tuple[Step, FlowOperator]]) -> None:
    steps, operators = [step for step, _ in drawn], [operator for _, operator in drawn]
    for turn in data.draw(cuts(data.draw(heard(replaced=True)))):
        came = [step.flow for step in settled(turn) if step.flow is not None]
        left = follow_flows(to_flows(came), steps)
        assert rows_of(left) == reference_rows(through(operators, came))
        assert left.flag is None or set(left.ids.take(np.flatnonzero(left.flag == OLD)).to_pylist()) <= ids(left)


def ids(flows: Flows) -> set[str | None]:
    """Return the ids of rows that are not OLD."""
    return set(flows.ids.take(np.flatnonzero(flows.flags != OLD)).to_pylist())


@given(st.data(), st.lists(nodes(), max_size=4))
def test_rows_of_the_feed_follow_steps(data: st.DataObject, drawn: list[tuple[Step, FlowOperator]]) -> None:
    steps, operators = [step for step, _ in drawn], [operator for _, operator in drawn]
    heard_flows = [step.flow for step in data.draw(heard(edges=False)) if step.flow is not None]
    came = [Flow(each.id, each.start, each.end, each.payload, each.sources, each.start) for each in heard_flows]
    rows = follow(to_flows(came).rows, steps)
    left = Flows(rows.start, rows.end, {name: rows.field(name) for name in rows.columns})
    expected = through(operators, came)
    assert [str(came[place].id) for place in rows.sources().tolist()] == [str(flow.id) for flow in expected]
    rows = reference_rows([Flow("", each.start, each.end, each.payload, frozenset(), each.stamp) for each in expected])
    assert rows_of(left) == rows


TIMES = st.one_of(
    st.integers(-30, 30), st.sampled_from((NO_CTI, INFINITY, FIRST_TICK, LAST_TICK, LAST_TICK + 1, FIRST_TICK + 5))
)


@given(st.lists(nodes(), max_size=4), st.lists(TIMES).map(sorted))
def test_times_follow_steps(drawn: list[tuple[Step, FlowOperator]], times: list[int]) -> None:
    found = step_times([step for step, _ in drawn], np.array(times, np.int64)).tolist()
    expected = []
    witness: Any = RecordingWitness()
    for time in times:
        at = Tick(time)
        for _, each in drawn:
            at = each.advance(0, at, at, witness).cti
        expected.append(at)
    assert found == expected


def test_steps_that_remove_all_rows_keep_the_schema() -> None:
    schema: Fields = {"n": Long()}
    project = ProjectStep("p", (("n", expression("v"), Long()),))
    left = follow_flows(Flows.none(SCHEMA), [FilterStep("f", expression("v > 0")), project])
    assert len(left) == 0
    assert list(left.columns) == list(schema)
