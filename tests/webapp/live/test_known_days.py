"""The days of a ledger: which are known, and the stored rollups from which they are counted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.webapp.live.reporting import MINUTE, SECOND, Reporting, input_counts
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.monitoring.models import RunRollup
from webapp.monitoring.rollups import forget_old

HOUR = 60 * MINUTE
DAY = 24 * HOUR


@pytest.fixture
def reporting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Reporting:
    """A run that started 500 days ago and is known from then on, at 12:00 on 21 November 2026."""
    monkeypatch.setattr(timezone, "now", scene.clock)
    found = Reporting(scene)
    begin = scene.clock() - timedelta(days=500)
    found.state(created_at=begin, changed_at=begin, observed="running", observed_at=1)
    scene.lease()
    found.know(scene.run_id, [(found.now - 500 * DAY, found.now)], from_zero=True)
    return found


def test_days_whose_rollups_were_deleted_are_unknown(reporting: Reporting) -> None:
    """Rollups are kept for 396 days: from 12:00 on 21 October 2025."""
    oldest = reporting.now - 396 * DAY
    for at, rows in ((oldest - DAY, 4_000), (oldest + HOUR, 5_000), (oldest + DAY, 5_040)):
        reporting.report(input_counts({"on_time": rows}, at), at=at)
    with organisation_context(reporting.scene.person.organisation.pk):
        forget_old(reporting.scene.clock())

    days = reporting.ledger("?first=2025-10-20&last=2025-10-23")["days"]

    nothing = {"received": 0, "outcomes": {}, "difference": 0, "results": 0}
    assert [(each["day"], each["knowledge"], each["counts"]) for each in days] == [
        ("2025-10-23", "known", nothing),
        ("2025-10-22", "known", {**nothing, "received": 40, "outcomes": {"on_time": 40}}),
        ("2025-10-21", "unknown", None),
        ("2025-10-20", "unknown", None),
    ]
    assert days[2]["unknown"] == [{"begin": oldest - 12 * HOUR, "end": oldest}]


@pytest.mark.parametrize(("after_midnight", "knowledge"), [(3, "known"), (49, "known"), (55, "unknown")])
def test_midnight_makes_no_day_unknown(reporting: Reporting, after_midnight: int, knowledge: str) -> None:
    """The rollups' last turn was at 23:59:50; they have 60 s for the next one."""
    reporting.scene.clock.pass_by(12 * 3_600 + after_midnight)
    midnight = reporting.now - after_midnight * SECOND
    reporting.know(reporting.scene.run_id, [(midnight - 500 * DAY, midnight - 10 * SECOND)], from_zero=True)
    days = reporting.ledger()["days"]
    assert [(each["day"], each["knowledge"]) for each in days[:3]] == [
        ("2026-11-22", knowledge),
        ("2026-11-21", knowledge),
        ("2026-11-20", "known"),
    ]
    spans = [(span["begin"] - midnight, span["end"] - midnight) for each in days[:2] for span in each["unknown"]]
    assert spans == ([] if knowledge == "known" else [(0, 55 * SECOND), (-10 * SECOND, 0)])


def test_an_older_report_takes_no_rows_away(reporting: Reporting) -> None:
    """The stored report is older than the newest rollup, which received no more rows, but has more results."""
    now = reporting.now
    reporting.report(input_counts({"on_time": 100}, now), at=now - DAY, results=0)
    reporting.report(input_counts({"on_time": 130}, now), at=now, results=9)
    reporting.report(input_counts({"on_time": 130}, now), at=now - 2 * SECOND, rolled_up=False, results=5)
    today = reporting.ledger()["days"][0]["counts"]
    assert (today["received"], today["results"]) == (30, 9)


def test_days_are_counted_by_hours(reporting: Reporting) -> None:
    """Also today, whose last hour is in progress: its rollup has the newest report."""
    now = reporting.now
    reporting.state(created_at=reporting.scene.clock() - timedelta(days=3))
    for at, rows in ((now - 37 * HOUR, 5), (now - 13 * HOUR, 80), (now - 12 * HOUR, 200), (now + MINUTE, 444)):
        reporting.report(input_counts({"on_time": rows}, at), at=at)
    reporting.scene.clock.pass_by(60)
    reporting.state(progress=None)
    with organisation_context(reporting.scene.person.organisation.pk):
        RunRollup.objects.exclude(seconds=3_600).delete()
    days = reporting.ledger()["days"]
    assert [each["counts"]["received"] for each in days[:3]] == [364, 75, 5]
