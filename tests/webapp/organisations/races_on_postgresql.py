"""Concurrent actions of two people on a real PostgreSQL: the second waits, and then sees the result of the first."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from tests.webapp.conftest import Person, join
from tests.webapp.organisations.conftest import accept, delete, invited, roles, visitor
from webapp.accounts.invitations import accept as accept_now
from webapp.accounts.invitations import invite, revoke
from webapp.accounts.members import change_role, remove_member, transfer_organisation
from webapp.accounts.models import Invitation, Membership, Organisation, OrganisationLimit
from webapp.accounts.organisations import ask_for_deletion, create_organisation
from webapp.accounts.permissions import Role
from webapp.accounts.service_accounts import create_service_account
from webapp.core.context import organisation_context

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_S = 30


def while_pending(organisation: Organisation, change: Callable[[], Any], request: Callable[[], Any]) -> Any:
    """Answer `request`, which is made while `change` is not committed yet and must wait for it."""

    def send() -> Any:
        try:
            return request()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            with organisation_context(organisation.pk):
                change()
            answered = pool.submit(send)
            wait_until_blocked(answered)
        return answered.result()


def wait_until_blocked(answered: "Future[Any]") -> None:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        assert not answered.done(), f"did not wait: {answered.result().content}"
    raise AssertionError("neither waited nor answered")


def member(person: Person) -> Membership:
    return Membership.objects.get(user=person.user, organisation=person.organisation)


@pytest.fixture
def second(alice: Person) -> Person:
    return join("second@acme.example", alice.organisation, Role.OWNER)


@pytest.fixture
def memberships(alice: Person, second: Person) -> dict[str, Membership]:
    with organisation_context(alice.organisation.pk):
        return {each.user.email: member(each) for each in (alice, second)}


def test_of_two_owners_who_leave_at_once_one_stays(
    alice: Person, second: Person, memberships: dict[str, Membership]
) -> None:
    mine, theirs = memberships["alice@acme.example"].pk, memberships["second@acme.example"].pk
    answered = while_pending(
        alice.organisation,
        lambda: remove_member(member=theirs, by=second.user),
        lambda: delete(alice, f"members/{mine}/"),
    )
    assert answered.status_code == 409
    assert roles(alice) == {"alice@acme.example": "owner"}


def test_of_two_owners_who_step_down_at_once_one_stays(
    alice: Person, second: Person, memberships: dict[str, Membership]
) -> None:
    mine, theirs = memberships["alice@acme.example"].pk, memberships["second@acme.example"].pk
    answered = while_pending(
        alice.organisation,
        lambda: change_role(member=theirs, role=Role.ADMIN, by=second.user),
        lambda: alice.put(f"members/{mine}/", {"role": "viewer"}),
    )
    assert answered.status_code == 409
    assert roles(alice) == {"alice@acme.example": "owner", "second@acme.example": "admin"}


def test_a_person_who_is_lowered_at_the_same_time_gives_no_role(
    alice: Person, second: Person, memberships: dict[str, Membership]
) -> None:
    theirs = memberships["second@acme.example"].pk
    answered = while_pending(
        alice.organisation,
        lambda: change_role(member=theirs, role=Role.VIEWER, by=alice.user),
        lambda: second.post("invitations/", {"email": "dora@acme.example", "role": "admin"}),
    )
    assert answered.status_code == 403
    assert alice.get("invitations/").json() == []


def test_what_was_handed_over_is_not_handed_over_again(
    alice: Person, bob: Person, memberships: dict[str, Membership]
) -> None:
    with organisation_context(alice.organisation.pk):
        bobs = member(bob).pk
    answered = while_pending(
        alice.organisation,
        lambda: transfer_organisation(member=bobs, by=alice.user),
        lambda: alice.post("organisation/transfer/", {"member": str(memberships["second@acme.example"].pk)}),
    )
    assert answered.status_code == 403


def test_a_member_removed_at_the_same_time_makes_no_token(alice: Person, bob: Person) -> None:
    with organisation_context(alice.organisation.pk):
        bobs = member(bob).pk
    answered = while_pending(
        alice.organisation,
        lambda: remove_member(member=bobs, by=alice.user),
        lambda: bob.post("tokens/", {"name": "late", "role": "viewer", "expires_in_days": 1}),
    )
    assert answered.status_code == 404
    assert alice.get("tokens/").json() == []


def test_an_invitation_revoked_at_the_same_time_opens_nothing(alice: Person) -> None:
    made, text = invited(alice)
    dora = visitor("dora@acme.example", alice.organisation)
    answered = while_pending(
        alice.organisation,
        lambda: revoke(invitation=made["id"], by=alice.user),
        lambda: accept(dora, text),
    )
    assert answered.status_code == 404
    assert list(roles(alice)) == ["alice@acme.example"]


def test_accepting_twice_at_once_joins_once(alice: Person) -> None:
    _, text = invited(alice)
    dora = visitor("dora@acme.example", alice.organisation)
    answered = while_pending(
        alice.organisation, lambda: accept_now(text=text, by=dora.user), lambda: accept(dora, text)
    )
    assert answered.status_code == 200
    assert roles(alice) == {"alice@acme.example": "owner", "dora@acme.example": "designer"}


def test_two_invitations_at_once_do_not_share_the_last_place(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        OrganisationLimit(quota="members", value=2).save()
    answered = while_pending(
        alice.organisation,
        lambda: invite(email="x@acme.example", role=Role.VIEWER, by=alice.user),
        lambda: alice.post("invitations/", {"email": "y@acme.example", "role": "viewer"}),
    )
    assert answered.json()["code"] == "over_quota"
    with organisation_context(alice.organisation.pk):
        assert [each.email for each in Invitation.objects.all()] == ["x@acme.example"]


def test_no_run_slips_into_an_organisation_that_is_to_be_deleted(alice: Person, binding: dict[str, Any]) -> None:
    answered = while_pending(
        alice.organisation,
        lambda: ask_for_deletion(slug="acme"),
        lambda: alice.post(f"bindings/{binding['id']}/start/"),
    )
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")
    assert alice.get("runs/").json() == []


def test_a_short_name_is_given_once(alice: Person, settings: Any) -> None:
    settings.SIGN_UP = "open"
    dora = visitor("dora@acme.example", alice.organisation)
    body = {"slug": "north", "name": "North"}
    answered = while_pending(
        alice.organisation,
        lambda: create_organisation(slug="north", name="Mine", by=alice.user),
        lambda: dora.client.post("/api/organisations/", body, content_type="application/json"),
    )
    assert (answered.status_code, answered.json()["message"]) == (
        409,
        "The short name north is taken. Choose another.",
    )


def test_a_name_of_a_service_account_is_given_once(alice: Person) -> None:
    answered = while_pending(
        alice.organisation,
        lambda: create_service_account(name="nightly", role=Role.VIEWER, disabled=False, by=alice.user),
        lambda: alice.post("service-accounts/", {"name": "nightly", "role": "viewer"}),
    )
    assert answered.json()["faults"][0]["code"] == "duplicate_name"
