"""Definitions as files: what a plan shows, what apply does, and what an export never does to a folder."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Punctual, token_of
from tests.client.test_sign_in import at_a_terminal
from tests.client.test_texts import FAULTY
from tests.conftest import ROOT
from tests.webapp.bundles.bundle import applied
from tests.webapp.bundles.test_modules import FILES, MODULE
from tests.webapp.bundles.test_modules import PATH as MODULE_PATH
from tests.webapp.conftest import Person
from webapp.client import folder as folders
from webapp.client.outcomes import CommandFailure, ExitCode
from webapp.client.server import ApiServer


@pytest.fixture
def defs(punctual: Punctual, binding: dict[str, Any], tmp_path: Path) -> Path:
    """The folder to which alice's definitions were exported."""
    folder = tmp_path / "defs"
    ended = punctual("export", str(folder))
    assert ended.code == 0, ended.err
    return folder


def files_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_an_export_is_the_organisations_files(defs: Path, alice: Person) -> None:
    assert files_in(defs) == alice.get("definitions/").json()["files"]
    assert set(files_in(defs)) == {"streams/cars.yaml", "queries/speeding.sql", "bindings/watch.yaml"}


def test_what_was_exported_changes_nothing(punctual: Punctual, defs: Path) -> None:
    ended = punctual("plan", str(defs), "--check")
    assert (ended.code, ended.out) == (0, "0 to create, 0 to change, 0 to delete.\n")
    applied = punctual("apply", str(defs), "--yes", "--json").json
    assert (applied["applied"], applied["summary"]["unchanged"]) == (False, 3)


def test_a_module_is_a_file_of_its_bytes(punctual: Punctual, alice: Person, cars_file: str, tmp_path: Path) -> None:
    applied(alice, FILES)
    folder = tmp_path / "modules"
    assert punctual("export", str(folder)).code == 0
    assert (folder / MODULE_PATH).read_bytes() == MODULE
    assert punctual("plan", str(folder), "--check").code == 0
    assert punctual("export", str(folder)).code == 0  # nothing would be overwritten
    (folder / MODULE_PATH).write_bytes(MODULE + b"\0")
    ended = punctual("plan", str(folder), "--check")
    assert (ended.code, "its bytes were changed" in ended.err + ended.out) == (1, True)


def test_a_module_that_is_too_large_is_not_sent(punctual: Punctual, defs: Path) -> None:
    path = defs / "modules" / f"{'0' * 64}.wasm"
    path.parent.mkdir()
    path.write_bytes(bytes((1 << 20) + 1))
    ended = punctual("plan", str(defs))
    assert (ended.code, "too large for a module" in ended.err) == (1, True)


def slower(defs: Path) -> None:
    path = defs / "queries" / "speeding.sql"
    text = path.read_text()
    assert "120" in text
    path.write_text(text.replace("120", "90"))


def test_a_plan_shows_the_difference_and_a_summary_and_changes_nothing(
    punctual: Punctual, defs: Path, alice: Person
) -> None:
    before = alice.get("definitions/").json()
    slower(defs)
    ended = punctual("plan", str(defs))
    lines = ended.out.splitlines()
    assert (ended.code, lines[-1]) == (0, "0 to create, 2 to change, 0 to delete.")
    assert [line for line in lines if line.startswith("~")] == ["~ query speeding", "~ binding watch"]
    assert any(line.startswith("    -") and "120" in line for line in lines)
    assert any(line.startswith("    +") and "90" in line for line in lines)
    assert punctual("plan", str(defs), "--check").code == 1
    assert alice.get("definitions/").json() == before


def test_apply_makes_the_organisation_like_the_folder(punctual: Punctual, defs: Path, alice: Person) -> None:
    slower(defs)
    ended = punctual("apply", str(defs), "--yes")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "Applied: 0 created, 2 changed, 0 deleted.")
    assert alice.get("definitions/").json()["files"] == files_in(defs)
    assert punctual("plan", str(defs), "--check").code == 0


def test_apply_without_a_terminal_asks_for_yes_before_it_does_anything(punctual: Punctual, defs: Path) -> None:
    slower(defs)
    for more in ([], ["--json"]):
        ended = punctual("apply", str(defs), *more, stdin="y\n")
        assert (ended.code, "--yes" in ended.err) == (2, True)
    assert punctual("plan", str(defs), "--check").code == 1


@pytest.mark.parametrize(("answer", "code", "then"), [("y", 0, 0), ("", 1, 1), ("no", 1, 1)])
def test_apply_at_a_terminal_asks(
    answer: str, code: int, then: int, punctual: Punctual, as_alice: dict[str, str], defs: Path
) -> None:
    slower(defs)
    command = [sys.executable, "-m", "webapp.client", "apply", str(defs)]
    ended, shown = at_a_terminal(command, [("[y/N] ", answer)], as_alice)
    assert ended == code, shown
    assert "2 to change" in shown
    assert punctual("plan", str(defs), "--check").code == then


def test_prune_deletes_what_the_folder_does_not_have(punctual: Punctual, defs: Path) -> None:
    (defs / "bindings" / "watch.yaml").unlink()
    assert punctual("plan", str(defs), "--json").json["summary"]["delete"] == 0
    planned = punctual("plan", str(defs), "--prune", "--json").json
    assert planned["summary"]["delete"] == 1
    assert punctual("apply", str(defs), "--prune", "--yes").code == 0
    assert punctual("list", "bindings", "--json").json == []


def test_faults_refuse_everything_and_are_shown_in_their_files(punctual: Punctual, defs: Path, alice: Person) -> None:
    before = alice.get("definitions/").json()
    (defs / "queries" / "speeding.sql").write_text(FAULTY)
    (defs / "streams" / "more.yaml").write_text((defs / "streams" / "cars.yaml").read_text())
    for command in (["plan"], ["apply", "--yes"]):
        ended = punctual(*command, str(defs))
        assert ended.code == 1
        assert "queries/speeding.sql:3:35: error unknown_field" in ended.err
        assert "    3 |   SELECT STREAM * FROM cars WHERE sped > 120;" in ended.err
    assert alice.get("definitions/").json() == before
    assert punctual("apply", str(defs), "--yes", "--json").json["applied"] is False


def test_a_change_between_plan_and_apply_is_5(
    punctual: Punctual, defs: Path, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    slower(defs)
    post = ApiServer.post

    def meanwhile(self: ApiServer, path: str, body: Any = None) -> Any:
        answered = post(self, path, body)
        if path == "definitions/plan/":
            assert post(self, "bindings/", {"name": "more", "query_version": version}).get("id")
        return answered

    version = alice.get("queries/").json()[0]["current"]["id"]
    monkeypatch.setattr(ApiServer, "post", meanwhile)
    ended = punctual("apply", str(defs), "--yes", "--json")
    assert (ended.code, ended.json["error"]["exit"]) == (5, 5)


def test_a_viewer_may_plan_and_export_but_not_apply(punctual: Punctual, defs: Path, alice: Person) -> None:
    slower(defs)
    viewer = {"PUNCTUAL_TOKEN": token_of(alice, "viewer")}
    assert punctual("plan", str(defs), env=viewer).code == 0
    assert punctual("apply", str(defs), "--yes", env=viewer).code == 3
    assert punctual("export", str(defs.parent / "other"), env=viewer).code == 0


def test_an_export_does_not_overwrite_what_was_changed_unless_forced(punctual: Punctual, defs: Path) -> None:
    exported = files_in(defs)
    slower(defs)
    changed = files_in(defs)
    ended = punctual("export", str(defs))
    assert (ended.code, "queries/speeding.sql would be overwritten" in ended.err) == (5, True)
    assert files_in(defs) == changed
    forced = punctual("export", str(defs), "--force", "--json")
    assert (forced.code, forced.json["written"], forced.json["unchanged"]) == (0, ["queries/speeding.sql"], 2)
    assert files_in(defs) == exported


def test_an_export_leaves_other_files_alone(punctual: Punctual, defs: Path) -> None:
    (defs / "README.md").write_text("ours")
    (defs / "transcripts").mkdir()
    (defs / "transcripts" / "late.yaml").write_text("ours")
    assert punctual("export", str(defs)).code == 0
    assert (defs / "README.md").read_text() == "ours"
    assert punctual("plan", str(defs), "--check").code == 0


@pytest.mark.parametrize("fails_at", range(6))
def test_an_export_that_cannot_be_written_writes_nothing(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "defs"
    old = {"streams/a.yaml": "old", "queries/b.sql": "same"}
    folders.write_folder(folder, old)
    steps = iter(range(100))
    write, move = Path.write_bytes, Path.replace

    def failing(real: Any) -> Any:
        def step(self: Path, *args: Any) -> Any:
            if next(steps) == fails_at:
                raise OSError(28, "No space left on device", str(self))
            return real(self, *args)

        return step

    new = {"streams/a.yaml": "new", "queries/b.sql": "same", "queries/c.sql": "new", "bindings/d.yaml": "new"}
    monkeypatch.setattr(Path, "write_bytes", failing(write))
    monkeypatch.setattr(Path, "replace", failing(move))
    with pytest.raises(CommandFailure, match="Nothing was exported"):
        folders.write_folder(folder, new)
    monkeypatch.undo()
    assert files_in(folder) == old


@pytest.mark.parametrize(
    "name",
    [
        "../streams/a.yaml",
        "/etc/passwd",
        "streams/../../a.yaml",
        ".bashrc",
        "streams/a/b.yaml",
        "queries/a.sh",
        "a.sql",
        "streams/.yaml",
        "streams/.a.yaml",
        "streams/a\n.yaml",
        "streams/a\x1b[2J.yaml",
        "streams/c:a.yaml",
        "streams/..\\a.yaml",
        f"streams/{'a' * 64}.yaml",
    ],
)
def test_a_server_cannot_have_a_file_written_elsewhere(name: str, tmp_path: Path) -> None:
    with pytest.raises(CommandFailure, match="does not belong here"):
        folders.write_folder(tmp_path / "defs", {"streams/a.yaml": "x", name: "x"})
    assert files_in(tmp_path) == {}


def test_an_export_does_not_follow_links(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "streams").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CommandFailure):
        folders.write_folder(tmp_path / "defs", {"streams/a.yaml": "x"})
    (tmp_path / "defs" / "queries").mkdir()
    (tmp_path / "defs" / "queries" / "b.sql").symlink_to(tmp_path / "secret")
    assert folders.changed_files(tmp_path / "defs", {"queries/b.sql": "mine"}) == ["queries/b.sql"]
    folders.write_folder(tmp_path / "defs", {"queries/b.sql": "theirs"})
    beside = tmp_path / "defs" / "queries" / f".c.sql.{os.getpid()}.new"
    beside.symlink_to(tmp_path / "secret")
    folders.write_folder(tmp_path / "defs", {"queries/c.sql": "theirs"})
    assert (tmp_path / "secret").read_text() == "mine"


@pytest.mark.parametrize("name", ["key.pem", "queries/notes.txt", "streams/deep/a.yaml", "other/a.yaml"])
def test_a_file_that_is_no_definition_is_refused_before_anything_is_sent(
    name: str, bare: Punctual, tmp_path: Path
) -> None:
    path = tmp_path / "defs" / name
    path.parent.mkdir(parents=True)
    path.write_text("private")
    ended = bare("plan", str(tmp_path / "defs"), "--address", "http://127.0.0.1:1", env={"PUNCTUAL_TOKEN": "pct_a_b"})
    assert (ended.code, f"{name} does not belong here" in ended.err) == (1, True)


def test_hidden_files_readmes_and_transcripts_are_not_sent(tmp_path: Path) -> None:
    for name in (".git/config", ".env", "README.md", "transcripts/a.yaml", "streams/.cars.yaml.swp", "queries/a.sql"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(folders.read_folder(tmp_path)) == ["queries/a.sql"]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_in_the_folder_is_not_followed(what: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.yaml").write_text("private")
    defs = tmp_path / "defs"
    defs.mkdir()
    if what == "folder":
        (defs / "streams").symlink_to(outside)
    else:
        (defs / "streams").mkdir()
        (defs / "streams" / "a.yaml").symlink_to(outside / "a.yaml")
    with pytest.raises(CommandFailure) as refused:
        folders.read_folder(defs)
    assert refused.value.exit is ExitCode.REFUSED


def test_a_folder_that_is_not_there_is_4(bare: Punctual, tmp_path: Path) -> None:
    ended = bare("plan", str(tmp_path / "absent"), "--address", "http://127.0.0.1:1", env={"PUNCTUAL_TOKEN": "pct_a_b"})
    assert ended.code == 4


def test_more_than_two_megabytes_are_not_sent(tmp_path: Path) -> None:
    (tmp_path / "queries").mkdir()
    for name in "abc":
        (tmp_path / "queries" / f"{name}.sql").write_text("-" * (folders.MOST_BYTES // 2))
    with pytest.raises(CommandFailure, match="more than 2 MB"):
        folders.read_folder(tmp_path)


def test_the_folder_may_be_the_one_where_one_is(
    punctual: Punctual, defs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(defs)
    assert punctual("plan", ".", "--check").code == 0
    assert os.path.realpath(".") != str(ROOT)


def test_a_folder_is_validated_as_a_plan_checks_it_and_nothing_is_stored(punctual: Punctual, defs: Path) -> None:
    (defs / "streams" / "vans.yaml").write_text((defs / "streams" / "cars.yaml").read_text())
    (defs / "queries" / "vans.sql").write_text("QUERY vans;\nINSERT INTO out SELECT STREAM * FROM vans;\n")
    ended = punctual("validate", str(defs))
    assert (ended.code, ended.err) == (0, "")
    assert f"{defs}/queries/vans.sql: valid" in ended.out.splitlines()
    (defs / "queries" / "vans.sql").write_text("QUERY vans;\nINSERT INTO out SELECT STREAM sped FROM vans;\n")
    ended = punctual("validate", str(defs), "--json")
    assert ended.code == 1
    wrong = next(each for each in ended.json["files"] if not each["sound"])
    assert wrong["file"] == f"{defs}/queries/vans.sql"
    assert [(each["code"], each["line"], each["file"]) for each in wrong["faults"]] == [
        ("unknown_field", 2, wrong["file"])
    ]
    assert [each["name"] for each in punctual("list", "streams", "--json").json] == ["cars"]
    alone = punctual("validate", str(defs / "streams" / "vans.yaml"))
    assert (alone.code, f"validate {defs}`" in alone.err) == (2, True)
