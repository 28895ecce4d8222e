"""Computing time of previews: measured, added up by day, refused beforehand once it is used up."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from typing import Any

import pytest

from tests.webapp.conftest import Clock, Person
from tests.webapp.scenarios.test_transcripts_run import COUNTED
from webapp.accounts.limits import previews
from webapp.accounts.limits.previews import previewing, repairing, replaying
from webapp.accounts.limits.quotas import OverQuota, set_limit, used
from webapp.accounts.models import PreviewUse
from webapp.bundles import transcripts
from webapp.core.context import Actor, acting, organisation_context
from webapp.streams import adapters


@pytest.fixture(autouse=True)
def _set_clocks(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Both clocks of previews change only when a test sets them."""

    def seconds() -> float:
        return clock.at.timestamp()

    monkeypatch.setattr(previews, "now", clock)
    monkeypatch.setattr(previews, "monotonic", seconds)


def uses() -> dict[date, int]:
    return dict(PreviewUse.objects.values_list("day", "milliseconds"))


@pytest.mark.usefixtures("in_acme")
def test_what_previews_compute_is_added_up_by_day(clock: Clock) -> None:
    for seconds in (1.5, 0.25):
        with previewing():
            clock.pass_by(seconds)
    clock.at = datetime(2026, 11, 22, 0, 0, 1, tzinfo=UTC)
    with previewing():
        clock.pass_by(2)
    assert uses() == {date(2026, 11, 21): 1_750, date(2026, 11, 22): 2_000}
    assert used("preview_seconds") == 2


@pytest.mark.usefixtures("in_acme")
def test_a_preview_that_fails_is_counted_too(clock: Clock) -> None:
    def fail() -> None:
        with previewing():
            clock.pass_by(3)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert uses() == {date(2026, 11, 21): 3_000}


@pytest.mark.usefixtures("in_acme")
def test_the_last_preview_may_overrun_and_the_next_one_is_refused_before_it_computes(clock: Clock) -> None:
    set_limit("preview_seconds", 10)
    for seconds in (9, 20):
        with previewing():
            clock.pass_by(seconds)
    with pytest.raises(OverQuota) as refused, previewing():
        pytest.fail("it computed")
    assert refused.value.message == (
        "Computing time of previews each day (UTC): 29 of 10 s are used. It starts again at 2026-11-22 00:00 UTC. "
        "Wait until then, or ask your administrator for more."
    )
    assert uses() == {date(2026, 11, 21): 29_000}
    clock.at = datetime(2026, 11, 22, tzinfo=UTC)
    with previewing():
        clock.pass_by(1)
    assert used("preview_seconds") == 1


@pytest.mark.usefixtures("in_acme")
def test_a_preview_over_midnight_counts_for_the_day_on_which_it_began(clock: Clock) -> None:
    clock.at = datetime(2026, 11, 21, 23, 59, 59, tzinfo=UTC)
    with previewing():
        clock.pass_by(5)
    assert uses() == {date(2026, 11, 21): 5_000}


@pytest.mark.usefixtures("in_acme")
def test_the_first_two_previews_of_a_day_are_both_counted(clock: Clock) -> None:
    with previewing():
        with previewing():
            clock.pass_by(1)
        clock.pass_by(1)
    assert uses() == {date(2026, 11, 21): 3_000}


def computed(person: Person, kind: Callable[[], AbstractContextManager[None]], seconds: float, clock: Clock) -> None:
    """Compute for that long in a request of `person`."""
    actor = Actor("person", str(person.user.pk), person.user.email)
    with organisation_context(person.organisation.pk), acting(actor), kind():
        clock.pass_by(seconds)


def test_a_viewer_uses_up_their_own_time_and_nobody_elses(alice: Person, bob: Person, clock: Clock) -> None:
    computed(bob, previewing, 400, clock)
    computed(bob, replaying, 300, clock)
    for kind in (previewing, replaying):
        with pytest.raises(OverQuota) as refused:
            computed(bob, kind, 0, clock)
        assert refused.value.message.startswith(
            "Computing time of your own previews and replays each day (UTC): 700 of 600 s are used. It starts again at "
        )
    for kind in (previewing, replaying, repairing):
        computed(alice, kind, 1, clock)


def test_repairs_have_a_time_of_their_own(alice: Person, bob: Person, clock: Clock, in_acme: None) -> None:
    for name in ("preview_seconds", "replay_seconds"):
        set_limit(name, 10)
    computed(bob, previewing, 10, clock)
    computed(bob, replaying, 10, clock)
    for kind in (previewing, replaying):
        with pytest.raises(OverQuota):
            computed(alice, kind, 0, clock)
    computed(alice, repairing, 600, clock)
    with pytest.raises(OverQuota) as refused:
        computed(alice, repairing, 0, clock)
    assert refused.value.message.startswith("Computing time of repairs each day (UTC): 600 of 600 s are used.")
    set_limit("preview_seconds", 11)
    computed(alice, previewing, 1, clock)


def exhausted(person: Person) -> None:
    with organisation_context(person.organisation.pk):
        PreviewUse(day=date(2026, 11, 21), milliseconds=1_800_000).save()


def test_samples_are_measured_and_refused(
    alice: Person, cars: dict[str, Any], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampled = adapters.sampled

    def slow(*given: Any, **named: Any) -> Any:
        clock.pass_by(4)
        return sampled(*given, **named)

    monkeypatch.setattr(adapters, "sampled", slow)
    answered = alice.get(f"streams/{cars['id']}/sample/")
    assert len(answered.json()["rows"]) == 3
    with organisation_context(alice.organisation.pk):
        assert uses() == {date(2026, 11, 21): 4_000}
        PreviewUse.objects.update(milliseconds=1_800_000)
    refused = alice.get(f"streams/{cars['id']}/sample/")
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    assert clock.at == datetime(2026, 11, 21, 12, 0, 4, tzinfo=UTC), "nothing was computed"


def test_transcripts_are_refused_without_a_process(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    exhausted(alice)
    monkeypatch.setattr(transcripts, "verdicts", lambda *_: pytest.fail("a process was started"))
    for _ in range(3):
        refused = alice.post("transcripts/run/", {"name": "mine.yaml", "text": COUNTED})
        assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")


def test_a_start_needs_no_preview_time(alice: Person, binding: dict[str, Any]) -> None:
    exhausted(alice)
    assert alice.post(f"bindings/{binding['id']}/start/").status_code == 201
