"""Nothing outside of the folder of the data can be named, listed, read or written through an adapter."""

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
    """The folder of an organisation's data; beside it lies what the platform keeps."""
    write(tmp_path / "runner.csv", "ts,k,v\n1,token,7\n")
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def refusal(root: Path, **options: object) -> str:
    with pytest.raises(AdapterError) as refused:
        rows(files(root, **options))
    assert str(root.parent) not in str(refused.value)
    return str(refused.value)


def test_a_path_may_begin_with_the_name_that_the_folder_has_from_outside(root: Path) -> None:
    write(root / "day" / "a.csv", ROWS)
    assert payloads(rows(files(root, path="files/day/a.csv")), "v") == [1]
    assert payloads(rows(files(root, path="files", pattern="*/*.csv")), "v") == [1]


@pytest.mark.parametrize("pattern", ["link/*.csv", "*/*.csv", "link/runner.csv", "link/absent.csv", "l*/**/*.csv"])
def test_a_link_to_another_folder_is_refused_without_a_word_of_what_it_holds(root: Path, pattern: str) -> None:
    (root / "link").symlink_to(root.parent)
    assert refusal(root, pattern=pattern).startswith("'link' is a link that leads outside the folder")


@pytest.mark.parametrize("target", ["runner.csv", "absent.csv"])
def test_a_link_to_a_file_is_refused_whether_or_not_there_is_one(root: Path, target: str) -> None:
    (root / "a.csv").symlink_to(root.parent / target)
    assert refusal(root).startswith("'a.csv' is a link that leads outside the folder")


def test_links_that_stay_inside_are_followed_and_each_file_is_read_once(root: Path) -> None:
    write(root / "day" / "a.csv", ROWS)
    (root / "today").symlink_to("day")
    (root / "b.csv").symlink_to("day/a.csv")
    assert payloads(rows(files(root, pattern="today/*.csv")), "v") == [1]
    assert payloads(rows(files(root, pattern="*.csv")), "v") == [1]
    assert payloads(rows(files(root, pattern="*/*.csv")), "v") == [1]


def test_a_hard_link_to_what_lies_outside_is_refused_and_one_between_two_files_inside_is_not(root: Path) -> None:
    os.link(root.parent / "runner.csv", root / "a.csv")
    assert "has another name outside the folder" in refusal(root)
    os.link(root / "a.csv", root / "b.csv")
    assert "has another name outside the folder" in refusal(root)
    (root.parent / "runner.csv").unlink()
    assert payloads(rows(files(root)), "v") == [7, 7]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl.gz", "rows.jsonl"])
def test_a_link_that_is_put_there_after_the_path_was_checked_opens_nothing(root: Path, name: str) -> None:
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


def test_what_is_no_file_is_refused_and_does_not_wait(root: Path) -> None:
    os.mkfifo(root / "a.jsonl")
    assert refusal(root, path="a.jsonl") == "There is no file or folder 'a.jsonl'; create it, or correct the path."
    with pytest.raises(AdapterError, match=r"'a\.jsonl' is no file"):
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
def test_a_fault_names_the_file_as_its_user_knows_it(root: Path, name: str, content: str | bytes) -> None:
    write(root / "day" / name, content)
    if name.endswith(".gz"):
        (root / "day" / name).write_bytes(b"none")
    assert name in refusal(root, path="day")
    assert name in refusal(root, path=f"day/{name}")


def test_a_folder_that_cannot_be_read_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_handle: int) -> None:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(os, "scandir", denied)
    assert refusal(root) == "The folder '.' cannot be read (Permission denied); see that it can be."


def test_files_are_written_inside_alone(root: Path) -> None:
    DataFolder(root).write("out/day/a.jsonl", b"a")
    assert (root / "out" / "day" / "a.jsonl").read_bytes() == b"a"
    (root / "link").symlink_to(root.parent)
    with pytest.raises(NotADirectoryError):
        DataFolder(root).write("link/a.jsonl", b"a")
    assert not (root.parent / "a.jsonl").exists()


def test_a_journal_of_before_goes_on_though_its_files_were_moved(root: Path, tmp_path: Path) -> None:
    write(root / "a.csv", ROWS)
    journal = tmp_path / "journal"
    files(root, journal=journal).latest({"0": 0}, now=0, limit_rows=9)
    kept = journal / "files.jsonl"
    for before in (root.parent / "a.csv", root / "a.csv"):
        earlier = tmp_path / f"journal of {before.parent.name}"
        earlier.mkdir(exist_ok=True)
        (earlier / "files.jsonl").write_text(kept.read_text().replace('"a.csv"', f'"{before}"'))
        assert files(root, journal=earlier).latest({"0": 0}, now=0, limit_rows=9) == {"0": 1}
        assert payloads(rows(files(root, journal=earlier)), "v") == [1]
