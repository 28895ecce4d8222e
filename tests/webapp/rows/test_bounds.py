"""Lists that grow without end answer with a hundred, and with the hundred before."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from tests.webapp.conftest import Person, graph, join
from tests.webapp.rows.filling import START, fill
from webapp.accounts.models import ServiceAccount, Token
from webapp.accounts.permissions import Role
from webapp.core.context import organisation_context
from webapp.queries.models import Query, QueryVersion
from webapp.runs.models import Binding, Run
from webapp.runs.states import Desired, Observed

MANY = 130


@pytest.fixture
def query(alice: Person) -> str:
    """A query of 130 versions, whose binding had as many runs, two at each moment."""
    filled = fill(alice.organisation, 1)
    with organisation_context(alice.organisation.pk):
        found = Query.objects.get(pk=filled.query)
        QueryVersion.objects.filter(query=found).exclude(number=1).delete()
        QueryVersion.objects.bulk_create(
            QueryVersion(query=found, number=number, graph=graph(), content_hash=f"{number:064}")
            for number in range(2, MANY + 1)
        )
        binding = Binding.objects.get()
        Run.objects.all().delete()
        Run.objects.bulk_create(run_at(binding, number // 2) for number in range(MANY))
    return str(filled.query)


def run_at(binding: Binding, minute: int) -> Run:
    at = START + timedelta(minutes=minute)
    states = {"desired": Desired.STOPPED, "observed": Observed.STOPPED}
    return Run(binding=binding, spec={}, created_at=at, changed_at=at, ended_at=at, **states)


def field_at_fault(answered: Any) -> tuple[int, str]:
    return answered.status_code, answered.json()["faults"][0]["field"]


def test_versions_are_listed_by_the_hundred(alice: Person, query: str) -> None:
    path = f"queries/{query}/versions/"
    newest = [each["number"] for each in alice.get(path).json()]
    assert newest == list(range(MANY, MANY - 100, -1))
    assert [each["number"] for each in alice.get(f"{path}?before={newest[-1]}").json()] == list(range(30, 0, -1))
    assert alice.get(f"{path}?before=1").json() == []


def test_runs_are_listed_by_the_hundred_and_none_twice(alice: Person, query: str) -> None:
    newest = alice.get("runs/").json()
    older = alice.get(f"runs/?before={newest[-1]['id']}").json()
    assert (len(newest), len(older)) == (100, 30)
    assert len({each["id"] for each in newest + older}) == MANY
    made = [each["created_at"] for each in newest + older]
    assert made == sorted(made, reverse=True)


def test_the_newest_run_of_a_binding_is_the_first_of_its_list(alice: Person, query: str) -> None:
    [shown] = alice.get("bindings/").json()
    assert shown["latest_run"]["id"] == alice.get("runs/").json()[0]["id"]


@pytest.mark.parametrize("before", ["0", "-1", "x", "2147483648", ""])
def test_a_number_that_no_version_has_is_refused(before: str, alice: Person, query: str) -> None:
    assert field_at_fault(alice.get(f"queries/{query}/versions/?before={before}")) == (422, "before")


def test_a_run_of_another_organisation_is_no_cursor(alice: Person, charlie: Person, query: str) -> None:
    mine = alice.get("runs/").json()[0]["id"]
    theirs = charlie.get(f"runs/?before={mine}")
    nobodys = charlie.get("runs/?before=00000000-0000-4000-8000-000000000000")
    assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content)
    assert field_at_fault(theirs) == field_at_fault(charlie.get("runs/?before=x")) == (422, "before")


def give_tokens(person: Person, count: int, minute: int, **holder: Any) -> None:
    """Give a holder `count` tokens that were revoked, two at each moment from `minute` on."""
    with organisation_context(person.organisation.pk):
        Token.objects.bulk_create(
            Token(
                **holder,
                name=f"token {number}",
                key_id=uuid.uuid4().hex[:12],
                digest="0" * 64,
                role=Role.VIEWER,
                created_at=START + timedelta(minutes=minute + number // 2),
                expires_at=START + timedelta(days=30),
                revoked_at=START + timedelta(days=1),
            )
            for number in range(count)
        )


def pages(person: Person, path: str) -> list[list[dict[str, Any]]]:
    """Return the first page and all later ones."""
    found = [person.get(path).json()]
    while found[-1]:
        found.append(person.get(f"{path}?before={found[-1][-1]['id']}").json())
    return found[:-1]


def test_tokens_are_listed_by_the_hundred_and_ones_own_are_not_hidden_behind_those_of_others(alice: Person) -> None:
    carol = join("carol@acme.example", alice.organisation, Role.ADMIN)
    give_tokens(alice, 3, 0, user=alice.user)
    give_tokens(alice, MANY, 1_000, user=carol.user)
    found = pages(alice, "tokens/")
    assert [len(page) for page in found] == [100, 33]
    listed = [each for page in found for each in page]
    assert len({each["id"] for each in listed}) == MANY + 3
    assert [each["person"] for each in listed] == [alice.user.email] * 3 + [carol.user.email] * MANY
    made = [each["created_at"] for each in listed]
    assert made == sorted(made[:3], reverse=True) + sorted(made[3:], reverse=True)


def test_the_tokens_of_a_service_account_are_listed_by_the_hundred(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        account = ServiceAccount.objects.create(name="nightly", role=Role.VIEWER, created_at=START)
    give_tokens(alice, MANY, 0, service_account=account)
    found = pages(alice, f"service-accounts/{account.pk}/tokens/")
    assert [len(page) for page in found] == [100, 30]
    assert len({each["id"] for page in found for each in page}) == MANY


def test_a_token_that_is_not_shown_to_me_is_no_cursor(alice: Person, bob: Person, charlie: Person) -> None:
    give_tokens(alice, 1, 0, user=alice.user)
    mine = alice.get("tokens/").json()[0]["id"]
    nobodys = bob.get("tokens/?before=00000000-0000-4000-8000-000000000000")
    for stranger in (bob, charlie):
        theirs = stranger.get(f"tokens/?before={mine}")
        assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content)
    assert field_at_fault(nobodys) == field_at_fault(bob.get("tokens/?before=x")) == (422, "before")
