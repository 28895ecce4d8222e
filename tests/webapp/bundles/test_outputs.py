"""Outputs of bindings in files: exported without secrets, planned, applied, and the same elsewhere."""

import json
import zipfile
from typing import Any

import pytest

from tests.webapp.bundles.bundle import FILES, applied, apply, exported, places, plan
from tests.webapp.conftest import Person
from webapp.administration.exporting import ask_for_export, export_path, write_export
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.models import Binding

SECRET = "planted-s3cr3t"
WATCH = """\
query: speeding
outputs:
- node: out
  adapter:
    kind: delta
    options:
      key:
      - plate
      path: lake
- node: out
  adapter:
    kind: postgresql
    options:
      database: results
      host: db.example
      key:
      - plate
      password: planted-s3cr3t
      table: speeding
      user: writer
"""
TOLD = WATCH.replace("password: planted-s3cr3t", "password:\n        sealed: true")
PATH = "bindings/watch.yaml"


@pytest.fixture
def files(cars_file: str) -> dict[str, str]:
    del cars_file
    return {**FILES, PATH: WATCH}


def stored(person: Person) -> list[dict[str, Any]]:
    with organisation_context(person.organisation.pk):
        found: list[dict[str, Any]] = Binding.objects.get(name="watch").outputs
        return found


def diff_of(person: Person, files: dict[str, str]) -> str:
    planned = plan(person, files)
    assert planned["faults"] == []
    return next(each["diff"] for each in planned["changes"] if each["kind"] == "binding")


def test_outputs_are_exported_without_secrets_and_applied_again_they_change_nothing(
    alice: Person, files: dict[str, str]
) -> None:
    assert applied(alice, files)["binding watch"] == "create"
    assert exported(alice)[PATH] == TOLD
    first = stored(alice)
    assert [(each["adapter"]["kind"], each["fields"], each["revision"]) for each in first] == [
        (kind, {"plate": "string", "speed": "double"}, 1) for kind in ("delta", "postgresql")
    ]
    assert set(applied(alice, exported(alice)).values()) == {"unchanged"}
    assert stored(alice) == first
    page = alice.get("bindings/").content.decode()
    assert SECRET not in page + json.dumps(first) + json.dumps(plan(alice, files))


def test_a_plan_shows_what_becomes_of_outputs_and_what_is_kept_stays_the_same_output(
    alice: Person, files: dict[str, str]
) -> None:
    applied(alice, files)
    lake, table = stored(alice)
    first, second = TOLD.split("- node: out\n")[1:]
    head = "query: speeding\noutputs:\n"
    turned = {PATH: f"{head}- node: out\n{second}- node: out\n{first.replace('path: lake', 'path: sea')}"}
    assert "+      path: sea" in diff_of(alice, turned)
    applied(alice, turned)
    again = {each["adapter"]["kind"]: each for each in stored(alice)}
    assert again["postgresql"] == table, "its secret and how far it has come are its own"
    assert (again["delta"]["identity"], again["delta"]["revision"]) == (lake["identity"], 2)
    new_secret = {PATH: WATCH.replace("planted-s3cr3t", "another-secret").replace("path: lake", "path: sea")}
    assert "sealed: secret changed" in diff_of(alice, new_secret)
    assert "another-secret" not in json.dumps(plan(alice, new_secret))
    applied(alice, new_secret)
    assert stored(alice)[1]["adapter"]["options"]["password"] != table["adapter"]["options"]["password"]
    gone = {PATH: "query: speeding\n"}
    assert "-- node: out" in diff_of(alice, gone)
    applied(alice, gone)
    assert stored(alice) == []
    with organisation_context(alice.organisation.pk):
        events = list(AuditEvent.objects.filter(action__startswith="binding.").order_by("at"))
    assert [len(each.after["outputs"]) for each in events] == [2, 2, 2, 0]
    assert events[2].after["secrets_replaced"] == ["out.password"]
    assert SECRET not in "".join(str(each.before) + str(each.after) for each in events)


def test_where_a_secret_is_not_kept_it_is_named(alice: Person, charlie: Person, files: dict[str, str]) -> None:
    applied(alice, files)
    taken = exported(alice)
    planned = plan(charlie, taken)
    assert [(each["file"], each["line"]) for each in planned["faults"]] == [(PATH, 11)]
    assert "The secret 'password' is not stored" in planned["faults"][0]["message"]
    assert apply(charlie, taken).status_code == 422
    elsewhere = {PATH: TOLD.replace("db.example", "other.example")}
    assert "The secret 'password' is not stored" in plan(alice, elsewhere)["faults"][0]["message"]
    given = {**taken, PATH: WATCH}
    assert applied(charlie, given)["binding watch"] == "create"
    assert exported(charlie) == taken
    mine, theirs = stored(alice), stored(charlie)
    assert {each["identity"] for each in mine}.isdisjoint(each["identity"] for each in theirs)


WRONG = """\
query: speeding
outputs:
- node: nowhere
  adapter: {kind: delta, options: {path: lake}}
- node: out
  adapter:
    kind: delta
    options:
      path: ''
- node: out
  adapter: {kind: delta, options: {path: ../lake}}
- node: out
  adapter: {kind: pigeon, options: {}}
"""


def test_an_error_of_an_output_is_reported_at_its_place(alice: Person, files: dict[str, str]) -> None:
    found = [(line, code) for _, line, _, code in places(plan(alice, {**files, PATH: WRONG}))]
    assert found == [(3, "unknown_node"), (9, "bad_adapter"), (11, "bad_adapter"), (13, "bad_adapter")]
    without_node = WATCH.replace("- node: out\n  adapter", "- adapter", 1)
    assert places(plan(alice, {**files, PATH: without_node})) == [(PATH, 3, 3, "bad_shape")]


def test_a_change_of_an_output_since_the_plan_is_a_conflict(alice: Person, files: dict[str, str]) -> None:
    applied(alice, files)
    token = plan(alice, files)["token"]
    with organisation_context(alice.organisation.pk):
        binding = Binding.objects.get(name="watch")
        binding.outputs = []
        binding.save(update_fields=["outputs"])
    assert alice.post("definitions/apply/", {"files": files, "token": token}).status_code == 409


def test_everything_of_an_organisation_as_one_file_holds_outputs_and_no_secret(
    alice: Person, files: dict[str, str]
) -> None:
    applied(alice, files)
    with organisation_context(alice.organisation.pk):
        export = ask_for_export()
        write_export(export)
        with zipfile.ZipFile(export_path(export.pk)) as found:
            assert found.read(f"definitions/{PATH}").decode() == TOLD
            assert all(SECRET.encode() not in found.read(name) for name in found.namelist())
