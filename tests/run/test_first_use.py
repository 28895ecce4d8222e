"""Experiences of a first-time user: empty files, folders, full disks."""

from pathlib import Path
from typing import Any

import pytest

from streaming.run.inputs.infer_types import LONG_NUMBER, LongNumber, read_number, type_of_cells
from streaming.run.options import EPILOG, read_options
from tests.run.runs import PASS, Folder


@pytest.mark.parametrize(
    ("name", "messages"), [("in.csv", "is empty: it has no header line"), ("in.jsonl", "contain no event")]
)
def test_an_empty_file_is_called_empty_and_streams_are_asked_for(folder: Folder, name: str, messages: str) -> None:
    ran = folder.run(folder.graph(*PASS), {"s": folder.write(name, "")})
    assert ran.code == 2
    assert messages in ran.messages
    assert "--streams FILE" in ran.messages


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
    assert "would be in a folder that is an input" in ran.messages
    assert [path.name for path in (folder.path / "in").iterdir()] == ["1.jsonl"]


def test_a_parquet_file_that_cannot_be_started_is_a_failure_that_leaves_nothing(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("streaming.run.outputs.writers.pq.ParquetWriter", full)
    rows = folder.lines("in.jsonl", [{"start": 1, "v": 2}])
    query = folder.graph(*PASS)
    ran = folder.run(query, {"s": rows}, output="out.parquet")
    assert ran.code == 4
    assert "out.parquet cannot be written (No space left on device)." in ran.messages
    assert folder.names() == sorted([Path(rows).name, Path(query).name])


def test_digits_that_a_double_would_lose_are_not_read_as_a_double() -> None:
    assert isinstance(read_number("0.123456789012345678"), LongNumber)
    assert type_of_cells(["1", "0.123456789012345678"]) is LONG_NUMBER
    for kept in ("0.1000000000000000000000", "-12345678901234567e3", "1e300"):
        assert not isinstance(read_number(kept), LongNumber)


def test_the_summary_shows_the_first_row_of_each_reason_cut_and_without_control_characters(folder: Folder) -> None:
    rows = ["start,v", "1,2", "x,3", "2,y\x1b[31m" + "z" * 90, "3,y", "4,5"]
    query, streams = (
        folder.graph(*PASS),
        folder.yaml("streams.yaml", {"s": {"shape": "point", "fields": {"v": "long"}}}),
    )
    ran = folder.run(query, {"s": folder.write("in.csv", "\n".join(rows))}, "--streams", streams)
    assert "s: bad_time 1; first: row 2, x,3\n" in ran.messages
    assert f"s: bad_payload 2; first: row 3, 2,y [31m{'z' * 71}\u2026\n" in ran.messages
    assert "\x1b" not in ran.messages
    assert "late, changed or malformed: 3 rows, in" in ran.messages


def test_the_help_shows_an_example_and_the_speed_of_executors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        read_options(["--help"])
    assert left.value.code == 0
    messages = " ".join(capsys.readouterr().out.split())
    assert "--query fast.sql --input cars=cars.csv --output fast.jsonl" in messages
    assert "default: engine; reference is the oracle, about 30 times slower" in messages


def test_the_example_of_the_help_runs(folder: Folder) -> None:
    text = next(line.strip() for line in EPILOG.splitlines() if line.startswith("  SELECT"))
    cars = folder.write("cars.csv", "ts,plate,speed\n2024-01-01T10:00:00Z,A,100\n")
    assert folder.run(folder.write("fast.sql", text), {"cars": cars}).code == 0
    assert [row["payload"] for row in folder.read()] == [{"plate": "A", "n": 1}]


def test_an_error_in_the_streams_file_names_that_file_and_no_consequence(folder: Folder) -> None:
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"v": "long"}, "colums": {"v": "x"}}})
    query = folder.write("q.sql", "SELECT STREAM * FROM s WHERE v > 1")
    ran = folder.run(query, {"s": folder.lines("in.jsonl", [{"start": 1, "v": 2}])}, "--streams", streams)
    assert ran.code == 1
    assert ran.messages == (
        f"{streams}: error bad_shape: streams.s.colums: a stream has no such key. Did you mean 'columns'?\n"
    )


def test_a_stream_that_no_input_reads_is_reported(folder: Folder) -> None:
    streams = folder.yaml("streams.yaml", {"t": {"fields": {"v": "string"}}})
    rows = folder.lines("in.jsonl", [{"start": 1, "v": 2}])
    ran = folder.run(folder.graph(*PASS), {"s": rows}, "--streams", streams)
    assert ran.code == 0
    assert f"{streams}: not read by the query: t; it reads s." in ran.messages
