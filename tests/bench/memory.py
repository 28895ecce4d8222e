"""Memory and fairness: memory over many batches and in a large one, and waiting times of small inputs.

`python -m tests.bench.memory [BATCHES]` prints the tables; `memory_runs` measures each row in its own process, one
after the other.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

INTERVAL_S = 1.0
BATCHES = 1_000
CONSOLE = Console(width=150)


class PeakMemory:
    """Context manager: `peak_bytes` is the largest sum of unshared memory (USS) seen over the process tree.

    `worker_bytes` is the largest resident size (RSS) of one Python worker.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0
        self.worker_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(INTERVAL_S):
            self.peak_bytes = max(self.peak_bytes, sum(_unshared(p) for p in [me, *me.children(recursive=True)]))
            self.worker_bytes = max(self.worker_bytes, Sizes.now().largest)


@dataclass(frozen=True)
class Sizes:
    """Resident sizes in bytes: the largest Python worker, all of them, the JVM, this process."""

    largest: int
    workers: int
    jvm: int
    driver: int

    @classmethod
    def now(cls) -> "Sizes":
        """Return the sizes of the processes that this one has started."""
        me = psutil.Process()
        workers, jvm = [0], [0]
        for process in me.children(recursive=True):
            try:
                (jvm if process.name() == "java" else workers).append(process.memory_info().rss)
            except psutil.Error:
                continue
        return cls(max(workers), sum(workers), sum(jvm), me.memory_info().rss)

    def to_json(self) -> dict[str, int]:
        """Return the sizes as JSON."""
        return asdict(self)


def _unshared(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0


def measured(which: str, *arguments: object) -> Any:
    """Run `memory_runs`; return the JSON of its last line."""
    command = [sys.executable, "-m", "tests.bench.memory_runs", which, *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{ended.stdout[-1000:]}\n{ended.stderr[-3000:]}")
    return json.loads(ended.stdout.strip().splitlines()[-1])


def over_batches(folder: Path, batches: int) -> Table:
    """Measure resident sizes at every tenth of `batches` small batches, in Spark's workers and without Spark."""
    table = Table("after batch", "largest worker MB", "all workers MB", "JVM MB", "driver MB", "batch s", title="flat?")
    for which in ("loop", "spark"):
        CONSOLE.print(f"  {batches} small batches, {which} ...")
        for at, seconds, sizes in measured(which, folder / which, batches):
            megabytes = [str(sizes[name] >> 20) for name in ("largest", "workers", "jvm", "driver")]
            table.add_row(f"{which} {at}", *megabytes, f"{seconds:.3f}")
    return table


def in_large_ones(folder: Path) -> Table:
    """Measure peaks while ten million rows are read in one batch, and in batches of a million."""
    table = Table("rows a batch", "batches", "largest worker MB", "all processes MB", "largest batch s", title="large")
    for rows in (10_000_000, 1_000_000):
        CONSOLE.print(f"  10,000,000 rows, {rows:,} a batch ...")
        found = measured("large", folder / str(rows), rows)
        sizes = [str(found[name] >> 20) for name in ("worker_bytes", "peak_bytes")]
        table.add_row(f"{rows:,}", str(found["batches"]), *sizes, f"{found['slowest_s']:.1f}")
    return table


def beside_a_backlog(folder: Path) -> Table:
    """Measure how long rows of small inputs wait from due time to commit, p50 / p95 / max."""
    table = Table(
        "rows a batch", "backlog s", "while it is read", "afterwards", title="small inputs next to a huge one, s"
    )
    for rows in (200_000, 2_000_000):
        CONSOLE.print(f"  a backlog next to small inputs, {rows:,} rows a batch ...")
        found = measured("backlog", folder / f"b{rows}", rows)
        table.add_row(f"{rows:,}", f"{found['backlog_s']:.0f}", spread(found["during"]), spread(found["after"]))
    return table


def spread(values: Sequence[float]) -> str:
    """Return median, 95th percentile and maximum."""
    if not values:
        return "none"
    ordered = sorted(values)
    return " / ".join(f"{ordered[min(int(part * len(ordered)), len(ordered) - 1)]:.2f}" for part in (0.5, 0.95, 1.0))


def main(batches: int = BATCHES) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory(prefix="punctual-bench-") as place:
        folder = Path(place)
        for table in (in_large_ones(folder), beside_a_backlog(folder), over_batches(folder, batches)):
            CONSOLE.print(table)


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:]))
