"""Data that lay beside the platform's own files is moved into `files/`, once, and nothing is written over."""

from pathlib import Path

from streaming.adapters.gathering import gather
from streaming.spark import savepoints
from streaming.wire.kept import points_path
from tests.adapters.inputs import files, payloads, rows, write

ROWS = "ts,k,v\n1,x,1\n"


def test_data_is_moved_with_its_folders_and_what_the_platform_keeps_stays(tmp_path: Path) -> None:
    for name in (
        "runner.json",
        "logs/runner.log",
        "carriers/main/carrier.json",
        "results/a/commits/1",
        ".previews/a/b",
        points_path("a") + "/1.json",
        f"{savepoints.FOLDER}/a-main-1.arrow",
    ):
        write(tmp_path / name, "own")
    write(tmp_path / "a.csv", ROWS)
    write(tmp_path / "day" / "b.csv", ROWS)
    write(tmp_path / "files" / "c.csv", ROWS)
    found = gather(tmp_path)
    assert (found.moved, found.left) == (("a.csv", "day"), ())
    assert found.sentences("acme") == ["Moved the data of organisation acme into its folder files/: a.csv, day."]
    assert payloads(rows(files(tmp_path / "files", path="files", pattern="**/*.csv")), "v") == [1, 1, 1]
    assert (tmp_path / "logs" / "runner.log").read_text() == "own"
    assert gather(tmp_path).sentences("acme") == []


def test_a_name_that_is_taken_and_a_link_are_left_and_told(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "old")
    write(tmp_path / "files" / "a.csv", "new")
    (tmp_path / "b.csv").symlink_to("/etc/hosts")
    found = gather(tmp_path)
    assert (found.moved, found.left) == ((), ("a.csv", "b.csv"))
    assert "a.csv, b.csv" in found.sentences("acme")[0]
    assert (tmp_path / "files" / "a.csv").read_text() == "new"


def test_an_organisation_without_a_folder_has_nothing_to_move(tmp_path: Path) -> None:
    assert gather(tmp_path / "none").sentences("acme") == []
