"""The default executor of a definition, and the default number of rows in a micro-batch."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streaming.run import batch_rows
from streaming.run.batch_rows import FEWEST, MOST, MOST_WHOLE, bytes_a_row, expected_rows, free_memory, rows_a_batch
from streaming.run.inputs.files import input_files
from tests.run.runs import CLOCK, COUNT, Folder, node

PLENTY = 1 << 40
JOIN = (
    node("l", "input", stream="l"),
    node("r", "input", stream="r"),
    node("j", "join", left="l", right="r", keys=["k"]),
    node("out", "output", input="j"),
)
ROWS = [{"start": at, "end": at + 5, "k": "a", "v": at} for at in range(0, 40, 4)]


def test_the_engine_is_the_default(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", ROWS)
    assert folder.run(folder.graph(*COUNT), {"s": rows}, "--json").summary["executor"] == "engine"
    asked = folder.run(folder.graph(*COUNT), {"s": rows}, "--json", "--executor", "reference")
    assert asked.summary["executor"] == "reference"


def test_imported_ctis_are_run_by_the_reference_with_a_message(folder: Folder) -> None:
    inputs = {"l": folder.lines("l.jsonl", ROWS), "r": folder.lines("r.jsonl", [{**row, "w": 1} for row in ROWS])}
    advance = folder.yaml("advance.yaml", {"l": CLOCK["s"], "r": {"import_from": "l", "late": "drop"}})
    streams = {name: {"shape": "interval", "fields": {"k": "string", more: "long"}} for name, more in ("lv", "rw")}
    more = ("--advance", advance, "--streams", folder.yaml("streams.yaml", streams))
    ran = folder.run(folder.graph(*JOIN), inputs, *more)
    assert ran.code == 0, ran.messages
    assert "By the reference executor: r takes its CTIs from another input" in ran.messages
    ran = folder.run(folder.graph(*JOIN), inputs, *more, "--executor", "engine", "--json")
    assert (ran.summary["executor"], "By the reference" in ran.messages) == ("engine", False)


@pytest.fixture
def wide(folder: Folder) -> str:
    """CSV lines of about a thousand bytes."""
    return folder.write("wide.csv", "start,text\n" + f"1,{'x' * 998}\n" * 2_000)


def test_a_batch_takes_a_part_of_the_memory_that_is_free(wide: str) -> None:
    files = input_files("s", Path(wide))
    assert bytes_a_row(files) == pytest.approx(1_000, rel=0.01)
    fit = rows_a_batch("engine", [files], free=1 << 30)
    assert fit * 1_000 * 5 < (1 << 30) / 4 < fit * 1_000 * 5.5
    assert rows_a_batch("engine", [files, files], free=1 << 30) == pytest.approx(fit / 2, abs=1)
    assert rows_a_batch("engine", [files], free=0) == FEWEST


def test_a_batch_has_no_more_rows_than_increase_the_speed(wide: str) -> None:
    files = input_files("s", Path(wide))
    assert rows_a_batch("engine", [files], free=PLENTY) == MOST["engine"]
    assert rows_a_batch("spark", [files], free=PLENTY) == MOST["spark"]
    assert rows_a_batch("spark", [files], free=PLENTY, folded=False) == MOST_WHOLE


def test_the_columns_of_parquet_count_as_they_are_unpacked(tmp_path: Path) -> None:
    pq.write_table(pa.table({"start": pa.array(range(100_000)), "v": pa.array([7] * 100_000)}), tmp_path / "p.parquet")
    stored = (tmp_path / "p.parquet").stat().st_size / 100_000
    assert bytes_a_row(input_files("s", tmp_path / "p.parquet")) > stored


def test_an_unreadable_file_is_left_to_its_reader(tmp_path: Path) -> None:
    (tmp_path / "p.parquet").write_text("no parquet")
    assert bytes_a_row(input_files("s", tmp_path / "p.parquet")) == 0.0


def test_a_control_group_limits_the_free_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_rows, "_CGROUP", tmp_path)
    unbounded = free_memory()
    (tmp_path / "memory.current").write_text("1000\n")
    (tmp_path / "memory.max").write_text("5000\n")
    assert free_memory() == 4_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() > 4_000
    assert unbounded > 4_000


def test_the_number_of_rows_is_estimated_beforehand(wide: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"start": pa.array(range(123))}), tmp_path / "p.parquet")
    both = [input_files("s", Path(wide)), input_files("p", tmp_path / "p.parquet")]
    assert expected_rows(both) == pytest.approx(2_000 + 123, rel=0.01)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(b"start\n1\n"))
    assert expected_rows([input_files("z", tmp_path / "packed.csv.gz")]) is None


def test_late_edges_name_their_end_with_every_executor(folder: Folder) -> None:
    rows = [
        {"edge": "start", "start": 10, "k": "a"},
        {"cti": 20},
        {"edge": "start", "start": 5, "k": "b"},
        {"edge": "end", "start": 5, "end": 8, "k": "b"},
        {"edge": "end", "start": 10, "end": 30, "k": "a"},
    ]
    query = folder.graph(node("s", "input", stream="s"), node("out", "output", input="s"))
    streams = folder.yaml("streams.yaml", {"s": {"shape": "edge", "fields": {"k": "string"}}})
    late = {}
    for executor in ("reference", "engine"):
        ran = folder.run(query, {"s": folder.lines("in.jsonl", rows)}, "--streams", streams, "--executor", executor)
        assert ran.code == 0, ran.messages
        late[executor] = folder.read("out.late.jsonl")
    assert [(row["edge"], row["position"]) for row in late["engine"]] == [("start", 2), ("end", 3)]
    assert late["reference"] == late["engine"]
