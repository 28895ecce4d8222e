"""A token that proposes changes nothing without a confirmed plan, and only people decide."""

from typing import Any
from uuid import uuid4

import pytest

from tests.webapp.bundles.bundle import CARS_YAML
from tests.webapp.confirmations.programs import Program, confirmed, decide, program_of
from tests.webapp.conftest import Person, join
from webapp.accounts.models import Membership, Organisation
from webapp.accounts.permissions import ALLOWED, FILE, MATRIX, Permission, Role, read_matrix
from webapp.core.context import installation_context

PROPOSED = {
    ("confirmations/", "post"),
    ("confirmations/<uuid:confirmation>/carry-out/", "post"),
    ("queries/<uuid:query>/scenarios/", "post"),
}
"""The only writes of a token with the scopes `view` and `propose`."""
SCENARIO = {"name": "empty", "sample": {"rows": []}, "expect": {"events": []}}


@pytest.fixture
def program(alice: Person) -> Program:
    return program_of(alice)


def test_a_token_that_proposes_is_refused_by_every_other_write(program: Program) -> None:
    wrong = []
    for route, methods in MATRIX.routes.items():
        path = "/".join(str(uuid4()) if each.startswith("<") else each for each in route.split("/"))
        for method, rule in methods.items():
            is_allowed = rule.by_token and (rule.permission is Permission.VIEW or (route, method) in PROPOSED)
            if (program.send(method, path).status_code != 403) is not is_allowed:
                wrong.append((route, method))
    assert wrong == []


def test_the_matrix_names_only_methods_of_the_route_as_proposals() -> None:
    text = FILE.read_text()
    with pytest.raises(ValueError, match="unknown methods for queries/<uuid:query>/scenarios/: put"):
        read_matrix(text.replace("proposals: [post]", "proposals: [post, put]"))


def test_no_role_but_the_viewer_lacks_propose_and_a_viewer_plans_nothing(bob: Person, binding: dict[str, Any]) -> None:
    assert {role for role in Role if Permission.PROPOSE not in ALLOWED[role]} == {Role.VIEWER}
    assert bob.post("confirmations/", {"kind": "start", "binding": binding["id"]}).status_code == 403
    refused = bob.post("tokens/", {"name": "n", "role": "viewer", "expires_in_days": 1, "scopes": ["propose"]})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("role", "scopes", "status"),
    [
        ("owner", ("view", "propose"), 201),
        ("designer", ("view", "propose"), 201),
        ("operator", ("view", "propose"), 403),
        ("operator", (), 403),
        ("designer", ("view",), 403),
        ("designer", ("view", "edit"), 201),
    ],
)
def test_a_scenario_needs_a_role_that_edits_and_a_scope_that_edits_or_proposes(
    alice: Person, speeding: dict[str, Any], role: str, scopes: tuple[str, ...], status: int
) -> None:
    program = program_of(alice, role, scopes)
    path = f"queries/{speeding['id']}/scenarios/"
    made = program.post(path, SCENARIO)
    assert made.status_code == status
    if status == 201 and "propose" in scopes:
        own = f"{path}{made.json()['id']}/"
        assert [program.send(method, own, SCENARIO).status_code for method in ("put", "delete")] == [403, 403]


def test_a_service_account_of_a_lower_role_adds_no_scenario(alice: Person, speeding: dict[str, Any]) -> None:
    account = alice.post("service-accounts/", {"name": "robot", "role": "designer"}).json()["id"]
    body = {"name": "n", "role": "designer", "expires_in_days": 1, "scopes": ["view", "propose"]}
    made = alice.post(f"service-accounts/{account}/tokens/", body)
    program = Program("acme", made.json()["token"])
    path = f"queries/{speeding['id']}/scenarios/"
    assert program.post(path, SCENARIO).status_code == 201
    assert alice.put(f"service-accounts/{account}/", {"name": "robot", "role": "operator"}).status_code == 200
    assert program.post(path, {**SCENARIO, "name": "another"}).status_code == 403


def test_no_token_decides(alice: Person, program: Program, binding: dict[str, Any]) -> None:
    asked = program.plan(kind="start", binding=binding["id"])
    for other in (program, program_of(alice, scopes=())):
        refused = other.post(f"confirmations/{asked}/decision/", {"confirm": True})
        assert (refused.status_code, "Sign in in the browser" in refused.json()["message"]) == (403, True)
    assert program.carry_out(asked).status_code == 409


@pytest.mark.parametrize(
    ("role", "kind", "status"),
    [
        (Role.VIEWER, "start", 403),
        (Role.DESIGNER, "start", 403),
        (Role.OPERATOR, "start", 200),
        (Role.ADMIN, "start", 200),
    ],
)
def test_the_person_who_decides_needs_the_permission_of_the_change(
    acme: Organisation, program: Program, binding: dict[str, Any], role: Role, kind: str, status: int
) -> None:
    asked = program.plan(kind=kind, binding=binding["id"])
    person = join("dora@acme.example", acme, role)
    assert decide(person, asked).status_code == status


def test_an_operator_does_not_confirm_definitions(acme: Organisation, program: Program) -> None:
    asked = program.plan(kind="apply", files={"streams/lorries.yaml": CARS_YAML})
    operator = join("otto@acme.example", acme, Role.OPERATOR)
    refused = decide(operator, asked)
    assert refused.status_code == 403
    assert "Ask a person with the role designer, admin or owner." in refused.json()["message"]
    assert decide(join("dora@acme.example", acme, Role.DESIGNER), asked).status_code == 200


def test_a_plan_of_somebody_else_is_absent(
    alice: Person, acme: Organisation, program: Program, binding: dict[str, Any], charlie: Person
) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    dora = program_of(join("dora@acme.example", acme, Role.ADMIN), "admin")
    assert dora.carry_out(asked).status_code == 404
    stranger = program_of(charlie)
    assert stranger.carry_out(asked).status_code == 404
    assert charlie.get(f"confirmations/{asked}/").status_code == 404
    assert Program("acme", stranger.token).carry_out(asked).status_code == 404
    assert program.carry_out(asked).status_code == 200


def test_another_token_of_the_same_person_carries_it_out(
    alice: Person, program: Program, binding: dict[str, Any]
) -> None:
    asked = confirmed(alice, program.plan(kind="start", binding=binding["id"]))
    assert program_of(alice, "operator").carry_out(asked).status_code == 200


@pytest.mark.parametrize("change", ["removed", "demoted", "closed"])
def test_a_confirmation_counts_while_its_person_may_give_it(
    alice: Person, acme: Organisation, program: Program, binding: dict[str, Any], change: str
) -> None:
    dora = join("dora@acme.example", acme, Role.OPERATOR)
    asked = confirmed(dora, program.plan(kind="start", binding=binding["id"]))
    with installation_context("a test changes a member"):
        mine = Membership.objects.filter(user=dora.user, organisation=acme)
        if change == "removed":
            mine.delete()
        elif change == "demoted":
            mine.update(role=Role.DESIGNER)
        else:
            dora.user.is_active = False
            dora.user.save()
    refused = program.carry_out(asked)
    assert (refused.status_code, "may no longer do so" in refused.json()["message"]) == (409, True)
    assert alice.get("runs/").json() == []
