"""The four policies and the delays on the picture's sample."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.comparing import compare
from streaming.simulator.samples.sample import SampledQuery, SampleRow
from streaming.simulator.simulate import sampled_query
from streaming.simulator.what_if import NoDelay, WhatIf, what_if
from streaming.temporal.settings import Late
from tests.simulator.picture import GRAPH, ROWS, SECOND, STREAM, at


@pytest.fixture
def query() -> SampledQuery:
    return query_with()


def query_with(**more: object) -> SampledQuery:
    """Return the picture, optionally with other settings of its stream."""
    streams = {"s": StreamDefinition.model_validate({**STREAM, **more})}
    return sampled_query(QueryGraph.model_validate(GRAPH), streams, {}, [SampleRow.model_validate(row) for row in ROWS])


def test_each_policy_is_compared_with_today(query: SampledQuery) -> None:
    found = compare(query, ["s"])
    assert [each.today for each in found.policies] == [False, True, False, False]
    counts = {each.policy: each.outcomes["s"] for each in found.policies}
    in_time = {"on_time": 7, "reordered": 5}
    assert counts == {
        "drop": {**in_time, "dropped_late": 2},
        "adjust": {**in_time, "adjusted": 1, "dropped_late": 1},
        "shift": {**in_time, "shifted": 2},
        "keep": {**in_time, "late_kept": 1, "dropped_window_closed": 1},
    }
    changed = {
        each.policy: [(row.start, row.today_payload, row.payload) for row in each.rows if row.mark == "changed"]
        for each in found.policies
    }
    # rows 8 [7, 12) and 10 [4, 6): shift makes them [9, 14) and [12, 14), keep takes row 8 as it is
    assert changed == {
        "drop": [(at(0), {"n": 6}, {"n": 5}), (at(10), {"n": 7}, {"n": 6})],
        "adjust": [],
        "shift": [(at(10), {"n": 7}, {"n": 8})],
        "keep": [],
    }
    assert [each.marks for each in found.policies][1] == {"same": 3}


def test_rows_of_one_policy_alone_and_missing_ones_are_marked() -> None:
    late = {"generate": {"every": 1, "delay": "4s", "basis": "max"}, "late": "drop"}
    rows = [SampleRow.model_validate(row) for row in (ROWS[8], {**ROWS[9]})]
    streams = {"s": StreamDefinition.model_validate({**STREAM, "advance": late})}
    found = compare(sampled_query(QueryGraph.model_validate(GRAPH), streams, {}, rows), ["s"])
    marks = {each.policy: [(row.mark, row.start) for row in each.rows] for each in found.policies}
    assert marks["shift"] == [("changed", at(10))]
    assert marks["drop"] == [("same", at(10))]


def test_the_curve_has_every_delay_at_which_something_changes(query: SampledQuery) -> None:
    found = what_if(query, "s")
    by_delay = {point.delay: point for point in found.points}
    assert [point.delay for point in found.points if point.today] == [4 * SECOND]
    assert by_delay[4 * SECOND].share_whole == pytest.approx(12 / 14)
    assert by_delay[4 * SECOND].share_kept == pytest.approx(13 / 14)
    assert by_delay[12 * SECOND].share_whole == 1
    assert by_delay[10 * SECOND + 1].share_kept == 1
    assert found.points[-1].delay == 12 * SECOND
    assert not found.thinned


@given(
    starts=st.lists(st.integers(0, 20), min_size=2, max_size=8),
    advance=st.fixed_dictionaries({"every": st.integers(1, 2), "late": st.sampled_from(list(Late))}),
    window=st.fixed_dictionaries({"size": st.integers(2, 6), "grace": st.integers(0, 3), "by": st.integers(-3, 3)}),
    today=st.integers(0, 9),
)
def test_between_two_points_of_the_curve_nothing_changes(
    starts: list[int], advance: dict[str, Any], window: dict[str, int], today: int
) -> None:
    rows = [SampleRow.model_validate({"stream": "s", "start": start, "payload": {}}) for start in starts]
    points = curve(rows, advance, window, today).points
    for delay in range(26):
        there = next(each for each in curve(rows, advance, window, delay).points if each.today)
        before = max((each for each in points if each.delay <= delay), key=lambda each: each.delay)
        assert (before.share_kept, before.share_whole) == (there.share_kept, there.share_whole), delay


def curve(rows: list[SampleRow], advance: dict[str, Any], window: dict[str, int], delay: int) -> WhatIf:
    """The rows through a shift into tumbling windows, all lengths in ticks."""
    generate = {"every": advance["every"], "delay": delay, "basis": "max"}
    stream = {"shape": "point", "fields": {}, "advance": {"generate": generate, "late": advance["late"]}}
    tumbling = {"kind": "tumbling", "size": window["size"]}
    count = {"name": "n", "function": "count"}
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "moved", "kind": "shift", "input": "s", "by": window["by"]},
        {"id": "w", "kind": "window", "input": "moved", "window": tumbling, "grace": window["grace"]}
        | {"aggregates": [count]},
        {"id": "out", "kind": "output", "input": "w"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "q", "nodes": nodes})
    return what_if(sampled_query(graph, {"s": StreamDefinition.model_validate(stream)}, {}, rows), "s")


def test_a_longer_delay_keeps_no_less_and_waits_no_less(query: SampledQuery) -> None:
    points = what_if(query, "s").points
    assert [point.share_whole for point in points] == sorted(point.share_whole for point in points)
    assert [point.not_passed for point in points] == sorted(point.not_passed for point in points)


def test_a_wait_is_the_progress_of_event_time(query: SampledQuery) -> None:
    # the CTIs are -9, -6, 1 (row 6), 4 (row 9), 9 (row 11), 15 (row 13); a row waits until one is above its start
    point = next(each for each in what_if(query, "s").points if each.delay == 12 * SECOND)
    passed = {1: 16, 2: 21, 3: 21, 4: 27, 5: 21, 6: 27, 7: 27, 8: 21, 10: 21}
    starts = {1: 3, 2: 6, 3: 5, 4: 9, 5: 8, 6: 13, 7: 11, 8: 7, 10: 4}
    waits = sorted(passed[row] - starts[row] for row in passed)
    assert (point.wait_median, point.wait_largest) == (waits[4] * SECOND, waits[-1] * SECOND)
    assert point.not_passed == 5


def test_an_input_without_a_delay_has_no_curve() -> None:
    with pytest.raises(NoDelay, match="generates no CTIs"):
        what_if(query_with(advance={}), "s")
