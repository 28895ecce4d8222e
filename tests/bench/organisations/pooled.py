"""Many organisations in one pooled runner: `python -m tests.bench.organisations.pooled --organisations 20 200`.

A real runner with organisations of five bindings each, with the default freshness: without new rows, and with a row per
second for each binding. Seconds of batches are those of their whole trigger; "between" is from the end of one to the
end of the next. Cores are processor time of the runner and all its processes by wall-clock time, MB their proportional
memory at the end; "seated s" is from the start of the process until every run of every organisation is running. The
load of the machine is printed too: other work makes each batch more expensive.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from streaming.wire import keys
from streaming.wire.freshness import USUAL
from streaming.wire.progress import ProgressReport
from tests.bench.organisations.freshness import PAUSE, SELDOM, RunnerCost, running_redis, spec
from tests.runtime.processes.process import OrganisationMail, PoolProcess

BINDINGS = 5
RATE = 1.0
ORGANISATIONS = (20, 200)
WARM_UP_S = 30.0
MEASURED_S = 90.0
SEATED_WITHIN_S = 1_800.0
TITLE = f"pooled: {BINDINGS} bindings each, freshness {USUAL.value}, no new rows or {RATE:g} row/s for each binding"
COLUMNS = (
    *("organisations", "rows/s each", "seated s", "batches", "batch s: median, p99", "between s: median, longest"),
    *("cores", "cores an organisation", "MB", "load"),
)


class CrowdedPool:
    """A pool with `count` organisations, all with desired runs."""

    def __init__(self, root: Path, url: str, count: int, rate: float) -> None:
        self.pool = PoolProcess(root, 1, url)
        self.mails = [OrganisationMail(root, f"o{number}", url) for number in range(count)]
        for mail in self.mails:
            mail.files.mkdir(parents=True)
            specs = [spec(f"b{number}", rate, USUAL) for number in range(BINDINGS)]
            runs = [each.model_copy(update={"run": f"{mail.organisation}-{each.run}"}) for each in specs]
            mail.desire(*(each.model_copy(update={"organisation": mail.organisation}) for each in runs))
        self.pool.serve(*(mail.organisation for mail in self.mails))

    def states(self) -> list[str]:
        """Return the reported states of all runs."""
        reported = [mail.connection.hgetall(keys.observed(mail.organisation)) for mail in self.mails]
        return [str(content) for each in reported for content in each.values()]

    def seat(self) -> float:
        """Start it; return the seconds until all runs were running."""
        began = time.monotonic()
        self.pool.start()
        wanted = len(self.mails) * BINDINGS
        while (running := sum('"state":"running"' in each for each in self.states())) < wanted:
            assert self.pool.process is not None
            assert self.pool.process.poll() is None, f"the pool ended:\n{self.pool.log_end()}"
            assert time.monotonic() - began < SEATED_WITHIN_S, f"{running} of {wanted} run\n{self.pool.log_end()}"
            PAUSE.wait(1.0)
        return time.monotonic() - began

    def batches(self) -> dict[int, ProgressReport]:
        """Return a report of each stored batch, by its number."""
        found: dict[int, ProgressReport] = {}
        for mail in self.mails:
            for number in range(BINDINGS):
                stream = keys.reports(mail.organisation, f"{mail.organisation}-b{number}-1")
                for _, content in mail.connection.xrange(stream):
                    report = ProgressReport.model_validate_json(content["report"])
                    found[report.batch] = report
        return found

    def end(self) -> None:
        """End the pool."""
        self.pool.end()
        for mail in self.mails:
            mail.connection.close()


def measured(count: int, rate: float, seconds: float) -> list[str]:
    """Return the cells of COLUMNS."""
    with running_redis() as url, tempfile.TemporaryDirectory(prefix="pooled-") as root:
        crowd = CrowdedPool(Path(root), url, count, rate)
        try:
            seated_s = crowd.seat()
            assert crowd.pool.process is not None
            PAUSE.wait(WARM_UP_S)
            warm = max(crowd.batches(), default=0)
            before, at = RunnerCost.of(crowd.pool.process.pid), time.monotonic()
            PAUSE.wait(seconds)
            after, took = RunnerCost.of(crowd.pool.process.pid), time.monotonic() - at
            load = os.getloadavg()[0]
            reports = [report for batch, report in sorted(crowd.batches().items()) if batch > warm]
        finally:
            crowd.end()
    cores = after.since(before) / took
    between = [(later.at - earlier.at) / 1e6 for earlier, later in pairwise(reports)]
    return [
        f"{count}",
        "none" if rate <= SELDOM else f"{rate:g}",
        f"{seated_s:.0f}",
        f"{len(reports)}",
        _two([each.batch_s for each in reports], 0.99),
        _two(between, 1.0),
        f"{cores:.3f}",
        f"{cores / count:.4f}",
        f"{after.memory / 1e6:,.0f}",
        f"{load:.1f}",
    ]


def _two(seconds: Sequence[float], part: float) -> str:
    """Return the median, and the quantile `part`; of few values the largest."""
    if not seconds:
        return "-"
    high = sorted(seconds)[min(len(seconds) - 1, int(part * len(seconds)))]
    return f"{statistics.median(seconds):.2f}, {high:.2f}"


def table(counts: Sequence[int], seconds: float) -> Table:
    """Measure pools with `counts` organisations, each without and with new rows."""
    found = Table(*COLUMNS, title=f"{TITLE}; {seconds:g} s measured")
    for count in counts:
        for rate in (SELDOM, RATE):
            found.add_row(*measured(count, rate, seconds))
    return found


def main() -> None:
    """Print the table."""
    made = argparse.ArgumentParser(prog="python -m tests.bench.organisations.pooled", description=TITLE)
    made.add_argument("--organisations", nargs="*", type=int, default=list(ORGANISATIONS))
    made.add_argument("--seconds", type=float, default=MEASURED_S)
    options = made.parse_args()
    Console(width=180).print(table(options.organisations, options.seconds))


if __name__ == "__main__":
    main()
