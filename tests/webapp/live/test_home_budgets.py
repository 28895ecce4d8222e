"""Loss budgets on the live page: equal to those of the query's page and to the ledger; their order and their sums."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.temporal.outcomes import Outcome
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.rows.filling import fill
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.live.history import MOST_RUNS
from webapp.monitoring.models import RollupCursor, RollupDetail, RunRollup
from webapp.runs.models import Binding, Repair, Run
from webapp.runs.states import IN_NO_RESULT

HOUR = 60 * MINUTE
DAY = 24 * HOUR


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that started 40 days ago and is known from then on, at 12:00 on 21 November 2026."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    begin = scene.clock() - timedelta(days=40)
    found.state(created_at=begin, changed_at=begin, observed="running", observed_at=1)
    scene.lease()
    know(found, (found.now - 40 * DAY, found.now))
    return found


def know(reporting: Reporting, *spans: tuple[int, int]) -> None:
    reporting.know(reporting.scene.run_id, list(spans), from_zero=True)


def seconds_in(spans: list[dict[str, int]]) -> int:
    return sum(-(-(span["end"] - span["begin"]) // SECOND) for span in spans)


def budget(reporting: Reporting) -> dict[str, Any]:
    """The budget of the query's page, once the live page, its tile and the ledger have the same figures."""
    answered = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/budget/")
    found: dict[str, Any] = answered.json()
    home, ledger = reporting.home(), reporting.ledger("?days=30")
    [row] = home["rows"]
    assert row["budget"] == {name: found[name] for name in row["budget"]}
    states = {state: home["tiles"]["budgets"][state] for state in ("enough", "burning", "used_up", "unknown")}
    assert states == {state: int(state == found["state"]) for state in states}
    total = ledger["total"]
    lost = sum(total["outcomes"].get(name, 0) for name in IN_NO_RESULT)
    unknown_s = sum(seconds_in(day["unknown"]) for day in ledger["days"])
    assert (found["received"], found["lost"], found["unknown_s"]) == (total["received"], lost, unknown_s)
    return found


def figures(reporting: Reporting) -> tuple[str, int, int]:
    found = budget(reporting)
    return found["state"], found["left"], found["rows"]


@contextmanager
def earlier_run(reporting: Reporting, begin: datetime, end: datetime) -> Iterator[UUID]:
    """An earlier run of the binding, which has ended; reports inside the block are those of this run."""
    newest = reporting.scene.run_id
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=newest)
        run.pk, run.number = uuid4(), run.number - 1 if run.number else 0
        run.created_at, run.changed_at, run.ended_at, run.observed = begin, end, end, "stopped"
        run.save(force_insert=True)
        Run.objects.filter(pk=run.pk).update(number=run.number)
    reporting.scene.run_id = str(run.pk)
    yield run.pk
    reporting.scene.run_id = newest


def ticks(at: datetime) -> int:
    return int(at.timestamp()) * SECOND


def test_a_binding_that_has_received_nothing_has_all_of_its_budget(reporting: Reporting) -> None:
    found = budget(reporting)
    assert (found["state"], found["completeness"], found["rows"], found["left"]) == ("enough", 99.9, 0, 0)


def test_a_budget_counts_rows_at_once_before_they_are_rolled_up(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 9_995, "dropped_late": 5}, now), at=now - HOUR)
    assert figures(reporting) == ("enough", 5, 10)
    reporting.report(input_counts({"on_time": 19_992, "dropped_late": 8}, now), rolled_up=False)
    assert figures(reporting)[1:] == (12, 20)


def test_a_budget_burns_while_more_rows_are_lost_than_its_level_allows(reporting: Reporting) -> None:
    """In 15 minutes 10,000 rows are received, which adds 10 to the budget, and 100 of them are lost."""
    now = reporting.now
    reporting.report(input_counts({"on_time": 189_950, "dropped_late": 50}, now), at=now - 16 * MINUTE)
    reporting.report(input_counts({"on_time": 199_850, "dropped_late": 100, "malformed": 50}, now))
    assert figures(reporting) == ("burning", 50, 200)
    used_up_at = budget(reporting)["used_up_at"]
    assert used_up_at == now + 50 * 15 * MINUTE // 90
    tile = reporting.home()["tiles"]["budgets"]
    assert (tile["today"], tile["next_name"], tile["next_at"]) == (1, "watch", used_up_at)
    reporting.report(input_counts({"on_time": 199_800, "dropped_late": 100, "malformed": 100}, now))
    assert figures(reporting) == ("used_up", 0, 200)
    assert reporting.home()["tiles"]["budgets"]["next_name"] is None


def test_a_budget_that_is_used_up_tomorrow_is_not_used_up_today(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 9_999_000}, now), at=now - 16 * MINUTE)
    reporting.report(input_counts({"on_time": 9_999_000, "dropped_late": 10}, now))
    tile = reporting.home()["tiles"]["budgets"]
    assert (tile["burning"], tile["today"], tile["next_name"]) == (1, 0, "watch")


def test_a_broken_promise_is_used_up_also_while_its_runner_is_silent(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 950, "dropped_late": 50}, reporting.now))
    assert figures(reporting) == ("used_up", -49, 1)
    reporting.scene.silence()
    assert figures(reporting) == ("used_up", -49, 1)


def test_the_budget_of_a_silent_runner_is_unknown_with_its_last_figures(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 189_950, "dropped_late": 50}, now), at=now - 16 * MINUTE)
    reporting.report(input_counts({"on_time": 199_850, "dropped_late": 150}, now))
    reporting.scene.silence()
    found = budget(reporting)
    assert (found["state"], found["left"], found["used_up_at"]) == ("unknown", 50, None)


def test_another_level_applies_at_once(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 950, "dropped_late": 50}, reporting.now), at=reporting.now - HOUR)
    with organisation_context(reporting.scene.person.organisation.pk):
        Binding.objects.update(completeness=90)
    assert figures(reporting) == ("enough", 50, 100)
    assert budget(reporting)["completeness"] == 90


def test_a_repair_refunds_its_rows(reporting: Reporting) -> None:
    at = reporting.now - HOUR
    reporting.report(input_counts({"on_time": 9_988, "dropped_late": 12}, at), at=at)
    assert figures(reporting) == ("used_up", -2, 10)
    rows = {f"{at // SECOND}-0-{row}": "dropped_late" for row in range(4)}
    reporting.repair(rows | {f"{at // SECOND}-0-9": "adjusted"}, reporting.scene.clock())
    assert figures(reporting) == ("enough", 2, 10)


def test_a_repair_of_older_losses_refunds_nothing(reporting: Reporting) -> None:
    now, old = reporting.now, reporting.now - 31 * DAY
    reporting.report(input_counts({"on_time": 100, "dropped_late": 50}, now), at=old)
    reporting.report(input_counts({"on_time": 10_090, "dropped_late": 60}, now), at=now - HOUR)
    reporting.repair({f"{old // SECOND}-0-{row}": "dropped_late" for row in range(50)}, reporting.scene.clock())
    assert figures(reporting) == ("used_up", 0, 10)


def test_an_unknown_span_counts_neither_way(reporting: Reporting) -> None:
    now = reporting.now
    know(reporting, (now - 40 * DAY, now - 3 * DAY), (now - 2 * DAY, now))
    reporting.report(input_counts({"on_time": 9_995, "dropped_late": 5}, now), at=now - HOUR)
    assert (figures(reporting), budget(reporting)["unknown_s"]) == (("enough", 5, 10), 86_400)


def test_a_budget_whose_present_reports_are_missing_is_unknown(reporting: Reporting) -> None:
    """The runner lives, and nothing has been rolled up for 61 s."""
    now = reporting.now
    reporting.report(input_counts({"on_time": 9_995, "dropped_late": 5}, now), at=now - HOUR)
    know(reporting, (now - 40 * DAY, now - 61 * SECOND))
    assert (figures(reporting), budget(reporting)["unknown_s"]) == (("unknown", 5, 10), 61)


def test_a_budget_without_any_known_report_is_unknown(reporting: Reporting) -> None:
    know(reporting, (reporting.now - MINUTE, reporting.now))
    assert figures(reporting) == ("unknown", 0, 0)


def test_runs_that_have_ended_count_too(reporting: Reporting) -> None:
    """The first one began before the 30 days; the second one's reports begin with totals of the first."""
    now, clock = reporting.now, reporting.scene.clock()
    with earlier_run(reporting, clock - timedelta(days=40), clock - timedelta(days=3)) as run:
        reporting.report(input_counts({"on_time": 5_000, "dropped_late": 500}, now), at=now - 31 * DAY)
        reporting.report(input_counts({"on_time": 9_000, "dropped_late": 503}, now), at=now - 4 * DAY)
        reporting.know(run, [(now - 40 * DAY, now - 3 * DAY)])
    reporting.state(created_at=clock - timedelta(days=2))
    know(reporting, (now - 2 * DAY, now))
    reporting.report(input_counts({"on_time": 5_995, "dropped_late": 2}, now), at=now - HOUR)
    found = budget(reporting)
    assert (found["received"], found["lost"], found["left"]) == (10_000, 5, 5)


def test_a_failed_run_keeps_its_budget(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 9_995, "dropped_late": 5}, now), at=now - 2 * HOUR)
    ended = reporting.scene.clock() - timedelta(hours=1)
    know(reporting, (now - 40 * DAY, now - HOUR))
    reporting.state(observed="failed", message="It failed.", changed_at=ended, ended_at=ended)
    assert figures(reporting) == ("enough", 5, 10)


def test_totals_before_the_first_report_that_is_known_count_nothing(reporting: Reporting) -> None:
    now = reporting.now
    reporting.know(reporting.scene.run_id, [(now - 40 * DAY, now)])
    reporting.report(input_counts({"on_time": 7_000, "dropped_late": 70}, now), at=now - 5 * DAY)
    reporting.report(input_counts({"on_time": 8_000, "dropped_late": 80}, now), at=now - 5 * DAY + 2 * HOUR)
    reporting.report(input_counts({"on_time": 17_991, "dropped_late": 89}, now), at=now - HOUR)
    found = budget(reporting)
    assert (found["received"], found["lost"]) == (10_000, 9)


def test_of_very_many_runs_the_newest_count(reporting: Reporting) -> None:
    """The ledger has no older ones either."""
    now, clock = reporting.now, reporting.scene.clock()
    reporting.state(created_at=clock - timedelta(hours=1))
    with earlier_run(reporting, clock - timedelta(days=20), clock - timedelta(days=19)) as oldest:
        reporting.report(input_counts({"dropped_late": 9}, now), at=now - 20 * DAY + HOUR)
        reporting.know(oldest, [(now - 20 * DAY, now - 19 * DAY)], from_zero=True)
    know(reporting, (now - HOUR, now))
    reporting.report(input_counts({"on_time": 1_000}, now))
    assert budget(reporting)["lost"] == 9
    with organisation_context(reporting.scene.person.organisation.pk):
        run = Run.objects.get(pk=oldest)
        for minute in range(MOST_RUNS - 1):
            run.pk = uuid4()
            run.created_at = clock - timedelta(days=10) + timedelta(minutes=minute)
            run.ended_at = run.created_at + timedelta(seconds=3)
            run.progress = None
            run.save(force_insert=True)
    assert (budget(reporting)["lost"], budget(reporting)["received"]) == (0, 1_000)


def _sized(person: Person, runners: "redis.Redis", clock: Any, outcomes: list[dict[str, int]]) -> None:
    """Give acme a running query for each of `outcomes`, all of whose rows were reported half an hour ago."""
    fill(person.organisation, len(outcomes), people=False)
    begin = clock() - timedelta(days=3)
    base = {"inputs": {}, "results": 0}
    known = [(ticks(begin), clock.ticks)]
    reading = {"entry": "1-0", "known": known, "until": None, "base": base}
    with organisation_context(person.organisation.pk):
        for model in (Repair, RunRollup, RollupCursor):
            model.objects.all().delete()
        for run, each in zip(Run.objects.order_by("binding__name"), outcomes, strict=True):
            counts = input_counts(each, clock.ticks - SECOND).model_dump(mode="json")
            run.observed, run.desired, run.ended_at, run.created_at = "running", "running", None, begin
            run.progress = {"at": clock.ticks - HOUR // 2, "of_run": True, "inputs": {"cars": counts}, "results": 0}
            run.save()
            RollupCursor(run=run, entry="1-0", reading=reading).save()
    beat = RunnerLease(token="t", host="here", pid=1, started_at=0, beat_at=clock.ticks)
    runners.set(keys.lease(str(person.organisation.pk)), beat.model_dump_json())


def test_rows_of_a_condition_are_ordered_by_the_budget_left(
    alice: Person, redis_connection: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Least first, as a share: 6 of 1,000 rows are less than 1 of 10. A rule fires for each of them."""
    monkeypatch.setattr(timezone, "now", clock)
    lost = [(10_000, 1), (10_000, 9), (1_000_000, 994), (10_000, 0), (10_000, 30), (10_000, 10)]
    _sized(
        alice,
        redis_connection,
        clock,
        [{"on_time": all_rows - missing, "malformed": missing} for all_rows, missing in lost],
    )
    home = alice.get("home/").json()
    assert len({row["condition"] for row in home["rows"]}) == 1
    shares = [(row["budget"]["left"], row["budget"]["rows"]) for row in home["rows"]]
    assert shares == [(-20, 10), (0, 10), (6, 1_000), (1, 10), (9, 10), (10, 10)]
    assert [row["budget"]["state"] for row in home["rows"]][:3] == ["used_up", "used_up", "enough"]
    tile = home["tiles"]["budgets"]
    assert (tile["used_up"], tile["enough"], tile["burning"], tile["unknown"]) == (2, 4, 0, 0)


PLANS = {"sqlite": "EXPLAIN QUERY PLAN ", "postgresql": "EXPLAIN "}


@pytest.mark.parametrize("path", ["home/", "home/{binding}/budget/", "home/{binding}/?seconds=2592000"])
def test_rollups_of_a_run_are_not_searched_among_those_of_all(reporting: Reporting, path: str) -> None:
    """By an index of age, each figure of one run would read the rollups of every other one."""
    reporting.report(input_counts({"on_time": 60}, reporting.now))
    with CaptureQueriesContext(connection) as captured:
        answered = reporting.scene.person.get(path.format(binding=reporting.scene.binding["id"]))
    assert answered.status_code == 200
    read = [each["sql"] for each in captured if 'FROM "monitoring_runrollup"' in each["sql"]]
    assert read
    with connection.cursor() as cursor:
        for sql in read:
            cursor.execute(PLANS[connection.vendor] + sql.replace("%", "%%"))
            assert "rollup_by_age" not in str(cursor.fetchall())


OUTCOMES = st.dictionaries(st.sampled_from([each.value for each in Outcome]), st.integers(1, 500), max_size=3)
RUNS = st.lists(
    st.tuples(st.booleans(), st.lists(st.tuples(st.integers(1, 5 * 86_400), OUTCOMES), max_size=5)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=RUNS, rolled_up=st.booleans(), gap_s=st.integers(0, 86_400))
def test_budgets_are_those_of_the_ledger(
    reporting: Reporting, runs: list[tuple[bool, list[tuple[int, dict[str, int]]]]], rolled_up: bool, gap_s: int
) -> None:
    """Runs one after another until now with drawn reports; some don't know with which totals they began."""
    now, newest = reporting.now, reporting.scene.run_id
    with organisation_context(reporting.scene.person.organisation.pk):
        Run.objects.exclude(pk=newest).delete()
        RunRollup.objects.all().delete()
        RollupDetail.objects.all().delete()
        Run.objects.update(progress=None)
    end = now
    for number, (from_zero, batches) in enumerate(runs):
        begin = end - sum(pause for pause, _ in batches) * SECOND - HOUR
        at, total = begin, dict[str, int]()
        spans = [(begin, end - gap_s * SECOND)] if gap_s * SECOND < end - begin else []
        if number == 0:
            reporting.state(created_at=datetime.fromtimestamp(begin / SECOND, UTC))
            _reported(reporting, at, total, batches, rolled_up=rolled_up)
            reporting.know(newest, spans, from_zero=from_zero)
        else:
            moments = [datetime.fromtimestamp(tick / SECOND, UTC) for tick in (begin, end - SECOND)]
            with earlier_run(reporting, moments[0], moments[1]) as run:
                _reported(reporting, at, total, batches, rolled_up=True)
                reporting.know(run, spans, from_zero=from_zero)
        end = begin - HOUR
    budget(reporting)


def _reported(
    reporting: Reporting,
    at: int,
    total: dict[str, int],
    batches: list[tuple[int, dict[str, int]]],
    *,
    rolled_up: bool,
) -> None:
    for place, (pause, outcomes) in enumerate(batches):
        at += pause * SECOND
        for name, rows in outcomes.items():
            total[name] = total.get(name, 0) + rows
        last = place == len(batches) - 1
        reporting.report(input_counts(dict(total), None), at=at, rolled_up=rolled_up or not last)
