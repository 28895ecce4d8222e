"""The picture of the design, row by row: outcomes, panes, the staircase, and why row 10 was dropped."""

import pytest

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.model import SimulatedPane, Simulation
from streaming.simulator.recorded.record import record
from streaming.simulator.samples.sample import SampleRow
from streaming.simulator.simulate import sampled_query, simulate, why_nothing
from streaming.temporal.ticks import Tick
from streaming.wire.execution.case import EndMode
from tests.simulator.picture import GRAPH, ROWS, STREAM, at


@pytest.fixture(scope="module")
def picture() -> Simulation:
    """The simulation, whose sample continues after the 14 rows."""
    rows = [SampleRow.model_validate(row) for row in ROWS]
    streams = {"s": StreamDefinition.model_validate(STREAM)}
    return simulate(QueryGraph.model_validate(GRAPH), streams, {}, rows, EndMode.NONE)


def test_each_row_has_the_outcome_of_the_picture(picture: Simulation) -> None:
    on, again = "on_time", "reordered"
    assert [row.outcome for row in picture.rows] == [
        on, on, again, on, again, on, again, "adjusted", on, "dropped_late", on, again, on, again,
    ]  # fmt: skip
    assert picture.outcomes == {"s": {"on_time": 7, "reordered": 5, "adjusted": 1, "dropped_late": 1}}


def test_the_staircase_has_a_delay_of_four_seconds(picture: Simulation) -> None:
    [steps] = [each.steps for each in picture.staircases if each.node == "s" and each.lane is None]
    seen = [(step.after, step.at, step.cause) for step in steps]
    expected = {1: -1, 2: 2, 4: 5, 6: 9, 9: 12, 11: 17, 13: 23}
    assert seen == [(after, at(second), "generated") for after, second in expected.items()]


def held(pane: SimulatedPane, after: int) -> tuple[list[int], int]:
    """Return the rows in a pane after so many rows, and the count that it would emit."""
    rows: set[int] = set()
    count = 0
    for state in pane.states:
        if state.after <= after:
            rows = (rows | set(state.added)) - set(state.removed)
            count = state.values["n"]
    return sorted(rows), count


def test_the_panes_hold_and_emit_as_in_the_picture(picture: Simulation) -> None:
    first, second, third = picture.panes
    assert [(pane.start, pane.end) for pane in picture.panes] == [(at(0), at(10)), (at(10), at(20)), (at(20), at(30))]
    assert held(first, 14) == ([1, 2, 3, 4, 5, 8], 6)
    assert held(second, 14) == ([4, 5, 6, 7, 8, 9, 12], 7)
    assert held(third, 14) == ([11, 13, 14], 3)
    assert [pane.opened for pane in picture.panes] == [1, 4, 11]
    assert [(pane.complete, pane.closed) for pane in picture.panes] == [(9, 9), (13, 13), (None, None)]
    assert [len(pane.spoke) for pane in picture.panes] == [1, 1, 0]


def test_the_adjusted_row_keeps_what_was_not_final(picture: Simulation) -> None:
    row = picture.rows[7]
    assert (row.start, row.kept_start, row.kept_end) == (at(7), at(9), at(12))
    assert (row.moved_by, row.cti_met, row.set_by, row.smallest_delay) == (2_000_000, at(9), 6, 6_000_000)


def test_a_result_names_its_origins(picture: Simulation) -> None:
    [track] = [each for each in picture.tracks if each.node == "out"]
    first, second = track.rows
    assert (first.after, first.rows, first.released_by, first.released_cti) == (9, [1, 2, 3, 4, 5, 8], 9, at(12))
    assert (second.after, second.payload, second.released_by) == (13, {"n": 7}, 13)


def test_panes_say_which_rows_they_missed(picture: Simulation) -> None:
    assert [pane.missed for pane in picture.panes] == [[10], [], []]


def test_the_dropped_row_says_why_and_what_would_have_kept_it(picture: Simulation) -> None:
    row = picture.rows[9]
    assert (row.cti_met, row.set_by, row.lateness, row.smallest_delay) == (at(12), 9, 8_000_000, 12_000_000)
    assert row.why == [
        "Dropped: 10:00:04 is before the CTI 10:00:12 set by row 9 (10:00:16 minus 4 s). "
        "It had ended at 10:00:06, so adjust had nothing left to keep.",
        "Kept whole if the delay is at least 12 s, its end if it is more than 10 s.",
        "As received, it would have counted in [10:00:00, 10:00:10) of 'w'.",
        "With shift it would be [10:00:12, 10:00:14).",
    ]


def test_the_adjusted_row_says_what_was_cut(picture: Simulation) -> None:
    assert picture.rows[7].why == [
        "Adjusted: 10:00:07 is before the CTI 10:00:09 set by row 6 (10:00:13 minus 4 s); its start was moved by 2 s "
        "to 10:00:09, its end stays 10:00:12.",
        "Taken as it came if the delay is at least 6 s.",
        "It is in 2 results: [10:00:00, 10:00:10) of 'out'; [10:00:10, 10:00:20) of 'out'.",
    ]


def test_rows_in_time_say_which_cti_they_met(picture: Simulation) -> None:
    assert picture.rows[0].why[0] == "On time: there was no CTI yet, and nothing later had come."
    assert picture.rows[2].why[0] == (
        "Reordered: later times had come, but 10:00:05 is not before the CTI 10:00:02 set by row 2 "
        "(10:00:06 minus 4 s)."
    )


def test_a_waiting_node_names_what_it_waits_for(picture: Simulation) -> None:
    waits = "closes when the CTI reaches 10:00:30; now it is 10:00:23. A row of 's' that starts at 10:00:34 or later"
    assert picture.holding == [f"'w' still holds 1 pane: it {waits} would bring it."]
    assert picture.panes[2].why == [f"It {waits} would bring it."]
    assert picture.panes[0].why == [
        "Row 9 closed it: the CTI had reached its end 10:00:10.",
        "Would have counted here as they came, but did not: row 10.",
    ]


@pytest.mark.parametrize(
    ("node", "second", "sentences"),
    [
        ("out", 25, ["The pane [10:00:20, 10:00:30) of 'w' has not closed. It closes when the CTI reaches 10:00:30; "
                     "now it is 10:00:23. A row of 's' that starts at 10:00:34 or later would bring it."]),
        ("out", 45, ["No row of the sample lives at 10:00:45."]),
        ("s", 4, ["At 10:00:04 's' has 1 row.", "Rejected by the input: row 10, which lived there."]),
    ],
)  # fmt: skip
def test_an_empty_place_explains_why(node: str, second: int, sentences: list[str]) -> None:
    query = sampled_query(
        QueryGraph.model_validate(GRAPH),
        {"s": StreamDefinition.model_validate(STREAM)},
        {},
        [SampleRow.model_validate(row) for row in ROWS],
        EndMode.NONE,
    )
    assert why_nothing(record(query), node, Tick(at(second))) == sentences
