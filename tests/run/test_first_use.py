"""What someone meets who runs a query for the first time: empty files, folders, full disks."""

from pathlib import Path
from typing import Any

import pytest

from streaming.run.infer_types import LONG_NUMBER, LongNumber, read_number, type_of_cells
from tests.run.runs import PASS, Folder


@pytest.mark.parametrize(("name", "said"), [("in.csv", "is empty: it has no header line"), ("in.jsonl", "No event is")])
def test_an_empty_file_is_called_empty_and_streams_are_asked_for(folder: Folder, name: str, said: str) -> None:
    ran = folder.run(folder.graph(*PASS), {"s": folder.write(name, "")})
    assert ran.code == 2
    assert said in ran.said
    assert "--streams FILE" in ran.said


def test_a_stream_is_inferred_from_the_first_file_that_is_not_empty(folder: Folder) -> None:
    folder.write("in/1.jsonl", "")
    folder.lines("in/2.jsonl", [{"start": 1, "v": 2}])
    ran = folder.run(folder.graph(*PASS), {"s": str(folder.path / "in")})
    assert ran.code == 0
    assert folder.read() == [{"start": 1, "end": 2, "payload": {"v": 2}}]


@pytest.mark.parametrize("more", [(), ("--late", "LATE")])
def test_results_do_not_go_into_a_folder_that_the_next_run_would_read(folder: Folder, more: tuple[str, ...]) -> None:
    folder.lines("in/1.jsonl", [{"start": 1, "v": 2}])
    late = [each.replace("LATE", str(folder.path / "in" / "late.jsonl")) for each in more]
    output = "out.jsonl" if more else "in/out.jsonl"
    ran = folder.run(folder.graph(*PASS), {"s": str(folder.path / "in")}, *late, output=output)
    assert ran.code == 2
    assert "would be in a folder that is an input" in ran.said
    assert [path.name for path in (folder.path / "in").iterdir()] == ["1.jsonl"]


def test_a_parquet_file_that_cannot_be_begun_is_a_failure_that_leaves_nothing(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("streaming.run.writers.pq.ParquetWriter", full)
    rows = folder.lines("in.jsonl", [{"start": 1, "v": 2}])
    query = folder.graph(*PASS)
    ran = folder.run(query, {"s": rows}, output="out.parquet")
    assert ran.code == 4
    assert "out.parquet cannot be written (No space left on device)." in ran.said
    assert folder.names() == sorted([Path(rows).name, Path(query).name])


def test_digits_that_a_double_would_lose_are_not_taken_for_one() -> None:
    assert isinstance(read_number("0.123456789012345678"), LongNumber)
    assert type_of_cells(["1", "0.123456789012345678"]) is LONG_NUMBER
    for kept in ("0.1000000000000000000000", "-12345678901234567e3", "1e300"):
        assert not isinstance(read_number(kept), LongNumber)
