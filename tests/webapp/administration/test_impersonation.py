"""Acting as somebody else: who may, how it shows, what it may not, and that it is written down."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.webapp.administration.test_installation_pages import events
from tests.webapp.conftest import POINTS, Person, file_adapter
from webapp.accounts.actors import IMPERSONATED_UNTIL
from webapp.accounts.models import User
from webapp.accounts.permissions import MATRIX

ACQUIRE = "/installation/impersonation/acquire/"


def act_as(client: Client, person: Person) -> Any:
    return client.post(ACQUIRE, {"user_pk": str(person.user.pk)})


def test_a_superuser_acts_as_a_member_and_comes_back(ada: Client, alice: Person, cars_file: str) -> None:
    assert act_as(ada, alice).status_code == 302
    me = ada.get("/api/me/").json()
    assert (me["email"], me["impersonator"]) == ("alice@acme.example", "ada@installation.example")
    body = {"name": "cars", "definition": POINTS, "adapter": file_adapter(cars_file)}
    assert ada.post(alice.url("streams/"), body, content_type="application/json").status_code == 201
    assert ada.post("/api/impersonation/stop/").status_code == 302
    assert ada.get("/installation/").status_code == 200
    assert ada.get("/api/me/").json()["impersonator"] is None
    assert [each.actor_label for each in events("impersonation.started") + events("impersonation.ended")] == [
        "ada@installation.example",
        "ada@installation.example",
    ]
    made = events("stream.created")
    assert [(each.actor_label, each.impersonator) for each in made] == [
        ("alice@acme.example", "ada@installation.example")
    ]


def test_the_pages_of_the_installation_are_closed_during_impersonation(ada: Client, alice: Person) -> None:
    act_as(ada, alice)
    assert ada.get("/installation/accounts/user/").status_code == 302


@pytest.mark.parametrize("user", ["x", "", "00000000-0000-0000-0000-000000000000"])
def test_what_is_nobodys_id_is_absent(user: str, ada: Client) -> None:
    assert ada.post(ACQUIRE, {"user_pk": user}).status_code == 404


def test_staff_act_as_nobody(staff: Client, alice: Person) -> None:
    assert act_as(staff, alice).status_code == 403
    assert staff.get("/api/me/").json()["email"] == "sam@installation.example"
    assert events("impersonation.started") == []


def test_an_owner_acts_as_nobody(alice: Person, bob: Person) -> None:
    assert act_as(alice.client, bob).status_code == 403


def test_nobody_acts_as_staff(ada: Client, alice: Person) -> None:
    alice.user.is_staff = True
    alice.user.save()
    assert act_as(ada, alice).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/api/t/acme/tokens/",
        "/api/t/acme/invitations/",
        "/api/t/acme/service-accounts/",
        "/api/t/acme/exports/",
        "/api/organisations/",
        "/_allauth/browser/v1/account/password/change",
    ],
)
def test_what_would_outlast_the_hour_is_refused(path: str, ada: Client, alice: Person) -> None:
    act_as(ada, alice)
    answered = ada.post(path, {}, content_type="application/json")
    assert answered.status_code == 403
    assert "act as somebody else" in answered.json()["message"]


KEPT_FROM_TOKENS = [
    (route, method)
    for route, rules in MATRIX.routes.items()
    for method, rule in rules.items()
    if method != "get" and not rule.by_token
]


@pytest.mark.parametrize(("route", "method"), KEPT_FROM_TOKENS)
def test_what_is_kept_from_tokens_is_kept_from_who_acts_as_another(
    route: str, method: str, ada: Client, alice: Person
) -> None:
    """Both are for the person alone, so that a new address of that kind is on both lists, or this fails."""
    act_as(ada, alice)
    path = re.sub("<uuid:[a-z]+>", str(alice.user.pk), route)
    answered = getattr(ada, method)(alice.url(path), {}, content_type="application/json")
    assert "act as somebody else" in answered.json()["message"]


def test_after_an_hour_the_session_is_over(ada: Client, alice: Person) -> None:
    act_as(ada, alice)
    session = ada.session
    assert session[IMPERSONATED_UNTIL] > (timezone.now() + timedelta(minutes=59)).isoformat()
    session[IMPERSONATED_UNTIL] = timezone.now().isoformat()
    session.save()
    assert ada.get("/api/me/").status_code == 401


def test_signing_out_ends_it(ada: Client, alice: Person) -> None:
    act_as(ada, alice)
    ada.delete("/_allauth/browser/v1/auth/session")
    assert ada.get("/api/me/").status_code == 401


def test_acting_needs_the_csrf_token(ada: Client, alice: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = ada.cookies
    assert act_as(strict, alice).status_code == 403


@pytest.mark.parametrize(
    "change",
    [{"is_active": False}, {"is_superuser": False}, {"password": "md5$another$0"}],
    ids=lambda each: next(iter(each)),
)
def test_it_ends_when_its_admin_loses_their_rights(change: dict[str, Any], ada: Client, alice: Person) -> None:
    """A stolen session of an admin must not hide in another's from a new password, nor come back out of it."""
    act_as(ada, alice)
    assert ada.get("/api/me/").json()["email"] == "alice@acme.example"
    User.objects.filter(email="ada@installation.example").update(**change)
    assert ada.get("/api/me/").status_code == 401
    assert ada.post("/api/impersonation/stop/").status_code == 403
    assert ada.get("/api/me/").status_code == 401
