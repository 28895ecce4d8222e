"""Expired data are deleted within the hour: sessions, their entries in the list, invitations; valid ones stay."""

import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.webapp.conftest import Person, join
from webapp.accounts.models import Invitation, Organisation
from webapp.accounts.permissions import Role
from webapp.administration import tasks
from webapp.core.context import organisation_context


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of each organisation are done, not sent; one that fails fails alone."""

    def done(kwargs: dict[str, str], time_limit: int) -> None:
        assert time_limit == 3_600
        with suppress(ConnectionError):
            tasks.tidy(**kwargs)

    monkeypatch.setattr(tasks.tidy, "apply_async", done)


def key_of(person: Person) -> str:
    return str(person.client.cookies["sessionid"].value)


def seen(person: Person, at: datetime) -> None:
    person.client.get("/api/me/")  # every caller is listed
    assert UserSession.objects.filter(session_key=key_of(person)).update(created_at=at) == 1


def test_expired_sessions_and_their_entries_go_and_others_stay(alice: Person, bob: Person) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    for each in (alice, bob):
        seen(each, yesterday)
    Session.objects.filter(session_key=key_of(alice)).update(expire_date=yesterday)
    tasks.keep_house()
    assert set(Session.objects.values_list("session_key", flat=True)) == {key_of(bob)}
    assert set(UserSession.objects.values_list("session_key", flat=True)) == {key_of(bob)}


def test_the_entry_of_a_sign_in_that_is_just_made_stays(alice: Person) -> None:
    seen(alice, timezone.now())
    Session.objects.all().delete()
    tasks.keep_house()
    assert UserSession.objects.count() == 1


def invited(person: Person, email: str, ends: datetime, **fields: Any) -> None:
    with organisation_context(person.organisation.pk):
        made = {"created_at": ends - timedelta(days=7), "expires_at": ends, "digest": "0" * 64}
        Invitation.objects.create(email=email, role=Role.VIEWER, key_id=uuid.uuid4().hex[:12], **made, **fields)


def left(person: Person) -> set[str]:
    with organisation_context(person.organisation.pk):
        return set(Invitation.objects.values_list("email", flat=True))


def test_invitations_go_thirty_days_after_their_end_in_each_organisation(alice: Person, charlie: Person) -> None:
    now = timezone.now()
    for each in (alice, charlie):
        invited(each, "waits@people.example", now + timedelta(days=1))
        invited(each, "expired@people.example", now - timedelta(days=29))
        invited(each, "old@people.example", now - timedelta(days=31))
        invited(each, "joined@people.example", now - timedelta(days=31), accepted_at=now - timedelta(days=35))
    tasks.keep_house()
    assert left(alice) == left(charlie) == {"waits@people.example", "expired@people.example"}


def test_who_joined_stays_a_member_when_the_invitation_is_forgotten(alice: Person) -> None:
    carol = join("carol@acme.example", alice.organisation, Role.VIEWER)
    long_ago = timezone.now() - timedelta(days=31)
    invited(alice, carol.user.email, long_ago, accepted_at=long_ago)
    tasks.keep_house()
    assert left(alice) == set()
    assert carol.get("streams/").status_code == 200


def test_an_organisation_whose_deletion_fails_delays_no_other(
    alice: Person, charlie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def fails(organisation: Organisation, now: datetime) -> bool:
        seen.append(organisation.slug)
        raise ConnectionError

    monkeypatch.setattr(tasks, "delete_if_due", fails)
    tasks.keep_house()
    assert sorted(seen) == ["acme", "zeta"]
