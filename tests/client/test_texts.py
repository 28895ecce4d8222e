"""Validation and explanation of files, with the place of each error."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Punctual
from tests.webapp.conftest import graph

SOUND = "INSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"
FAULTY = "-- fast cars\nINSERT INTO out\n  SELECT STREAM * FROM cars WHERE sped > 120;\n"


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_a_sound_query_is_0(punctual: Punctual, cars: dict[str, Any], file: Any) -> None:
    name = file("speeding.sql", SOUND)
    ended = punctual("validate", name)
    assert (ended.code, ended.out, ended.err) == (0, f"{name}: valid\n", "")
    assert punctual("validate", name, "--json").json == {"files": [{"file": name, "sound": True, "faults": []}]}


def test_a_fault_is_shown_with_its_line_and_a_mark_under_it(
    punctual: Punctual, cars: dict[str, Any], file: Any
) -> None:
    name = file("speeding.sql", FAULTY)
    ended = punctual("validate", name)
    assert (ended.code, ended.out) == (1, "")
    lines = ended.err.splitlines()
    assert lines[0].startswith(f"{name}:3:35: error unknown_field in ")
    assert lines[1] == "    3 |   SELECT STREAM * FROM cars WHERE sped > 120;"
    assert lines[2] == "      | " + " " * 34 + "^^^^"
    assert any("speed" in line for line in lines[3:])


def test_a_fault_as_json_has_file_line_and_column(punctual: Punctual, cars: dict[str, Any], file: Any) -> None:
    name = file("speeding.sql", FAULTY)
    ended = punctual("validate", name, "--json")
    assert (ended.code, ended.err) == (1, "")
    fault = ended.json["files"][0]["faults"][0]
    assert (fault["file"], fault["line"], fault["column"], fault["code"]) == (name, 3, 35, "unknown_field")


def test_several_files_are_all_checked_and_one_fault_makes_it_1(
    punctual: Punctual, cars: dict[str, Any], file: Any
) -> None:
    names = [file("a.sql", SOUND), file("b.sql", FAULTY), file("c.json", json.dumps(graph()))]
    ended = punctual("validate", *names, "--json")
    assert [each["sound"] for each in ended.json["files"]] == [True, False, True]
    assert ended.code == 1


def test_standard_input_is_checked_as_text(punctual: Punctual, cars: dict[str, Any]) -> None:
    ended = punctual("validate", "-", stdin=FAULTY)
    assert (ended.code, ended.err.startswith("-:3:35: error")) == (1, True)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [("absent.sql", None, 4), ("latin.sql", b"\xe9", 1), ("broken.json", b"{", 1), ("deep.json", b"[" * 100_000, 1)],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_name(
    name: str, content: bytes | None, code: int, punctual: Punctual, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    ended = punctual("validate", str(path))
    assert (ended.code, name in ended.err) == (code, True)


def test_a_stored_query_is_explained_by_its_name(punctual: Punctual, speeding: dict[str, Any]) -> None:
    ended = punctual("explain", "speeding")
    assert ended.code == 0
    assert "per_plate" in ended.out
    assert punctual("explain", "speedin").code == 4


def test_a_file_is_explained_like_the_stored_query(punctual: Punctual, cars: dict[str, Any], file: Any) -> None:
    name = file("speeding.sql", SOUND)
    whole = punctual("explain", name, "--json").json
    assert set(whole) == {"explanation", "text", "mermaid"}
    assert json.loads(punctual("explain", name, "--format", "json").out) == whole["explanation"]
    assert punctual("explain", name, "--format", "mermaid").out.strip() == whole["mermaid"].strip()


def test_what_cannot_be_explained_shows_its_faults_at_their_places(
    punctual: Punctual, cars: dict[str, Any], file: Any
) -> None:
    name = file("broken.sql", "SELECT STREAM FROM WHERE;")
    ended = punctual("explain", name)
    assert (ended.code, f"{name}:1:" in ended.err, "^" in ended.err) == (1, True, True)
