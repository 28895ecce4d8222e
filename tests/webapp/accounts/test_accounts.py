"""Signing in, who am I, and what each role may do."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.webapp.conftest import Person, join
from webapp.accounts.models import Organisation, User
from webapp.accounts.permissions import ALLOWED, Permission, Role

SIGN_IN = "/_allauth/browser/v1/auth/login"


def sign_in(client: Client, email: str, password: str) -> Any:
    return client.post(SIGN_IN, {"email": email, "password": password}, content_type="application/json")


def test_me_lists_my_organisations_and_permissions(bob: Person) -> None:
    assert bob.client.get("/api/me/").json() == {
        "id": str(bob.user.pk),
        "email": "bob@acme.example",
        "impersonator": None,
        "may_create_organisations": True,
        "organisations": [
            {"slug": "acme", "name": "Acme", "role": "viewer", "permissions": ["view"], "delete_after": None}
        ],
    }


def test_me_is_401_without_a_session(db: None) -> None:
    answered = Client().get("/api/me/")
    assert (answered.status_code, answered.json()["code"]) == (401, "not_signed_in")


def test_sign_in_by_e_mail_and_password(alice: Person) -> None:
    client = Client()
    assert sign_in(client, "alice@acme.example", "a long enough password").status_code == 200
    assert client.get("/api/me/").json()["email"] == "alice@acme.example"


def test_sign_in_is_refused_alike_for_a_wrong_password_and_an_unknown_address(alice: Person) -> None:
    wrong = sign_in(Client(), "alice@acme.example", "wrong")
    unknown = sign_in(Client(), "nobody@acme.example", "wrong")
    assert (wrong.status_code, wrong.json()) == (unknown.status_code, unknown.json())
    assert wrong.status_code == 400


def test_sign_in_is_limited_after_failed_attempts(alice: Person) -> None:
    answers = [sign_in(Client(), "alice@acme.example", "wrong").json() for _ in range(12)]
    assert "too_many_login_attempts" in [error["code"] for answer in answers for error in answer.get("errors", [])]


def test_nobody_signs_up_without_an_invitation_if_it_is_required(settings: Any, db: None) -> None:
    settings.SIGN_UP = "invitation"
    body = {"email": "mallory@acme.example", "password": "a long enough password"}
    answered = Client().post("/_allauth/browser/v1/auth/signup", body, content_type="application/json")
    assert answered.status_code == 403
    assert not User.objects.exists()


def test_a_write_without_the_csrf_token_is_refused(alice: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    answered = strict.post(alice.url("queries/validate/"), {"graph": {}}, content_type="application/json")
    assert (answered.status_code, answered.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_do_what_the_table_says(role: Role, acme: Organisation, binding: dict[str, Any]) -> None:
    person = join(f"{role}@acme.example", acme, role)
    expected = {
        Permission.VIEW: person.get("streams/"),
        Permission.EDIT: person.post("streams/"),
        Permission.OPERATE: person.post(f"bindings/{binding['id']}/stop/"),
        Permission.PUSH: person.post(f"streams/{uuid4()}/rows/", {"start": 1}),
        Permission.PROPOSE: person.post("confirmations/", {}),
    }
    allowed = {permission for permission, answered in expected.items() if answered.status_code != 403}
    assert allowed == ALLOWED[role] - {Permission.ADMINISTER, Permission.OWN}


def test_a_refusal_names_the_role_and_what_to_do(bob: Person) -> None:
    answered = bob.post("streams/")
    assert answered.json() == {
        "code": "forbidden",
        "message": "Your role viewer may not edit here. Ask for the role designer, admin or owner.",
        "faults": [],
    }
