"""Incidents: opened by rules or people, one for each binding at a time, taken, and resolved."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.webapp.alerts.scripted import MINUTE, Scripted
from tests.webapp.conftest import Person
from webapp.alerts.models import AlertRule, Incident, Transition


def listed(person: Person, query: str = "") -> list[dict[str, Any]]:
    answered = person.get(f"incidents/{query}")
    assert answered.status_code == 200, answered.content
    return list(answered.json()["incidents"])


def fails(scripted: Scripted, domain: str = "internal") -> None:
    """Let the run fail, which pages at the next turn."""
    now = scripted.clock()
    scripted.run(observed="failed", domain=domain, changed_at=now, failures=1, ended_at=now, message="broken")


def recovers(scripted: Scripted) -> None:
    """Let the run be as it should, long enough for rules to resolve."""
    scripted.run(observed="running", domain=None, changed_at=scripted.clock(), failures=0, ended_at=None)
    scripted.minutes(7)


def acted(person: Person, incident: dict[str, Any], action: str, body: Any = None) -> Any:
    return person.post(f"incidents/{incident['id']}/{action}/", body)


def test_a_rule_that_fires_opens_an_incident_with_the_times_of_its_transition(scripted: Scripted) -> None:
    scripted.minutes(2)
    assert listed(scripted.person) == []
    fails(scripted)
    scripted.turns(1)
    [incident] = listed(scripted.person)
    assert (incident["number"], incident["title"], incident["level"]) == (1, "Failed: Punctual", "page")
    assert (incident["opened_by"], incident["taken_by"], incident["resolved_at"]) == (None, None, None)
    [transition] = scripted.person.get("alerts/transitions/").json()["transitions"]
    assert incident["opened_at"] == transition["at"]
    assert incident["begin"] <= incident["opened_at"]


def test_further_rules_join_the_open_incident(scripted: Scripted) -> None:
    scripted.minutes(6)
    scripted.minutes(1, dropped_late=15)
    scripted.minutes(1)
    [warned] = listed(scripted.person)
    assert (warned["title"], warned["level"]) == ("Rows lost", "warn")
    fails(scripted)
    scripted.turns(1)
    [joined] = listed(scripted.person)
    assert joined == warned | {"level": "page"}


def test_an_incident_resolves_with_the_last_of_its_rules(scripted: Scripted) -> None:
    scripted.minutes(6)
    scripted.minutes(1, dropped_late=15)
    scripted.minutes(1)
    fails(scripted)
    scripted.turns(1)
    recovers(scripted)
    scripted.minutes(8)
    [incident] = listed(scripted.person)
    with scripted.inside():
        ended = [row.at for row in Transition.objects.filter(before="firing", after="resolved")]
    assert len(ended) == 2
    assert (incident["resolved_at"], incident["resolved_by"]) == (max(ended), None)
    assert listed(scripted.person, "?state=open") == []


def test_a_rule_that_fires_later_opens_another_incident(scripted: Scripted) -> None:
    for _ in range(2):
        fails(scripted)
        scripted.turns(1)
        recovers(scripted)
    assert [each["number"] for each in listed(scripted.person)] == [2, 1]
    assert [each["number"] for each in listed(scripted.person, "?state=resolved")] == [2, 1]


def test_switching_the_rule_off_resolves_its_incident(scripted: Scripted) -> None:
    fails(scripted)
    scripted.turns(1)
    with scripted.inside():
        AlertRule(rule="failed_internal", enabled=False, reason="a demo", changed_at=scripted.clock()).save()
    scripted.turns(1)
    [incident] = listed(scripted.person)
    assert incident["resolved_at"] is not None


def test_what_is_unknown_resolves_nothing(scripted: Scripted) -> None:
    scripted.minutes(6)
    scripted.minutes(1, dropped_late=15)
    scripted.minutes(1)
    assert len(listed(scripted.person, "?state=open")) == 1
    for _ in range(60):
        scripted.turns(1, alive=False)
    assert len(listed(scripted.person, "?state=open")) == 1


def test_a_person_takes_an_incident_with_its_alerts(scripted: Scripted) -> None:
    fails(scripted)
    scripted.turns(1)
    [incident] = listed(scripted.person)
    taken = acted(scripted.person, incident, "take")
    assert (taken.status_code, taken.json()["taken_by"]) == (200, scripted.person.user.email)
    [alert] = scripted.person.get("alerts/").json()["alerts"]
    assert (alert["acknowledged"]["by"], alert["acknowledged"]["note"]) == (scripted.person.user.email, "Incident #1")
    first = alert["acknowledged"]
    acted(scripted.person, incident, "take")
    [alert] = scripted.person.get("alerts/").json()["alerts"]
    assert alert["acknowledged"] == first


def test_an_incident_resolved_by_hand_stays_so_while_the_same_rule_fires(scripted: Scripted) -> None:
    fails(scripted)
    scripted.turns(1)
    [incident] = listed(scripted.person)
    resolved = acted(scripted.person, incident, "resolve", {"resolution": "rolled back"}).json()
    assert (resolved["resolved_by"], resolved["resolution"]) == (scripted.person.user.email, "rolled back")
    scripted.turns(3)
    assert listed(scripted.person) == [resolved]
    for action in ("take", "resolve"):
        assert acted(scripted.person, incident, action, {}).status_code == 409


def test_an_incident_opened_by_hand_is_resolved_by_hand(scripted: Scripted) -> None:
    binding = scripted.scene.binding["id"]
    begin = scripted.clock.ticks - 5 * MINUTE
    opened = scripted.person.post("incidents/", {"binding": binding, "title": "Odd totals", "begin": begin})
    assert (opened.status_code, opened.json()["begin"]) == (201, begin)
    assert opened.json()["opened_by"] == scripted.person.user.email
    again = scripted.person.post("incidents/", {"binding": binding, "title": "Odd totals"})
    assert again.status_code == 409
    fails(scripted)
    scripted.turns(1)
    [joined] = listed(scripted.person)
    assert (joined["id"], joined["level"]) == (opened.json()["id"], "page")
    recovers(scripted)
    [incident] = listed(scripted.person, "?state=open")
    assert acted(scripted.person, incident, "resolve", {}).status_code == 200


@pytest.mark.parametrize("of_binding", [True, False])
def test_the_database_refuses_two_open_incidents_of_a_binding(scripted: Scripted, of_binding: bool) -> None:
    binding = scripted.scene.binding["id"] if of_binding else None
    with scripted.inside(), transaction.atomic():
        Incident(number=1, binding_id=binding, title="one", begin=0, opened_at=0).save()
        with pytest.raises(IntegrityError):
            Incident(number=2, binding_id=binding, title="two", begin=0, opened_at=0).save()


def test_viewers_see_incidents_and_operators_work_on_them(scripted: Scripted, bob: Person, charlie: Person) -> None:
    fails(scripted)
    scripted.turns(1)
    [incident] = listed(bob)
    for action in ("take", "resolve"):
        assert acted(bob, incident, action, {}).status_code == 403
        assert acted(charlie, incident, action, {}).status_code == 404
    assert bob.post("incidents/", {"title": "x"}).status_code == 403
    assert charlie.post("incidents/", {"binding": scripted.scene.binding["id"], "title": "x"}).status_code == 404
    assert listed(charlie) == []
