"""Whole processes: interruptions, real data, Spark."""

import gzip
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.flights import FLIGHTS, require
from tests.run.runs import CLOCK, COUNT, PASS, Folder

ROOT = Path(__file__).resolve().parents[2]
DELAYS = """
INSERT INTO per_carrier
SELECT STREAM carrier, COUNT(*) AS n, SUM(dep_delay_min) AS delay
FROM flights EVENTTIME BY departed_at
WINDOW BY TUMBLE 1h GROUP BY carrier;
ADVANCE TIME flights EVERY 100 DELAY 2h LATE DROP;
"""


def process(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "streaming.run", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("sent", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT] * 50])
def test_a_run_that_is_interrupted_leaves_the_folder_as_it_was(folder: Folder, sent: list[signal.Signals]) -> None:
    """Even if the signal comes repeatedly: Arrow, too, sends a signal again that came while it worked."""
    rows = folder.lines("in.jsonl", ({"start": at, "v": at} for at in range(300_000)))
    query = folder.graph(*PASS)
    folder.write("out.jsonl", "old\n")
    before = folder.names()
    output = str(folder.path / "out.jsonl")
    with process("--query", query, "--input", f"s={rows}", "--output", output, "--cuts", "100") as run:
        assert run.stderr is not None
        assert "s: from" in run.stderr.readline()
        for each in sent:
            run.send_signal(each)
        _, messages = run.communicate(timeout=60)
    assert (run.returncode, messages.splitlines()[-1]) == (130, "Interrupted: no file was written."), messages
    assert folder.names() == before
    assert (folder.path / "out.jsonl").read_text() == "old\n"


def first_flights(rows: int) -> Iterator[str]:
    with gzip.open(require(FLIGHTS), "rt", encoding="utf-8") as file:
        yield from islice(file, rows + 1)


def by_place(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))


def test_real_flights_give_the_same_by_reference_and_engine(folder: Folder) -> None:
    csv = folder.write("flights.csv", "".join(first_flights(4_000)))
    query = folder.write("query.sql", DELAYS)
    found = {}
    for executor in ("reference", "engine"):
        ran = folder.run(query, {"flights": csv}, "--executor", executor, "--cuts", "700", "--json")
        assert ran.code == 0
        found[executor] = (by_place(folder.read()), by_place(folder.read("out.late.jsonl")), ran.summary["inputs"])
    assert found["engine"] == found["reference"]
    assert found["engine"][2]["flights"]["received"] == 4_000
    assert sum(row["payload"]["n"] for row in found["engine"][0]) == 4_000 - len(found["engine"][1])


@pytest.mark.spark
def test_spark_gives_what_the_reference_gives_on_rows_and_on_files(folder: Folder) -> None:
    rows = [{"start": at * 7 % 90, "payload": {"k": "a", "d": at / 4}} for at in range(60)]
    odd = [{"start": 95, "lane": "0", "payload": {"k": 1}}, "nonsense", {"start": "soon"}, {"cti": 99}, {"cti": "x"}]
    inputs = {"s": folder.lines("in.jsonl", [*rows, *odd])}
    streams = folder.yaml("streams.yaml", {"s": {"fields": {"k": "string", "d": "decimal(10,2)"}}})
    advance = folder.yaml("advance.yaml", CLOCK)
    query = folder.graph(*COUNT)
    more = ["--streams", streams, "--advance", advance, "--json"]
    by_reference = folder.run(query, inputs, *more, output="reference.jsonl")
    by_spark = folder.run(query, inputs, *more, "--executor", "spark", "--cuts", "20", output="spark.jsonl")
    assert by_spark.code == 0, by_spark.messages
    assert by_place(folder.read("spark.jsonl")) == by_place(folder.read("reference.jsonl"))
    assert by_place(folder.read("spark.late.jsonl")) == by_place(folder.read("reference.late.jsonl"))
    summary = json.loads(by_spark.messages.splitlines()[-1])
    assert summary["inputs"] == by_reference.summary["inputs"]

    running = [dict(each) | ({"emit": "running"} if each["kind"] == "window" else {}) for each in COUNT]
    changing = folder.graph(*running)
    assert folder.run(changing, inputs, *more, output="reference.jsonl").code == 0
    again = folder.run(changing, inputs, *more, "--executor", "spark", "--cuts", "20", output="spark.jsonl")
    assert again.code == 0, again.messages
    assert by_place(folder.read("spark.jsonl")) == by_place(folder.read("reference.jsonl")), "rows that were replaced"

    csv = folder.write("flights.csv", "".join(first_flights(1_000)))
    text = folder.write("query.sql", DELAYS)
    assert folder.run(text, {"flights": csv}, output="reference.parquet").code == 0
    by_spark = folder.run(text, {"flights": csv}, "--executor", "spark", output="f.jsonl")
    assert by_spark.code == 0
    assert "starting Spark\nrunning on Spark\nwriting the results\n" in by_spark.messages
    assert folder.run(text, {"flights": csv}, output="g.jsonl").code == 0
    assert by_place(folder.read("f.jsonl")) == by_place(folder.read("g.jsonl"))
