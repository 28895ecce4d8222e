"""Whole processes on Parquet files, from start to end: `streaming.run` compared with plain Spark.

`python -m tests.bench.whole [--rows 60 30] [--runs 3]`, rows in millions: the cost of another million is the slope from
the last to the first. The query is a tumbling count and sum for each of 1,000 keys, with lateness of up to 4 s and a
delay of 5 s. The sides take turns. Prints seconds and ratios.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tests.conftest import ROOT

BLOCK = 5_000_000
MILLIONS = (60.0, 30.0)
QUERY = """
SELECT STREAM key, COUNT(*) AS n, SUM(v) AS total
FROM rows EVENTTIME BY ts WINDOW BY TUMBLE 10s GROUP BY key;
ADVANCE TIME rows EVERY 100 DELAY 5s LATE DROP;
"""


def write(path: Path, rows: int) -> None:
    """Write a row for each millisecond, late by up to 4 s."""
    writer = None
    for low in range(0, rows, BLOCK):
        count, draw = min(BLOCK, rows - low), np.random.default_rng(low)
        ticks = np.arange(low, low + count) * 1_000 - draw.integers(0, 4_000_000, count)
        times = pa.array(ticks, pa.timestamp("us", "UTC"))
        table = pa.table({"ts": times, "key": draw.integers(0, 1_000, count), "v": draw.random(count)})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=1_000_000)
    if writer is not None:
        writer.close()


def plain(source: Path, home: Path) -> None:
    """Run plain Spark's form of the query, in its own process."""
    from pyspark.sql import functions as f

    from tests.bench.plain import session_of

    session = session_of("", **{"spark.sql.streaming.noDataMicroBatches.enabled": "true"})
    schema = session.read.parquet(str(source)).schema
    rows = session.readStream.schema(schema).parquet(str(source.parent)).withWatermark("ts", "5 seconds")
    counted = rows.groupBy(f.window("ts", "10 seconds"), "key").agg(f.count("*").alias("n"), f.sum("v").alias("total"))
    query = (
        counted.writeStream.format("parquet")
        .option("path", str(home / "out"))
        .option("checkpointLocation", str(home / "checkpoint"))
        .outputMode("append")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    session.stop()


def ours(executor: str) -> Callable[[Path, Path], list[str]]:
    """Return the command line of a run with default flags except the executor."""

    def command(source: Path, home: Path) -> list[str]:
        (home / "query.sql").write_text(QUERY)
        files = ["--query", str(home / "query.sql"), "--input", f"rows={source}", "--output", str(home / "out.parquet")]
        return [sys.executable, "-m", "streaming.run", *files, "--executor", executor, "--quiet"]

    return command


SIDES: dict[str, Callable[[Path, Path], list[str]]] = {
    "plain Spark": lambda source, home: [sys.executable, "-m", "tests.bench.whole", "--plain", str(source), str(home)],
    "Spark": ours("spark"),
    "engine": ours("engine"),
}


def timed(side: str, source: Path) -> tuple[float, int]:
    """Return the seconds of the whole process, and the rows that it counted."""
    with tempfile.TemporaryDirectory(prefix="whole-") as folder:
        home = Path(folder)
        command = SIDES[side](source, home)
        began = time.monotonic()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        seconds = time.monotonic() - began
        found = pq.read_table(home / "out" if side == "plain Spark" else home / "out.parquet", columns=["n"])
        return seconds, pc.sum(found["n"]).as_py() or 0


def measured(millions: float, runs: int) -> dict[str, list[float]]:
    """Measure both sides in turns; return the seconds of each side."""
    rows = int(millions * 1e6)
    taken: dict[str, list[float]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory(prefix="whole-data-") as folder:
        source = Path(folder) / "rows" / "rows.parquet"
        source.parent.mkdir()
        write(source, rows)
        for run in range(runs):
            for side in SIDES:
                seconds, counted = timed(side, source)
                taken[side].append(seconds)
                print(f"run {run + 1}: {side} {seconds:.1f} s, {counted:,} of {rows:,} rows in its windows", flush=True)
    return taken


def measure(millions: Sequence[float], runs: int) -> Iterator[str]:
    """Measure each number of rows; yield a line for each side, then the cost of another million rows."""
    found = [measured(each, runs) for each in millions]
    for each, taken in zip(millions, found, strict=True):
        base = statistics.median(taken["plain Spark"])
        for side, all_s in taken.items():
            low, middle, high = min(all_s), statistics.median(all_s), max(all_s)
            figures = f"{low:.1f} / {middle:.1f} / {high:.1f} s, {base / middle:.2f} times as fast as plain Spark"
            yield f"{each:g} million rows, {side}: {figures}"
    more = millions[0] - millions[-1]
    for side in SIDES if more else ():
        further = statistics.median(found[0][side]) - statistics.median(found[-1][side])
        yield f"another million, {side}: {further / more:.3f} s"


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=float, nargs="+", default=MILLIONS, help="millions")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--plain", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        plain(*options.plain)
        return
    for line in measure(options.rows, options.runs):
        print(line)


if __name__ == "__main__":
    main()
