"""Freshness budgets: turns count the minutes that the reports have by definition; states, rules and rights."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from streaming.wire.progress import ProgressReport
from tests.webapp.alerts.scripted import MINUTE, SECOND, Scripted, scripted_from
from tests.webapp.alerts.test_minutes import totals
from tests.webapp.conftest import Person
from tests.webapp.live.reporting import input_counts
from tests.webapp.scene import Scene
from webapp.alerts.models import BindingMemory
from webapp.alerts.rules.facts import AlertFacts
from webapp.alerts.rules.minutes import EMPTY, Minute, Window, fold
from webapp.alerts.rules.punctuality import DAY, DAYS, DayMinutes
from webapp.alerts.rules.replay import FactsHistory, fold_moments
from webapp.alerts.rules.tallies import LossTally
from webapp.core.context import organisation_context
from webapp.live.budgets import BudgetState
from webapp.live.freshness_budgets import FreshnessBudget
from webapp.monitoring.models import RunRollup
from webapp.monitoring.reading import overdue_of
from webapp.runs.bindings.service_levels import FreshnessLevel
from webapp.runs.models import Binding

LEVEL = {"within_s": 60, "share": 90.0}


@dataclass(frozen=True)
class Past:
    """A minute of a script: its run, whether it is known, and the lags of its reports, in seconds."""

    run: str | None
    known: bool
    lags_s: tuple[int, ...]


def pasts() -> st.SearchStrategy[list[Past]]:
    one = st.builds(
        Past, st.sampled_from(["a", "a", "b", None]), st.booleans(), st.tuples() | st.tuples(lags(), lags())
    )
    return st.lists(one, max_size=60)


def lags() -> st.SearchStrategy[int]:
    return st.integers(0, 120)


def by_definition(script: list[Past], first: int, limit_s: int) -> dict[int, tuple[int, int, int]]:
    """Return by day the counted, late and unknown minutes, from the reports alone."""
    found: dict[int, tuple[int, int, int]] = {}
    for number, each in enumerate(script):
        if each.run is None:
            continue
        same_run = [past for past in _since_start(script, number) if past.known and past.lags_s]
        if each.known and not same_run:
            continue
        counted, late, unknown = found.get((first + number) // 1_440, (0, 0, 0))
        if not each.known:
            unknown += 1
        else:
            lag_s = max(each.lags_s) if each.lags_s else same_run[-1].lags_s[-1]
            counted, late = counted + 1, late + (lag_s > limit_s)
        found[(first + number) // 1_440] = (counted, late, unknown)
    return found


def _since_start(script: list[Past], number: int) -> list[Past]:
    begin = number
    while begin and script[begin - 1].run == script[number].run:
        begin -= 1
    return script[begin : number + 1]


@given(pasts(), st.integers(1_400, 1_440), st.integers(0, 120))
def test_turns_count_the_minutes_that_the_reports_have_by_definition(
    script: list[Past], first: int, limit_s: int
) -> None:
    window, received = EMPTY, 0
    for number, each in enumerate(script):
        at, report = (first + number + 1) * MINUTE, None
        if each.lags_s and each.run is not None:
            received += 10
            report = totals(at, received, cti=received, lag_s=each.lags_s[-1], overdue_s=float(max(each.lags_s)))
        window = fold(window, Minute(at, each.run, each.known, report), limit_s)
        window = Window.from_json(window.to_json())
    days = {each.begin // DAY: (each.counted, each.late, each.unknown) for each in window.days}
    assert days == by_definition(script, first, limit_s)
    assert sum(late for _, late, _ in days.values()) == (window.late_tallies[-1].lost if window.late_tallies else 0)


def test_a_level_counts_thirty_days() -> None:
    window, lag = EMPTY, totals(MINUTE, 1, cti=1, lag_s=90, overdue_s=90.0)
    for day in range(DAYS + 2):
        window = fold(window, Minute(day * DAY + MINUTE, "a", True, lag), 60)
    assert [each.begin // DAY for each in window.days] == list(range(2, DAYS + 2))


def test_a_minute_is_judged_by_the_level_in_force() -> None:
    lag = totals(MINUTE, 1, cti=1, lag_s=50, overdue_s=50.0)
    facts = [AlertFacts(), AlertFacts(late_after_s=60), AlertFacts(late_after_s=30), AlertFacts()]
    history = FactsHistory.of([(n * 10 * MINUTE, each) for n, each in enumerate(facts)], [(0, DAY)])
    minutes = [Minute((n + 1) * MINUTE, "a", True, lag) for n in range(40)]
    *_, (_, window) = fold_moments(history, minutes, EMPTY)
    assert window.days == (DayMinutes(0, 20, 10, 0),)


def test_a_lag_is_that_of_the_latest_input_after_its_own_delay() -> None:
    slow = input_counts({"on_time": 1}, 100 * SECOND).model_copy(update={"delay": 50 * SECOND})
    quick = input_counts({"on_time": 1}, 130 * SECOND).model_copy(update={"delay": 5 * SECOND})
    ended = input_counts({"on_time": 1}, None).model_copy(update={"ended": True})
    assert overdue_of(report(slow, quick, ended)) == 65 * SECOND
    assert overdue_of(report(slow, input_counts({}, None))) is None
    assert overdue_of(report(ended)) is None
    assert overdue_of(report(slow).model_copy(update={"version": 1})) is None


def report(*inputs: Any) -> ProgressReport:
    return ProgressReport(
        kind="progress",
        version=2,
        run="r",
        batch=1,
        at=200 * SECOND,
        inputs={str(number): each for number, each in enumerate(inputs)},
        output_ctis={},
        results=0,
        quarantined=0,
        recent_results=[],
        recent_late=[],
        batch_s=0.5,
    )


@pytest.mark.parametrize(
    ("late", "recent", "used_up_in"),
    [
        (0, LossTally(0, 60, 0), None),
        (0, LossTally(0, 60, 6), None),  # as many as the level allows
        (40, LossTally(0, 60, 36), 120),  # 60 of 100 minutes are left, and each minute takes half of one
        (100, LossTally(0), None),
    ],
)
def test_a_budget_is_used_up_at_the_pace_of_the_last_hour(late: int, recent: LossTally, used_up_in: int | None) -> None:
    budget = FreshnessBudget(FreshnessLevel(within_s=60, share=90.0), 1_000, late, recent=recent)
    assert (budget.minutes, budget.left) == (100, 100 - late)
    assert budget.used_up_at(7) == (None if used_up_in is None else 7 + used_up_in * MINUTE)


@pytest.fixture
def level(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A scripted binding that promises results within a minute in 90 % of the minutes."""
    scripted = scripted_from(scene, scene.clock())
    monkeypatch.setattr(timezone, "now", scripted.clock)
    with scripted.inside():
        Binding.objects.update(freshness_level=LEVEL)
    scripted.clock.pass_by(10)
    scripted.lives()
    scripted.turn()
    return scripted


def late_minutes(scripted: Scripted, count: int, overdue_s: int) -> None:
    """Pass minutes, each with a report whose results are so late."""
    for _ in range(count):
        scripted.turns(3)
        scripted.report(1_000)
        with scripted.inside():
            RunRollup.objects.filter(reported_at=scripted.clock.ticks).update(overdue=overdue_s * SECOND)
        scripted.turns(3)


def budget_of(scripted: Scripted) -> dict[str, Any]:
    """The budget of the query's page, which equals that of the live page."""
    found: dict[str, Any] = scripted.person.get(f"home/{scripted.scene.binding['id']}/freshness/").json()["budget"]
    [row] = scripted.person.get("home/").json()["rows"]
    assert row["freshness"] == found
    return found


def test_late_minutes_use_the_budget_and_fire_its_rules(level: Scripted) -> None:
    late_minutes(level, 10, 6)
    found = budget_of(level)
    assert (found["state"], found["late"], found["left"]) == ("enough", 0, found["minutes"])
    assert not level.transitions()
    late_minutes(level, 5, 61)
    assert (budget_of(level)["late"], level.transitions()) == (4, [])  # the last minute is not decided yet
    late_minutes(level, 2, 61)
    found = budget_of(level)
    assert (found["state"], found["late"], found["left"] < 0) == (BudgetState.USED_UP, 6, True)
    assert ("late_month", "firing", "warn") in level.transitions()
    with level.inside():
        Binding.objects.update(freshness_level=None)
    assert level.person.get(f"home/{level.scene.binding['id']}/freshness/").json()["budget"] is None


def test_a_budget_without_turns_is_unknown(level: Scripted) -> None:
    late_minutes(level, 3, 6)
    assert budget_of(level)["state"] == "enough"
    level.clock.pass_by(300)
    level.lives()
    assert budget_of(level)["state"] == "unknown"


def test_a_level_is_stored_with_the_binding(alice: Person, binding: dict[str, Any]) -> None:
    path = f"bindings/{binding['id']}/"
    stored = alice.get(path).json()
    assert stored["freshness_level"] is None
    body = {"name": stored["name"], "query_version": stored["query_version"]}
    assert alice.put(path, {**body, "freshness_level": LEVEL}).json()["freshness_level"] == LEVEL
    assert alice.put(path, body).json()["freshness_level"] == LEVEL
    assert alice.put(path, {**body, "freshness_level": None}).json()["freshness_level"] is None
    assert alice.put(path, {**body, "freshness_level": {"within_s": 0}}).status_code == 422


def test_strangers_see_no_freshness_budget(level: Scripted, charlie: Person) -> None:
    late_minutes(level, 1, 61)
    assert charlie.get(f"home/{level.scene.binding['id']}/freshness/").status_code == 404
    with organisation_context(charlie.organisation.pk):
        assert not BindingMemory.objects.filter(binding__isnull=False).exists()
