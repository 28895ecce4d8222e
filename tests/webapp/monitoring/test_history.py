"""The history of a run: rollups of what it reported, what is not written yet, and when nothing is known."""

from datetime import timedelta
from typing import Any

import pytest

from streaming.wire import keys
from streaming.wire.progress import InputCounts, ProgressReport
from tests.webapp.conftest import Person
from tests.webapp.scene import Scene
from webapp.core.context import organisation_context
from webapp.monitoring import history_api
from webapp.monitoring.details import unpacked
from webapp.monitoring.models import RollupCursor, RollupDetail, RunRollup
from webapp.monitoring.rollups import forget_old, roll_up
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

SECOND = 1_000_000


class Watched:
    """A run that reports, and those who roll up and read what it reports."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.batch, self.received = scene, 0, 0
        self.born = scene.clock.ticks
        self.of_run = False

    @property
    def key(self) -> str:
        return keys.reports(self.scene.organisation, self.scene.run_id)

    def lives(self) -> None:
        """Renew the lease of the runner that has lived since this was made."""
        self.scene.lease(started_at=self.born)

    def report(self, rows: int, *, batch_s: float = 0.5, cti: int | None = None) -> ProgressReport:
        """Report a batch that ends now."""
        self.batch, self.received = self.batch + 1, self.received + rows
        counts = InputCounts(
            received=self.received,
            outcomes={"on_time": self.received},
            reasons={},
            lateness=[0] * 40,
            cti=cti,
            ended=False,
            largest_start=None,
        )
        report = ProgressReport(
            kind="progress",
            run=self.scene.run_id,
            batch=self.batch,
            at=self.scene.clock.ticks,
            inputs={"cars": counts},
            output_ctis={"out": None},
            results=0,
            quarantined=0,
            recent_results=[],
            recent_late=[],
            batch_s=batch_s,
            of_run=self.of_run,
        )
        entry = f"{self.scene.clock.ticks // 1_000}-{self.batch}"
        self.scene.connection.xadd(self.key, {"report": report.model_dump_json()}, id=entry)
        return report

    def go_on(self, seconds: int, every: int = 10, rows: int = 20) -> None:
        """Report `rows` every so many seconds, for `seconds`."""
        for _ in range(seconds // every):
            self.scene.clock.pass_by(every)
            self.report(rows)
        self.lives()

    def roll_up(self) -> None:
        with organisation_context(self.scene.person.organisation.pk):
            roll_up(self.scene.connection, self.scene.clock())

    def rows(self) -> list[tuple[int, int, int]]:
        with organisation_context(self.scene.person.organisation.pk):
            found = RunRollup.objects.order_by("seconds", "at")
            return [(row.seconds, row.at, row.sample["inputs"]["cars"]["received"]) for row in found]

    def history(self, seconds: int) -> dict[str, Any]:
        answered = self.scene.person.get(f"runs/{self.scene.run_id}/history/?seconds={seconds}")
        assert answered.status_code == 200, answered.content
        found: dict[str, Any] = answered.json()
        return found


@pytest.fixture
def watched(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """A run that was requested at the time of the clock, which the API follows too."""
    monkeypatch.setattr(history_api.timezone, "now", scene.clock)
    with organisation_context(scene.person.organisation.pk):
        Run.objects.update(created_at=scene.clock(), observed="running", observed_at=1)
    found = Watched(scene)
    found.lives()
    return found


def received(history: dict[str, Any]) -> list[int]:
    return [sample["inputs"]["cars"]["received"] for sample in history["samples"]]


def unknown(history: dict[str, Any], since: int) -> list[tuple[int, int]]:
    """The seconds after `since` between which nothing is known."""
    reached, found = since, []
    for span in [*history["known"], {"begin": history["end"], "end": history["end"]}]:
        if span["begin"] > reached:
            found.append((round((reached - since) / SECOND), round((span["begin"] - since) / SECOND)))
        reached = max(reached, span["end"])
    return found


def test_a_file_that_ends_with_its_first_report_has_a_history(watched: Watched) -> None:
    watched.scene.clock.pass_by(30)
    report = watched.report(602, batch_s=2.0)
    watched.lives()
    history = watched.history(300)
    assert received(history) == [0, 602]
    assert [sample["at"] for sample in history["samples"]] == [report.at - 2 * SECOND, report.at]
    assert unknown(history, watched.born) == []


def test_an_hour_is_shown_though_redis_has_forgotten_it(watched: Watched) -> None:
    watched.go_on(3_600)
    watched.roll_up()
    watched.scene.connection.delete(watched.key)
    history = watched.history(3_600)
    assert history["step_s"] == 10
    assert received(history) == [20 * n for n in range(361)]
    assert unknown(history, watched.born) == []


def test_rolling_up_twice_or_after_a_crash_changes_nothing(watched: Watched) -> None:
    watched.go_on(60)
    watched.roll_up()
    rows = watched.rows()
    watched.roll_up()
    with organisation_context(watched.scene.person.organisation.pk):
        RollupCursor.objects.all().delete()  # as if the rows had been written and the cursor had not
    watched.roll_up()
    assert watched.rows() == rows
    assert [received for seconds, _, received in rows if seconds == 60] == [100, 120]


def test_a_worker_that_was_away_for_ten_minutes_loses_nothing(watched: Watched) -> None:
    watched.go_on(60)
    watched.roll_up()
    watched.go_on(600, every=1, rows=3)
    assert received(watched.history(3_600))[-1] == 1_920, "what is not written yet is read too"
    watched.roll_up()
    watched.scene.connection.delete(watched.key)
    history = watched.history(3_600)
    assert (len(history["samples"]), received(history)[-1], unknown(history, watched.born)) == (67, 1_920, [])


def test_an_idle_run_is_known_and_a_silent_runner_is_not(watched: Watched) -> None:
    watched.go_on(60)
    watched.scene.clock.pass_by(60)
    watched.lives()
    watched.roll_up()
    assert unknown(watched.history(3_600), watched.born) == [], "no input"
    watched.scene.silence()
    watched.scene.clock.pass_by(120)
    watched.roll_up()
    assert unknown(watched.history(3_600), watched.born) == [(120, 240)]
    watched.scene.lease(started_at=watched.scene.clock.ticks)
    watched.scene.clock.pass_by(30)
    watched.scene.lease(started_at=watched.scene.clock.ticks - 30 * SECOND)
    watched.roll_up()
    assert unknown(watched.history(3_600), watched.born) == [(120, 240)]


def test_reports_that_redis_discarded_unread_leave_a_gap(watched: Watched) -> None:
    watched.go_on(60)
    watched.roll_up()
    watched.go_on(600, every=1)
    watched.scene.connection.xtrim(watched.key, maxlen=300, approximate=False)
    watched.roll_up()
    assert unknown(watched.history(3_600), watched.born) == [(60, 360)]


def test_after_a_day_minutes_are_kept_after_a_month_hours_and_after_13_months_nothing(watched: Watched) -> None:
    watched.go_on(120)
    watched.roll_up()
    for days, kept in ((2, [60, 60, 60, 3_600]), (31, [3_600]), (397, [])):
        with organisation_context(watched.scene.person.organisation.pk):
            forget_old(watched.scene.clock() + timedelta(days=days))
        assert [seconds for seconds, _, _ in watched.rows()] == kept


def test_details_are_kept_for_hours_then_by_the_hour(watched: Watched) -> None:
    watched.of_run = True
    watched.go_on(120)
    watched.roll_up()
    watched.roll_up()
    for hours, kept in ((0, [10] * 12 + [60] * 3 + [3_600]), (3, [60, 60, 60, 3_600]), (27, [3_600])):
        with organisation_context(watched.scene.person.organisation.pk):
            forget_old(watched.scene.clock() + timedelta(hours=hours))
            rows = list(RollupDetail.objects.order_by("seconds", "at").values_list("seconds", "content"))
        assert [seconds for seconds, _ in rows] == kept
        newest = unpacked(rows[-1][1])
        assert newest is not None
        assert (newest.batch, newest.inputs["cars"].received) == (watched.batch, watched.received)


def test_the_largest_lag_of_a_step_stays_after_a_smaller_one(watched: Watched) -> None:
    for behind_s in (5, 40, 8):
        watched.report(1, cti=watched.scene.clock.ticks - behind_s * SECOND)
        watched.roll_up()  # a report in each call
        watched.scene.clock.pass_by(1)
    with organisation_context(watched.scene.person.organisation.pk):
        assert set(RunRollup.objects.filter(seconds__gte=60).values_list("lag", flat=True)) == {40 * SECOND}


def test_a_range_too_long_for_ten_seconds_comes_by_the_minute(watched: Watched) -> None:
    watched.go_on(300)
    watched.roll_up()
    history = watched.history(86_400)
    by_minute = [each for each in history["samples"] if each["at"] < history["fine_from"]]
    assert (history["step_s"], received({"samples": by_minute})) == (60, [0, 100, 220, 340, 460])
    assert received(history)[-1] == 600


@pytest.mark.parametrize(("observed", "base"), [("stopped", 600), ("completed", 0), ("of_run", 0)])
def test_a_resumed_run_starts_with_the_totals_of_the_previous_one(watched: Watched, observed: str, base: int) -> None:
    scene = watched.scene
    watched.received, watched.of_run = 580, observed == "of_run"
    last = watched.report(20)
    with organisation_context(scene.person.organisation.pk):
        ended = {"observed": "stopped" if watched.of_run else observed, "desired": "stopped", "ended_at": scene.clock()}
        Run.objects.update(**ended, progress=last.model_dump(mode="json"))
    scene.clock.pass_by(1)
    scene.run_id = scene.person.post(f"bindings/{scene.binding['id']}/start/").json()["id"]
    scene.clock.pass_by(9)
    watched.report(40)
    assert received(watched.history(300)) == [base, 640]


def test_a_history_is_requested_in_seconds_and_shown_to_nobody_else(watched: Watched, charlie: Person) -> None:
    path = f"runs/{watched.scene.run_id}/history/"
    assert [watched.scene.person.get(f"{path}?seconds={text}").status_code for text in ("0", "x", "2592001")] == [
        422
    ] * 3
    assert charlie.get(path).status_code == 404


def test_the_rollups_go_with_their_run(watched: Watched) -> None:
    watched.go_on(20)
    watched.roll_up()
    with organisation_context(watched.scene.person.organisation.pk):
        Run.objects.update(observed="stopped", ended_at=watched.scene.clock())
    assert (
        watched.scene.person.client.delete(
            watched.scene.person.url(f"bindings/{watched.scene.binding['id']}/")
        ).status_code
        == 204
    )
    assert watched.rows() == []


def test_a_run_that_has_ended_is_read_to_its_end_and_then_no_more(watched: Watched) -> None:
    watched.go_on(60)
    with organisation_context(watched.scene.person.organisation.pk):
        Run.objects.update(observed="completed", ended_at=watched.scene.clock())
    for passed in (10, 100):
        watched.scene.clock.pass_by(passed)
        watched.lives()
        watched.roll_up()
    history = watched.history(3_600)
    assert history["end"] == ticks_of(watched.scene.clock()) - 110 * SECOND
    assert history["known"][-1]["end"] <= history["end"]
    with organisation_context(watched.scene.person.organisation.pk):
        assert RollupCursor.objects.get().done


@pytest.mark.parametrize("seconds", [60, 900, 3_600])
def test_the_last_minute_comes_batch_by_batch_in_every_range(watched: Watched, seconds: int) -> None:
    watched.go_on(600)
    watched.go_on(60, every=2)
    watched.roll_up()
    history = watched.history(seconds)
    assert sum(sample["at"] > history["end"] - 60 * SECOND for sample in history["samples"]) == 30
    assert history["fine_from"] <= history["end"] - 58 * SECOND


def test_of_too_many_batches_the_newest_come_one_by_one(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_api, "MOST_SAMPLES", 10)
    watched.go_on(60, every=2)
    history = watched.history(300)
    assert [sample["at"] for sample in history["samples"]][-10:] == [
        history["end"] - 2 * number * SECOND for number in reversed(range(10))
    ]
    assert history["fine_from"] == history["samples"][-10]["at"]


def test_what_redis_has_lost_is_not_called_batch_by_batch(watched: Watched) -> None:
    watched.go_on(60)
    watched.roll_up()
    watched.scene.connection.delete(watched.key)
    history = watched.history(300)
    assert history["fine_from"] > history["end"]
