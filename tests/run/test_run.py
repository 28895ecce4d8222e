"""Runs on real files, from the command line to the files in the folder afterwards."""

import gzip
import json
import os
import signal
import sys
from decimal import Decimal
from types import FrameType
from typing import Any

import pyarrow.parquet as pq
import pytest

from streaming.run.__main__ import _interrupt, _on_signals
from tests.run.runs import CLOCK, COUNT, PASS, Folder, node

LATE_ROWS = [
    {"start": 1, "payload": {"k": "a"}},
    {"start": 12, "payload": {"k": "a"}},
    {"start": 7, "payload": {"k": "b"}},
    {"start": "soon", "payload": {"k": "c"}},
    "no json",
]


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_results_late_rows_and_counts_are_in_their_places(folder: Folder, executor: str) -> None:
    rows = folder.lines("in.jsonl", LATE_ROWS)
    advance = folder.yaml("advance.yaml", CLOCK)
    ran = folder.run(folder.graph(*COUNT), {"s": rows}, "--advance", advance, "--executor", executor, "--json")
    assert ran.code == 0
    assert folder.read() == [
        {"start": 0, "end": 10, "payload": {"n": 1}},
        {"start": 10, "end": 20, "payload": {"n": 1}},
    ]
    late = folder.read("out.late.jsonl")
    assert [(row["position"], row["outcome"], row["reason"], row["cti"], row["policy"]) for row in late] == [
        (2, "dropped_late", "before_cti", 12, "drop"),
        (3, "malformed", "bad_time", 12, "drop"),
        (4, "malformed", "bad_row", 12, "drop"),
    ]
    assert [row["raw"] for row in late] == [json.dumps(LATE_ROWS[2]), json.dumps(LATE_ROWS[3]), "no json"]
    summary = ran.summary
    assert summary["inputs"] == {
        "s": {
            "received": 5,
            "outcomes": {"on_time": 2, "dropped_late": 1, "malformed": 2},
            "reasons": {"before_cti": 1, "bad_time": 1, "bad_row": 1},
        }
    }
    assert summary["outputs"] == {"out": {"rows": 2, "path": str(folder.path / "out.jsonl")}}
    assert summary["late"] == {"rows": 3, "path": str(folder.path / "out.late.jsonl")}


@pytest.mark.parametrize("cuts", ["1", "2", "3", "100"])
@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_results_do_not_depend_on_cuts(folder: Folder, executor: str, cuts: str) -> None:
    rows = folder.lines("in.jsonl", [{"start": number * 7 % 40, "k": "a"} for number in range(30)])
    advance = folder.yaml("advance.yaml", {"s": {"generate": {"every": 4, "delay": 5}, "late": "drop"}})
    query = folder.graph(*COUNT)
    assert folder.run(query, {"s": rows}, "--advance", advance).code == 0
    whole, late = folder.read(), folder.read("out.late.jsonl")
    assert folder.run(query, {"s": rows}, "--advance", advance, "--cuts", cuts, "--executor", executor).code == 0
    assert (folder.read(), folder.read("out.late.jsonl")) == (whole, late)
    assert late


def test_the_summary_is_a_table_on_standard_error(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", LATE_ROWS)
    ran = folder.run(folder.graph(*COUNT), {"s": rows}, "--advance", folder.yaml("advance.yaml", CLOCK))
    assert "s: from" in ran.messages
    assert "fields k string" in ran.messages
    assert ran.messages.splitlines()[1].split() == ["input", "received", "on_time", "dropped_late", "malformed"]
    assert ran.messages.splitlines()[2].split() == ["s", "5", "2", "1", "2"]
    assert ran.printed == ""


def test_standard_output_has_the_rows_alone(folder: Folder) -> None:
    ran = folder.run(folder.graph(*PASS), {"s": folder.lines("in.jsonl", LATE_ROWS[:1])}, output="-")
    assert ran.printed == '{"start": 1, "end": 2, "payload": {"k": "a"}}\n'
    assert folder.names() == ["in.jsonl", "query.json"]


def test_late_rows_with_standard_output_need_a_path(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", LATE_ROWS)
    late = str(folder.path / "late.jsonl")
    assert "not kept" in folder.run(folder.graph(*PASS), {"s": rows}, output="-").messages
    folder.run(folder.graph(*PASS), {"s": rows}, "--late", late, output="-")
    assert [row["reason"] for row in folder.read("late.jsonl")] == ["bad_time", "bad_row"]


def test_a_run_can_read_the_output_of_another(folder: Folder) -> None:
    payload = {"d": 1.50, "at": "2026-01-02T00:00:00Z", "tags": ["a", None], "in": {"x": 1}, "f": 0.1, "ok": True}
    rows = folder.lines(
        "in.jsonl", [{"start": 5, "end": None, "payload": payload}, {"start": 6, "end": 9, "payload": {}}]
    )
    fields = {
        "d": "decimal(10,2)",
        "at": "timestamp",
        "tags": "array<string>",
        "in": "struct<x: long>",
        "f": "double",
        "ok": "boolean",
    }
    streams = folder.yaml("streams.yaml", {"s": {"shape": "interval", "fields": fields}})
    query = folder.graph(*PASS)
    assert folder.run(query, {"s": rows}, "--streams", streams).code == 0
    first = (folder.path / "out.jsonl").read_text()
    assert '"d": 1.50' in first
    assert (
        folder.run(query, {"s": str(folder.path / "out.jsonl")}, "--streams", streams, output="again.jsonl").code == 0
    )
    assert (folder.path / "again.jsonl").read_text() == first


def test_parquet_has_typed_columns_and_an_open_end_is_null(folder: Folder) -> None:
    payload = {"d": 1.5, "at": 1_000_000, "tags": ["a"], "in": {"x": 1, "t": 2_000_000}}
    rows = folder.lines(
        "in.jsonl", [{"start": 5, "end": None, "payload": payload}, {"start": 6, "end": 9, "payload": {}}]
    )
    fields = {
        "d": "decimal(10,2)",
        "at": "timestamp",
        "tags": "array<string>",
        "in": "struct<x: long, t: timestamp>",
    }
    streams = folder.yaml("streams.yaml", {"streams": {"s": {"shape": "interval", "fields": fields}}})
    assert folder.run(folder.graph(*PASS), {"s": rows}, "--streams", streams, output="out.parquet").code == 0
    table = pq.read_table(folder.path / "out.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        "start": "timestamp[us, tz=UTC]",
        "end": "timestamp[us, tz=UTC]",
        "d": "decimal128(10, 2)",
        "at": "timestamp[us, tz=UTC]",
        "tags": "list<element: string>",
        "in": "struct<x: int64, t: timestamp[us, tz=UTC]>",
    }
    first, second = table.to_pylist()
    assert first["start"].microsecond == 5
    assert first["end"] is None
    assert (first["d"], first["in"]["t"].second) == (Decimal("1.50"), 2)
    assert second["end"].microsecond == 9


@pytest.mark.parametrize("executor", ["reference", "engine"])
def test_parquet_of_windows_is_the_same_by_every_executor(folder: Folder, executor: str) -> None:
    rows = folder.lines("in.jsonl", [{"start": number, "k": "a"} for number in range(0, 100, 3)])
    query = folder.graph(*COUNT)
    assert folder.run(query, {"s": rows}, "--executor", executor, "--cuts", "7", output="o.parquet").code == 0
    counts = pq.read_table(folder.path / "o.parquet")["n"].to_pylist()
    assert (counts, sum(counts)) == ([4, 3, 3, 4, 3, 3, 4, 3, 3, 4], 34)


SPLIT = (
    node("s", "input", stream="s"),
    node("few", "filter", input="s", where="v < 2"),
    node("a", "output", input="s"),
    node("b", "output", input="few"),
)


def test_several_outputs_go_to_a_folder_or_to_names_of_their_own(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", [{"start": 1, "v": 1}, {"start": 2, "v": 2}, "x"])
    query = folder.graph(*SPLIT)
    assert folder.run(query, {"s": rows}, output="many/").code == 0
    assert len(folder.read("many/a.jsonl")) == 2
    assert [row["payload"] for row in folder.read("many/b.jsonl")] == [{"v": 1}]
    assert len(folder.read("many/all.late.jsonl")) == 1
    assert folder.run(query, {"s": rows}, output="r-{output}.jsonl").code == 0
    assert len(folder.read("r-b.jsonl")) == 1
    assert len(folder.read("r-all.late.jsonl")) == 1
    ran = folder.run(query, {"s": rows}, output="-")
    assert [json.loads(line)["output"] for line in ran.printed.splitlines()] == ["a", "a", "b"]
    refused = folder.run(query, {"s": rows})
    assert refused.code == 2
    assert "out-{output}.jsonl" in refused.messages


def test_csv_and_parquet_have_their_columns_named(folder: Folder) -> None:
    folder.write("in.csv", "ts,until,tempo\n1,3,5.5\n2,,6\n")
    of: dict[str, Any] = {
        "shape": "interval",
        "fields": {"v": "double"},
        "columns": {"start": "ts", "end": "until", "v": "tempo"},
        "unit": "ms",
    }
    streams = folder.yaml("streams.yaml", {"s": of})
    assert folder.run(folder.graph(*PASS), {"s": str(folder.path / "in.csv")}, "--streams", streams).code == 0
    assert folder.read() == [{"start": 1000, "end": 3000, "payload": {"v": 5.5}}]
    assert folder.read("out.late.jsonl")[0]["raw"] == "2,,6"


def test_a_folder_is_read_in_the_order_of_modification(folder: Folder) -> None:
    for place, name in enumerate(("b.jsonl", "a.jsonl.gz")):
        line = json.dumps({"start": place + 1, "v": place}).encode() + b"\n"
        path = folder.path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(line) if name.endswith(".gz") else b"\xef\xbb\xbf" + line)
        os.utime(path, ns=(place * 10**9, place * 10**9))
    assert folder.run(folder.graph(*PASS), {"s": str(folder.path / "in")}).code == 0
    assert [row["payload"]["v"] for row in folder.read()] == [0, 1]


def test_intervals_that_no_window_holds_are_reported_with_their_own_text(folder: Folder) -> None:
    endless: dict[str, Any] = {"start": 1, "end": None, "payload": {}}
    rows = folder.lines("in.jsonl", [{"start": 1, "end": 2, "payload": {}}, endless])
    streams = folder.yaml("streams.yaml", {"s": {"shape": "interval", "fields": {}}})
    assert folder.run(folder.graph(*COUNT), {"s": rows}, "--streams", streams).code == 0
    (late,) = folder.read("out.late.jsonl")
    assert (late["reason"], late["raw"], late["end"]) == ("too_many_windows", json.dumps(endless), None)


def test_lanes_arrivals_and_heartbeats_are_those_of_transcripts(folder: Folder) -> None:
    rows = [
        {"lane": "a", "start": 1, "payload": {}},
        {"lane": "b", "start": 2, "payload": {}},
        {"lane": "c", "start": 3, "payload": {}},
        {"start": 4, "payload": {}},
        {"lane": "b", "stream": "other", "start": 5, "payload": {}},
        {"lane": "b", "stream": "s", "cti": 5},
        {"lane": "a", "bad": "raw text"},
        {"lane": "a", "start": 6, "payload": {}},
    ]
    streams = folder.yaml("streams.yaml", {"s": {"fields": {}, "lanes": ["a", "b"]}})
    assert folder.run(folder.graph(*PASS), {"s": folder.lines("in.jsonl", rows)}, "--streams", streams).code == 0
    assert sorted(row["start"] for row in folder.read()) == [1, 2, 6]
    late = folder.read("out.late.jsonl")
    assert [(row["lane"], row["position"], row["reason"]) for row in late] == [
        ("a", at, "bad_row") for at in (1, 2, 3, 4)
    ]
    assert late[-1]["raw"] == "raw text"


def test_with_implicit_rowtimes_the_start_is_the_arrival(folder: Folder) -> None:
    rows = [{"payload": {"v": 1}}, {"heartbeat": 50}, {"payload": {"v": 2}}, {"arrival": 60, "payload": {"v": 3}}]
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"v": "long"}, "rowtime": "implicit"}})
    assert folder.run(folder.graph(*PASS), {"s": folder.lines("in.jsonl", rows)}, "--streams", streams).code == 0
    assert [(row["start"], row["payload"]["v"]) for row in folder.read()] == [(50, 2), (60, 3)]
    assert folder.read("out.late.jsonl")[0]["reason"] == "bad_time"


IMPORT = (
    node("a", "input", stream="a"),
    node("b", "input", stream="b"),
    node("out", "output", input="b"),
    node("rest", "output", input="a"),
)
IMPORTED = {"a": {"generate": {"every": 1, "delay": 0}, "late": "drop"}, "b": {"import_from": "a", "late": "drop"}}


def _imported(folder: Folder, rows_a: list[Any], rows_b: list[Any], cuts: str) -> list[str]:
    streams = folder.yaml("streams.yaml", {"a": {"fields": {}}, "b": {"fields": {}}})
    inputs = {"a": folder.lines("a.jsonl", rows_a), "b": folder.lines("b.jsonl", rows_b)}
    advance = folder.yaml("advance.yaml", IMPORTED)
    query = folder.graph(*IMPORT)
    ran = folder.run(query, inputs, "--streams", streams, "--advance", advance, "--cuts", cuts, output="o/")
    assert ran.code == 0, ran.messages
    return [row["outcome"] for row in folder.read("o/all.late.jsonl") if row["input"] == "b"]


def test_inputs_take_turns_micro_batch_by_micro_batch(folder: Folder) -> None:
    rows_a: list[Any] = [{"start": at, "payload": {}} for at in (10, 20)]
    rows_b: list[Any] = [{"start": at, "payload": {}} for at in (5, 15)]
    assert _imported(folder, rows_a, rows_b, "2") == []
    assert _imported(folder, rows_a, rows_b, "1") == []
    assert _imported(folder, rows_a, [{"start": at, "payload": {}} for at in (5, 9)], "1") == ["dropped_late"]


def test_inputs_that_know_their_arrivals_are_merged_by_them(folder: Folder) -> None:
    rows_a: list[Any] = [{"start": at, "arrival": at, "payload": {}} for at in (10, 20)]
    rows_b = [{"start": 5, "arrival": 30, "payload": {}}, {"start": 25, "payload": {}}]
    assert _imported(folder, rows_a, rows_b, "2") == ["dropped_late"]
    assert _imported(folder, rows_a, rows_b, "4") == []


def test_two_inputs_may_read_one_stream(folder: Folder) -> None:
    query = folder.graph(
        node("one", "input", stream="s"),
        node("two", "input", stream="s"),
        node("both", "union", inputs=["one", "two"]),
        node("out", "output", input="both"),
    )
    assert folder.run(query, {"s": folder.lines("in.jsonl", LATE_ROWS[:1])}).code == 0
    assert len(folder.read()) == 2


def test_a_run_leaves_no_half_file_and_keeps_the_old_one(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = folder.lines("in.jsonl", [{"start": at, "k": "a"} for at in range(9)])
    folder.write("out.jsonl", "old\n")
    folder.write("out.late.jsonl", "old\n")
    before = folder.names()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("streaming.run.outputs.results.ResultFiles.table", interrupted)
    ran = folder.run(folder.graph(*PASS), {"s": rows})
    assert (ran.code, "Interrupted" in ran.messages) == (130, True)
    assert folder.names() == sorted([*before, "query.json"])
    assert (folder.path / "out.jsonl").read_text() == "old\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files that have no name yet
def test_an_interrupted_run_is_complete_or_undone(folder: Folder) -> None:
    """Send a real signal at each line that handles files, the first one that an interruption may follow."""
    rows = folder.lines("in.jsonl", [{"start": at, "k": "a"} for at in range(3)])
    query = folder.graph(*PASS)
    before, found = folder.names(), []
    watched = tuple(
        f"streaming/run/{name}.py" for name in ("__main__", "outputs/results", "outputs/writers", "outputs/places")
    )
    for moment in range(1, 1_000):
        left = moment

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal left
            if not frame.f_code.co_filename.endswith(watched):
                return None
            left -= event == "line"
            if left == 0 and event == "line":
                signal.raise_signal(signal.SIGINT)
            return trace

        was = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.gettrace()
        _on_signals(_interrupt)
        sys.settrace(trace)
        try:
            found.append(folder.run(query, {"s": rows}).code)
        except KeyboardInterrupt:  # before any file was opened
            found.append(130)
        finally:
            sys.settrace(was[2])
            signal.signal(signal.SIGINT, was[0])
            signal.signal(signal.SIGTERM, was[1])
        if left > 0:
            break
        made = [] if found[-1] == 130 else ["out.jsonl", "out.late.jsonl"]
        assert folder.names() == sorted([*before, *made]), moment
        for name in ("out.jsonl", "out.late.jsonl"):
            (folder.path / name).unlink(missing_ok=True)
    assert sorted(set(found)) == [0, 130]
    assert found.index(0) > 50, "until the files are put in their places it can be interrupted"


def test_an_output_that_cannot_be_written_is_reported(folder: Folder) -> None:
    folder.write("file", "")
    ran = folder.run(folder.graph(*PASS), {"s": folder.lines("in.jsonl", LATE_ROWS[:1])}, output="file/out.jsonl")
    assert (ran.code, "cannot be written" in ran.messages) == (4, True)


def test_big_inputs_are_read_as_they_are_needed(folder: Folder) -> None:
    rows = folder.lines("in.jsonl", ({"start": at, "v": at} for at in range(25_000)))
    advance = folder.yaml("advance.yaml", CLOCK)
    ran = folder.run(folder.graph(*COUNT), {"s": rows}, "--advance", advance, "--executor", "engine", "--json")
    assert ran.summary["outputs"]["out"]["rows"] == 2500


def test_a_join_that_names_its_fields_has_the_results_of_sql(folder: Folder) -> None:
    cars = [{"start": 1, "end": 9, "plate": plate, "speed": speed} for plate, speed in (("a", 90), ("b", 50))]
    drivers = [{"start": 2, "end": 9, "number": "a", "speed": 120, "plate": "other"}]
    query = folder.write(
        "q.sql",
        "SELECT c.plate, d.speed - c.speed AS over, d.number AS found FROM cars c "
        "LEFT JOIN drivers d ON c.plate = d.number;\n",
    )
    inputs = {"cars": folder.lines("cars.jsonl", cars), "drivers": folder.lines("drivers.jsonl", drivers)}
    ran = folder.run(query, inputs)
    assert ran.code == 0, ran.messages
    rows = {(row["payload"]["plate"], row["payload"]["over"], row["payload"]["found"]) for row in folder.read()}
    assert rows == {("a", None, None), ("a", 30, "a"), ("b", None, None)}
