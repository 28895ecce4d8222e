"""Tokens are renamed, invitations get another role, exports are deleted: by whom they may, in their organisation."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from tests.webapp.accounts.test_tokens import made
from tests.webapp.administration.test_exports import link, written
from tests.webapp.conftest import Person, join
from tests.webapp.organisations.conftest import accept, delete, invited, look, roles, visitor
from webapp.accounts.permissions import Role
from webapp.administration.exporting import LONGEST
from webapp.administration.models import Export
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context


def last_events(person: Person) -> list[tuple[str, Any, Any]]:
    """Return what the newest event says, the newest first."""
    with organisation_context(person.organisation.pk):
        return [(each.action, each.before, each.after) for each in AuditEvent.objects.all()[:2]]


def test_a_renamed_token_stays_valid(alice: Person) -> None:
    token = made(alice)
    answered = alice.put(f"tokens/{token['id']}/", {"name": " weekly "})
    assert (answered.status_code, answered.json()["name"]) == (200, "weekly")
    assert [each["name"] for each in alice.get("tokens/").json()] == ["weekly"]
    assert last_events(alice)[0] == ("token.renamed", {"name": "nightly"}, {"name": "weekly"})
    signed_in = alice.client.get("/api/t/acme/queries/", headers={"Authorization": f"Bearer {token['token']}"})
    assert signed_in.status_code == 200


def test_a_token_of_a_service_account_is_renamed_by_who_administers(alice: Person, bob: Person) -> None:
    account = alice.post("service-accounts/", {"name": "robot", "role": "viewer"}).json()
    tokens = f"service-accounts/{account['id']}/tokens/"
    token = alice.post(tokens, {"name": "nightly", "role": "viewer", "expires_in_days": 1}).json()
    assert bob.put(f"tokens/{token['id']}/", {"name": "mine"}).status_code == 404
    assert alice.put(f"tokens/{token['id']}/", {"name": "weekly"}).status_code == 200
    assert [each["name"] for each in alice.get(tokens).json()] == ["weekly"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\u202eb"])
def test_a_token_keeps_its_name_where_the_new_one_is_none(alice: Person, name: str) -> None:
    token = made(alice)
    refused = alice.put(f"tokens/{token['id']}/", {"name": name})
    assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "name")
    assert [each["name"] for each in alice.get("tokens/").json()] == ["nightly"]


def test_setting_the_present_value_is_no_change(alice: Person) -> None:
    token = made(alice)
    invitation, _ = invited(alice)
    before = last_events(alice)
    assert alice.put(f"tokens/{token['id']}/", {"name": "nightly"}).status_code == 200
    assert alice.put(f"invitations/{invitation['id']}/", {"role": "designer"}).status_code == 200
    assert last_events(alice) == before


def test_who_accepts_an_invitation_whose_role_was_changed_gets_the_new_one_by_the_old_link(alice: Person) -> None:
    invitation, text = invited(alice, role="admin")
    answered = alice.put(f"invitations/{invitation['id']}/", {"role": "viewer"})
    assert (answered.status_code, answered.json()["role"]) == (200, "viewer")
    assert last_events(alice)[0] == ("invitation.role_changed", {"role": "admin"}, {"role": "viewer"})
    assert look(text).json()["role"] == "viewer"
    accept(visitor("dora@acme.example", alice.organisation), text)
    assert roles(alice)["dora@acme.example"] == "viewer"
    assert alice.put(f"invitations/{invitation['id']}/", {"role": "admin"}).status_code == 404


@pytest.mark.parametrize(("has", "gets"), [("owner", "viewer"), ("viewer", "owner")])
def test_an_admin_changes_no_invitation_from_or_to_more_than_their_own_role(alice: Person, has: str, gets: str) -> None:
    admin = join("ann@acme.example", alice.organisation, Role.ADMIN)
    invitation, _ = invited(alice, role=has)
    assert admin.put(f"invitations/{invitation['id']}/", {"role": gets}).status_code == 403
    assert alice.get("invitations/").json()[0]["role"] == has


def test_a_deleted_export_leaves_no_file_no_row_and_no_way_to_it(alice: Person, tmp_path: Path) -> None:
    export = written(alice)
    url = link(alice, export)
    assert delete(alice, f"exports/{export}/").status_code == 204
    assert list((tmp_path / f"{alice.organisation.pk}-exports").iterdir()) == []
    assert alice.get("exports/").json() == []
    assert [last_events(alice)[0][0], last_events(alice)[0][1]["state"]] == ["export.deleted", "ready"]
    assert alice.client.get(url).status_code == 404
    assert delete(alice, f"exports/{export}/").status_code == 404


def test_an_export_that_is_being_written_is_not_deleted_unless_its_writer_was_killed(alice: Person) -> None:
    export = alice.post("exports/").json()["id"]
    refused = delete(alice, f"exports/{export}/")
    assert refused.status_code == 409
    assert "Wait until it is ready" in refused.json()["message"]
    with organisation_context(alice.organisation.pk):
        Export.objects.update(state="writing", created_at=timezone.now() - LONGEST - timedelta(seconds=1))
    assert delete(alice, f"exports/{export}/").status_code == 204


def test_only_an_owner_deletes_an_export(alice: Person) -> None:
    export = written(alice)
    admin = join("ann@acme.example", alice.organisation, Role.ADMIN)
    assert delete(admin, f"exports/{export}/").status_code == 403
    assert [each["state"] for each in alice.get("exports/").json()] == ["ready"]


def test_what_is_of_another_organisation_is_absent(alice: Person, charlie: Person, tmp_path: Path) -> None:
    token, (invitation, _), export = made(charlie), invited(charlie), written(charlie)
    assert alice.put(f"tokens/{token['id']}/", {"name": "mine"}).status_code == 404
    assert alice.put(f"invitations/{invitation['id']}/", {"role": "viewer"}).status_code == 404
    assert delete(alice, f"exports/{export}/").status_code == 404
    assert [each["name"] for each in charlie.get("tokens/").json()] == ["nightly"]
    assert [each["role"] for each in charlie.get("invitations/").json()] == ["designer"]
    assert (tmp_path / f"{charlie.organisation.pk}-exports" / f"{export}.zip").is_file()
