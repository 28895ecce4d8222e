"""Turns: what fires, resolves and stays undecided for a binding, and that two turns at once have one effect."""

from datetime import timedelta

import pytest

from tests.webapp.alerts.scripted import MINUTE, Scripted, lease_key
from tests.webapp.conftest import Person
from webapp.alerts.models import AlertRule, AlertState, FactsChange, TurnCursor
from webapp.alerts.turns import turn as turns
from webapp.core.context import NoOrganisation, organisation_context


def test_a_binding_that_runs_as_it_should_has_no_alert(scripted: Scripted) -> None:
    scripted.minutes(3)
    assert scripted.transitions() == []
    assert scripted.states() == {}


def test_a_run_that_does_not_start_pages_after_two_minutes(scripted: Scripted) -> None:
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(11)
    assert scripted.transitions() == []
    scripted.turns(2)
    assert scripted.transitions() == [("not_running", "firing", "page")]


def test_a_runner_that_is_gone_pages_after_half_a_minute(scripted: Scripted) -> None:
    scripted.minutes(1)
    scripted.connection.delete(lease_key(scripted))
    scripted.turns(5, alive=False)
    assert ("runner_unknown", "firing", "page") in scripted.transitions()
    assert ("restarts", "firing", "warn") in scripted.transitions()


def test_without_redis_the_runner_is_neither_lost_nor_found(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def get(self, _: str) -> bytes:
            raise turns.redis.exceptions.ConnectionError

    scripted.minutes(1)
    for _ in range(30):
        scripted.clock.pass_by(10)
        with scripted.inside():
            turns.turn(Away(), scripted.clock())  # type: ignore[arg-type]
    assert scripted.transitions() == []


@pytest.mark.parametrize(
    ("domain", "ended", "turns_made", "fires"),
    [
        ("user", True, 1, ("failed_user", "firing", "warn")),
        ("internal", True, 1, ("failed_internal", "firing", "page")),
        ("external", False, 31, ("failed_external", "firing", "warn")),
    ],
)
def test_a_failure_fires_by_who_must_act(
    scripted: Scripted, domain: str, ended: bool, turns_made: int, fires: tuple[str, str, str]
) -> None:
    now = scripted.clock()
    scripted.run(
        observed="failed", domain=domain, changed_at=now, failures=1, ended_at=now if ended else None, message="broken"
    )
    scripted.turns(turns_made)
    assert scripted.transitions() == [fires]


def test_a_retried_failure_lasts_over_its_retries(scripted: Scripted) -> None:
    for _ in range(4):
        scripted.run(observed="failed", domain="external", changed_at=scripted.clock(), failures=1)
        scripted.turns(4)
        scripted.run(observed="requested", changed_at=scripted.clock())
        scripted.turns(4)
    assert scripted.transitions() == [("failed_external", "firing", "warn")]


def test_lost_rows_fire_and_resolve(scripted: Scripted) -> None:
    scripted.minutes(6)
    scripted.minutes(2, dropped_late=300)
    scripted.minutes(16)
    found = [each for each in scripted.transitions() if each[0] == "rows_lost"]
    assert found == [("rows_lost", "firing", "page"), ("rows_lost", "resolved", "page")]
    listed = scripted.person.get("alerts/transitions/").json()["transitions"]
    sentence = [each["sentence"] for each in listed if each["rule"] == "rows_lost"][-1]
    assert sentence.startswith(
        "watch lost 6 % of its rows in 5 minutes (300 rows dropped or malformed), since 2026-11-21 12:0"
    )


def test_nothing_is_decided_over_lost_reports(scripted: Scripted) -> None:
    scripted.minutes(6)
    scripted.turns(360, alive=False)
    before = scripted.transitions()
    assert {each[0] for each in before} <= {"runner_unknown", "restarts"}
    scripted.know_again()
    scripted.report(5_000, dropped_late=5_000)
    scripted.minutes(3)
    assert not any(rule == "rows_lost" for rule, *_ in scripted.transitions())


def test_a_pause_of_the_turns_is_not_known(scripted: Scripted) -> None:
    scripted.minutes(1)
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(1)
    scripted.clock.pass_by(90)
    scripted.run(observed="running", changed_at=scripted.clock())
    scripted.lives()
    scripted.turns(1)
    assert scripted.transitions() == []


def test_a_clock_that_jumps_back_decides_nothing(scripted: Scripted) -> None:
    scripted.minutes(1)
    scripted.clock.pass_by(-600)
    assert not scripted.turn()


def test_of_two_turns_at_once_one_has_an_effect(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted.channel()
    scripted.run(observed="failed", domain="internal", changed_at=scripted.clock(), ended_at=scripted.clock())
    scripted.clock.pass_by(10)
    inner = turns._gathered

    def other_turn_first(*arguments: object) -> object:
        found = inner(*arguments)  # type: ignore[arg-type]
        monkeypatch.setattr(turns, "_gathered", inner)
        assert scripted.turn()
        return found

    monkeypatch.setattr(turns, "_gathered", other_turn_first)
    assert not scripted.turn()
    assert scripted.transitions() == [("failed_internal", "firing", "page")]
    assert len(scripted.outbox()) == 1
    assert len(scripted.person.get("incidents/").json()["incidents"]) == 1


def test_one_notification_has_all_rules_of_a_binding(scripted: Scripted) -> None:
    scripted.channel()
    scripted.minutes(1)
    scripted.connection.delete(lease_key(scripted))
    scripted.run(observed="lost", changed_at=scripted.clock() - timedelta(seconds=40))
    scripted.turns(1, alive=False)
    (sent,) = scripted.outbox()
    assert [each["rule"] for each in sent["alerts"]] == ["runner_unknown", "restarts"]
    assert sent["name"] == "watch"


def test_a_channel_gets_only_its_level(scripted: Scripted) -> None:
    scripted.channel("pager", "page")
    scripted.minutes(6)
    scripted.minutes(1, dropped_late=20)
    scripted.minutes(2)
    assert scripted.states()["rows_lost"] == ("firing", "warn")
    assert scripted.outbox() == []


def test_without_a_channel_nothing_is_lost_for_a_later_one(scripted: Scripted) -> None:
    scripted.run(observed="failed", domain="internal", changed_at=scripted.clock(), ended_at=scripted.clock())
    scripted.turns(3)
    assert scripted.outbox() == []
    scripted.channel()
    scripted.turns(2)
    assert [each["alerts"][0]["rule"] for each in scripted.outbox()] == ["failed_internal"]


def test_a_silence_holds_notifications_until_its_end(scripted: Scripted) -> None:
    scripted.channel()
    ends = (scripted.clock() + timedelta(minutes=10)).isoformat()
    with scripted.inside():
        from webapp.alerts.models import AlertSilence

        AlertSilence(begins_at=scripted.clock(), ends_at=ends, reason="repair", by_label="alice").save()
    scripted.run(observed="failed", domain="internal", changed_at=scripted.clock(), ended_at=scripted.clock())
    scripted.turns(58)
    assert scripted.states()["failed_internal"] == ("firing", "page")
    assert scripted.outbox() == []
    scripted.turns(4)
    assert len(scripted.outbox()) == 1


def test_a_resolved_rule_is_notified_once(scripted: Scripted) -> None:
    scripted.channel()
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(14)
    scripted.run(observed="running", changed_at=scripted.clock())
    scripted.turns(40)
    statuses = [[each["status"] for each in sent["alerts"]] for sent in scripted.outbox()]
    assert statuses == [["firing"], ["resolved"]]


def test_a_rule_that_is_switched_off_ends_with_its_reason(scripted: Scripted) -> None:
    scripted.channel()
    scripted.run(observed="failed", domain="internal", changed_at=scripted.clock(), ended_at=scripted.clock())
    scripted.turns(1)
    with scripted.inside():
        AlertRule(rule="failed_internal", enabled=False, reason="known", changed_at=scripted.clock()).save()
    scripted.turns(1)
    assert scripted.transitions()[-1] == ("failed_internal", "resolved", "page")
    assert scripted.states() == {}
    last = scripted.outbox()[-1]["alerts"][0]
    assert (last["status"], last["sentence"]) == ("resolved", "The rule was switched off: known.")


def test_limits_of_a_binding_precede_those_of_the_organisation(scripted: Scripted) -> None:
    with scripted.inside():
        AlertRule(rule="not_running", page={"at": 600, "for_s": 0, "rows": 0}, changed_at=scripted.clock()).save()
        AlertRule(
            rule="not_running",
            binding_id=scripted.scene.binding["id"],
            page={"at": 30, "for_s": 0, "rows": 0},
            changed_at=scripted.clock(),
        ).save()
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(4)
    assert scripted.transitions() == [("not_running", "firing", "page")]


def test_only_changes_of_facts_are_stored(scripted: Scripted) -> None:
    scripted.minutes(5)
    with scripted.inside():
        of_binding = FactsChange.objects.filter(binding__isnull=False)
        assert of_binding.count() == 1
        cursor = TurnCursor.objects.get()
        assert cursor.known == [[scripted.born, scripted.clock.ticks]]


def test_the_minutes_of_a_binding_follow_what_is_known(scripted: Scripted) -> None:
    scripted.minutes(3)
    with scripted.inside():
        from webapp.alerts.models import BindingMemory

        until = BindingMemory.objects.get(binding__isnull=False).until
    assert scripted.clock.ticks - 2 * MINUTE < until < scripted.clock.ticks


def test_without_an_organisation_no_turn_is_made(scripted: Scripted, charlie: Person) -> None:
    with pytest.raises(NoOrganisation):
        turns.turn(scripted.connection, scripted.clock())
    scripted.run(observed="failed", domain="internal", changed_at=scripted.clock(), ended_at=scripted.clock())
    scripted.turns(1)
    with organisation_context(charlie.organisation.pk):
        turns.turn(scripted.connection, scripted.clock())
        assert not AlertState.objects.exists()
