"""The effect of one organisation on the others in its pool: `python -m tests.bench.organisations.troubles`.

A real pooled runner with several organisations of one binding each, a row per second and default freshness. One more
organisation behaves well first. Then its reads hang, fail, or return more than the pool can read; or it has ALONE
hanging dedicated bindings. Its failed run is retried as by the web application: after 5 s, 10 s, 20 s. Seconds are
those of the others' batches, from planning to commit, and from the end of one to the end of the next. Each trouble is
measured with the pool's second carrier and task slots for dedicated queries, and without them. Without them a hanging
read delays a batch by 5 s, and dedicated queries wait in the common tasks.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from streaming.wire import keys
from streaming.wire.freshness import USUAL
from streaming.wire.messages import RunSpec
from streaming.wire.progress import ProgressReport
from tests.adapters.installing import TROUBLE, package_installed
from tests.bench.organisations.freshness import PAUSE, running_redis, spec
from tests.runtime.processes.process import OrganisationMail, PoolProcess

OTHERS = 10
WARM_UP_S = 20.0
MEASURED_S = 60.0
FIRST_RETRY_S = 5.0
RATE = 1.0
FLOOD = 100_000
"""The factor of its rows compared with any other: more than a pool can read."""
ALONE = 4
TROUBLES = ("none", "hang", "fail", "flood", "dedicated")
COLUMNS = ("trouble", "apart", "batches", "batch s: median, p99, longest", "between s: p99, longest", "load")
WITHOUT: tuple[str, ...] = (
    "import sys, streaming.runtime.__main__ as runtime, streaming.runtime.carriers.fleet as fleet",
    "import streaming.runtime.process.limits as limits",
    "hurried = {'partitions': 2, 'patience_s': 0.5, 'lanes_deadline_s': 3.0, 'read_deadline_s': 5.0}",
    "runtime._RunnerTask.pooled = lambda task: task.apart().model_copy(update=hurried)",
    "fleet.Fleet._was_slow = lambda *_: False",
    "settings = runtime._RunnerTask.settings",
    "before = {'places': None, 'read_deadline_s': 30.0}",
    "runtime._RunnerTask.settings = lambda *task: settings(*task).model_copy(update=before)",
    "limits.dedicated_places = lambda cores: 0",
    "sys.exit(runtime.main(sys.argv[1:]))",
)
"""A runner without the second carrier, and without task slots for dedicated queries."""


class TroubledPool:
    """A pool with OTHERS well-behaved organisations, and the organisation `t`."""

    def __init__(self, root: Path, url: str, *, apart: bool, rate: float, alone: int = 0) -> None:
        self.pool = PoolProcess(root, 1, url)
        if not apart:
            self.pool.command = [sys.executable, "-c", "\n".join(WITHOUT), *self.pool.command[3:]]
        self.mails = [OrganisationMail(root, f"o{number}", url) for number in range(OTHERS)]
        self.trouble = OrganisationMail(root, "t", url)
        for mail in (*self.mails, self.trouble):
            mail.files.mkdir(parents=True)
        for mail in self.mails:
            mail.desire(of(mail.organisation, spec("b", RATE, USUAL)))
        content = json.loads(of("t", spec("b", rate, USUAL)).model_dump_json())
        content["inputs"]["cars"]["adapter"]["kind"] = "trouble"
        found = RunSpec.model_validate_json(json.dumps(content))
        self.wanted = [found, *(_alone(found, number) for number in range(alone))][int(alone > 0) :]
        self.trouble.desire(*self.wanted)
        self.pool.serve(*(mail.organisation for mail in self.mails), "t")
        self.retries, self.retry_at = 0, 0.0

    def begin(self) -> None:
        """Start it, and wait until all runs are running."""
        self.pool.start()
        runs = [(mail, f"{mail.organisation}-b-1") for mail in self.mails]
        runs += [(self.trouble, each.run) for each in self.wanted]
        self.pool.wait_until(lambda: all(mail.state(run) == "running" for mail, run in runs), "all run")

    def reports(self) -> dict[int, ProgressReport]:
        """Return a report of the others for each stored batch."""
        found: dict[int, ProgressReport] = {}
        for mail in self.mails:
            for _, content in mail.connection.xrange(keys.reports(mail.organisation, f"{mail.organisation}-b-1")):
                report = ProgressReport.model_validate_json(content["report"])
                found[report.batch] = report
        return found

    def spend(self, seconds: float) -> None:
        """Wait, and retry the failed run during that time."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            failed = self.trouble.state(self.wanted[0].run) == "failed"
            if failed and not self.retry_at:
                self.retry_at = now + FIRST_RETRY_S * 2**self.retries
                self.trouble.desire()
            elif failed and now >= self.retry_at:
                self.trouble.desire(*self.wanted)
                self.retries, self.retry_at = self.retries + 1, 0.0
                PAUSE.wait(1.0)
            PAUSE.wait(0.2)

    def end(self) -> None:
        """End the pool."""
        self.pool.end()
        for mail in (*self.mails, self.trouble):
            mail.connection.close()


def _alone(wanted: RunSpec, number: int) -> RunSpec:
    name = f"d{number}"
    changes = {"binding": name, "run": f"t-{name}-1", "results": f"results/{name}", "dedicated": True}
    return wanted.model_copy(update=changes)


def of(organisation: str, wanted: RunSpec) -> RunSpec:
    """Return the run `wanted` for an organisation."""
    return wanted.model_copy(update={"organisation": organisation, "run": f"{organisation}-{wanted.run}"})


@contextmanager
def troubled(*, apart: bool, rate: float, alone: int) -> Iterator[TroubledPool]:
    """Run a pool."""
    with running_redis() as url, tempfile.TemporaryDirectory(prefix="troubled-") as root:
        found = TroubledPool(Path(root), url, apart=apart, rate=rate, alone=alone)
        try:
            found.begin()
            yield found
        finally:
            found.end()


def measured(trouble: str, *, apart: bool, seconds: float) -> list[str]:
    """Return the cells of COLUMNS."""
    rate, alone = FLOOD * RATE if trouble == "flood" else RATE, ALONE if trouble == "dedicated" else 0
    with troubled(apart=apart, rate=rate, alone=alone) as pool:
        pool.spend(WARM_UP_S)
        warm = max(pool.reports(), default=0)
        if trouble in {"hang", "fail", "dedicated"}:
            (pool.trouble.files / ("hang" if trouble == "dedicated" else trouble)).touch()
        pool.spend(seconds)
        load = os.getloadavg()[0]
        reports = [report for batch, report in sorted(pool.reports().items()) if batch > warm]
    took = sorted(report.batch_s for report in reports)
    between = sorted((later.at - earlier.at) / 1e6 for earlier, later in pairwise(reports))
    batches = f"{statistics.median(took):.2f}, {_p99(took):.2f}, {took[-1]:.2f}"
    gaps = f"{_p99(between):.2f}, {between[-1]:.2f}"
    return [trouble, "yes" if apart else "no", f"{len(reports)}", batches, gaps, f"{load:.1f}"]


def _p99(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


def table(troubles: Sequence[str], seconds: float, *, before: bool) -> Table:
    """Measure each trouble with the second carrier and, with `before`, without it."""
    found = Table(*COLUMNS, title=f"{OTHERS} organisations next to one that makes trouble; {seconds:g} s measured")
    with tempfile.TemporaryDirectory(prefix="trouble-") as package, package_installed(Path(package) / "p", TROUBLE):
        for trouble in troubles:
            for apart in (True, False) if before else (True,):
                found.add_row(*measured(trouble, apart=apart, seconds=seconds))
    return found


def main() -> None:
    """Print the table."""
    made = argparse.ArgumentParser(prog="python -m tests.bench.organisations.troubles")
    made.add_argument("--troubles", nargs="*", default=list(TROUBLES), choices=TROUBLES)
    made.add_argument("--seconds", type=float, default=MEASURED_S)
    made.add_argument("--before", action=argparse.BooleanOptionalAction, default=True, help="also without the carrier")
    options = made.parse_args()
    Console(width=160).print(table(options.troubles, options.seconds, before=options.before))


if __name__ == "__main__":
    main()
