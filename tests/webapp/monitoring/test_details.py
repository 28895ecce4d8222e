"""Details of runs: parts of the lag, joining, packing; and periods, which add up in any grouping."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.wire.progress import InputCounts, LaneProgress, LaneSums, ProgressReport
from webapp.monitoring.details import (
    InputDetail,
    LagParts,
    LaneDetail,
    LargestLag,
    RunDetail,
    details_in_steps,
    lag_of_report,
    packed,
    unpacked,
)
from webapp.monitoring.periods import NO_PERIOD, InputPeriod, LanePeriod, only_newest, period_since

SECOND = 1_000_000


def counts(cti: int | None, start: int | None = None, wait: int | None = None, *, ended: bool = False) -> InputCounts:
    return InputCounts(
        received=0,
        outcomes={},
        reasons={},
        lateness=[0] * 40,
        cti=cti,
        ended=ended,
        largest_start=start,
        lane_wait=wait,
    )


def report(at: int, batch: int, inputs: dict[str, InputCounts], *, of_run: bool = True) -> ProgressReport:
    return ProgressReport(
        kind="progress",
        run="r",
        batch=batch,
        at=at,
        inputs=inputs,
        output_ctis={},
        results=0,
        quarantined=0,
        recent_results=[],
        recent_late=[],
        batch_s=0.9,
        of_run=of_run,
    )


def test_the_parts_of_a_lag_add_up_to_it() -> None:
    # The story of PAGES.md without its backlog: 21.5 s = work 0.9 + source 1.4 + delay 5.0 + waiting for lane 7 14.2
    cti = 100 * SECOND
    reported = report(cti + 21_500_000, 1, {"cars": counts(cti, start=cti + 19_200_000, wait=14_200_000)})
    parts = LagParts(input="cars", work=900_000, source=1_400_000, delay=5_000_000, lane=14_200_000)
    assert lag_of_report(reported) == LargestLag(lag=21_500_000, at=cti + 21_500_000, parts=parts)


def test_a_start_in_the_future_is_no_source_delay() -> None:
    cti = 100 * SECOND
    found = lag_of_report(report(cti + 3 * SECOND, 1, {"cars": counts(cti, start=cti + 60 * SECOND, wait=SECOND)}))
    assert found is not None
    assert found.parts == LagParts(input="cars", work=900_000, source=0, delay=1_100_000, lane=SECOND)


def test_the_input_with_the_smallest_cti_delays_and_ended_ones_do_not() -> None:
    inputs = {"a": counts(7, ended=True), "b": counts(50, 60, 0), "c": counts(40, 60, 0)}
    found = lag_of_report(report(100, 1, inputs))
    assert found is not None
    assert found.parts is not None
    assert (found.lag, found.parts.input) == (60, "c")


def test_a_lag_without_known_parts_stays_a_lag_and_one_without_a_cti_is_unknown() -> None:
    assert lag_of_report(report(100, 1, {"a": counts(40, 60, None)})) == LargestLag(lag=60, at=100)
    assert lag_of_report(report(100, 1, {"a": counts(None), "b": counts(40, 60, 0)})) is None


def test_a_step_has_the_newest_totals_and_the_largest_lag_of_all_its_reports() -> None:
    reports = [
        report(61 * SECOND, 1, {"a": counts(40 * SECOND)}),
        report(70 * SECOND, 2, {"a": counts(69 * SECOND)}),
        report(121 * SECOND, 3, {"a": counts(120 * SECOND)}),
        report(122 * SECOND, 4, {"a": counts(1 * SECOND)}, of_run=False),  # of no run: left out
    ]
    steps = details_in_steps(reports, 60)
    assert {at: (each.batch, each.largest and each.largest.lag) for at, each in steps.items()} == {
        60 * SECOND: (2, 21 * SECOND),
        120 * SECOND: (3, SECOND),
    }


def test_details_are_packed_and_those_of_another_form_are_unknown() -> None:
    lanes = [
        LaneProgress(lane="7", cti=5, largest_start=9, received=30, late=4, dropped=3, last_arrival=1, state="idle")
    ]
    reported = report(9, 1, {"a": counts(5).model_copy(update={"lanes": lanes, "delay": 2})})
    [detail] = details_in_steps([reported], 60).values()
    assert unpacked(packed(detail)) == detail.model_copy(update={"largest": None})  # it has a column of its own
    assert detail.inputs["a"].lanes == [LaneDetail(lane="7", cti=5, received=30, late=4, dropped=3)]
    assert unpacked(b"\x02" + packed(detail)[1:]) is None


def lag(value: int, at: int) -> LargestLag:
    return LargestLag(lag=value, at=at, parts=LagParts(input="a", work=0, source=value, delay=0, lane=0))


DETAILS = st.builds(
    RunDetail,
    at=st.integers(0, 3),
    batch=st.just(0),
    inputs=st.just({}),
    largest=st.none() | st.builds(lag, st.integers(0, 3), st.integers(0, 3)),
)


@given(DETAILS, DETAILS, DETAILS)
def test_joining_details_has_no_order_and_repetition_changes_nothing(a: RunDetail, b: RunDetail, c: RunDetail) -> None:
    assert a.joined(b).joined(c) == a.joined(b.joined(c))
    assert a.joined(b) == b.joined(a)
    assert a.joined(b).joined(b) == a.joined(b)
    assert a.joined(None) == a


def detail(received: int, lanes: dict[str, int], others: int | None = None, **more: object) -> InputDetail:
    return InputDetail.model_validate(
        {
            "received": received,
            "lanes": [LaneDetail(lane=name, cti=rows, received=rows, late=rows) for name, rows in lanes.items()],
            "others": None if others is None else LaneSums(lanes=2, received=others, late=others, dropped=0),
            **more,
        }
    )


def test_a_period_has_the_differences_of_totals() -> None:
    base = detail(10, {"1": 10}, behind={0: 7, 5: 2}, delay=4)
    now = detail(25, {"1": 19, "2": 6}, behind={0: 7, 5: 9, 8: 6}, largest_behind=3_000, delay=5)
    assert period_since(base, now, at=50) == InputPeriod(
        rows=15,
        behind={5: 7, 8: 6},
        unmeasured=2,  # malformed rows have no distance
        largest=3_000,
        delay=5,
        lanes={"1": LanePeriod(9, 9, 0, 19, 50), "2": LanePeriod(6, 6, 0, 6, 50)},
    )


def test_the_rows_of_a_lane_that_was_not_listed_are_those_of_the_others() -> None:
    found = period_since(detail(30, {"1": 10}, others=20), detail(45, {"2": 12, "3": 5}, others=28), at=9)
    assert found.lanes == {"2": LanePeriod(0, 0, 0, 12, 9), "3": LanePeriod(0, 0, 0, 5, 9)}
    assert (found.others.rows, found.other_lanes) == (15, 2)


def test_rows_without_a_distance_or_a_lane_are_counted_as_such() -> None:
    found = period_since(InputDetail(received=10), InputDetail(received=30), at=9)
    assert (found.rows, found.unmeasured, found.unlisted) == (20, 20, 20)


def test_unknown_totals_before_a_report_count_nothing() -> None:
    found = only_newest(detail(30, {"1": 30}), at=9)
    assert (found.rows, found.lanes) == (0, {"1": LanePeriod(cti=30, at=9)})


@st.composite
def chains(draw: st.DrawFn) -> list[InputDetail]:
    """Rising totals of a run with three lanes; sometimes one or two of them are only summed up."""
    totals = {"1": 0, "2": 0, "3": 0}
    chain = []
    for _ in range(draw(st.integers(2, 6))):
        totals = {name: count + draw(st.integers(0, 5)) for name, count in totals.items()}
        listed = draw(st.sets(st.sampled_from(sorted(totals)), min_size=1))
        others = sum(count for name, count in totals.items() if name not in listed)
        received = sum(totals.values())
        lanes = {name: totals[name] for name in sorted(listed)}
        measured = draw(st.sampled_from([None, {0: received}, {0: totals["1"], 5: totals["2"]}]))
        chain.append(detail(received, lanes, None if len(listed) == 3 else others, behind=measured))
    return chain


def periods_of(chain: list[InputDetail]) -> list[InputPeriod]:
    return [period_since(a, b, at) for at, (a, b) in enumerate(pairwise(chain), start=1)]


@given(chains())
def test_the_rows_of_periods_add_up_and_each_is_counted_once(chain: list[InputDetail]) -> None:
    whole = NO_PERIOD
    for each in periods_of(chain):
        assert sum(lane.rows for lane in each.lanes.values()) + each.others.rows == each.rows
        whole = whole.plus(each)
    assert whole.rows == chain[-1].received - chain[0].received
    assert sum(lane.rows for lane in whole.lanes.values()) + whole.others.rows == whole.rows
    assert sum(whole.behind.values()) + whole.unmeasured == whole.rows


@given(chains(), st.data())
def test_periods_are_added_in_any_grouping(chain: list[InputDetail], data: st.DataObject) -> None:
    periods = periods_of(chain)
    a, b = (data.draw(st.integers(0, len(periods))) for _ in range(2))
    parts = periods[: min(a, b)], periods[min(a, b) : max(a, b)], periods[max(a, b) :]
    first, second, third = (summed(part) for part in parts)
    assert first.plus(second).plus(third) == first.plus(second.plus(third)) == summed(periods)


def summed(periods: list[InputPeriod]) -> InputPeriod:
    found = NO_PERIOD
    for each in periods:
        found = found.plus(each)
    return found


@pytest.mark.parametrize("seconds", [10, 60, 3_600])
def test_steps_start_at_whole_multiples(seconds: int) -> None:
    at = 7_263 * SECOND
    assert list(details_in_steps([report(at, 1, {})], seconds)) == [at - at % (seconds * SECOND)]
