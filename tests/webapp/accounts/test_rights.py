"""Every address and method asks for the right that the permission matrix says."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.webapp.conftest import Person, join
from tests.webapp.test_tenancy import ROUTES, call
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import ALLOWED, MATRIX, Permission, Role

RIGHTS: dict[str, dict[str, Permission]] = {
    route: {method: rule.permission for method, rule in methods.items()} for route, methods in MATRIX.routes.items()
}
"""Compare with the permission matrix; PERMISSIONS.md repeats it for readers, so a change shows in both."""


def test_the_matrix_names_every_address() -> None:
    assert set(RIGHTS) == set(ROUTES)


@pytest.mark.parametrize("role", list(Role))
def test_every_address_asks_for_the_right_that_the_matrix_says(role: Role, acme: Organisation) -> None:
    person = join("somebody@acme.example", acme, role)
    wrong = []
    for route, methods in RIGHTS.items():
        path = person.url("/".join(str(uuid4()) if each.startswith("<") else each for each in route.split("/")))
        for method in ("get", "post", "put", "patch", "delete"):
            status = call(person.client, method, path).status_code
            needed = methods.get(method)
            if needed is None:
                right = status in {403, 405}
            else:
                right = (status != 403) is (needed in ALLOWED[role]) and status not in {401, 405, 500}
            if not right:
                wrong.append((route, method, status))
    assert wrong == []


@pytest.mark.parametrize("header", ["Bearer a,Bearer b", "bearer pct_0", "BEARER x", "Bearer", "Bearer  "])
def test_a_header_of_the_scheme_decides_alone_however_it_is_written(header: str, alice: Person) -> None:
    for path in ("/api/me/", alice.url("streams/")):
        assert alice.client.get(path, headers={"Authorization": header}).status_code == 401


def test_a_token_opens_nothing_of_the_sign_in(alice: Person) -> None:
    made = alice.post("tokens/", {"name": "n", "role": "owner", "expires_in_days": 1}).json()["token"]
    headers: Any = {"Authorization": f"Bearer {made}"}
    answered = Client().get("/_allauth/browser/v1/auth/session", headers=headers)
    assert answered.status_code == 401
    assert "sessionid" not in answered.cookies


def test_an_address_that_a_proxy_only_claims_is_not_the_address_of_a_token(alice: Person) -> None:
    wish = {"name": "n", "role": "viewer", "expires_in_days": 1, "allowed_networks": ["203.0.113.0/24"]}
    token = alice.post("tokens/", wish).json()["token"]
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "203.0.113.7", "X-Real-IP": "203.0.113.7"}
    assert Client(REMOTE_ADDR="198.51.100.1").get("/api/me/", headers=headers).status_code == 401
    assert Client(REMOTE_ADDR="203.0.113.7").get("/api/me/", headers=headers).status_code == 200


def test_a_network_of_many_characters_is_refused(alice: Person) -> None:
    wish = {"name": "n", "role": "viewer", "expires_in_days": 1, "allowed_networks": [f"fe80::%{'x' * 9_000}/128"]}
    answered = alice.post("tokens/", wish)
    assert answered.status_code == 422
    assert len(answered.content) < 1_000
