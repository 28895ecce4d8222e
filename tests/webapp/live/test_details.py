"""The charts of a binding: distances of rows, lanes and parts of the lag, and ranges that end before now."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from streaming.wire.progress import InputCounts, InputMeasures, LaneSums
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.scene import Scene

MOST_QUERIES = 20
HOUR = 60 * MINUTE


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that has been running for 90 minutes, at 12:00 of the clock."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    found.state(created_at=scene.clock() - timedelta(minutes=90), observed="running", observed_at=1)
    scene.lease()
    return found


def measured(counts: InputCounts, behind: dict[int, int], largest: int, **more: Any) -> InputCounts:
    """Add distances, and other optional fields, to an input."""
    measures = InputMeasures(
        behind=behind,
        largest_behind=largest,
        largest_late=None,
        moved={},
        largest_moved=None,
        transport={},
        largest_transport=None,
        last_arrival=None,
    )
    return counts.model_copy(update={"measures": measures, "delay": 5 * SECOND, **more})


def details(reporting: Reporting, query: str = "?seconds=7200") -> dict[str, Any]:
    answered = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/details/{query}")
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def in_minutes(found: dict[str, Any], column: list[Any], now: int) -> dict[int, Any]:
    """Return the known values of a column by minutes from `now`."""
    at = range(found["begin"], found["end"], found["step"])
    return {(each - now) // MINUTE: value for each, value in zip(at, column, strict=True) if value not in (None, {}, 0)}


def test_distances_are_counted_by_step_and_doubling(reporting: Reporting) -> None:
    now = reporting.now
    first = input_counts({"on_time": 40}, now - 60 * MINUTE)
    reporting.report(measured(first, {0: 30, 5: 10}, 2_100), at=now - 50 * MINUTE)
    second = input_counts({"on_time": 140, "malformed": 1}, now - 6 * SECOND)
    reporting.report(measured(second, {0: 30, 5: 11, 8: 98, 53: 1}, 9 * SECOND), at=now)

    found = details(reporting)

    [cars] = found["inputs"]
    # Buckets 5 and 8 are parts of the doubling from 2,048 ticks, 53 is the first part of the one from 8.39 s.
    assert in_minutes(found, cars["behind"], now) == {-50: {"0": 30, "2": 10}, 0: {"2": 99, "14": 1}}
    assert in_minutes(found, cars["median"], now) == {-50: 1_024, 0: 4_096}
    assert in_minutes(found, cars["most"], now) == {-50: 2_100, 0: 4_096}  # never above the largest distance
    assert in_minutes(found, cars["delay"], now) == {-50: 5 * SECOND, 0: 5 * SECOND}
    assert cars["unmeasured"] == 1


def test_the_parts_of_the_largest_lag_of_each_step_add_up(reporting: Reporting) -> None:
    now = reporting.now
    cti = now - 22 * SECOND
    worst = input_counts({"on_time": 40}, cti).model_copy(
        update={"largest_start": cti + 19 * SECOND, "lane_wait": 14 * SECOND}
    )
    reporting.report(worst, at=now)
    reporting.report(input_counts({"on_time": 60}, now - SECOND), at=now + SECOND)  # the same minute

    lags = details(reporting)["lags"]

    assert [lags[name][-1] for name in ("largest", "input", "work", "source", "delay", "lane")] == [
        22 * SECOND,
        0,
        SECOND // 2,
        5 * SECOND // 2,
        5 * SECOND,
        14 * SECOND,
    ]
    assert lags["largest"][:-1] == [None] * (len(lags["largest"]) - 1)


def test_lanes_over_time_start_with_the_one_that_lost_most(reporting: Reporting) -> None:
    now = reporting.now
    for minutes, dropped, late in ((50, 0, 1), (20, 9, 2), (0, 12, 30)):
        at, cti = now - minutes * MINUTE, now - minutes * MINUTE - 8 * SECOND
        lanes = [
            lane("6", received=900 - minutes, dropped=0, cti=at - late * SECOND),
            lane("7", received=100, dropped=dropped, cti=cti),
        ]
        counts = input_counts({"on_time": 1_000}, cti, lanes)
        others = LaneSums(lanes=3, received=50, late=0, dropped=0)
        reporting.report(counts.model_copy(update={"other_lanes": others}), at=at)

    found = details(reporting)

    [cars] = found["inputs"]
    seven, six, others = cars["lanes"]
    assert (seven["lane"], seven["dropped"], seven["rows"]) == ("7", 12, 100)
    assert in_minutes(found, seven["lost"], now) == {-20: 9, 0: 3}
    assert in_minutes(found, six["behind"], now) == {-50: SECOND, -20: 2 * SECOND, 0: 30 * SECOND}
    assert (others["lane"], others["lanes"], others["rows"]) == (None, 3, 50)


def test_what_is_not_reported_is_not_zero(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 40}, reporting.now - SECOND))
    found = details(reporting)
    [cars] = found["inputs"]
    assert (cars["lanes"], cars["unmeasured"], set(cars["median"])) == (None, 40, {None})
    assert found["lags"]["largest"][-1] == SECOND
    assert found["lags"]["delay"][-1] is None


def test_totals_before_the_range_are_subtracted(reporting: Reporting) -> None:
    now = reporting.now
    first = measured(input_counts({"on_time": 40}, now - 81 * MINUTE), {0: 40}, 9)
    reporting.report(first, at=now - 80 * MINUTE)
    reporting.report(measured(input_counts({"on_time": 45}, now - SECOND), {0: 45}, 9))
    [cars] = details(reporting, "?seconds=3600")["inputs"]
    assert [each for each in cars["behind"] if each] == [{"0": 5}]


def test_a_range_may_end_before_now(reporting: Reporting) -> None:
    now = reporting.now
    for minutes, rows in ((70, 10), (50, 50), (0, 90)):
        reporting.report(input_counts({"on_time": rows}, now - 71 * MINUTE), at=now - minutes * MINUTE)
    path = f"home/{reporting.scene.binding['id']}/?begin={now - 55 * MINUTE}&end={now - 20 * MINUTE}"
    found = reporting.scene.person.get(path).json()
    assert (found["begin"], found["end"], found["step"]) == (now - 55 * MINUTE, now - 20 * MINUTE, MINUTE)
    assert [each["outcomes"] for each in found["steps"] if each["outcomes"]] == [{"on_time": 40}]


def test_old_details_come_by_the_hour(reporting: Reporting) -> None:
    now = reporting.now
    begin, end = now - 50 * HOUR, now - 48 * HOUR
    found = details(reporting, f"?begin={begin}&end={end}")
    assert found["step"] == HOUR
    assert found["begin"] <= begin
    assert found["end"] >= end


@pytest.mark.parametrize("seconds", [900, 3_600, 7_200, 86_400, 604_800, 2_592_000, 7_776_000])
def test_every_range_has_few_steps_and_queries(reporting: Reporting, seconds: int) -> None:
    reporting.report(input_counts({"on_time": 60}, reporting.now - 6 * SECOND))
    with CaptureQueriesContext(connection) as captured:
        found = details(reporting, f"?seconds={seconds}")
    assert len(captured) <= MOST_QUERIES
    assert 60 <= len(found["lags"]["largest"]) <= 181


@pytest.mark.parametrize(
    "query",
    ["?begin=5", "?begin=5&end=5", "?begin=7&end=5", f"?begin=0&end={91 * 24 * HOUR}", f"?begin={'9' * 5_000}&end=5"],
)
@pytest.mark.parametrize("path", ["", "details/"])
def test_an_invalid_range_is_refused(alice: Person, binding: dict[str, Any], query: str, path: str) -> None:
    assert alice.get(f"home/{binding['id']}/{path}{query}").status_code == 422


def test_a_stranger_sees_no_charts(charlie: Person, binding: dict[str, Any]) -> None:
    assert charlie.get(f"home/{binding['id']}/details/").status_code == 404
