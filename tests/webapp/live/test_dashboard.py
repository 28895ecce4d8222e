"""The page of a binding: outcomes over all its runs, what is known, the verdict, and a limited number of queries."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts, lane
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.monitoring.models import RunRollup
from webapp.runs.models import Run

MOST_QUERIES = 25


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that has been running for 90 minutes, at 12:00 of the clock, and is known from then on."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    begin = scene.clock() - timedelta(minutes=90)
    found.state(created_at=begin, changed_at=begin, observed="running", observed_at=1, number=2, query_version=2)
    scene.lease()
    found.know(scene.run_id, [(found.now - 90 * MINUTE, found.now)])
    return found


def dashboard(reporting: Reporting, seconds: int = 7_200) -> dict[str, Any]:
    path = f"home/{reporting.scene.binding['id']}/?seconds={seconds}"
    answered = reporting.scene.person.get(path)
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def earlier_run(reporting: Reporting, rows: int, ended: int) -> None:
    """Give the binding an earlier run of version 1 that received `rows`, and ended at tick `ended`."""
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=reporting.scene.run_id)
        run.pk, run.number, run.query_version, run.observed = uuid4(), 1, 1, "stopped"
        run.created_at = reporting.scene.clock() - timedelta(hours=5)
        run.ended_at = reporting.scene.clock() - timedelta(microseconds=reporting.now - ended)
        run._state.adding = True
        run.save()
        for at, count in ((ended - 3 * 60 * MINUTE, 0), (ended - MINUTE, rows)):
            sample = {"at": at, "inputs": {"cars": {"received": count, "outcomes": {"on_time": count}}}, "results": 0}
            RunRollup(run=run, seconds=60, at=at - at % MINUTE, reported_at=at, sample=sample, lag=None).save()
    reporting.know(run.pk, [(reporting.now - 300 * MINUTE, ended)])


def test_outcomes_are_counted_over_all_runs_and_versions(reporting: Reporting) -> None:
    earlier_run(reporting, rows=500, ended=reporting.now - 95 * MINUTE)
    reporting.report(input_counts({"on_time": 40}, reporting.now - 60 * MINUTE), at=reporting.now - 50 * MINUTE)
    reporting.report(input_counts({"on_time": 60, "reordered": 7}, reporting.now - 6 * SECOND))

    found = dashboard(reporting)

    counted = {each["at"]: each["outcomes"] for each in found["steps"] if each["outcomes"]}
    assert counted == {
        reporting.now - 96 * MINUTE: {"on_time": 500},
        reporting.now: {"on_time": 20, "reordered": 7},
    }
    assert [(each["version"], each["end"]) for each in found["runs"]] == [
        (1, reporting.now - 95 * MINUTE),
        (2, None),
    ]
    lags = {each["at"]: each["lag"] for each in found["steps"] if each["lag"] is not None}
    assert lags == {reporting.now - 50 * MINUTE: 10 * MINUTE, reporting.now: 6 * SECOND}


def test_a_time_without_a_run_and_one_without_reports_differ(reporting: Reporting) -> None:
    reporting.know(
        reporting.scene.run_id,
        [(reporting.now - 90 * MINUTE, reporting.now - 40 * MINUTE), (reporting.now - 30 * MINUTE, reporting.now)],
    )
    reporting.report(input_counts({"on_time": 60}, reporting.now - 6 * SECOND))

    found = dashboard(reporting)

    knowledge = {(each["at"] - reporting.now) // MINUTE: each["knowledge"] for each in found["steps"]}
    assert [knowledge[minute] for minute in (-91, -90, -41, -40, -31, -30, 0)] == [
        "none",
        "known",
        "known",
        "unknown",
        "unknown",
        "known",
        "known",
    ]
    assert found["verdict"]["trust"] == "unknown"
    assert found["verdict"]["since"] == reporting.now - 40 * MINUTE


def test_results_without_a_lost_row_are_complete_up_to_the_cti(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 60, "adjusted": 5}, reporting.now - 6 * SECOND))
    assert dashboard(reporting)["verdict"] == {
        "trust": "complete",
        "sentence": "Yes: complete and final up to 11:59.",
        "since": None,
        "blame": "",
        "final_until": reporting.now - 6 * SECOND,
    }


def test_lost_rows_are_dated_and_their_lane_is_named(reporting: Reporting) -> None:
    cti = reporting.now - 6 * SECOND
    lanes = [lane("6", received=90, dropped=0, cti=cti + SECOND), lane("7", received=30, dropped=12, cti=cti)]
    reporting.report(input_counts({"on_time": 40}, cti - 60 * MINUTE), at=reporting.now - 60 * MINUTE)
    reporting.report(input_counts({"on_time": 80, "dropped_late": 12}, cti, lanes), at=reporting.now - 19 * MINUTE)
    reporting.report(input_counts({"on_time": 108, "dropped_late": 12}, cti, lanes))

    found = dashboard(reporting)

    assert found["verdict"] == {
        "trust": "short",
        "sentence": "No: 12 of 80 rows are in no result.",
        "since": reporting.now - 19 * MINUTE,
        "blame": "Lane 7 of cars has 12 of the 12 dropped rows of this run.",
        "final_until": cti,
    }
    [cars] = found["inputs"]
    assert [each["lane"] for each in cars["lanes"]] == ["7", "6"]
    assert (cars["delay"], cars["lane_wait"]) == (None, None)  # not reported is not zero


def test_a_report_counts_before_it_is_rolled_up(reporting: Reporting) -> None:
    cti = reporting.now - 6 * SECOND
    reporting.report(input_counts({"on_time": 40}, cti - MINUTE), at=reporting.now - 20 * MINUTE)
    reporting.report(input_counts({"on_time": 60, "dropped_late": 1}, cti - SECOND), at=reporting.now - SECOND)
    reporting.report(input_counts({"on_time": 80, "dropped_late": 20}, cti), rolled_up=False)

    found = dashboard(reporting)

    counted = {each["at"]: each["outcomes"] for each in found["steps"] if each["outcomes"]}
    assert counted == {
        reporting.now - MINUTE: {"on_time": 20, "dropped_late": 1},
        reporting.now: {"on_time": 20, "dropped_late": 19},
    }
    assert found["verdict"]["sentence"] == "No: 20 of 60 rows are in no result."
    assert "20 rows (33.3 %) lost in 15 minutes." in [each["sentence"] for each in found["findings"]]


def test_a_binding_without_a_run_has_no_figures(alice: Person, binding: dict[str, Any], redis_connection: Any) -> None:
    found = alice.get(f"home/{binding['id']}/").json()
    assert (found["run"], found["runs"], found["inputs"]) == (None, [], [])
    assert {each["knowledge"] for each in found["steps"]} == {"none"}
    assert found["verdict"]["sentence"] == "No run is active."


@pytest.mark.parametrize("seconds", [900, 3_600, 7_200, 86_400, 604_800, 2_592_000, 7_776_000])
def test_every_range_has_at_most_181_steps_and_few_queries(reporting: Reporting, seconds: int) -> None:
    reporting.report(input_counts({"on_time": 60}, reporting.now - 6 * SECOND))
    for minutes in range(100, 120):
        earlier_run(reporting, rows=5, ended=reporting.now - minutes * MINUTE)
    with CaptureQueriesContext(connection) as captured:
        found = dashboard(reporting, seconds)
    assert len(captured) <= MOST_QUERIES
    assert 60 <= len(found["steps"]) <= 181
    assert found["steps"][-1]["at"] <= reporting.now < found["end"]


def test_other_ranges_and_strangers_are_refused(alice: Person, charlie: Person, binding: dict[str, Any]) -> None:
    assert alice.get(f"home/{binding['id']}/?seconds=5").status_code == 422
    assert charlie.get(f"home/{binding['id']}/").status_code == 404


@pytest.mark.parametrize(("minutes", "seconds"), [(3, 900), (20, 3_600), (90, 7_200), (3_000, 7_200)])
def test_without_a_range_the_whole_life_of_a_young_binding_is_shown(
    reporting: Reporting, minutes: int, seconds: int
) -> None:
    reporting.state(created_at=reporting.scene.clock() - timedelta(minutes=minutes))
    address = f"home/{reporting.scene.binding['id']}/"
    found = reporting.scene.person.get(address).json()
    assert (found["seconds"], found["steps"]) == (seconds, dashboard(reporting, seconds)["steps"])
    begin, end = reporting.now - 60 * MINUTE, reporting.now
    assert reporting.scene.person.get(f"{address}?begin={begin}&end={end}").json()["seconds"] is None
