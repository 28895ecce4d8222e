"""Tokens of programs: what they may do, and everything that refuses them."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.conftest import POINTS, Person, graph, join
from webapp.accounts.models import Membership, Organisation, Token
from webapp.accounts.permissions import ALLOWED, Permission, Role
from webapp.accounts.tokens import MOST_TOKENS
from webapp.core.context import installation_context, organisation_context


@dataclass(frozen=True)
class Program:
    """A caller of the API with a token and without a cookie."""

    text: str
    client: Client

    def get(self, path: str, **more: Any) -> Any:
        return self.client.get(path, headers={"Authorization": f"Bearer {self.text}"}, **more)

    def post(self, path: str, body: Any = None) -> Any:
        return self.client.post(
            path,
            {} if body is None else body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.text}"},
        )


def wish(**changes: Any) -> dict[str, Any]:
    return {"name": "nightly", "role": "viewer", "expires_in_days": 30, **changes}


def made(person: Person, **changes: Any) -> Any:
    answered = person.post("tokens/", wish(**changes))
    assert answered.status_code == 201, answered.content
    return answered.json()


def program(person: Person, **changes: Any) -> Program:
    return Program(made(person, **changes)["token"], Client(enforce_csrf_checks=True, raise_request_exception=False))


def change(organisation: Organisation, **fields: Any) -> None:
    with organisation_context(organisation.pk):
        assert Token.objects.update(**fields) == 1


def refused(answered: Any) -> str:
    """See that it is a 401 in the envelope and return its sentence."""
    body = answered.json()
    assert (answered.status_code, body["code"], body["faults"]) == (401, "not_signed_in", [])
    assert answered.headers["WWW-Authenticate"] == "Bearer"
    return str(body["message"])


def test_a_token_reads_what_its_person_reads(alice: Person, speeding: dict[str, Any]) -> None:
    answered = program(alice).get("/api/t/acme/queries/")
    assert (answered.status_code, answered.json()) == (200, alice.get("queries/").json())


def test_a_token_writes_without_a_csrf_token(alice: Person) -> None:
    assert program(alice).post("/api/t/acme/queries/validate/", {"graph": graph()}).status_code == 200


def test_me_with_a_token_is_its_person_and_its_one_organisation(alice: Person, charlie: Person) -> None:
    with installation_context("a test lays out who is where"):
        Membership.objects.create(organisation=charlie.organisation, user=alice.user, role=Role.OWNER)
    assert len(alice.client.get("/api/me/").json()["organisations"]) == 2
    assert program(alice, role="designer").get("/api/me/").json() == {
        "id": str(alice.user.pk),
        "email": "alice@acme.example",
        "impersonator": None,
        "may_create_organisations": False,
        "organisations": [
            {
                "slug": "acme",
                "name": "Acme",
                "role": "owner",
                "permissions": ["edit", "propose", "push", "view"],
                "delete_after": None,
            }
        ],
    }


def test_an_organisation_that_is_not_the_tokens_is_absent_even_if_it_is_the_persons(
    alice: Person, charlie: Person
) -> None:
    with installation_context("a test lays out who is where"):
        Membership.objects.create(organisation=charlie.organisation, user=alice.user, role=Role.OWNER)
    caller = program(alice)
    theirs, nobodys = caller.get("/api/t/zeta/streams/"), caller.get("/api/t/nowhere/streams/")
    assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content)
    assert theirs.status_code == 404


def test_charlies_token_finds_nothing_of_alices(charlie: Person, cars: dict[str, Any]) -> None:
    caller = program(charlie, role="owner")
    assert caller.get("/api/t/acme/streams/").status_code == 404
    assert caller.get("/api/t/zeta/streams/").json() == []
    assert caller.get(f"/api/t/zeta/streams/{cars['id']}/").status_code == 404


@pytest.mark.parametrize("person", list(Role))
@pytest.mark.parametrize("token", list(Role))
def test_a_token_may_do_what_both_its_role_and_its_persons_present_role_allow(
    person: Role, token: Role, alice: Person, binding: dict[str, Any]
) -> None:
    somebody = join("somebody@acme.example", alice.organisation, Role.OWNER)
    caller = program(somebody, role=token)
    with organisation_context(somebody.organisation.pk):
        Membership.objects.filter(user=somebody.user).update(role=person)
    answers = {
        Permission.VIEW: caller.get("/api/t/acme/streams/"),
        Permission.EDIT: caller.post("/api/t/acme/streams/"),
        Permission.OPERATE: caller.post(f"/api/t/acme/bindings/{binding['id']}/stop/"),
        Permission.PUSH: caller.post(f"/api/t/acme/streams/{binding['id']}/rows/"),
        Permission.PROPOSE: caller.post("/api/t/acme/confirmations/"),
    }
    allowed = {permission for permission, answered in answers.items() if answered.status_code != 403}
    assert allowed == (ALLOWED[person] & ALLOWED[token]) - {Permission.ADMINISTER, Permission.OWN}


def test_a_refusal_says_whether_the_person_or_the_token_falls_short(alice: Person, bob: Person) -> None:
    of_the_token = program(alice).post("/api/t/acme/streams/").json()
    of_the_person = program(bob).post("/api/t/acme/streams/").json()
    assert of_the_token["message"] == (
        "The role viewer of this token may not edit here. Use a token that has this permission."
    )
    assert of_the_person["message"] == "Your role viewer may not edit here. Ask for the role designer, admin or owner."


@pytest.mark.parametrize(
    "text", ["", "pct_", "pct_a_b", "x", "pct__", "pct_\u00e9_\u00e9", "pct_\x00_\x00", "Bearer", "pct_" + "a" * 9000]
)
def test_what_is_no_token_is_refused(text: str, alice: Person) -> None:
    assert "is not valid" in refused(Program(text, Client()).get("/api/t/acme/streams/"))


def test_a_wrong_secret_and_an_unknown_key_are_refused_alike(alice: Person) -> None:
    text = made(alice)["token"]
    prefix, key_id, secret = text.split("_")
    wrong = [
        f"{prefix}_{key_id}_{secret[:-1]}{'0' if secret[-1] != '0' else '1'}",
        f"{prefix}_{key_id}_",
        f"{prefix}_{'0' * len(key_id)}_{secret}",
        f"xyz_{key_id}_{secret}",
        f"{prefix}_{key_id}_{secret}_more",
    ]
    sentences = {refused(Program(each, Client()).get("/api/me/")) for each in wrong}
    assert len(sentences) == 1


def test_a_revoked_token_is_refused_from_the_next_request_on(alice: Person) -> None:
    token = made(alice)
    caller = Program(token["token"], Client())
    assert caller.get("/api/me/").status_code == 200
    assert alice.client.delete(alice.url(f"tokens/{token['id']}/")).status_code == 204
    assert "was revoked" in refused(caller.get("/api/me/"))


def test_revoking_again_keeps_the_first_time(alice: Person) -> None:
    token = made(alice)
    first = alice.client.delete(alice.url(f"tokens/{token['id']}/")) and alice.get("tokens/").json()
    alice.client.delete(alice.url(f"tokens/{token['id']}/"))
    assert alice.get("tokens/").json() == first
    assert [each["state"] for each in first] == ["revoked"]


def test_a_token_ends_at_the_moment_it_expires(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = program(alice, expires_in_days=1)
    with organisation_context(alice.organisation.pk):
        ends = Token.objects.get().expires_at
    monkeypatch.setattr(timezone, "now", lambda: ends - timedelta(microseconds=1))
    assert caller.get("/api/me/").status_code == 200
    monkeypatch.setattr(timezone, "now", lambda: ends)
    assert f"expired on {ends:%Y-%m-%d}" in refused(caller.get("/api/me/"))
    assert [each["state"] for each in alice.get("tokens/").json()] == ["expired"]


def test_the_token_of_a_removed_member_is_refused(alice: Person, bob: Person) -> None:
    caller = program(bob)
    with organisation_context(bob.organisation.pk):
        Membership.objects.filter(user=bob.user).delete()
    for path in ("/api/me/", "/api/t/acme/streams/"):
        assert "no longer a member" in refused(caller.get(path))


def test_the_token_of_a_person_who_was_shut_out_is_refused(bob: Person) -> None:
    caller = program(bob)
    type(bob.user).objects.filter(pk=bob.user.pk).update(is_active=False)
    assert "no longer a member" in refused(caller.get("/api/me/"))


def test_a_bad_token_is_refused_even_with_a_good_session(alice: Person) -> None:
    assert "is not valid" in refused(Program("pct_a_b", alice.client).get("/api/me/"))


def test_a_token_in_the_address_the_body_or_a_cookie_is_ignored(alice: Person) -> None:
    text = made(alice)["token"]
    client = Client()
    client.cookies["token"] = client.cookies["sessionid"] = text
    for path in (f"/api/me/?token={text}", f"/api/me/?access_token={text}"):
        assert client.get(path).status_code == 401
    body = {"graph": graph(), "token": text, "access_token": text}
    answered = client.post("/api/t/acme/queries/validate/", body, content_type="application/json")
    assert answered.status_code == 401


def test_another_scheme_is_no_token(alice: Person) -> None:
    text = made(alice)["token"]
    for scheme in ("Basic", "Token", "pct"):
        assert Client().get("/api/me/", headers={"Authorization": f"{scheme} {text}"}).status_code == 401
    assert Client().get("/api/me/", headers={"Authorization": f"bearer {text}"}).status_code == 200


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_a_token_can_neither_list_nor_make_nor_revoke_tokens(method: str, alice: Person) -> None:
    token = made(alice, role="owner")
    path = f"tokens/{token['id']}/" if method == "delete" else "tokens/"
    answered = getattr(Client(), method)(
        f"/api/t/acme/{path}",
        wish(),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token['token']}"},
    )
    assert (answered.status_code, answered.json()["code"]) == (403, "forbidden")
    assert [each["state"] for each in alice.get("tokens/").json()] == ["active"]


@pytest.mark.parametrize(
    ("networks", "address", "status"),
    [
        ([], "192.0.2.1", 200),
        (["203.0.113.0/24"], "203.0.113.7", 200),
        (["203.0.113.0/24"], "::ffff:203.0.113.7", 200),
        (["198.51.100.1", "2001:db8::/32"], "2001:db8::1", 200),
        (["203.0.113.0/24"], "203.0.114.7", 401),
        (["203.0.113.0/24"], "2001:db8::1", 401),
        (["0.0.0.0/0"], "", 401),
        (["0.0.0.0/0"], "unix:", 401),
    ],
)
def test_a_token_is_used_only_from_its_networks(networks: list[str], address: str, status: int, alice: Person) -> None:
    caller = program(alice, allowed_networks=networks)
    assert caller.get("/api/me/", REMOTE_ADDR=address).status_code == status


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"expires_in_days": 367}, "expires_in_days"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": None}, "expires_in_days"),
        ({"name": "  "}, "name"),
        ({"role": "king"}, "role"),
        ({"allowed_networks": ["203.0.113.1/24"]}, "allowed_networks.0"),
        ({"allowed_networks": ["10.0.0.0/8", "here"]}, "allowed_networks.1"),
        ({"person": "alice@acme.example"}, "person"),
    ],
)
def test_a_token_that_cannot_be_is_refused_with_the_field(changes: dict[str, Any], field: str, alice: Person) -> None:
    answered = alice.post("tokens/", wish(**changes))
    assert (answered.status_code, [each["field"] for each in answered.json()["faults"]]) == (422, [field])


def test_nobody_makes_a_token_with_more_than_their_own_role(bob: Person) -> None:
    answered = bob.post("tokens/", wish(role="designer"))
    assert (answered.status_code, answered.json()["faults"][0]["field"]) == (422, "role")
    assert bob.get("tokens/").json() == []


def test_a_person_has_so_many_tokens_in_force_and_not_more(alice: Person) -> None:
    tokens = [made(alice) for _ in range(MOST_TOKENS)]
    assert alice.post("tokens/", wish()).status_code == 409
    alice.client.delete(alice.url(f"tokens/{tokens[0]['id']}/"))
    assert alice.post("tokens/", wish()).status_code == 201


def test_members_see_and_revoke_their_own_tokens_and_owners_everybodys(alice: Person, bob: Person) -> None:
    mine, theirs = made(alice), made(bob)
    assert {each["person"] for each in alice.get("tokens/").json()} == {"alice@acme.example", "bob@acme.example"}
    assert {each["person"] for each in bob.get("tokens/").json()} == {"bob@acme.example"}
    assert bob.client.delete(bob.url(f"tokens/{mine['id']}/")).status_code == 404
    assert alice.client.delete(alice.url(f"tokens/{theirs['id']}/")).status_code == 204


def test_charlie_cannot_revoke_alices_token(alice: Person, charlie: Person) -> None:
    token = made(alice)
    for slug in ("acme", "zeta"):
        assert charlie.client.delete(f"/api/t/{slug}/tokens/{token['id']}/").status_code == 404
    assert [each["state"] for each in alice.get("tokens/").json()] == ["active"]


def test_the_secret_is_in_the_answer_to_its_making_and_nowhere_else(
    alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with CaptureQueriesContext(connection) as captured:
        token = made(alice)
        caller = Program(token["token"], Client(raise_request_exception=False))
        answers = [
            caller.get("/api/me/"),
            alice.get("tokens/"),
            Program(token["token"] + "x", Client()).get("/api/me/"),
        ]
        caller.post("/api/t/acme/streams/", {"name": 1})
    secret = token["token"].split("_")[2]
    with organisation_context(alice.organisation.pk):
        kept = str(list(Token.objects.values()))
    for place in (*(each.content.decode() for each in answers), caplog.text, str(captured.captured_queries), kept):
        assert secret not in place
    assert token["prefix"] in answers[1].content.decode()


def test_the_digest_hangs_on_the_key_of_the_installation(alice: Person, settings: Any) -> None:
    caller = program(alice)
    settings.SECRET_KEY = "another key of this installation, long enough"
    assert "is not valid" in refused(caller.get("/api/me/"))


def test_a_token_costs_no_more_queries_than_a_session(alice: Person) -> None:
    caller = program(alice)
    caller.get("/api/t/acme/streams/")
    with CaptureQueriesContext(connection) as by_token:
        caller.get("/api/t/acme/streams/")
    with CaptureQueriesContext(connection) as by_session:
        alice.get("streams/")
    assert len(by_token) <= len(by_session)


def test_the_last_use_is_written_at_most_once_a_minute(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = program(alice)
    start = timezone.now()
    seen = []
    for seconds in (0, 59, 60, 119, 121):
        monkeypatch.setattr(timezone, "now", lambda at=start + timedelta(seconds=seconds): at)
        caller.get("/api/me/")
        with organisation_context(alice.organisation.pk):
            seen.append((Token.objects.get().last_used_at - start).total_seconds())
    assert seen == [0, 0, 60, 60, 121]


def test_a_refused_token_is_not_noted_as_used(alice: Person) -> None:
    caller = program(alice, allowed_networks=["203.0.113.0/24"])
    refused(caller.get("/api/me/"))
    assert alice.get("tokens/").json()[0]["last_used_at"] is None


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every attempt to reach Redis, which the broker of Celery is too."""
    attempts: list[str] = []

    def connect(self: Any) -> None:
        attempts.append(str(self))
        raise redis.ConnectionError("not now")

    monkeypatch.setattr(redis.connection.AbstractConnection, "connect", connect)
    return attempts


def test_tokens_work_without_redis(no_redis: list[str], alice: Person) -> None:
    caller = program(alice, role="designer")
    assert caller.get("/api/t/acme/streams/").status_code == 200
    assert caller.post("/api/t/acme/streams/", {"name": "cars", "definition": POINTS}).status_code == 422
    refused(Program("pct_a_b", Client()).get("/api/me/"))
    assert no_redis == []
