"""Boards: made, changed by versions, limited, and exchanged as files."""

from typing import Any

from tests.webapp.bundles.bundle import applied, exported, places, plan
from tests.webapp.conftest import Person, join
from tests.webapp.resources.boards import board_body
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role

BOARD_YAML = """\
title: Morning desk
tiles:
- kind: chart
  title: Rows
  binding: watch
  chart:
    kind: value
- kind: trust
  title: trust
  binding: watch
- kind: outcomes
  title: outcomes
  binding: watch
- kind: lag
  title: lag
  binding: watch
- kind: lateness
  title: lateness
  binding: watch
- kind: text
  title: Note
  text: Call the gate.
"""


def made(person: Person, body: dict[str, Any]) -> dict[str, Any]:
    answered = person.post("boards/", body)
    assert answered.status_code == 201, answered.content
    return dict(answered.json())


def test_a_change_makes_a_version_and_the_old_ones_stay(alice: Person, binding: dict[str, Any]) -> None:
    body = board_body("desk", binding["id"])
    board = made(alice, body)
    path = f"boards/{board['id']}/"
    assert alice.put(path, body).json()["version"] == 1  # unchanged
    changed = {**body, "definition": {**body["definition"], "seconds": 3_600, "where": ["plate:B 1"]}}
    assert alice.put(path, {**changed, "parent": 1}).json()["version"] == 2
    assert alice.put(path, {**body, "parent": 1}).status_code == 409
    versions = alice.get(f"{path}versions/").json()
    assert [(each["version"], each["definition"]["seconds"]) for each in versions] == [(2, 3_600), (1, None)]
    assert [each["version"] for each in alice.get(f"{path}versions/?before=2").json()] == [1]
    assert alice.get(path).json()["definition"]["where"] == ["plate:B 1"]


def test_a_tile_of_a_deleted_binding_stays_and_has_its_name(alice: Person, binding: dict[str, Any]) -> None:
    body = board_body("desk", binding["id"])
    path = f"boards/{made(alice, body)['id']}/"
    assert alice.client.delete(f"/api/t/acme/bindings/{binding['id']}/").status_code == 204
    shown = alice.get(path).json()
    assert shown["gone"] == [binding["id"]]
    assert shown["definition"]["tiles"][0]["binding_name"] == "watch"
    kept = {**body, "definition": {**body["definition"], "title": "Night desk"}}
    assert alice.put(path, kept).json()["definition"]["tiles"][0]["binding_name"] == "watch"
    assert alice.post("boards/", board_body("other", binding["id"])).json()["faults"][0]["field"] == (
        "definition.tiles[0].binding"
    )


def test_a_renamed_binding_stays_on_its_tiles(alice: Person, binding: dict[str, Any]) -> None:
    board = made(alice, board_body("desk", binding["id"]))
    body = {"name": "guard", "query_version": binding["query_version"], "inputs": {}}
    answered = alice.put(f"bindings/{binding['id']}/", body)
    assert answered.status_code == 200, answered.content
    assert alice.get(f"boards/{board['id']}/").json()["definition"]["tiles"][0]["binding_name"] == "guard"
    assert "binding: guard" in exported(alice)["boards/desk.yaml"]


def test_names_are_unique_and_renaming_keeps_the_board(alice: Person, binding: dict[str, Any]) -> None:
    body = board_body("desk", binding["id"])
    board = made(alice, body)
    assert alice.post("boards/", body).status_code == 409
    made(alice, {**body, "name": "night"})
    assert alice.put(f"boards/{board['id']}/", {**body, "name": "night"}).status_code == 409
    assert alice.put(f"boards/{board['id']}/", {**body, "name": "day"}).json()["name"] == "day"
    assert [each["name"] for each in alice.get("boards/").json()] == ["day", "night"]


def test_limits_name_what_to_do(alice: Person, binding: dict[str, Any], settings: Any) -> None:
    settings.QUOTA_DEFAULTS = {**settings.QUOTA_DEFAULTS, "boards": 1, "board_versions": 2}
    body = board_body("desk", binding["id"])
    path = f"boards/{made(alice, body)['id']}/"
    refused = alice.post("boards/", {**body, "name": "other"})
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    for title, status in (("two", 200), ("three", 409)):
        assert alice.put(path, {**body, "definition": {"title": title}}).status_code == status


def test_viewers_read_and_designers_write(acme: Organisation, bob: Person, binding: dict[str, Any]) -> None:
    body = board_body("desk", binding["id"])
    assert bob.post("boards/", body).status_code == 403
    dora = join("dora@acme.example", acme, Role.DESIGNER)
    path = f"boards/{made(dora, body)['id']}/"
    assert bob.get(path).status_code == 200
    assert bob.put(path, body).status_code == 403
    assert bob.client.delete(f"/api/t/acme/{path}").status_code == 403


def test_boards_of_others_do_not_exist(alice: Person, charlie: Person, binding: dict[str, Any]) -> None:
    board = made(alice, board_body("desk", binding["id"]))
    assert charlie.get("boards/").json() == []
    assert charlie.get(f"boards/{board['id']}/").status_code == 404
    assert charlie.post("boards/", board_body("mine", binding["id"])).status_code == 422


def test_a_board_is_exported_and_applied_as_a_file(alice: Person, binding: dict[str, Any]) -> None:
    board = made(alice, board_body("desk", binding["id"]))
    files = exported(alice)
    assert files["boards/desk.yaml"] == BOARD_YAML
    assert {each["action"] for each in plan(alice, files, prune=True)["changes"]} == {"unchanged"}
    files["boards/desk.yaml"] = BOARD_YAML.replace("Morning", "Night")
    files["boards/other.yaml"] = BOARD_YAML
    done = applied(alice, files)
    assert (done["board desk"], done["board other"], done["binding watch"]) == ("update", "create", "unchanged")
    shown = alice.get(f"boards/{board['id']}/").json()
    assert (shown["version"], shown["definition"]["title"]) == (2, "Night desk")
    assert shown["definition"]["tiles"][0]["binding"] == binding["id"]
    assert exported(alice) == files
    assert applied(alice, {}, prune=True)["board desk"] == "delete"
    assert exported(alice) == {}


def test_a_new_organisation_gets_binding_and_board_from_the_same_files(
    alice: Person, acme: Organisation, binding: dict[str, Any], charlie: Person
) -> None:
    made(alice, board_body("desk", binding["id"]))
    files = exported(alice)
    assert set(applied(charlie, files).values()) == {"create"}
    assert exported(charlie) == files
    tile = charlie.get(f"boards/{charlie.get('boards/').json()[0]['id']}/").json()["definition"]["tiles"][0]
    assert tile["binding"] == charlie.get("bindings/").json()[0]["id"]


def test_a_file_names_only_bindings_that_exist_and_tiles_that_have_a_form(alice: Person) -> None:
    files = {
        "boards/desk.yaml": "title: Desk\ntiles:\n- kind: lag\n  title: Lag\n  binding: watch\n",
        "boards/wide.yaml": "title: Desk\ntiles:\n- kind: text\n  title: Note\n  text: a\n  width: 13\n",
    }
    planned = plan(alice, files)
    assert places(planned) == [("boards/desk.yaml", 5, 3, "bad_file"), ("boards/wide.yaml", 6, 3, "bad_shape")]
    assert planned["faults"][0]["message"] == "No binding is called watch."


def test_a_chart_of_a_tile_is_checked_like_on_the_results_page(alice: Person, binding: dict[str, Any]) -> None:
    body = board_body("desk", binding["id"])
    body["definition"]["tiles"][0]["chart"] = {"kind": "heat"}
    refused = alice.post("boards/", body)
    assert refused.status_code == 422
    assert "`group` is required" in refused.json()["faults"][0]["message"]
