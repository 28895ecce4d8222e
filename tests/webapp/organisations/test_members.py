"""Changes of members: somebody always owns, only owners make and remove owners, nobody raises their own role."""

from typing import Any
from uuid import UUID

import pytest
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.webapp.accounts.test_tokens import Program, made, program, refused
from tests.webapp.conftest import Person, join
from tests.webapp.organisations.conftest import delete, member_id, roles
from webapp.accounts.members import transfer_organisation
from webapp.accounts.models import Membership, Organisation, Token, User
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.core.errors import Forbidden


def put(person: Person, email: str, role: str) -> Any:
    return person.put(f"members/{member_id(person, email)}/", {"role": role})


def test_the_list_shows_role_time_and_oneself_and_second_factors_only_to_who_administers(
    alice: Person, bob: Person
) -> None:
    Authenticator.objects.create(user=alice.user, type=Authenticator.Type.TOTP, data={})
    Authenticator.objects.create(user=bob.user, type=Authenticator.Type.RECOVERY_CODES, data={})
    by_owner, by_viewer = alice.get("members/").json(), bob.get("members/").json()
    assert [(each["email"], each["role"], each["me"], each["second_factor"]) for each in by_owner] == [
        ("alice@acme.example", "owner", True, True),
        ("bob@acme.example", "viewer", False, False),
    ]
    assert [(each["me"], each["second_factor"]) for each in by_viewer] == [(False, None), (True, None)]
    assert all(each["joined_at"] for each in by_owner)


def test_the_list_costs_the_same_for_two_members_and_for_twenty(alice: Person, bob: Person) -> None:
    alice.get("members/")
    with CaptureQueriesContext(connection) as few:
        alice.get("members/")
    for number in range(18):
        join(f"member{number}@acme.example", alice.organisation, Role.VIEWER)
    with CaptureQueriesContext(connection) as many:
        assert len(alice.get("members/").json()) == 20
    assert len(many) == len(few)


@pytest.mark.parametrize("role", ["viewer", "designer", "operator", "admin", "owner"])
def test_an_owner_gives_every_role(role: str, alice: Person, bob: Person) -> None:
    answered = put(alice, "bob@acme.example", role)
    assert (answered.status_code, answered.json()["role"]) == (200, role)
    assert roles(alice)["bob@acme.example"] == role


@pytest.mark.parametrize("role", ["designer", "operator", "admin"])
def test_an_admin_gives_every_role_but_owner(role: str, ada: Person, bob: Person) -> None:
    assert put(ada, "bob@acme.example", role).status_code == 200
    assert put(ada, "bob@acme.example", "owner").status_code == 403
    assert roles(ada)["bob@acme.example"] == role


def test_an_admin_neither_lowers_nor_removes_an_owner(alice: Person, ada: Person) -> None:
    join("second@acme.example", alice.organisation, Role.OWNER)
    assert put(ada, "second@acme.example", "viewer").status_code == 403
    assert delete(ada, f"members/{member_id(ada, 'second@acme.example')}/").status_code == 403
    assert roles(alice)["second@acme.example"] == "owner"


def test_an_admin_cannot_make_themselves_owner_and_can_step_down(alice: Person, ada: Person) -> None:
    assert put(ada, "ada@acme.example", "owner").status_code == 403
    assert put(ada, "ada@acme.example", "viewer").status_code == 200
    assert put(ada, "ada@acme.example", "admin").status_code == 403


@pytest.mark.parametrize("role", [Role.VIEWER, Role.DESIGNER, Role.OPERATOR])
def test_who_does_not_administer_changes_nobody_and_removes_nobody_but_themselves(role: Role, alice: Person) -> None:
    somebody = join("somebody@acme.example", alice.organisation, role)
    assert put(somebody, "somebody@acme.example", "owner").status_code == 403
    assert delete(somebody, f"members/{member_id(alice, 'alice@acme.example')}/").status_code == 403
    assert delete(somebody, f"members/{member_id(alice, 'somebody@acme.example')}/").status_code == 204
    assert somebody.get("members/").status_code == 404


def test_the_last_owner_can_neither_leave_nor_step_down(alice: Person, ada: Person) -> None:
    left = delete(alice, f"members/{member_id(alice, 'alice@acme.example')}/")
    lowered = put(alice, "alice@acme.example", "admin")
    assert (left.status_code, lowered.status_code) == (409, 409)
    assert left.json()["message"].endswith("Assign another owner first, or delete it.")
    assert roles(alice)["alice@acme.example"] == "owner"


def test_one_of_two_owners_may_leave_and_the_other_then_not(alice: Person) -> None:
    other = join("second@acme.example", alice.organisation, Role.OWNER)
    assert delete(other, f"members/{member_id(alice, 'second@acme.example')}/").status_code == 204
    assert delete(alice, f"members/{member_id(alice, 'alice@acme.example')}/").status_code == 409


def test_an_owner_whose_account_is_shut_does_not_count(alice: Person) -> None:
    other = join("second@acme.example", alice.organisation, Role.OWNER)
    User.objects.filter(pk=other.user.pk).update(is_active=False)
    assert put(alice, "alice@acme.example", "admin").status_code == 409


def test_the_tokens_of_a_removed_member_end_and_stay_ended_when_they_come_back(alice: Person, bob: Person) -> None:
    caller = program(bob)
    assert delete(alice, f"members/{member_id(alice, 'bob@acme.example')}/").status_code == 204
    assert "was revoked" in refused(caller.get("/api/t/acme/streams/"))
    with organisation_context(alice.organisation.pk):
        Membership.objects.create(organisation=alice.organisation, user=bob.user, role=Role.VIEWER)
    assert "was revoked" in refused(caller.get("/api/t/acme/streams/"))


def test_only_the_tokens_of_the_removed_member_and_only_those_here_end(
    alice: Person, bob: Person, charlie: Person
) -> None:
    with organisation_context(charlie.organisation.pk):
        Membership.objects.create(organisation=charlie.organisation, user=bob.user, role=Role.VIEWER)
    elsewhere = made(Person(bob.user, charlie.organisation, bob.client))
    others = program(alice)
    assert delete(alice, f"members/{member_id(alice, 'bob@acme.example')}/").status_code == 204
    assert others.get("/api/me/").status_code == 200
    assert Program(elsewhere["token"], Client()).get("/api/me/").status_code == 200


def test_a_lowered_persons_token_may_do_no_more_than_they_from_the_next_request_on(alice: Person, ada: Person) -> None:
    caller = program(ada, role="designer")
    assert caller.post("/api/t/acme/streams/").status_code == 422
    assert put(alice, "ada@acme.example", "viewer").status_code == 200
    assert caller.post("/api/t/acme/streams/").status_code == 403


def test_charlie_changes_and_removes_nobody_of_acme_by_id(alice: Person, charlie: Person) -> None:
    member = member_id(alice, "alice@acme.example")
    for slug in ("acme", "zeta"):
        path = f"/api/t/{slug}/members/{member}/"
        assert charlie.client.put(path, {"role": "viewer"}, content_type="application/json").status_code == 404
        assert charlie.client.delete(path).status_code == 404
    assert roles(alice) == {"alice@acme.example": "owner"}


def test_a_transfer_makes_one_owner_and_the_other_admin_at_once(alice: Person, bob: Person) -> None:
    answered = alice.post("organisation/transfer/", {"member": member_id(alice, "bob@acme.example")})
    assert answered.status_code == 200, answered.content
    assert roles(bob) == {"alice@acme.example": "admin", "bob@acme.example": "owner"}
    with organisation_context(alice.organisation.pk):
        event = AuditEvent.objects.get(action="organisation.transferred")
    assert event.after == {"alice@acme.example": "admin", "bob@acme.example": "owner"}


def test_nothing_is_handed_to_oneself_a_stranger_or_a_shut_account(alice: Person, bob: Person, charlie: Person) -> None:
    User.objects.filter(pk=bob.user.pk).update(is_active=False)
    answers = [
        alice.post("organisation/transfer/", {"member": each})
        for each in (
            member_id(alice, "alice@acme.example"),
            member_id(alice, "bob@acme.example"),
            member_id(charlie, "charlie@zeta.example"),
        )
    ]
    assert [each.status_code for each in answers] == [409, 409, 404]
    assert roles(alice)["alice@acme.example"] == "owner"


def test_who_stopped_being_owner_a_moment_ago_hands_nothing_over(alice: Person, bob: Person) -> None:
    member = UUID(member_id(alice, "bob@acme.example"))
    with organisation_context(alice.organisation.pk):
        Membership.objects.filter(user=alice.user).update(role=Role.ADMIN)
        with pytest.raises(Forbidden):
            transfer_organisation(member=member, by=alice.user)


def test_every_change_of_members_is_recorded_with_before_and_after(alice: Person, bob: Person) -> None:
    program(bob)
    put(alice, "bob@acme.example", "designer")
    put(alice, "bob@acme.example", "designer")
    delete(alice, f"members/{member_id(alice, 'bob@acme.example')}/")
    with organisation_context(alice.organisation.pk):
        events = [
            (each.action, each.actor_label, each.target_label, each.before, each.after)
            for each in AuditEvent.objects.filter(target_kind="member").order_by("at")
        ]
    who = ("alice@acme.example", "bob@acme.example")
    assert events == [
        ("member.role_changed", *who, {"role": "viewer"}, {"role": "designer"}),
        ("member.removed", *who, {"role": "designer", "tokens_ended": 1}, None),
    ]


def test_a_token_lists_members_and_changes_none(alice: Person, bob: Person) -> None:
    caller = program(alice, role="admin")
    assert [each["me"] for each in caller.get("/api/t/acme/members/").json()] == [True, False]
    headers: Any = {"Authorization": f"Bearer {caller.text}"}
    path = alice.url(f"members/{member_id(alice, 'bob@acme.example')}/")
    assert Client().put(path, {"role": "admin"}, content_type="application/json", headers=headers).status_code == 403
    assert Client().delete(path, headers=headers).status_code == 403


def test_runs_continue_when_their_person_is_removed(alice: Person, binding: dict[str, Any], acme: Organisation) -> None:
    somebody = join("somebody@acme.example", acme, Role.OPERATOR)
    run = somebody.post(f"bindings/{binding['id']}/start/").json()["id"]
    delete(alice, f"members/{member_id(alice, 'somebody@acme.example')}/")
    seen = alice.get(f"runs/{run}/").json()
    assert (seen["desired"], seen["started_by"]) == ("running", "somebody@acme.example")
    with organisation_context(acme.pk):
        assert not Token.objects.exists()
