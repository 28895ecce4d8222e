"""`make bench`: Punctual compared with plain Spark on the same files, in turns, each run in its own process.

`python -m tests.bench [WORK ...] [--runs N] [--rows FACTOR] [--state memory] [--json FILE]`: only these works, N turns,
batches of FACTOR times the rows. A ratio is plain Spark's time divided by Punctual's, for the same batch of the run. If
both sides compute the same, their results are compared. Works of APART have output of their own. Other measurements:
`tests.bench.memory`, and the profiles, each a module of its own.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench import data, limit, results, validation, whole
from tests.bench.catalogue import WORKS
from tests.bench.organisations import density, freshness
from tests.bench.organisations import pooled as pooled_organisations
from tests.bench.organisations import troubles as pooled_troubles
from tests.bench.pages import bringing
from tests.bench.works import Work
from tests.kafka_broker import running_kafka

CONSOLE = Console(width=200)
COLUMNS = ("work", "rows", "plain Spark s", "Punctual s", "ratio min / median / max", "target")
FURTHER = ("further row us: plain, ours, ratio", "peak MB: plain, ours", "DuckDB s", "results")
TEXTS = "texts"
LATENCY = "latency"
BRINGING = "bringing"
FRESHNESS = "freshness"
POOLED = "pooled_organisations"
TROUBLES = "pooled_troubles"
DENSITY = "density"
WHOLE = "whole"
APART = (TEXTS, BRINGING, FRESHNESS, POOLED, TROUBLES, DENSITY, WHOLE)


@dataclass(frozen=True)
class Side:
    """Seconds of the steady batches of all turns, full and half, and the peak memory of one side."""

    full_s: Sequence[float]
    half_s: Sequence[float]
    peak_bytes: int
    digest: results.Digest

    @classmethod
    def of(cls, work: Work, found: Sequence[dict[str, Any]]) -> "Side":
        """Return the side from the output of each turn's process."""
        steady = [
            (part, seconds)
            for each in found
            for part, (_, seconds) in list(zip(work.batches, each["batches"], strict=True))[work.warm_up :]
        ]
        return cls(
            [seconds for part, seconds in steady if part == 1.0],
            [seconds for part, seconds in steady if part == 0.5],
            max(each["peak_bytes"] for each in found),
            found[-1]["digest"],
        )

    def further_us(self, work: Work) -> float | None:
        """Return the cost of one more row: the slope between half and full batches, in microseconds."""
        if not self.half_s:
            return None
        return (statistics.median(self.full_s) - statistics.median(self.half_s)) / (work.rows / 2) * 1e6


def run(module: str, *arguments: object) -> dict[str, Any]:
    """Run a module of `tests.bench`; return the JSON of its last line. Raises SystemExit when it fails."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stdout[-1000:]}\n{ended.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def measured(name: str, options: argparse.Namespace, folder: Path) -> list[str]:
    """Measure both sides of work `name` in turns; return the row of the table."""
    work, files = WORKS[name].scaled(options.rows), folder / "data"
    CONSOLE.print(f"{name}: writing {sum(work.batches) * work.rows:,.0f} rows; load {os.getloadavg()[0]:.1f}")
    for seed, (source, rows) in enumerate(work.sources.items()):
        data.write(rows, work.batches, files / source, seed)
    plain, ours = [], []
    for turn in range(options.runs):
        if work.plain is not None:
            CONSOLE.print(f"  turn {turn + 1}: plain Spark ...")
            plain.append(run("plain", name, options.rows, files, folder / f"plain{turn}", options.state))
        CONSOLE.print(f"  turn {turn + 1}: Punctual ...")
        with running_kafka() if work.message is not None else nullcontext() as broker:
            brokers = "" if broker is None else broker.address
            ours.append(run("ours", name, options.rows, files, folder / f"ours{turn}", brokers))
    if options.json is not None:
        with Path(options.json).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"work": name, "rows": options.rows, "plain": plain, "ours": ours}) + "\n")
    limit_s = "-"
    if work.duckdb_s is not None:
        events = work.sources["events"]
        last = len(work.batches) - 1
        parts = [events.file(files / "events", last, lane) for lane in range(events.lanes)]
        limit_s = f"{limit.seconds(parts, work.duckdb_s):.2f}"
    return cells(work, Side.of(work, plain) if plain else None, Side.of(work, ours), limit_s)


def cells(work: Work, plain: Side | None, ours: Side, limit_s: str) -> list[str]:
    """Return the row of the table."""
    further_ours, per_s = ours.further_us(work), work.rows / statistics.median(ours.full_s)
    known = [work.title, f"{work.rows:,}"]
    if plain is None:
        why = "not expressible" if work.message is None else "lacks packages"
        figures = [why, spread(ours.full_s), f"{per_s:,.0f} events/s", work.target]
        further = "-" if further_ours is None else f"-, {further_ours:.3f}, -"
        return [*known, *figures, further, f"-, {ours.peak_bytes >> 20}", limit_s, f"{ours.digest['rows']:,.0f} rows"]
    pairs = [p / o for p, o in zip(plain.full_s, ours.full_s, strict=True)]
    further_plain, further = plain.further_us(work), "-"
    if further_plain is not None and further_ours is not None:
        ratio = f"{further_plain / further_ours:.0f}" if min(further_plain, further_ours) > 0 else "lost in noise"
        further = f"{further_plain:.2f}, {further_ours:.3f}, {ratio}"
    peaks = f"{plain.peak_bytes >> 20}, {ours.peak_bytes >> 20}"
    seconds = [spread(plain.full_s), spread(ours.full_s), spread(pairs)]
    return [*known, *seconds, work.target, further, peaks, limit_s, verdict(work, plain.digest, ours.digest)]


def verdict(work: Work, plain: results.Digest, ours: results.Digest) -> str:
    """Return the comparison of both results."""
    if not work.alike:
        return f"{ours['rows']:,.0f} rows" if plain["rows"] == ours["rows"] else "OTHER ROWS"
    wrong = results.differences(plain, ours)
    return "DIFFERENT: " + "; ".join(wrong) if wrong else f"{ours['rows']:,.0f} rows, equal"


def spread(values: Sequence[float]) -> str:
    """Return minimum, median and maximum."""
    return f"{min(values):.2f} / {statistics.median(values):.2f} / {max(values):.2f}"


def latencies(options: argparse.Namespace, folder: Path) -> list[list[str]]:
    """Measure latencies: emission of 100-event batches, the first row of a query, and of an added query."""
    from tests.bench import latency

    latency.prepare(folder, options.rows)
    found: dict[str, list[dict[str, list[float]]]] = {"plain": [], "ours": []}
    for turn in range(options.runs):
        for side, each in found.items():
            CONSOLE.print(f"  turn {turn + 1}: latency, {side} ...")
            each.append(
                run("latency", side, folder, folder / f"{side}-latency{turn}", options.state, options.rows)["seconds"]
            )
    return latency.rows(found["plain"], found["ours"], options.rows)


def main() -> None:
    """Print the table again after each work, so that an interrupted run has printed its results so far."""
    options = parser().parse_args()
    wanted = options.works or [*APART, *WORKS, LATENCY]
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if TEXTS in wanted:
        CONSOLE.print(validation.table())
    table = Table(*COLUMNS, *FURTHER, title=f"bench, {options.runs} turns, rows times {options.rows:g}")
    for name in (name for name in wanted if name not in APART):
        with tempfile.TemporaryDirectory(prefix="punctual-bench-", dir=options.folder) as folder:
            found = latencies(options, Path(folder)) if name == LATENCY else [measured(name, options, Path(folder))]
        for row in found:
            table.add_row(*row)
        CONSOLE.print(table)
    for line in bringing.measure() if BRINGING in wanted else ():
        CONSOLE.print(line)
    for line in whole.measure(whole.MILLIONS, options.runs) if WHOLE in wanted else ():
        CONSOLE.print(line)
    for arguments in density.TARGETS if DENSITY in wanted else ():
        CONSOLE.print(density.table(density.parser().parse_args(arguments)))
    if FRESHNESS in wanted:
        CONSOLE.print(freshness.table(freshness.SHOWN, freshness.MEASURED_S))
    if POOLED in wanted:
        CONSOLE.print(pooled_organisations.table(pooled_organisations.ORGANISATIONS, pooled_organisations.MEASURED_S))
    if TROUBLES in wanted:
        CONSOLE.print(pooled_troubles.table(pooled_troubles.TROUBLES, pooled_troubles.MEASURED_S, before=True))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m tests.bench", description="Punctual compared with plain Spark.")
    made.add_argument(
        "works", nargs="*", choices=[[], *APART, *WORKS, LATENCY], help="works to measure, by default all"
    )
    made.add_argument("--runs", type=int, default=1, help="number of runs of each side, in turns")
    made.add_argument("--rows", type=float, default=1.0, help="factor for the rows of each batch")
    made.add_argument("--state", choices=["rocksdb", "memory"], default="rocksdb", help="plain Spark's state store")
    made.add_argument("--json", help="append all seconds to this file")
    made.add_argument("--folder", help="folder for temporary data and checkpoints, about 4 GB")
    return made


if __name__ == "__main__":
    main()
