"""A stored file leaves as it is, for those who may see it, and only from the organisation's folder."""

from pathlib import Path

import pytest

from tests.webapp.conftest import Person, join
from tests.webapp.uploads.bringing import CSV, brought
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role


@pytest.fixture
def files(alice: Person, tmp_path: Path) -> Path:
    folder = tmp_path / str(alice.organisation.pk) / "files"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("role", list(Role))
def test_everybody_who_may_view_may_download(acme: Organisation, alice: Person, role: Role) -> None:
    path = brought(alice, "cars.csv")
    answered = join("somebody@acme.example", acme, role).get(f"files/content/?path={path}")
    assert (answered.status_code, answered.getvalue()) == (200, CSV)
    assert answered.headers["Content-Type"] == "application/octet-stream"
    assert answered.headers["Content-Disposition"] == 'attachment; filename="cars.csv"'
    assert (answered.headers["Content-Length"], answered.headers["Cache-Control"]) == (str(len(CSV)), "no-store")
    assert answered.headers["X-Content-Type-Options"] == "nosniff"


def test_a_delivered_file_in_a_folder_keeps_its_name(alice: Person, files: Path) -> None:
    (files / "day=2026").mkdir()
    (files / "day=2026" / "Zürich.jsonl").write_bytes(b"{}\n" * 200_000)
    answered = alice.get("files/content/?path=day%3D2026/Z%C3%BCrich.jsonl")
    assert answered.getvalue() == b"{}\n" * 200_000
    assert answered.headers["Content-Disposition"] == "attachment; filename*=utf-8''Z%C3%BCrich.jsonl"


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "absent.csv",
        "../results/x",
        "/etc/hostname",
        "secret",
        ".hidden",
        "_punctual-1.json",
        "folder",
        "a%00b",
    ],
)
def test_everything_else_is_absent(alice: Person, files: Path, path: str) -> None:
    (files.parent / "results").mkdir()
    (files.parent / "results" / "x").write_text("x")
    (files / "secret").symlink_to("/etc/hostname")
    (files / ".hidden").write_text("x")
    (files / "_punctual-1.json").write_text("x")
    (files / "folder").mkdir()
    assert alice.get(f"files/content/?path={path}").status_code == 404


def test_files_of_others_are_absent(alice: Person, charlie: Person) -> None:
    assert charlie.get(f"files/content/?path={brought(alice, 'cars.csv')}").status_code == 404


def test_a_file_that_grows_is_sent_as_it_was(alice: Person, files: Path) -> None:
    (files / "log.jsonl").write_bytes(b"{}\n")
    answered = alice.get("files/content/?path=log.jsonl")
    with (files / "log.jsonl").open("ab") as file:
        file.write(b"{}\n")
    assert answered.getvalue() == b"{}\n"
