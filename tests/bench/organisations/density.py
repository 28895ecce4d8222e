"""The capacity of one carrier in bindings.

`python -m tests.bench.organisations.density [--bindings 40 200 1000] [--plain 10 40]`

Each binding reads 10 events per second of its own generator, and counts and sums them per device and second. For
comparison, as many plain Spark queries as the machine can run, each with the same load from Spark's own `rate` source.
Each measurement has its own process. Warm-up is left out; a batch is timed from its planning to its commit.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery
from rich.console import Console
from rich.table import Table

from streaming.spark.carrier import Carrier
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.session.session import start_session
from streaming.wire.messages import RunSpec
from tests.bench.plain import PLAIN_JVM

RATE = 10
TARGETS = (["--bindings", "40", "200", "1000"], ["--bindings", "5000", "--plain", "--rate", "1"])
"""The measurements of `make bench`: default numbers of bindings and plain queries, and 5,000 bindings of a row per
s.
"""
WARM_UP_S = 20.0
ADDED = 5
"""The number of bindings that are added to the warm carrier, one after the other."""
PATIENCE_S = 300.0
PAUSE = threading.Event()
"""Never set: waiting for it leaves the machine to the measured processes."""
COLUMNS = ("batch s p50", "batch s p99", "behind s", "driver MB", "Python MB", "all MB", "add to first row s")


def spec(binding: str, rate: float = RATE) -> RunSpec:
    """Return a binding of `rate` events per second."""
    advance = {"generate": {"every": 1, "delay": "0s"}, "late": "drop"}
    fields = {"device": "string", "speed": "double"}
    aggregates = [{"name": "n", "function": "count"}, {"name": "total", "function": "sum", "of": "speed"}]
    window = {"kind": "tumbling", "size": "1s"}
    nodes = [
        {"id": "cars", "kind": "input", "stream": "cars"},
        {
            "id": "windows",
            "kind": "window",
            "input": "cars",
            "group_by": ["device"],
            "window": window,
            "aggregates": aggregates,
        },
        {"id": "out", "kind": "output", "input": "windows"},
    ]
    options = {"rate": rate, "devices": 4, "late_share": 0.0}
    content = {
        "organisation": "bench",
        "binding": binding,
        "run": f"{binding}-1",
        "desired": "running",
        "query": {"version": 1, "name": "cars", "nodes": nodes},
        "inputs": {
            "cars": {
                "stream": {"shape": "point", "fields": fields, "advance": advance},
                "adapter": {"kind": "generator", "options": options},
            }
        },
        "results": f"results/{binding}",
    }
    return RunSpec.model_validate_json(json.dumps(content))


def ours(count: int, seconds: float, interval_s: float, rate: float) -> dict[str, Any]:
    """Measure one carrier with `count` bindings of `rate` events per second for `seconds`."""
    with tempfile.TemporaryDirectory(prefix="density-") as name:
        home = Path(name)
        session = start_session()
        carrier = Carrier(session, home / "carrier", CarrierSettings(home=name, min_interval_s=interval_s))
        for number in range(count):
            carrier.add(spec(f"b{number}", rate))
        carrier.start()
        until(lambda: len(running(carrier)) >= count, carrier)
        rest(carrier, WARM_UP_S)
        before, spent = last_batch(carrier), processor_of()
        rest(carrier, seconds)
        spent = {kind: processor_of()[kind] - earlier for kind, earlier in spent.items()}
        batches = [each for each in carrier.manifests_after(before) if each.reports]
        memory = memory_of(session)
        adding = [added(carrier, home, spec(f"late{number}", rate)) for number in range(ADDED)]
        failed = [run for run, change in carrier.last_runs().items() if change.state == "failed"]
        carrier.close()
        session.stop()
    took = [max(report.batch_s for report in each.reports) for each in batches]
    behind = [max_behind(each) for each in batches]
    each = {kind: seconds / max(1, len(batches)) for kind, seconds in spent.items()}
    return {"took": took, "behind": behind, "adding": adding, "failed": len(failed), "processor": each, **memory}


def max_behind(manifest: dict[str, Any]) -> float:
    """Return the age of the newest event of the slowest binding when its batch commits, in seconds."""
    starts = [(report.at, report.inputs["cars"].largest_start) for report in manifest.reports]
    return max(((at - start) / 1e6 for at, start in starts if start is not None), default=0.0)


def added(carrier: Carrier, home: Path, wanted: RunSpec) -> float:
    """Return the seconds from the command to the first committed row."""
    began = time.monotonic()
    carrier.add(wanted)
    parts = home / "results" / wanted.binding / "results"
    until(lambda: parts.is_dir() and any(parts.glob("part-*")), carrier)
    return time.monotonic() - began


def plain(count: int, seconds: float, interval_s: float, rate: float) -> dict[str, Any]:
    """Measure `count` plain queries in one session for `seconds`, each with a watermark and a window per group."""
    with tempfile.TemporaryDirectory(prefix="density-plain-") as name:
        settings = {
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.numRecentProgressUpdates": "1000",
            "spark.driver.extraJavaOptions": PLAIN_JVM,
            "spark.driver.memory": "8g",
        }
        session = start_session(settings=settings)
        queries = []
        for number in range(count):
            queries.append(plain_query(session, Path(name) / str(number), interval_s, rate))
            PAUSE.wait(0.5)  # one of twenty fails if all start at once
        waiting = time.monotonic() + PATIENCE_S
        while any(not each.recentProgress for each in queries) and time.monotonic() < waiting:
            PAUSE.wait(1.0)
        PAUSE.wait(WARM_UP_S)
        seen = [len(each.recentProgress) for each in queries]
        PAUSE.wait(seconds)
        progress = [
            each for query, known in zip(queries, seen, strict=True) for each in list(query.recentProgress)[known:]
        ]
        memory = memory_of(session)
        failed = sum(query.exception() is not None for query in queries)
        took = [each["durationMs"]["triggerExecution"] / 1000 for each in progress if each["numInputRows"]]
        for query in queries:
            query.stop()
        session.stop()
    return {"took": took, "behind": [], "adding": [], "failed": failed, **memory}


def plain_query(session: SparkSession, work: Path, interval_s: float, rate: float) -> StreamingQuery:
    """Start the same query in plain Spark."""
    rows = session.readStream.format("rate").option("rowsPerSecond", int(rate)).load()
    cars = rows.selectExpr("timestamp as ts", "concat('d', value % 4) as device", "cast(value as double) as speed")
    return (
        cars.withWatermark("ts", "0 seconds")
        .groupBy(f.window("ts", "1 second"), "device")
        .agg(f.count("*").alias("n"), f.sum("speed").alias("total"))
        .writeStream.format("parquet")
        .option("path", str(work / "out"))
        .option("checkpointLocation", str(work / "checkpoint"))
        .outputMode("append")
        .trigger(processingTime=f"{interval_s} seconds")
        .start()
    )


def running(carrier: Carrier) -> list[str]:
    """Return the running runs, by their manifests."""
    return [run for run, change in carrier.last_runs().items() if change.state == "running"]


def last_batch(carrier: Carrier) -> int:
    """Return the newest committed batch."""
    return max((manifest.batch for manifest in carrier.manifests_after(0)), default=0)


def until(reached: Any, carrier: Carrier) -> None:
    """Wait until `reached`; raise when the query stops, or after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while not reached():
        failure = carrier.failure()
        if failure is not None or time.monotonic() > end:
            raise SystemExit("timeout" if failure is None else failure.detail)
        carrier.wait(0.05)


def rest(carrier: Carrier, seconds: float) -> None:
    """Let the query run, and compact as a runner does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        carrier.compact()
        carrier.wait(0.5)


def memory_of(session: SparkSession) -> dict[str, float]:
    """Return unshared memory in MB: the driver (this process and its JVM), and all other Python processes."""
    me = psutil.Process()
    sizes: dict[str, float] = {"driver": me.memory_full_info().uss, "python": 0.0}
    for child in me.children(recursive=True):
        try:
            sizes["driver" if "java" in child.name() else "python"] += child.memory_full_info().uss
        except psutil.Error:
            continue
    assert session.version
    return {name: size / 1e6 for name, size in sizes.items()}


def processor_of() -> dict[str, float]:
    """Return processor seconds so far: of this process, its JVM, all other Python processes."""
    me = psutil.Process()
    spent = {"driver": sum(me.cpu_times()[:2]), "jvm": 0.0, "python": 0.0}
    for child in me.children(recursive=True):
        try:
            spent["jvm" if "java" in child.name() else "python"] += sum(child.cpu_times()[:2])
        except psutil.Error:
            continue
    return spent


def quantile(values: Sequence[float], share: float) -> str:
    """Return the smallest value that `share` of `values` do not exceed."""
    return f"{sorted(values)[min(len(values) - 1, int(len(values) * share))]:.2f}" if values else "-"


def measured(kind: str, count: int, options: argparse.Namespace) -> dict[str, Any] | str:
    """Measure in a separate process; return its result, or its last error line."""
    flags = [f"--seconds={options.seconds}", f"--interval-s={options.interval_s}", f"--rate={options.rate}"]
    command = [sys.executable, "-m", "tests.bench.organisations.density", "--one", kind, str(count), *flags]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        return ended.stderr.strip().splitlines()[-1][:100] if ended.stderr.strip() else f"exit {ended.returncode}"
    found: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def row_of(found: dict[str, Any]) -> list[str]:
    """Return the cells of COLUMNS, then the numbers of timed batches and of failed bindings."""
    took, adding = found["took"], found["adding"]
    added_s = f"{statistics.median(adding):.1f} / {max(adding):.1f}" if adding else "-"
    sizes = [f"{size:,.0f}" for size in (found["driver"], found["python"], found["driver"] + found["python"])]
    behind = quantile(found["behind"], 0.99)
    return [quantile(took, 0.5), quantile(took, 0.99), behind, *sizes, added_s, str(len(took)), str(found["failed"])]


def main() -> None:
    """Print a row for each number of bindings, then of plain queries."""
    options = parser().parse_args()
    if options.one is not None:
        measure = {"ours": ours, "plain": plain}[options.one[0]]
        print(json.dumps(measure(int(options.one[1]), options.seconds, options.interval_s, options.rate)))
        return
    Console(width=170).print(table(options))


def table(options: argparse.Namespace) -> Table:
    """Measure each number of bindings, then of plain queries, each in its own process."""
    pace = f"{options.rate:g} rows/s each, at least {options.interval_s:g} s between batches"
    title = f"{pace}, {options.seconds:g} s measured"
    found = Table("carried by", "bindings", *COLUMNS, "batches", "failed", title=title)
    for kind, counts in (("ours", options.bindings), ("plain", options.plain)):
        for count in counts:
            print(f"{kind}, {count} ...", flush=True)
            seen = measured(kind, count, options)
            cells = [seen] if isinstance(seen, str) else row_of(seen)
            found.add_row("one carrier" if kind == "ours" else "plain Spark, a query each", str(count), *cells)
    return found


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m tests.bench.organisations.density", description="Density of shared bindings."
    )
    made.add_argument("--bindings", type=int, nargs="*", default=[40, 200, 1_000])
    made.add_argument("--plain", type=int, nargs="*", default=[10, 40])
    made.add_argument("--seconds", type=float, default=60.0)
    made.add_argument("--interval-s", type=float, default=2.0)
    made.add_argument("--rate", type=float, default=RATE, help="rows per second of each binding")
    made.add_argument("--one", nargs=2, metavar=("KIND", "COUNT"))
    return made


if __name__ == "__main__":
    main()
