"""The findings of Validate on a sample before a start."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.definition.checks.advance import temporal_settings
from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.planning.validity import InvalidDefinition
from streaming.preflight.measure import MeasuredElement
from streaming.preflight.preflight import MeasuredSample, Preflight, preflight
from streaming.reference.executor import ReferenceRun
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import Tick, parse_instant
from streaming.wire.rows.row_json import read_row

NOW = parse_instant("2026-11-22T10:00:00Z")
S = 1_000_000
DELAY_5_S = AdvanceTimeSettings.model_validate_json(
    '{"generate": {"every": 1, "delay": "5s", "basis": "max"}, "late": "drop"}'
)
CARS = StreamDefinition.model_validate_json('{"fields": {"speed": "long"}, "shape": "point"}')


def graph(window: Mapping[str, Any] | None = None, **more: Any) -> QueryGraph:
    """Return the input `cars`, counted in `window` if there is one."""
    node = {
        "id": "w",
        "kind": "window",
        "input": "cars",
        "window": window,
        "aggregates": [{"name": "n", "function": "count"}],
    }
    nodes = [] if window is None else [{**node, **more}]
    ends = "cars" if window is None else "w"
    return QueryGraph.model_validate(
        {
            "version": 1,
            "name": "q",
            "nodes": [
                {"id": "cars", "kind": "input", "stream": "cars"},
                *nodes,
                {"id": "out", "kind": "output", "input": ends},
            ],
        }
    )


def sampled(rows: Sequence[Mapping[str, Any]], arrival: int | None = None) -> list[MeasuredElement]:
    when = None if arrival is None else Tick(arrival)
    return [MeasuredElement("0", read_row({"payload": {"speed": 1}, **row}, CARS), when, 100) for row in rows]


def checked(
    rows: Sequence[MeasuredElement],
    query: QueryGraph | None = None,
    advance: AdvanceTimeSettings = DELAY_5_S,
) -> Preflight:
    return preflight(query or graph(), {"cars": CARS}, {"cars": advance}, {"cars": MeasuredSample(CARS, rows)}, NOW)


def codes(found: Preflight) -> list[FaultCode]:
    return [each.code for each in found.faults]


def starts(*seconds: float) -> list[dict[str, int]]:
    """Return rows that start so many seconds before now."""
    return [{"start": NOW - round(each * S)} for each in seconds]


def test_a_sample_in_order_and_in_time_has_no_findings() -> None:
    found = checked(sampled(starts(9, 8, 7, 6)))
    assert codes(found) == []
    (cars,) = found.inputs
    assert cars.outcomes == {Outcome.ON_TIME: 4}
    assert cars.lateness is not None
    assert cars.lateness.largest == 0
    assert found.waits == ["A row of `out` that starts at t waits for `cars` until its CTI is after t."]


def test_an_empty_sample_is_reported_as_not_measured() -> None:
    assert codes(checked([])) == [FaultCode.EMPTY_SAMPLE]


def test_rows_without_a_time_are_counted_with_a_remedy() -> None:
    found = checked(sampled([{"start": None}, {"start": "soon"}, *starts(3)]))
    assert codes(found) == [FaultCode.ROWS_MALFORMED]
    assert found.inputs[0].malformed == {Reason.BAD_TIME: 2}
    assert found.faults[0].message.startswith("2 of 3 rows of cars are malformed: 2 without a time that can be read")


@pytest.mark.parametrize(
    ("first", "written"),
    [
        (NOW // S, "s but are read as us"),
        (NOW // 1_000, "ms but are read as us"),
        (NOW * 1_000, "us but are read as ms"),
    ],
)
def test_times_in_another_unit_are_recognised_without_other_findings(first: int, written: str) -> None:
    rows = [{"start": first + each} for each in range(3)]
    found = checked(sampled(rows))
    wrong_units = [each for each in found.faults if each.code is FaultCode.WRONG_TIME_UNIT]
    assert len(wrong_units) == (1 if all(row["start"] < 253_402_300_800 * S for row in rows) else 0)
    if wrong_units:
        assert written in wrong_units[0].message
        assert "2026-11-22" in wrong_units[0].message
        assert FaultCode.TIMES_AHEAD not in codes(found)
    else:  # after the year 9999 no time can be read at all
        assert codes(found) == [FaultCode.ROWS_MALFORMED]


def test_times_ahead_of_the_clock_are_reported_with_their_outcome() -> None:
    found = checked(sampled(starts(0, -299, -301, -400)))
    assert codes(found)[0] is FaultCode.TIMES_AHEAD
    assert "2 of 4 rows of cars are in the future, by up to 1m40s more than the 5m" in found.faults[0].message
    assert found.inputs[0].ahead == 2


def test_the_arrival_counts_where_it_is_known() -> None:
    hour = 3_600
    assert codes(checked(sampled(starts(hour), arrival=NOW - 2 * hour * S))) == [FaultCode.TIMES_AHEAD]


def test_a_short_delay_is_reported_with_sufficient_ones() -> None:
    # newest at each row: 100 s ago; relative to it 0 for 98 rows, 7 s and 12 s for two
    found = checked(sampled(starts(*[100] * 98, 107, 112)))
    assert codes(found) == [FaultCode.DELAY_TOO_SHORT]
    cars = found.inputs[0]
    assert cars.lateness is not None
    assert (cars.lateness.p50, cars.lateness.p95, cars.lateness.p99, cars.lateness.largest) == (0, 0, 7 * S, 12 * S)
    assert cars.outcomes == {Outcome.ON_TIME: 98, Outcome.DROPPED_LATE: 2}
    assert "2.0% of the rows are late" in found.faults[0].message
    assert "A delay of 7s covers 99 % of them, one of 12s all" in found.faults[0].remedy
    enough = DELAY_5_S.model_validate_json('{"generate": {"every": 1, "delay": "7s"}, "late": "drop"}')
    assert codes(checked(sampled(starts(*[100] * 98, 107, 112)), advance=enough)) == []


@pytest.mark.parametrize(
    ("behind", "written"), [(11.346491, "12s"), (7, "7s"), (0.2504, "251ms"), (75.2, "1m18s"), (640, "11m")]
)
def test_proposed_delays_are_round(behind: float, written: str) -> None:
    none = DELAY_5_S.model_validate_json('{"generate": {"every": 1, "delay": "0s"}, "late": "drop"}')
    found = checked(sampled(starts(1_000, 1_000 + behind)), advance=none)
    assert f"A delay of {written} covers 99 %" in found.faults[0].remedy


def test_windows_that_would_fill_memory_are_reported_with_the_estimate() -> None:
    rows = sampled(starts(*[each / 1_000 for each in range(5_000, 0, -1)]))  # one each millisecond
    found = checked(rows, graph({"kind": "hopping", "size": "1h", "hop": "1s"}))
    (state,) = found.state
    rate = found.inputs[0].rows_per_s
    assert rate is not None
    assert state.windows == 3_600
    assert state.rows == round(rate * (3_600 + 5 + 1 / rate))
    assert codes(found) == [FaultCode.LARGE_STATE]
    assert codes(checked(rows, graph({"kind": "tumbling", "size": "1m"}))) == []


def test_grace_counts_for_the_kept_rows() -> None:
    rows = sampled(starts(*range(100, 0, -1)))
    plain = checked(rows, graph({"kind": "tumbling", "size": "1m"})).state[0]
    graceful = checked(rows, graph({"kind": "tumbling", "size": "1m"}, grace="1m")).state[0]
    # 100 rows in 99 s, for a minute, 5 s of delay and 0.99 s to the next CTI; then a minute more
    assert (plain.rows, graceful.rows) == (67, 127)


def test_a_query_with_errors_is_refused() -> None:
    unsound = graph({"kind": "tumbling", "size": "0s"})
    with pytest.raises(InvalidDefinition):
        checked([], unsound)


@given(st.lists(st.integers(-20, 0).map(lambda s: {"start": NOW + s * S}) | st.just({"start": None}), max_size=30))
def test_outcomes_are_those_of_a_run(rows: list[dict[str, Any]]) -> None:
    sample = sampled(rows)
    query = graph()
    settings = {"cars": DELAY_5_S}
    run = ReferenceRun(query, {"cars": CARS}, temporal_settings(query, {"cars": CARS}, settings))
    for each in sample:
        run.take("cars", each.lane, each.element, each.arrival)
    assert checked(sample).inputs[0].outcomes == Counter(each.outcome for each in run.judged.values())
