"""Service accounts and their tokens: a name and a role of their own, never more than who made them, and scopes."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from tests.webapp.accounts.test_tokens import Program, program, refused, wish
from tests.webapp.conftest import POINTS, Person, file_adapter, graph
from tests.webapp.organisations.conftest import delete
from webapp.accounts import service_accounts
from webapp.accounts.models import Token
from webapp.accounts.permissions import ALLOWED, Permission, Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context


def create(by: Person, name: str = "nightly", role: str = "operator", **more: Any) -> Any:
    return by.post("service-accounts/", {"name": name, "role": role, **more})


def account(by: Person, name: str = "nightly", role: str = "operator") -> str:
    answered = create(by, name, role)
    assert answered.status_code == 201, answered.content
    return str(answered.json()["id"])


def caller(by: Person, account: str, **changes: Any) -> Program:
    answered = by.post(f"service-accounts/{account}/tokens/", wish(**changes))
    assert answered.status_code == 201, answered.content
    return Program(answered.json()["token"], Client(raise_request_exception=False))


def command(**changes: Any) -> str:
    """Return what `manage.py createtoken` prints."""
    printed = StringIO()
    call_command("createtoken", stdout=printed, **{"organisation": "acme", "role": "viewer", "days": 7, **changes})
    return printed.getvalue().strip()


def test_a_service_account_works_by_its_token_under_its_own_name(
    alice: Person, cars_file: str, binding: dict[str, Any]
) -> None:
    robot = caller(alice, account(alice, role="admin"), role="admin")
    assert robot.post("/api/t/acme/queries/", {"graph": graph(name="mine"), "comment": ""}).status_code == 201
    started = robot.post(f"/api/t/acme/bindings/{binding['id']}/start/")
    assert (started.status_code, started.json()["started_by"]) == (201, "nightly")
    query = next(each for each in alice.get("queries/").json() if each["name"] == "mine")
    assert alice.get(f"queries/{query['id']}/versions/").json()[0]["author"] == "nightly"
    stream = {"name": "more", "definition": POINTS, "adapter": file_adapter(cars_file)}
    assert robot.post("/api/t/acme/streams/", stream).status_code == 201


def test_me_is_the_service_account_and_its_organisation(alice: Person) -> None:
    made = account(alice)
    answered = caller(alice, made, role="operator").get("/api/me/").json()
    assert (answered["id"], answered["email"], answered["may_create_organisations"]) == (made, "nightly", False)
    assert [(each["slug"], each["permissions"]) for each in answered["organisations"]] == [
        ("acme", ["operate", "propose", "push", "view"])
    ]


def test_what_it_did_is_audited_as_its_own_and_stays_named_when_it_is_gone(
    alice: Person, binding: dict[str, Any]
) -> None:
    made = account(alice)
    robot = caller(alice, made, role="operator")
    run = robot.post(f"/api/t/acme/bindings/{binding['id']}/start/").json()["id"]
    assert delete(alice, f"service-accounts/{made}/").status_code == 204
    assert "is not valid" in refused(robot.get("/api/me/"))
    assert alice.get(f"runs/{run}/").json()["started_by"] == "nightly"
    with organisation_context(alice.organisation.pk):
        started = AuditEvent.objects.get(action="run.started")
        assert not Token.objects.exists()
    assert (started.actor_kind, started.actor_id, started.actor_label) == ("service", made, "nightly")
    assert started.token is not None
    assert robot.text.startswith(started.token)


def test_its_token_comes_to_no_route_for_sessions(alice: Person) -> None:
    made = account(alice, role="owner")
    robot = caller(alice, made, role="owner")
    paths = ["organisation/", "invitations/", "service-accounts/", f"service-accounts/{made}/tokens/", "tokens/"]
    assert {robot.get(f"/api/t/acme/{each}").status_code for each in paths} == {403}
    assert robot.post("/api/t/acme/organisation/deletion/", {"slug": "acme"}).status_code == 403
    assert robot.post("/api/organisations/", {"slug": "north", "name": "N"}).status_code == 403


@pytest.mark.parametrize("of_account", list(Role))
@pytest.mark.parametrize("later", list(Role))
def test_its_token_may_do_what_its_role_and_the_accounts_present_role_allow(
    of_account: Role, later: Role, alice: Person
) -> None:
    made = account(alice, role=of_account)
    robot = caller(alice, made, role=of_account)
    answered = alice.put(f"service-accounts/{made}/", {"name": "nightly", "role": later})
    assert answered.status_code == 200, answered.content
    allowed = robot.get("/api/me/").json()["organisations"][0]["permissions"]
    assert set(allowed) == ALLOWED[of_account] & ALLOWED[later]


def test_a_disabled_account_is_refused_from_the_next_request_on_and_let_in_again(alice: Person) -> None:
    made = account(alice)
    robot = caller(alice, made)
    body = {"name": "nightly", "role": "operator"}
    assert alice.put(f"service-accounts/{made}/", {**body, "disabled": True}).json()["disabled"] is True
    assert "is disabled" in refused(robot.get("/api/me/"))
    assert alice.put(f"service-accounts/{made}/", {**body, "disabled": False}).json()["disabled"] is False
    assert robot.get("/api/me/").status_code == 200


def test_a_wrong_secret_of_a_disabled_account_says_no_more_than_any_other(alice: Person) -> None:
    made = account(alice)
    robot = caller(alice, made)
    alice.put(f"service-accounts/{made}/", {"name": "nightly", "role": "operator", "disabled": True})
    assert "is not valid" in refused(Program(f"{robot.text}0", Client()).get("/api/me/"))


def test_an_admin_neither_makes_nor_touches_an_account_with_more_than_their_own_role(
    alice: Person, ada: Person
) -> None:
    owners, plain = account(alice, name="above", role="owner"), account(ada, name="below", role="admin")
    assert create(ada, name="x", role="owner").status_code == 403
    assert ada.put(f"service-accounts/{plain}/", {"name": "below", "role": "owner"}).status_code == 403
    assert ada.put(f"service-accounts/{owners}/", {"name": "above", "role": "viewer"}).status_code == 403
    assert delete(ada, f"service-accounts/{owners}/").status_code == 403
    assert ada.post(f"service-accounts/{owners}/tokens/", wish(role="owner")).status_code == 422
    assert ada.post(f"service-accounts/{plain}/tokens/", wish(role="admin")).status_code == 201


def test_a_token_is_not_above_its_account(alice: Person) -> None:
    answered = alice.post(f"service-accounts/{account(alice)}/tokens/", wish(role="designer"))
    assert (answered.status_code, [each["field"] for each in answered.json()["faults"]]) == (422, ["role"])


@pytest.mark.parametrize("name", ["", "alice@acme.example", "-x", "a\nb", "a" * 81, "näh"])
def test_a_name_that_could_pass_for_a_person_or_is_none_is_refused(name: str, alice: Person) -> None:
    answered = create(alice, name=name)
    assert (answered.status_code, answered.json()["faults"][0]["field"]) == (422, "name")


def test_names_are_unique_however_they_are_written(alice: Person, charlie: Person) -> None:
    made = account(alice)
    assert create(alice, name="NIGHTLY").json()["faults"][0]["code"] == "duplicate_name"
    assert create(charlie).status_code == 201
    renamed = alice.put(f"service-accounts/{made}/", {"name": "Nightly", "role": "operator"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Nightly")


def test_there_are_so_many_and_not_more(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    assert service_accounts.MOST_ACCOUNTS == 50
    monkeypatch.setattr(service_accounts, "MOST_ACCOUNTS", 1)
    assert [create(alice, name=each).status_code for each in ("one", "two")] == [201, 409]


def test_admins_see_and_revoke_its_tokens_and_those_of_persons(alice: Person, ada: Person, bob: Person) -> None:
    made = account(alice)
    robot, _ = caller(alice, made), program(bob)
    listed = ada.get("tokens/").json()
    assert {(each["person"], each["service_account"]) for each in listed} == {
        ("bob@acme.example", None),
        (None, "nightly"),
    }
    assert [each["person"] for each in bob.get("tokens/").json()] == ["bob@acme.example"]
    theirs = ada.get(f"service-accounts/{made}/tokens/").json()
    assert [each["service_account"] for each in theirs] == ["nightly"]
    assert delete(bob, f"tokens/{theirs[0]['id']}/").status_code == 404
    assert delete(ada, f"tokens/{theirs[0]['id']}/").status_code == 204
    assert "was revoked" in refused(robot.get("/api/me/"))


def test_the_list_counts_tokens_in_force_and_shows_the_last_use(alice: Person) -> None:
    made = account(alice)
    caller(alice, made).get("/api/me/")
    second = alice.post(f"service-accounts/{made}/tokens/", wish()).json()
    delete(alice, f"tokens/{second['id']}/")
    (shown,) = alice.get("service-accounts/").json()
    assert (shown["tokens"], shown["last_used_at"] is not None, shown["created_by"]) == (
        1,
        True,
        "alice@acme.example",
    )


@pytest.mark.parametrize("scope", ["view", "edit", "operate", "push", "propose"])
def test_a_token_may_do_no_more_than_its_scopes(scope: str, alice: Person, binding: dict[str, Any]) -> None:
    for narrow in (
        program(alice, role="owner", scopes=[scope]),
        caller(alice, account(alice, role="owner"), role="owner", scopes=[scope]),
    ):
        answers = {
            Permission.VIEW: narrow.get("/api/t/acme/streams/"),
            Permission.EDIT: narrow.post("/api/t/acme/streams/"),
            Permission.OPERATE: narrow.post(f"/api/t/acme/bindings/{binding['id']}/stop/"),
            Permission.PUSH: narrow.post(f"/api/t/acme/streams/{binding['id']}/rows/"),
            Permission.PROPOSE: narrow.post("/api/t/acme/confirmations/"),
        }
        assert {each for each, answered in answers.items() if answered.status_code != 403} == {scope}


def test_a_scope_outside_of_the_role_is_refused_with_its_place(alice: Person) -> None:
    answered = alice.post("tokens/", wish(role="operator", scopes=["view", "edit"]))
    assert (answered.status_code, [each["field"] for each in answered.json()["faults"]]) == (422, ["scopes.1"])


def test_scopes_are_shown_once_each_and_in_order(alice: Person) -> None:
    made = alice.post("tokens/", wish(role="designer", scopes=["view", "edit", "view"])).json()
    assert made["scopes"] == ["edit", "view"]
    assert alice.get("tokens/").json()[0]["scopes"] == ["edit", "view"]


def test_charlie_reaches_no_service_account_of_acme_by_id(alice: Person, charlie: Person) -> None:
    made = account(alice)
    for slug in ("acme", "zeta"):
        path = f"/api/t/{slug}/service-accounts/{made}/"
        body = {"name": "stolen", "role": "viewer"}
        assert charlie.client.put(path, body, content_type="application/json").status_code == 404
        assert charlie.client.delete(path).status_code == 404
        assert charlie.client.get(f"{path}tokens/").status_code == 404
        assert charlie.client.post(f"{path}tokens/", wish(), content_type="application/json").status_code == 404
    assert charlie.get("service-accounts/").json() == []


def test_every_change_is_recorded_and_no_secret_with_it(alice: Person) -> None:
    made = account(alice)
    robot = caller(alice, made, scopes=["view"])
    alice.put(f"service-accounts/{made}/", {"name": "nightly", "role": "viewer"})
    alice.put(f"service-accounts/{made}/", {"name": "nightly", "role": "viewer"})
    delete(alice, f"tokens/{alice.get('tokens/').json()[0]['id']}/")
    delete(alice, f"service-accounts/{made}/")
    with organisation_context(alice.organisation.pk):
        events = list(AuditEvent.objects.order_by("at").values())
    assert [each["action"] for each in events] == [
        "service_account.created",
        "token.created",
        "service_account.replaced",
        "token.revoked",
        "service_account.deleted",
    ]
    assert events[1]["after"]["scopes"] == ["view"]
    assert (events[2]["before"], events[2]["after"]) == ({"role": "operator"}, {"role": "viewer"})
    assert robot.text.split("_")[2] not in str(events)


def test_the_command_makes_tokens_of_service_accounts(alice: Person) -> None:
    account(alice)
    text = command(service_account="nightly", role="viewer", scope=["view"])
    assert Program(text, Client()).get("/api/me/").json()["email"] == "nightly"
    with organisation_context(alice.organisation.pk):
        assert AuditEvent.objects.get(action="token.created").actor_kind == "installation"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"service_account": "other"}, "no service account other"),
        ({"service_account": "nightly", "organisation": "nowhere"}, "no organisation nowhere"),
        ({"service_account": "nightly", "role": "owner"}, "Choose operator or less"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_service_account(
    changes: dict[str, Any], sentence: str, alice: Person
) -> None:
    account(alice)
    with pytest.raises(CommandError, match=sentence):
        command(**changes)
