"""Everything of an organisation as one file, and the signed address that opens it."""

import asyncio
import json
import zipfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core import signing
from django.test import Client
from django.utils import timezone

from streaming.storage.results import Commit, ResultPart
from streaming.wire.messages import ResultRow
from tests.webapp.conftest import Person, join
from tests.wire.written import write_commit, write_part
from webapp.accounts.models import Membership
from webapp.accounts.permissions import Role
from webapp.administration.downloads import SALT
from webapp.administration.exporting import LONGEST, expire_exports, write_export
from webapp.administration.models import Export
from webapp.core.context import organisation_context
from webapp.core.tenancy import TenantModel


def written(person: Person) -> str:
    """Ask for an export, let the worker write it, and return its id."""
    made = person.post("exports/")
    assert made.status_code == 201, made.content
    with organisation_context(person.organisation.pk):
        write_export(Export.objects.get(pk=made.json()["id"]))
    return str(made.json()["id"])


def link(person: Person, export: str) -> str:
    answered = person.post(f"exports/{export}/link/")
    assert answered.status_code == 201, answered.content
    return str(answered.json()["url"])


def fetched(url: str) -> zipfile.ZipFile:
    answered = Client().get(url)
    assert answered.status_code == 200
    return zipfile.ZipFile(BytesIO(asyncio.run(content(answered))))


async def content(answered: Any) -> bytes:
    return b"".join([piece async for piece in answered.streaming_content])


def test_every_table_of_an_organisation_says_what_is_exported_or_where_else_it_is() -> None:
    for model in apps.get_models():
        if issubclass(model, TenantModel):
            reported = vars(model).get("exported")  # its own word, not that of a model which it derives from
            known = {field.attname for field in model._meta.concrete_fields}
            assert reported, model
            assert isinstance(reported, str) or set(reported) <= known, model


def test_an_export_holds_definitions_people_results_and_the_audit_log(
    alice: Person, bob: Person, binding: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    rows = [ResultRow(output="out", start=0, end=10, payload={"n": 3})]
    write_commit(folder, Commit(batch=0, parts=[write_part(folder, "results", 0, 0, rows)], totals={}))
    file = fetched(link(alice, written(alice)))
    names = set(file.namelist())
    for name in ("streams/cars.yaml", "queries/speeding.sql", "bindings/watch.yaml"):
        assert f"definitions/{name}" in names
    members = [json.loads(line) for line in file.read("members.jsonl").splitlines()]
    assert members == [
        {"user__email": "alice@acme.example", "role": "owner"},
        {"user__email": "bob@acme.example", "role": "viewer"},
    ]
    (part,) = [name for name in names if name.startswith("bindings/watch/")]
    assert json.loads(file.read(part))["payload"] == {"n": 3}
    actions = [json.loads(line)["action"] for line in file.read("auditevent.jsonl").splitlines()]
    assert {"stream.created", "export.requested"} <= set(actions)


def test_rows_that_are_deleted_while_an_export_is_written_do_not_spoil_it(
    alice: Person, binding: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    gone = ResultPart(kind="results", path="results/part-0-0.jsonl", rows=1, bytes=9)
    write_commit(folder, Commit(batch=0, parts=[gone], totals={}))
    assert "members.jsonl" in fetched(link(alice, written(alice))).namelist()


def test_no_digest_and_nothing_of_another_organisation_is_in_it(alice: Person, charlie: Person) -> None:
    alice.post("tokens/", {"name": "mine", "role": "viewer", "expires_in_days": 1})
    charlie.post("tokens/", {"name": "of-zeta", "role": "viewer", "expires_in_days": 1})
    file = fetched(link(alice, written(alice)))
    everything = b"".join(file.read(name) for name in file.namelist())
    assert b'"name": "mine"' in everything
    assert b"digest" not in everything
    assert b"zeta" not in everything


def test_two_exports_are_not_written_at_once(alice: Person) -> None:
    assert alice.post("exports/").status_code == 201
    assert alice.post("exports/").status_code == 409


def test_a_new_export_takes_the_place_of_the_one_before(alice: Person, tmp_path: Path) -> None:
    """Each may hold all results of the organisation: without this, asking again and again would fill the disk."""
    before, after = written(alice), written(alice)
    assert [each.stem for each in (tmp_path / f"{alice.organisation.pk}-exports").iterdir()] == [after]
    assert {each["id"]: each["state"] for each in alice.get("exports/").json()} == {before: "expired", after: "ready"}


def test_an_export_whose_writer_was_killed_does_not_block_others(alice: Person) -> None:
    killed = alice.post("exports/").json()["id"]
    with organisation_context(alice.organisation.pk):
        Export.objects.update(state="writing", created_at=timezone.now() - LONGEST - timedelta(seconds=1))
    assert alice.post("exports/").status_code == 201
    assert {each["id"]: each["state"] for each in alice.get("exports/").json()}[killed] == "failed"


def test_only_an_owner_exports(acme: Any) -> None:
    admin = join("ann@acme.example", acme, Role.ADMIN)
    assert [admin.get("exports/").status_code, admin.post("exports/").status_code] == [403, 403]


def test_an_address_is_made_only_for_what_is_ready(alice: Person) -> None:
    made = alice.post("exports/").json()
    assert alice.post(f"exports/{made['id']}/link/").status_code == 409


def test_a_signed_address_that_was_changed_or_is_too_old_opens_nothing(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = link(alice, written(alice))
    signed = url.removeprefix("/api/downloads/").rstrip("/")
    for place in range(0, len(signed), 7):
        other = "A" if signed[place] != "A" else "B"
        assert Client().get(f"/api/downloads/{signed[:place]}{other}{signed[place + 1 :]}/").status_code == 404
    later = signing.time.time() + 16 * 60
    monkeypatch.setattr(signing.time, "time", lambda: later)
    assert Client().get(url).status_code == 404


def test_a_signature_of_another_purpose_opens_nothing(alice: Person) -> None:
    export = written(alice)
    fields = {"o": str(alice.organisation.pk), "e": export, "p": str(alice.user.pk)}
    assert Client().get(f"/api/downloads/{signing.dumps(fields, salt=SALT)}/").status_code == 200
    assert Client().get(f"/api/downloads/{signing.dumps(fields, salt='another')}/").status_code == 404


def test_an_address_cannot_name_the_export_of_another_organisation(alice: Person, charlie: Person) -> None:
    export = written(alice)
    for organisation, person in ((charlie.organisation, charlie.user), (alice.organisation, charlie.user)):
        fields = {"o": str(organisation.pk), "e": export, "p": str(person.pk)}
        assert Client().get(f"/api/downloads/{signing.dumps(fields, salt=SALT)}/").status_code == 404
    assert charlie.post(f"exports/{export}/link/").status_code == 404


def test_an_address_ends_with_the_ownership_of_who_made_it(alice: Person) -> None:
    url = link(alice, written(alice))
    with organisation_context(alice.organisation.pk):
        Membership.objects.filter(user=alice.user).update(role=Role.ADMIN)
    assert Client().get(url).status_code == 404


def test_a_file_is_removed_after_two_days_and_the_list_says_so(alice: Person, tmp_path: Path) -> None:
    export = written(alice)
    url = link(alice, export)
    with organisation_context(alice.organisation.pk):
        Export.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        expire_exports()
    assert list((tmp_path / f"{alice.organisation.pk}-exports").iterdir()) == []
    assert alice.get("exports/").json()[0]["state"] == "expired"
    assert Client().get(url).status_code == 404
