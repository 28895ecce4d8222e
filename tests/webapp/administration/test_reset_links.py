"""Without a mail server who runs the installation makes links that reset a password, to hand over; nobody else does."""

import html
import re
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import Permission
from django.core import mail
from django.test import Client
from django.utils import timezone

from tests.webapp.administration.conftest import text
from tests.webapp.administration.test_installation_pages import events
from tests.webapp.conftest import Person
from tests.webapp.impersonating import acted_as
from tests.webapp.sign_in.browser import Browser
from webapp.accounts.models import User
from webapp.environment import mail as settings_of_mail

NEW = "quite another password"


@pytest.fixture
def _no_mail_server(settings: Any) -> None:
    for name, value in settings_of_mail({}).items():
        if name != "EMAIL_BACKEND":
            setattr(settings, name, value)


def page_of(user: User) -> str:
    return f"/installation/accounts/user/{user.pk}/"


def key_in(answered: Any) -> str:
    found = re.search(r'value="[^"]+/reset-password/([^"]+)"', text(answered))
    assert found is not None, text(answered)
    return unquote(html.unescape(found[1]))


def reset(key: str, password: str = NEW) -> int:
    status: int = Browser().post("auth/password/reset", {"key": key, "password": password}).status_code
    return status


@pytest.mark.usefixtures("_no_mail_server")
def test_a_link_is_made_to_hand_over_works_once_and_is_recorded_without_its_secret(ada: Client, bob: Person) -> None:
    assert "Make a link that resets the password" in text(ada.get(page_of(bob.user) + "change/"))
    answered = ada.post(page_of(bob.user) + "reset-link/")
    assert (answered.status_code, "no-store" in answered.headers["Cache-Control"]) == (200, True)
    key = key_in(answered)
    assert mail.outbox == []
    (event,) = events("person.reset_link_made")
    assert (event.actor_label, event.target_label) == ("ada@installation.example", "bob@acme.example")
    assert key not in str([event.before, event.after])
    assert reset(key) in {200, 401}  # 401: it is set, and nobody is signed in by it
    bob.user.refresh_from_db()
    assert bob.user.check_password(NEW)
    assert reset(key, "a third password, at last") == 400
    bob.user.refresh_from_db()
    assert bob.user.check_password(NEW)


@pytest.mark.usefixtures("_no_mail_server")
def test_a_link_opens_nothing_after_an_hour(ada: Client, bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.contrib.auth.tokens import PasswordResetTokenGenerator

    key = key_in(ada.post(page_of(bob.user) + "reset-link/"))
    later = timezone.now().replace(tzinfo=None) + timedelta(seconds=3_700)
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda _: later)
    assert reset(key) == 400


@pytest.mark.usefixtures("_no_mail_server")
def test_only_superusers_make_links_and_of_nobody_who_runs_the_installation(
    ada: Client, staff: Client, alice: Person, bob: Person
) -> None:
    rights = Permission.objects.filter(codename__in=["view_user", "change_user"])
    User.objects.get(email="sam@installation.example").user_permissions.set(rights)
    for client in (staff, alice.client, Client(), acted_as(alice, by="eve@installation.example").client):
        answered = client.post(page_of(bob.user) + "reset-link/")
        assert answered.status_code in {302, 403}
        assert "/reset-password/" not in text(answered)
    shut = User.objects.create_user("shut@acme.example", NEW, is_active=False)
    for user in (shut, *User.objects.filter(is_staff=True)):
        assert ada.post(page_of(user) + "reset-link/").status_code == 403
        assert "Make a link that resets" not in text(ada.get(page_of(user) + "change/"))
    assert ada.get(page_of(bob.user) + "reset-link/").status_code == 405
    for nobody in ("00000000-0000-0000-0000-000000000000", "nobody"):
        assert ada.post(f"/installation/accounts/user/{nobody}/reset-link/").status_code == 404
    assert events("person.reset_link_made") == []


def test_with_a_mail_server_people_ask_for_their_own(ada: Client, bob: Person, settings: Any) -> None:
    settings.MAIL_GOES_OUT = True
    assert "Make a link that resets" not in text(ada.get(page_of(bob.user) + "change/"))
    assert ada.post(page_of(bob.user) + "reset-link/").status_code == 403


@pytest.mark.usefixtures("_no_mail_server")
def test_a_form_of_another_site_makes_no_link(bob: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(
        User.objects.create_superuser("ida@installation.example", NEW),
        backend="allauth.account.auth_backends.AuthenticationBackend",
    )
    assert strict.post(page_of(bob.user) + "reset-link/").status_code == 403
