"""Two queries, one feeding the other, have the results of one query with the nodes of both."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streaming.definition.checks.advance import to_temporal
from streaming.definition.streams.stream import StreamDefinition
from streaming.reference.executor import ReferenceRun
from streaming.temporal.events import Cti, Event, edge_end, edge_start, interval
from streaming.temporal.settings import AdvanceTime, Late
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.case import ONLY_LANE
from tests.reference.composing import elements_of
from tests.reference.operators.lifetime_runs import (
    A_ENDS,
    FIELDS,
    A,
    Drawn,
    edges,
    graph_of,
    inputs,
    net,
    rows_of,
    run_of,
)

ORDER = {"kind": "order_edges"}
TUMBLING = {"kind": "window", "window": {"kind": "tumbling", "size": 7}, "group_by": ["k"]}
WINDOWS = TUMBLING | {"aggregates": [{"name": "n", "function": "count"}]}
SECOND = (
    {"kind": "to_intervals"},
    {"kind": "filter", "where": "v > 0"},
    {"kind": "shift", "by": -5},
    {"kind": "extend", "by": 6},
    {"kind": "extend", "by": -6},
    {"kind": "point_at_end"},
    {"kind": "set_duration", "duration": 4},
    WINDOWS,
)


def times_of(element: Event | Cti) -> tuple[Tick, ...]:
    return (element.at,) if isinstance(element, Cti) else (element.start, element.end)


@given(drawn=inputs(), second=st.sampled_from(SECOND))
@example(drawn=edges("drop", A, {"cti": 53}, A | {"start": 52}, A_ENDS | {"start": 52, "end": 56}), second=WINDOWS)
def test_a_second_query_reads_ordered_edges_as_if_it_were_one_with_the_first(
    drawn: Drawn, second: dict[str, Any]
) -> None:
    """Both queries keep late events or the first has handled them, so the second drops nothing.

    The first query has also seen the times of events that it drops, and edges without an end are in windows up to them
    (T4). The second does not see these times.
    """
    stream, _ = drawn
    kept = to_temporal(stream.advance).late is Late.KEEP
    first, together = run_of(drawn, ORDER), run_of(drawn, ORDER, second)
    middle = stream.model_copy(update={"advance": None})
    run = ReferenceRun(graph_of(second), {"s": middle}, {"s": AdvanceTime(late=Late.KEEP if kept else Late.DROP)})
    elements = elements_of(first, "out")
    for element in elements:
        run.take("s", ONLY_LANE, element)
    passed_on = max((at for each in elements for at in times_of(each) if at != INFINITY), default=NO_CTI)
    expected = (row for row in rows_of(together, "out") if second is not WINDOWS or row.flow.start <= passed_on)
    assert net(rows_of(run, "out")) == net(expected)
    assert run.output_ctis["out"] == together.output_ctis["out"]
    dropped = [judged for judged in run.judged.values() if judged.event is None]
    assert dropped == []


EDGES = StreamDefinition.model_validate({"shape": "edge", "fields": FIELDS, "advance": {"late": "drop"}})
PAYLOAD = {"k": "a", "v": 1}


def test_the_elements_are_rows_and_ctis_in_the_order_in_which_they_left() -> None:
    rows: list[dict[str, Any]] = [
        {"edge": "start", "start": 3, "payload": PAYLOAD},
        {"edge": "end", "start": 3, "end": 8, "payload": PAYLOAD},
        {"cti": 5},
    ]
    run = run_of((EDGES, rows), ORDER)
    assert list(elements_of(run, "out")) == [
        edge_start(3, PAYLOAD),
        Cti(Tick(5)),
        edge_end(3, 8, PAYLOAD),
        Cti(INFINITY),
    ]
    assert list(elements_of(run, "raw")) == [
        edge_start(3, PAYLOAD),
        edge_end(3, 8, PAYLOAD),
        Cti(Tick(5)),
        Cti(INFINITY),
    ]


def test_whole_lifetimes_are_intervals() -> None:
    rows: list[dict[str, Any]] = [{"edge": "start", "start": 3, "payload": PAYLOAD}]
    run = run_of((EDGES, rows), {"kind": "to_intervals"})
    assert list(elements_of(run, "out")) == [interval(3, INFINITY, PAYLOAD), Cti(INFINITY)]


def test_an_unknown_output_is_refused() -> None:
    with pytest.raises(KeyError):
        elements_of(run_of((EDGES, [])), "nowhere")


def test_rows_that_were_replaced_are_no_stream() -> None:
    count = {"name": "n", "function": "count"}
    window = {"kind": "window", "window": {"kind": "tumbling", "size": 10}, "emit": "on_complete", "grace": 5}
    points = StreamDefinition.model_validate({"shape": "point", "fields": FIELDS, "advance": {"late": "keep"}})
    rows: list[dict[str, Any]] = [{"start": 1}, {"cti": 10}, {"start": 2}, {"cti": 15}]
    run = run_of((points, rows), window | {"aggregates": [count]})
    with pytest.raises(ValueError, match=r"^a stream cannot take rows back; let the windows emit final rows$"):
        elements_of(run, "out")
