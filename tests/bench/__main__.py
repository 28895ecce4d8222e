"""`make bench`: Punctual beside plain Spark on the same files, in turns, each run in a process of its own."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import data, limit, validation
from tests.bench.data import WARM_UP, WORKLOADS, Workload

TARGETS = ("2.0 (20 M), 1.3 (5 M)", "40", "100")
CONSOLE = Console(width=150)


@dataclass(frozen=True)
class Side:
    """Seconds of steady batches, full and half, and the peak memory of one side."""

    full_s: Sequence[float]
    half_s: Sequence[float]
    peak_bytes: int

    def further_row_us(self, workload: Workload) -> float:
        """What one more row costs: the slope between half and full batches, in microseconds."""
        return (statistics.median(self.full_s) - statistics.median(self.half_s)) / (workload.rows / 2) * 1e6


def run(module: str, *arguments: object) -> tuple[list[tuple[int, float]], int]:
    """The steady `(rows, seconds)` of one process, warm-up left out, and its peak memory."""
    command = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stderr[-3000:]}")
    found = json.loads(ended.stdout.strip().splitlines()[-1])
    batches = [(int(rows), float(seconds)) for rows, seconds in found["batches"]]
    return batches[WARM_UP:], found["peak_bytes"]


def measured(number: int, folder: Path) -> tuple[Side, Side, float]:
    """Plain Spark, Punctual and DuckDB's seconds on workload `number`, one after the other."""
    workload, files = WORKLOADS[number], folder / f"data{number}"
    half = workload.rows // 2
    CONSOLE.print(f"{workload.name}: writing {sum(workload.batches):,} rows")
    data.write(workload, files)
    CONSOLE.print("  plain Spark ...")
    plain, plain_peak = run("plain", number, files, folder / f"plain{number}")
    CONSOLE.print("  Punctual, full batches ...")
    ours, ours_peak = run("ours", number, files, folder / f"ours{number}", workload.rows)
    CONSOLE.print("  Punctual, half batches ...")
    ours_half, _ = run("ours", number, files, folder / f"half{number}", half)
    return (
        Side(of_size(plain, workload.rows), of_size(plain, half), plain_peak),
        Side(of_size(ours, workload.rows), of_size(ours_half, half), ours_peak),
        min(limit.seconds(files / f"{WARM_UP + 1}.parquet", workload.size_s) for _ in range(3)),
    )


def of_size(batches: Sequence[tuple[int, float]], rows: int) -> list[float]:
    """The seconds of the batches with just so many rows."""
    return [seconds for read, seconds in batches if read == rows]


def spread(values: Sequence[float]) -> str:
    """Minimum, median and maximum."""
    return f"{min(values):.2f} / {statistics.median(values):.2f} / {max(values):.2f}"


def main() -> None:
    """Print how long texts take, then one row for each workload: seconds, ratio, cost of a further row, peak memory."""
    CONSOLE.print(validation.table())
    table = Table("work", "rows", "plain Spark s", "Punctual s", "ratio min / median / max", "target", title="bench")
    for column in ("further row us: plain, ours, ratio", "peak MB: plain, ours", "DuckDB s, tumbling"):
        table.add_column(column)
    with tempfile.TemporaryDirectory(prefix="punctual-bench-") as folder:
        for number, workload in enumerate(WORKLOADS):
            plain, ours, duckdb_s = measured(number, Path(folder))
            pairs = [p / o for p, o in zip(plain.full_s, ours.full_s, strict=False)]
            slopes = plain.further_row_us(workload), ours.further_row_us(workload)
            table.add_row(
                workload.name,
                f"{workload.rows:,}",
                spread(plain.full_s),
                spread(ours.full_s),
                spread(pairs),
                TARGETS[number],
                f"{slopes[0]:.2f}, {slopes[1]:.3f}, {slopes[0] / slopes[1]:.0f}",
                f"{plain.peak_bytes >> 20}, {ours.peak_bytes >> 20}",
                f"{duckdb_s:.2f}",
            )
            CONSOLE.print(table)


if __name__ == "__main__":
    main()
