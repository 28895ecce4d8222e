"""Files are one lane in order of modification time, path and row, and keep the order in which they were taken."""

from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.journal import FILE_NAME
from tests.adapters.inputs import chunks, files, payloads, rows, write

HEADER = "ts,k,v\n"


def csv(*values: int) -> str:
    return HEADER + "".join(f"{value},x,{value}\n" for value in values)


def test_files_come_by_modification_time_then_path_then_row(tmp_path: Path) -> None:
    write(tmp_path / "b.csv", csv(3, 4), modified_s=10)
    write(tmp_path / "a.csv", csv(5), modified_s=20)
    write(tmp_path / "a0.csv", csv(1, 2), modified_s=10)
    assert payloads(rows(files(tmp_path)), "v") == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_the_division_into_batches_changes_no_row_and_no_position(tmp_path: Path, step: int) -> None:
    write(tmp_path / "a.csv", csv(1, 2, 3), modified_s=10)
    write(tmp_path / "b.csv.gz", csv(4, 5), modified_s=20)
    write(tmp_path / "c.csv", csv(), modified_s=30)
    write(tmp_path / "d.csv", csv(6), modified_s=40)
    found = chunks(files(tmp_path), step)
    assert [v for chunk in found for v in chunk.start.tolist()] == [1, 2, 3, 4, 5, 6]
    assert [v for chunk in found for v in chunk.positions.tolist()] == [0, 1, 2, 3, 4, 5]


def test_a_file_that_appears_later_with_an_older_time_is_read_after_those_taken(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    data = tmp_path / "data"
    write(data / "b.csv", csv(1, 2), modified_s=20)
    adapter = files(data, journal=journal)
    assert adapter.latest({"0": 0}, now=0, limit_rows=10) == {"0": 2}
    write(data / "a.csv", csv(3), modified_s=10)
    assert adapter.latest({"0": 2}, now=0, limit_rows=10) == {"0": 3}
    assert payloads(rows(files(data, journal=journal)), "v") == [1, 2, 3]


def test_only_as_many_files_are_taken_as_a_batch_needs(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / "data" / f"{number}.csv", csv(number), modified_s=number)
    adapter = files(tmp_path / "data", journal=tmp_path)
    adapter.latest({"0": 0}, now=0, limit_rows=2)
    assert len((tmp_path / FILE_NAME).read_text().splitlines()) == 2


def test_another_process_reads_the_journal(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.csv", csv(1, 2, 3), modified_s=10)
    reader = files(tmp_path / "data", journal=tmp_path)
    files(tmp_path / "data", journal=tmp_path).latest({"0": 0}, now=0, limit_rows=10)
    assert [chunk.start.tolist() for chunk in reader.read("0", 1, 3)] == [[2, 3]]


def test_a_journal_line_truncated_by_a_crash_is_written_again(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.csv", csv(1), modified_s=10)
    write(tmp_path / "data" / "b.csv", csv(2), modified_s=20)
    files(tmp_path / "data", journal=tmp_path).latest({"0": 0}, now=0, limit_rows=10)
    whole = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(whole[:-20])
    assert payloads(rows(files(tmp_path / "data", journal=tmp_path)), "v") == [1, 2]
    assert (tmp_path / FILE_NAME).read_bytes() == whole


def test_a_recreated_journal_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.csv", csv(1), modified_s=10)
    adapter = files(tmp_path / "data", journal=tmp_path)
    adapter.latest({"0": 0}, now=0, limit_rows=10)
    (tmp_path / FILE_NAME).rename(tmp_path / "old")
    write(tmp_path / "data" / "a.csv", csv(7), modified_s=11)
    assert payloads(rows(files(tmp_path / "data", journal=tmp_path)), "v") == [7]


@pytest.mark.parametrize("new", [csv(1, 2), csv(7)])
def test_a_file_that_changes_after_it_was_taken_is_an_error(tmp_path: Path, new: str) -> None:
    write(tmp_path / "a.csv", csv(1), modified_s=10)
    adapter = files(tmp_path)
    adapter.latest({"0": 0}, now=0, limit_rows=1)
    write(tmp_path / "a.csv", new, modified_s=11)
    with pytest.raises(AdapterError, match="was changed after its rows were counted"):
        list(adapter.read("0", 0, 1))
    with pytest.raises(AdapterError, match="was changed"):
        adapter.latest({"0": 0}, now=0, limit_rows=5)


def test_a_missing_file_is_an_error_only_when_it_is_needed(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", csv(1), modified_s=10)
    write(tmp_path / "b.csv", csv(2), modified_s=20)
    adapter = files(tmp_path)
    adapter.latest({"0": 0}, now=0, limit_rows=2)
    first.unlink()
    assert [chunk.start.tolist() for chunk in adapter.read("0", 1, 2)] == [[2]]
    with pytest.raises(AdapterError, match="Restore it"):
        list(adapter.read("0", 0, 2))


def test_an_input_ends_when_all_files_are_read_unless_it_follows(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", csv(1, 2), modified_s=10)
    adapter = files(tmp_path)
    reached = adapter.latest({"0": 0}, now=0, limit_rows=1)
    assert not adapter.finished(reached)
    reached = adapter.latest(reached, now=0, limit_rows=1)
    assert adapter.finished(reached)
    write(tmp_path / "b.csv", csv(3), modified_s=20)
    assert not adapter.finished(reached)
    assert not files(tmp_path, follow=True).finished({"0": 99})


def test_a_missing_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match=r"There is no file or folder 'in'\. Create it, or correct the path"):
        files(tmp_path, path="in").latest({"0": 0}, now=0, limit_rows=1)


def test_an_empty_folder_and_an_empty_file_are_no_rows(tmp_path: Path) -> None:
    assert rows(files(tmp_path, pattern="*.jsonl")) == []
    write(tmp_path / "a.jsonl", "")
    write(tmp_path / "b.jsonl.gz", "")
    write(tmp_path / "c.csv", "")
    assert rows(files(tmp_path)) == []


def test_unfinished_and_hidden_files_are_skipped(tmp_path: Path) -> None:
    for name in (".a.csv", "_b.csv", "c.csv.tmp", "d.csv.part"):
        write(tmp_path / name, csv(1))
    write(tmp_path / "e.csv", csv(2))
    assert payloads(rows(files(tmp_path)), "v") == [2]


def test_subfolders_are_read_if_the_pattern_includes_them(tmp_path: Path) -> None:
    write(tmp_path / "day" / "a.csv", csv(1))
    assert payloads(rows(files(tmp_path, pattern="**/*.csv")), "v") == [1]
    assert rows(files(tmp_path, pattern="*.csv")) == []


@pytest.mark.parametrize("path", ["../secret", "/etc", "data/../../secret", "data/link", "data\x00"])
def test_a_path_that_leads_outside_the_root_is_refused(tmp_path: Path, path: str) -> None:
    write(tmp_path / "secret" / "a.csv", csv(1))
    root = tmp_path / "root"
    (root / "data").mkdir(parents=True)
    (root / "data" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(AdapterError, match=r"outside the folder|character U\+0000"):
        rows(files(root, path=path))


def test_a_link_to_a_file_outside_the_root_is_refused(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.csv", csv(1))
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.csv").symlink_to(secret)
    with pytest.raises(AdapterError, match="outside the folder"):
        rows(files(tmp_path / "root"))


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "**x"])
def test_an_invalid_pattern_or_one_that_leads_outside_is_refused(tmp_path: Path, pattern: str) -> None:
    write(tmp_path / "secret.csv", csv(1))
    (tmp_path / "root").mkdir()
    with pytest.raises(AdapterError, match=r"outside the folder|is invalid"):
        rows(files(tmp_path / "root", pattern=pattern))


def test_a_pattern_reveals_nothing_about_files_outside_the_root(tmp_path: Path) -> None:
    """The error once named the first file found: ids of other organisations, and any file of the machine."""
    write(tmp_path / "another" / "secret.csv", csv(1))
    (tmp_path / "root").mkdir()
    messages = set()
    for pattern in ("../*/*.csv", "../absent/*.csv", "*/../../another/*.csv"):
        with pytest.raises(AdapterError, match="leads outside") as refused:
            rows(files(tmp_path / "root", pattern=pattern))
        messages.add(str(refused.value).replace(pattern, ""))
    assert len(messages) == 1


@pytest.mark.parametrize("pattern", ["**/**/*.csv", "a/" * 400 + "*"])
def test_a_long_or_deep_pattern_is_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(AdapterError, match="is invalid"):
        rows(files(tmp_path, pattern=pattern))


@pytest.mark.parametrize("path", ["a" * 300, "itself"])
def test_an_impossible_path_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    with pytest.raises(AdapterError, match="invalid on this machine"):
        rows(files(tmp_path, path=path))


def test_a_name_without_a_format_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.dat", csv(1))
    with pytest.raises(AdapterError, match="can't be determined from its name"):
        rows(files(tmp_path))
    assert payloads(rows(files(tmp_path, format="csv")), "v") == [1]


def test_a_damaged_gzip_file_raises_an_error(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.csv.gz", csv(*range(1000))).read_bytes()
    (tmp_path / "a.csv.gz").write_bytes(whole[:-30])
    with pytest.raises(AdapterError, match="damaged or incomplete"):
        rows(files(tmp_path))
