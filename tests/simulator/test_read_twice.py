"""A stream that two inputs read, as in a self-join: a row appears once for each input."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.reference.execution import finished_run
from streaming.simulator.comparing import compare
from streaming.simulator.model import Simulation
from streaming.simulator.samples.sample import SampledQuery, SampleError, SampleItem, SampleRow
from streaming.simulator.simulate import sampled_query, simulate
from streaming.temporal.ticks import INFINITY
from streaming.transcripts.rows import case_rows
from streaming.wire.execution.case import Case, EndMode

PAIRS = """
WITH p AS (SELECT a.k, a.v AS one, b.v AS other FROM s a JOIN s b ON a.k = b.k)
INSERT INTO out SELECT STREAM * FROM p;
"""
STREAM = StreamDefinition.model_validate(
    {
        "shape": "interval",
        "fields": {"k": "string", "v": "long"},
        "advance": {"generate": {"every": 1, "delay": 3, "basis": "max"}, "late": "drop"},
    }
)
STREAMS = {"s": STREAM}
WAITING = {"b": STREAM.advance.model_copy(update={"late": "adjust"})}
ROWS = st.lists(
    st.fixed_dictionaries({"start": st.integers(0, 12), "length": st.integers(1, 6), "k": st.sampled_from("xy")}),
    max_size=8,
)


def graph() -> QueryGraph:
    found = parse_sql(PAIRS).graph
    assert found is not None
    return found


def items(drawn: list[dict[str, Any]]) -> list[SampleItem]:
    rows: list[SampleItem] = []
    for number, row in enumerate(drawn):
        row_fields = {
            "start": row["start"],
            "end": row["start"] + row["length"],
            "payload": {"k": row["k"], "v": number},
        }
        rows.append(SampleRow.model_validate({"stream": "s", **row_fields}))
        rows += ["batch"] if number % 3 == 2 else []
    return rows


def query_of(sample: list[SampleItem]) -> SampledQuery:
    return sampled_query(graph(), STREAMS, WAITING, sample)


@given(ROWS)
def test_a_simulated_self_join_has_the_results_of_the_reference(drawn: list[dict[str, Any]]) -> None:
    sample = items(drawn)
    found: Simulation = simulate(graph(), STREAMS, WAITING, sample)
    case = Case("pairs", graph(), STREAMS, tuple(case_rows(sample, STREAMS)), advance=WAITING, end=EndMode.FLUSH)
    run = finished_run(case)
    outcomes = {(row.input, row.position): row.outcome for row in found.rows}
    assert outcomes == {(element.input, element.position): judged.outcome for element, judged in run.judged.items()}
    [track] = [each for each in found.tracks if each.node == "out"]
    assert sorted((row.start, INFINITY if row.end is None else row.end, str(row.payload)) for row in track.rows) == (
        sorted((row.flow.start, row.flow.end, str(dict(row.flow.payload))) for row in run.outputs)
    )


def test_a_row_appears_for_each_input_that_reads_it() -> None:
    sample = items([{"start": 9, "length": 2, "k": "x"}, {"start": 2, "length": 9, "k": "x"}])
    rows = simulate(graph(), STREAMS, WAITING, sample).rows
    assert [(row.number, row.sample_row, row.input, row.outcome) for row in rows] == [
        (1, 1, "a", "on_time"),
        (2, 1, "b", "on_time"),
        (3, 2, "a", "dropped_late"),
        (4, 2, "b", "adjusted"),
    ]
    assert compare(query_of(sample), ["b"]).policies[0].outcomes == {"s": {"on_time": 2, "dropped_late": 2}}


def test_inputs_that_read_a_stream_by_different_event_times_are_refused() -> None:
    by = {"a": EventTimeBy.model_validate({"path": "v", "unit": "us"})}
    with pytest.raises(SampleError, match="'a' and 'b' read the stream 's' by different event times"):
        sampled_query(graph(), STREAMS, {}, items([]), event_times=by)
