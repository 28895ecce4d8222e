"""Organisations: creation and names, and a deletion with grace that can be cancelled."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from tests.webapp.accounts.test_tokens import program
from tests.webapp.conftest import Person, join
from tests.webapp.impersonating import acted_as
from tests.webapp.organisations.conftest import delete, roles
from webapp.accounts import organisations
from webapp.accounts.models import Organisation, User
from webapp.accounts.organisations import RESERVED
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context, organisation_context


@pytest.fixture(autouse=True)
def _open_sign_up(settings: Any) -> None:
    settings.SIGN_UP = "open"


def make(person: Person, slug: str = "north", name: str = "North") -> Any:
    return person.client.post("/api/organisations/", {"slug": slug, "name": name}, content_type="application/json")


def me(person: Person) -> dict[str, Any]:
    answered: dict[str, Any] = person.client.get("/api/me/").json()
    return answered


def actions(organisation: Organisation) -> list[str]:
    with organisation_context(organisation.pk):
        return list(AuditEvent.objects.order_by("at").values_list("action", flat=True))


def test_who_makes_an_organisation_owns_it(dora: Person) -> None:
    answered = make(dora)
    assert answered.status_code == 201, answered.content
    with installation_context("a test looks for what was made"):
        north = Organisation.objects.get(slug="north")
    assert (north.name, north.created_by) == ("North", "dora@acme.example")
    assert [(each["slug"], each["role"]) for each in me(dora)["organisations"]] == [("north", "owner")]
    assert actions(north) == ["organisation.created"]


def test_a_taken_short_name_says_only_that_it_is_taken(dora: Person, charlie: Person) -> None:
    answered = make(dora, slug="zeta")
    assert (answered.status_code, answered.json()["message"]) == (
        409,
        "The short name zeta is taken. Choose another.",
    )
    assert [each["field"] for each in answered.json()["faults"]] == ["slug"]
    assert charlie.organisation.name not in answered.content.decode()
    assert me(dora)["organisations"] == []


@pytest.mark.parametrize(
    "slug", ["", "ab", "a" * 41, "North", "no_rth", "-north", "north-", "nörth", "no rth", "north\n", "١٢٣"]
)
def test_a_short_name_that_cannot_be_is_refused_with_the_field(slug: str, dora: Person) -> None:
    answered = make(dora, slug=slug)
    assert (answered.status_code, [each["field"] for each in answered.json()["faults"]]) == (422, ["slug"])


@pytest.mark.parametrize("slug", ["api", "admin", "new", "installation", "demo"])
def test_reserved_words_are_no_short_names(slug: str, dora: Person) -> None:
    answered = make(dora, slug=slug)
    assert (answered.status_code, answered.json()["faults"][0]["code"]) == (422, "reserved_name")


def test_every_reserved_word_would_otherwise_be_a_short_name_or_is_too_short() -> None:
    assert {each for each in RESERVED if organisations.SHORT_NAME.fullmatch(each) is None} == {"me"}


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a" * 121, "\u007f"])
def test_a_name_is_one_line_of_at_most_120_signs(name: str, dora: Person) -> None:
    answered = make(dora, name=name)
    assert (answered.status_code, answered.json()["faults"][0]["field"]) == (422, "name")


@pytest.mark.parametrize(
    ("sign_up", "mail", "verified", "may"),
    [
        ("open", True, True, True),
        ("open", True, False, False),
        ("open", False, False, True),
        ("invitation", True, True, False),
        ("invitation", False, False, False),
    ],
)
def test_everybody_verified_makes_organisations_where_sign_up_is_open_and_staff_everywhere(
    sign_up: str, mail: bool, verified: bool, may: bool, dora: Person, settings: Any
) -> None:
    settings.SIGN_UP, settings.MAIL_GOES_OUT = sign_up, mail
    EmailAddress.objects.filter(user=dora.user).update(verified=verified)
    assert me(dora)["may_create_organisations"] is may
    assert make(dora).status_code == (201 if may else 403)
    User.objects.filter(pk=dora.user.pk).update(is_staff=True)
    assert me(dora)["may_create_organisations"]


def test_a_token_makes_no_organisation(alice: Person) -> None:
    assert program(alice, role="owner").post("/api/organisations/", {"slug": "north", "name": "N"}).status_code == 403


def test_nobody_owns_more_than_the_installation_says(dora: Person, settings: Any) -> None:
    assert settings.MOST_ORGANISATIONS == 20
    settings.MOST_ORGANISATIONS = 1
    first, second = (make(dora, slug=each) for each in ("north", "south"))
    assert (first.status_code, second.status_code) == (201, 409)
    assert "a person may own 1" in second.json()["message"]


def test_me_names_the_impersonator_of_the_session(alice: Person) -> None:
    assert me(alice)["impersonator"] is None
    assert me(acted_as(alice, by="root@punctual.example"))["impersonator"] == "root@punctual.example"


def test_an_owner_renames_and_an_admin_does_not(alice: Person, ada: Person) -> None:
    assert ada.put("organisation/", {"name": "Other"}).status_code == 403
    assert alice.put("organisation/", {"name": " Acme North "}).json()["name"] == "Acme North"
    assert ada.get("organisation/").json()["name"] == "Acme North"
    assert actions(alice.organisation) == ["organisation.renamed"]


def test_the_deletion_asks_for_the_short_name_typed_exactly(alice: Person) -> None:
    for slug in ("", "Acme", "acme ", "zeta"):
        assert alice.post("organisation/deletion/", {"slug": slug}).status_code == 422
    assert alice.get("organisation/").json()["delete_after"] is None
    assert mail.outbox == []


def test_the_deletion_is_for_owners_alone(alice: Person, ada: Person) -> None:
    assert ada.post("organisation/deletion/", {"slug": "acme"}).status_code == 403
    alice.post("organisation/deletion/", {"slug": "acme"})
    assert delete(ada, "organisation/deletion/").status_code == 403
    assert me(alice)["organisations"][0]["delete_after"] is not None


def test_the_grace_is_what_the_installation_says_and_asking_again_moves_nothing(
    alice: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DELETION_GRACE_DAYS = 3
    now = timezone.now()
    with monkeypatch.context() as patched:
        patched.setattr(timezone, "now", lambda: now)
        first = alice.post("organisation/deletion/", {"slug": "acme"}).json()["delete_after"]
    assert first == (now + timedelta(days=3)).isoformat()
    assert alice.post("organisation/deletion/", {"slug": "acme"}).json()["delete_after"] == first
    assert actions(alice.organisation) == ["organisation.deletion_asked"]


def test_everything_stops_nothing_starts_and_all_can_be_read_until_it_is_cancelled(
    alice: Person, binding: dict[str, Any]
) -> None:
    run = alice.post(f"bindings/{binding['id']}/start/").json()["id"]
    assert alice.post("organisation/deletion/", {"slug": "acme"}).status_code == 200
    assert alice.get(f"runs/{run}/").json()["desired"] == "stopped"
    started = alice.post(f"bindings/{binding['id']}/start/")
    assert started.status_code == 409
    assert "is to be deleted on" in started.json()["message"]
    assert started.json()["message"].endswith("Ask an owner to cancel the deletion.")
    for path in ("streams/", "queries/", "bindings/", "runs/", "members/", "organisation/"):
        assert alice.get(path).status_code == 200
    assert delete(alice, "organisation/deletion/").json()["delete_after"] is None
    assert alice.get(f"runs/{run}/").json()["desired"] == "stopped"
    assert "is to be deleted" not in alice.post(f"bindings/{binding['id']}/start/").content.decode()


def test_a_deletion_that_nobody_requested_cannot_be_cancelled(alice: Person) -> None:
    assert delete(alice, "organisation/deletion/").status_code == 409


def test_only_owners_get_mails_about_the_deletion_and_its_cancellation(
    alice: Person, ada: Person, django_capture_on_commit_callbacks: Any
) -> None:
    join("second@acme.example", alice.organisation, Role.OWNER)
    with django_capture_on_commit_callbacks(execute=True):
        alice.post("organisation/deletion/", {"slug": "acme"})
    with django_capture_on_commit_callbacks(execute=True):
        delete(alice, "organisation/deletion/")
    assert sorted((each.to[0], "not be deleted" in each.subject) for each in mail.outbox) == [
        ("alice@acme.example", False),
        ("alice@acme.example", True),
        ("second@acme.example", False),
        ("second@acme.example", True),
    ]
    assert "alice@acme.example requested the deletion" in mail.outbox[0].body


def test_nothing_is_handed_over_while_it_is_to_be_deleted(alice: Person, bob: Person) -> None:
    alice.post("organisation/deletion/", {"slug": "acme"})
    members = alice.get("members/").json()
    theirs = next(each["id"] for each in members if not each["me"])
    assert alice.post("organisation/transfer/", {"member": theirs}).status_code == 409
    assert roles(alice)["bob@acme.example"] == "viewer"


def test_charlie_neither_sees_nor_deletes_acme(alice: Person, charlie: Person) -> None:
    for answered in (
        charlie.client.get("/api/t/acme/organisation/"),
        charlie.client.post("/api/t/acme/organisation/deletion/", {"slug": "acme"}, content_type="application/json"),
        charlie.client.delete("/api/t/acme/organisation/deletion/"),
    ):
        assert answered.status_code == 404
    assert charlie.post("organisation/deletion/", {"slug": "acme"}).status_code == 422
    assert alice.get("organisation/").json()["delete_after"] is None
