"""Ada administers acme together with alice and bob; dora has an account and no organisation; mail stays in memory."""

import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from tests.webapp.conftest import Person, join
from webapp.accounts.models import Organisation, User
from webapp.accounts.permissions import Role


@pytest.fixture
def ada(acme: Organisation) -> Person:
    return join("ada@acme.example", acme, Role.ADMIN)


@pytest.fixture
def dora(acme: Organisation) -> Person:
    """Has an account with a verified address, and belongs nowhere; `url` is acme's for what she tries there."""
    return visitor("dora@acme.example", acme)


def visitor(email: str, organisation: Organisation) -> Person:
    """Return somebody who is signed in and no member."""
    client = Client(raise_request_exception=False)
    user = User.objects.create_user(email, "a long enough password")
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return Person(user, organisation, client)


def member_id(asks: Person, email: str) -> str:
    """Return the id of the member with that address."""
    return next(each["id"] for each in asks.get("members/").json() if each["email"] == email)


def roles(asks: Person) -> dict[str, str]:
    """Return the roles of the members by address."""
    return {each["email"]: each["role"] for each in asks.get("members/").json()}


def delete(person: Person, path: str) -> Any:
    return person.client.delete(person.url(path))


def invited(by: Person, email: str = "dora@acme.example", role: str = "designer") -> tuple[dict[str, Any], str]:
    """Invite `email`; return what the API answered and the text in the mail."""
    answered = by.post("invitations/", {"email": email, "role": role})
    assert answered.status_code == 201, answered.content
    return answered.json(), newest_text()


def newest_text() -> str:
    """Return the text of the invitation in the newest mail."""
    found = re.search(r"/invitation#(inv_[0-9a-f]{12}_[0-9a-f]{64})\n", str(mail.outbox[-1].body))
    assert found is not None, mail.outbox[-1].body
    return found.group(1)


def accept(person: Person, text: str) -> Any:
    return person.client.post("/api/invitations/accept/", {"token": text}, content_type="application/json")


def look(text: str, client: Client | None = None) -> Any:
    return (client or Client()).post("/api/invitations/look/", {"token": text}, content_type="application/json")
