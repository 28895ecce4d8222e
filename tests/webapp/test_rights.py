"""Which right every address and method asks for, stated as a table; a new address is missing here until it is added."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tests.webapp.conftest import Person, join
from tests.webapp.test_tenancy import ROUTES, call
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import ALLOWED, Permission, Role

V, E, O = Permission.VIEW, Permission.EDIT, Permission.OPERATE  # noqa: E741
A, OWN, P = Permission.ADMINISTER, Permission.OWN, Permission.PUSH
RIGHTS: dict[str, dict[str, Permission]] = {
    "organisation/": {"get": V, "put": OWN},
    "organisation/transfer/": {"post": OWN},
    "organisation/deletion/": {"post": OWN, "delete": OWN},
    "members/": {"get": V},
    "members/<uuid:member>/": {"put": A, "delete": V},
    "invitations/": {"get": A, "post": A},
    "invitations/<uuid:invitation>/": {"put": A, "delete": A},
    "invitations/<uuid:invitation>/resend/": {"post": A},
    "service-accounts/": {"get": A, "post": A},
    "service-accounts/<uuid:account>/": {"put": A, "delete": A},
    "service-accounts/<uuid:account>/tokens/": {"get": A, "post": A},
    "tokens/": {"get": V, "post": V},
    "tokens/<uuid:token>/": {"put": V, "delete": V},
    "exports/": {"get": OWN, "post": OWN},
    "exports/<uuid:export>/": {"delete": OWN},
    "exports/<uuid:export>/link/": {"post": OWN},
    "audit/": {"get": A},
    "audit/export/": {"get": A},
    "quotas/": {"get": V},
    "kept/": {"get": V},
    "adapters/": {"get": V},
    "streams/": {"get": V, "post": E},
    "streams/infer/": {"post": V},
    "streams/<uuid:stream>/": {"get": V, "put": E, "delete": E},
    "streams/<uuid:stream>/uses/": {"get": V},
    "streams/<uuid:stream>/rows/": {"get": V, "post": P},
    "streams/<uuid:stream>/sample/": {"get": V},
    "files/": {"get": V, "delete": E},
    "files/uploads/": {"post": E},
    "files/uploads/<uuid:upload>/": {"get": V, "patch": E, "delete": E},
    "files/uploads/<uuid:upload>/finish/": {"post": E},
    "queries/": {"get": V, "post": E},
    "queries/validate/": {"post": V},
    "queries/complete/": {"post": V},
    "queries/explain/": {"post": V},
    "queries/simulate/": {"post": V},
    "queries/complete-expression/": {"post": V},
    "queries/preflight/": {"post": V},
    "queries/compare/": {"post": V},
    "queries/what-if/": {"post": V},
    "samples/stream/": {"post": V},
    "samples/text/": {"post": V},
    "samples/generated/": {"post": V},
    "samples/quarantine/": {"post": V},
    "samples/running/": {"post": V},
    "samples/replay/": {"post": V},
    "samples/why/": {"post": V},
    "queries/<uuid:query>/": {"get": V, "put": E, "delete": E},
    "queries/<uuid:query>/uses/": {"get": V},
    "queries/<uuid:query>/explain/": {"get": V},
    "queries/<uuid:query>/layout/": {"get": V, "put": E},
    "queries/<uuid:query>/versions/": {"get": V, "post": E},
    "queries/<uuid:query>/difference/": {"get": V},
    "queries/<uuid:query>/merge/": {"post": V},
    "queries/<uuid:query>/verdicts/": {"get": V},
    "queries/<uuid:query>/scenarios/": {"get": V, "post": E},
    "queries/<uuid:query>/scenarios/run/": {"post": V},
    "queries/<uuid:query>/scenarios/observe/": {"post": V},
    "queries/<uuid:query>/scenarios/read/": {"post": V},
    "queries/<uuid:query>/scenarios/<uuid:scenario>/": {"get": V, "put": E, "delete": E},
    "queries/<uuid:query>/scenarios/<uuid:scenario>/transcript/": {"get": V},
    "templates/": {"get": V},
    "templates/<slug:template>/": {"post": E},
    "templates/<slug:template>/streams/": {"get": V, "post": E},
    "templates/<slug:template>/preview/": {"post": V},
    "definitions/": {"get": V},
    "definitions/plan/": {"post": V},
    "definitions/apply/": {"post": E},
    "transcripts/run/": {"post": V},
    "bindings/": {"get": V, "post": E},
    "bindings/<uuid:binding>/": {"get": V, "put": E, "delete": E},
    "bindings/<uuid:binding>/next-start/": {"get": V},
    "bindings/<uuid:binding>/timeline/": {"get": V},
    "bindings/<uuid:binding>/start/": {"post": O},
    "bindings/<uuid:binding>/stop/": {"post": O},
    "bindings/<uuid:binding>/uses/": {"get": V},
    "bindings/<uuid:binding>/repairs/": {"get": V, "post": O},
    "bindings/<uuid:binding>/version-change/": {"get": V, "post": O, "delete": O},
    "bindings/<uuid:binding>/results/": {"get": V, "delete": E},
    "bindings/<uuid:binding>/outputs/check/": {"post": E},
    "bindings/<uuid:binding>/outputs/<uuid:output>/rows/": {"get": V},
    "bindings/<uuid:binding>/outputs/<uuid:output>/refused/": {"get": V, "delete": E},
    "footprints/": {"get": V},
    "footprints/<uuid:footprint>/": {"delete": E},
    "runs/": {"get": V},
    "runs/<uuid:run>/": {"get": V},
    "runs/<uuid:run>/definition/": {"get": V},
    "runs/<uuid:run>/results/": {"get": V},
    "runs/<uuid:run>/quarantine/": {"get": V},
    "runs/<uuid:run>/quarantine/file/": {"get": V},
    "runs/<uuid:run>/history/": {"get": V},
    "runs/<uuid:run>/journal/": {"get": V},
    "runs/<uuid:run>/logs/": {"get": V},
    "runs/<uuid:run>/events/": {"get": V},
}


def test_the_table_names_every_address() -> None:
    assert set(RIGHTS) == set(ROUTES)


@pytest.mark.parametrize("role", list(Role))
def test_every_address_asks_for_the_right_that_the_table_says(role: Role, acme: Organisation) -> None:
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
