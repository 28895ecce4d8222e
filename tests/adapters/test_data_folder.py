"""An adapter can't name, list, read or write anything outside the folder of the data."""

import os
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.places import DataFolder
from streaming.adapters.registry import input_adapter
from tests.adapters.inputs import POINTS, files, payloads, rows, write

ROWS = "ts,k,v\n1,x,1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of an organisation's data, with the platform's files next to it."""
    write(tmp_path / "runner.csv", "ts,k,v\n1,token,7\n")
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def refusal(root: Path, **options: object) -> str:
    with pytest.raises(AdapterError) as refused:
        rows(files(root, **options))
    assert str(root.parent) not in str(refused.value)
    return str(refused.value)


def test_a_path_may_begin_with_the_name_of_the_folder_seen_from_outside(root: Path) -> None:
    write(root / "day" / "a.csv", ROWS)
    assert payloads(rows(files(root, path="files/day/a.csv")), "v") == [1]
    assert payloads(rows(files(root, path="files", pattern="*/*.csv")), "v") == [1]


@pytest.mark.parametrize("pattern", ["link/*.csv", "*/*.csv", "link/runner.csv", "link/absent.csv", "l*/**/*.csv"])
def test_a_link_to_another_folder_is_refused_without_revealing_its_contents(root: Path, pattern: str) -> None:
    (root / "link").symlink_to(root.parent)
    assert refusal(root, pattern=pattern).startswith("'link' is a link to a place outside the folder")


@pytest.mark.parametrize("target", ["runner.csv", "absent.csv"])
def test_a_link_to_a_file_is_refused_whether_or_not_the_file_exists(root: Path, target: str) -> None:
    (root / "a.csv").symlink_to(root.parent / target)
    assert refusal(root).startswith("'a.csv' is a link to a place outside the folder")


def test_links_that_stay_inside_are_followed_and_each_file_is_read_once(root: Path) -> None:
    write(root / "day" / "a.csv", ROWS)
    (root / "today").symlink_to("day")
    (root / "b.csv").symlink_to("day/a.csv")
    assert payloads(rows(files(root, pattern="today/*.csv")), "v") == [1]
    assert payloads(rows(files(root, pattern="*.csv")), "v") == [1]
    assert payloads(rows(files(root, pattern="*/*.csv")), "v") == [1]


def test_a_hard_link_to_a_file_outside_is_refused_and_one_between_two_files_inside_is_not(root: Path) -> None:
    os.link(root.parent / "runner.csv", root / "a.csv")
    assert "has another name outside the folder" in refusal(root)
    os.link(root / "a.csv", root / "b.csv")
    assert "has another name outside the folder" in refusal(root)
    (root.parent / "runner.csv").unlink()
    assert payloads(rows(files(root)), "v") == [7, 7]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl.gz", "rows.jsonl"])
def test_a_link_created_after_the_check_of_the_path_opens_nothing(root: Path, name: str) -> None:
    secret = write(root.parent / name, ROWS)
    folder = DataFolder(root)
    write(root / "day" / name, ROWS)
    checked = folder.inside(f"day/{name}")
    (root / "day" / name).unlink()
    (root / "day" / name).symlink_to(secret)
    with pytest.raises(OSError, match=r"symbolic links|not a directory"):
        folder.open(checked)
    (root / "day" / name).unlink()
    (root / "day").rmdir()
    (root / "day").symlink_to(root.parent)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        folder.open(checked)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        folder.write(checked, b"")
    assert secret.exists()


def test_things_that_are_not_files_are_refused_without_waiting(root: Path) -> None:
    os.mkfifo(root / "a.jsonl")
    assert refusal(root, path="a.jsonl") == "There is no file or folder 'a.jsonl'. Create it, or correct the path."
    with pytest.raises(AdapterError, match=r"'a\.jsonl' isn't a file"):
        input_adapter("rows", {"path": "a.jsonl"}, POINTS, root).latest({}, now=0, limit_rows=1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "ts,k\n1,x\n"),
        ("a.csv", "\n"),
        ("a.csv.gz", b""),
        ("a.parquet", "none"),
        ("a.dat", ROWS),
    ],
)
def test_an_error_names_the_file_as_its_user_knows_it(root: Path, name: str, content: str | bytes) -> None:
    write(root / "day" / name, content)
    if name.endswith(".gz"):
        (root / "day" / name).write_bytes(b"none")
    assert name in refusal(root, path="day")
    assert name in refusal(root, path=f"day/{name}")


def test_an_unreadable_folder_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_handle: int) -> None:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(os, "scandir", denied)
    assert refusal(root) == "The folder '.' can't be read (Permission denied). Make it readable."


def test_files_are_written_only_inside(root: Path) -> None:
    DataFolder(root).write("out/day/a.jsonl", b"a")
    assert (root / "out" / "day" / "a.jsonl").read_bytes() == b"a"
    (root / "link").symlink_to(root.parent)
    with pytest.raises(NotADirectoryError):
        DataFolder(root).write("link/a.jsonl", b"a")
    assert not (root.parent / "a.jsonl").exists()
