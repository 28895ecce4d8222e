"""Loss budgets: in rows and in time left, refunds, and what doesn't count; equal to a plain count of rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tests.webapp.conftest import Person
from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.live.budgets import LossBudget
from webapp.live.figures import PeriodCounts
from webapp.runs.models import Binding

HOUR = 60 * MINUTE
DAY = 24 * HOUR


def test_a_budget_is_the_share_that_may_be_missing_rounded_down() -> None:
    budget = LossBudget(99.99, received=160_709_999, lost=14_830, repaired=0)
    assert (budget.rows, budget.left) == (16_070, 1_240)
    assert LossBudget(99.9, received=999, lost=1, repaired=0).left == -1


def test_a_repair_refunds_its_rows_and_no_more() -> None:
    assert LossBudget(99.99, received=160_709_999, lost=14_830, repaired=4_318).left == 5_558
    assert LossBudget(99.9, received=1_000, lost=3, repaired=5).left == 1


def test_the_time_left_follows_from_the_last_minutes() -> None:
    """100 rows a minute are lost of 10,000 received: each minute adds one row to the budget and takes 100."""
    budget = LossBudget(99.99, received=160_709_999, lost=14_830, repaired=0)
    recent = PeriodCounts(150_000, {"on_time": 148_500, "dropped_late": 1_400, "malformed": 100})
    assert budget.used_up_at(0, recent, 15 * MINUTE) == 1_240 * 15 * MINUTE // 1_485
    assert budget.used_up_at(0, PeriodCounts(150_000, {"on_time": 149_985, "dropped_late": 15}), 15 * MINUTE) is None
    assert LossBudget(99.99, received=0, lost=9, repaired=0).used_up_at(0, recent, 15 * MINUTE) is None


@given(
    thousandths=st.integers(50_000, 99_999),
    rows=st.lists(st.sampled_from(["in results", "lost", "repaired"]), max_size=300),
    times=st.integers(1, 1_000),
)
def test_a_budget_is_a_plain_count_of_rows(thousandths: int, rows: list[str], times: int) -> None:
    """Each row is in results, or was lost, or was lost and repaired; `left` more of them can be lost, and no other."""
    received, missing = len(rows) * times, rows.count("lost") * times
    lost = missing + rows.count("repaired") * times
    budget = LossBudget(thousandths / 1_000, received, lost, lost - missing)
    in_results = received - missing

    def keeps_its_promise(more: int) -> bool:
        return (in_results - more) * 100_000 >= received * thousandths

    assert keeps_its_promise(budget.left)
    assert not keeps_its_promise(budget.left + 1) or received == 0


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that started 40 days ago."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    begin = scene.clock() - timedelta(days=40)
    found.state(created_at=begin, changed_at=begin, observed="running", observed_at=1)
    scene.lease()
    found.know(scene.run_id, [(found.now - 40 * DAY, found.now)], from_zero=True)
    return found


def budget_of(reporting: Reporting) -> dict[str, Any]:
    answered = reporting.scene.person.get(f"home/{reporting.scene.binding['id']}/budget/")
    assert answered.status_code == 200, answered.content
    found: dict[str, Any] = answered.json()
    return found


def test_the_budget_counts_the_ledgers_last_30_days(reporting: Reporting) -> None:
    now = reporting.now
    reporting.report(input_counts({"on_time": 500, "dropped_late": 500}, now), at=now - 29 * DAY - 13 * HOUR)
    reporting.report(input_counts({"on_time": 5_500, "dropped_late": 502}, now), at=now - 29 * DAY - 11 * HOUR)
    reporting.report(input_counts({"on_time": 10_495, "dropped_late": 505}, now), at=now - HOUR)
    reporting.know(reporting.scene.run_id, [(now - 40 * DAY, now - HOUR), (now - HOUR // 2, now)], from_zero=True)
    batch = (now - 29 * DAY - 11 * HOUR) // SECOND
    reporting.repair({f"{batch}-0-0": "dropped_late"}, reporting.scene.clock() - timedelta(days=2))

    assert budget_of(reporting) == {
        "now": now,
        "days": 30,
        "state": "enough",
        "completeness": 99.9,
        "received": 10_000,
        "lost": 5,
        "repaired": 1,
        "rows": 10,
        "left": 6,
        "used_up_at": None,
        "unknown_s": 1_800,
    }


def test_a_repair_of_older_losses_refunds_nothing(reporting: Reporting) -> None:
    """50 rows were lost 31 days ago, and 10 of 10,000 today: a repair of the former doesn't refund the latter."""
    now, old = reporting.now, reporting.now - 31 * DAY
    reporting.report(input_counts({"on_time": 100, "dropped_late": 50}, now), at=old)
    reporting.report(input_counts({"on_time": 10_090, "dropped_late": 56, "malformed": 4}, now))
    reporting.repair({f"{old // SECOND}-0-{row}": "dropped_late" for row in range(50)}, reporting.scene.clock())
    found = budget_of(reporting)
    assert [found[name] for name in ("received", "lost", "repaired", "rows", "left")] == [10_000, 10, 0, 10, 0]

    reporting.repair({f"{now // SECOND}-0-{row}": "malformed" for row in range(4)}, reporting.scene.clock())
    found = budget_of(reporting)
    assert [found[name] for name in ("lost", "repaired", "left")] == [10, 4, 4]


def test_another_completeness_applies_at_once(reporting: Reporting) -> None:
    reporting.report(input_counts({"on_time": 950, "dropped_late": 50}, reporting.now))
    with organisation_context(reporting.scene.person.organisation.pk):
        Binding.objects.update(completeness=90)
    found = budget_of(reporting)
    assert (found["rows"], found["left"]) == (100, 50)


def test_a_binding_without_a_run_has_an_untouched_budget(alice: Person, binding: dict[str, Any]) -> None:
    found = alice.get(f"home/{binding['id']}/budget/").json()
    assert (found["received"], found["left"], found["used_up_at"], found["unknown_s"]) == (0, 0, None, 0)


def test_strangers_see_no_budget(charlie: Person, binding: dict[str, Any]) -> None:
    assert charlie.get(f"home/{binding['id']}/budget/").status_code == 404
