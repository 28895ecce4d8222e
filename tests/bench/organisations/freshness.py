"""The cost of an organisation's own runner by freshness: `python -m tests.bench.organisations.freshness`.

A real runner with one binding: without new rows, and with 100 rows/s at each freshness. Cores are processor time of the
runner and all its processes (JVM, Python workers and their children) by wall-clock time; MB is their proportional
memory at the end. Seconds to the first row: of a starting runner, and of a binding that is added to its warm carrier.
The load of the machine is printed too: other work makes each batch more expensive.
"""

import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import redis
from rich.console import Console
from rich.table import Table

from deploy.installation.embedded_redis import redis_server
from deploy.up.place import HOST
from streaming.wire.freshness import USUAL, Freshness
from streaming.wire.messages import RunSpec
from tests.bench.organisations import density
from tests.conftest import patient
from tests.ports import free_port
from tests.runtime.processes.process import RunnerProcess

RATE = 100
SELDOM = 1e-6
"""Rows per second of a binding without new rows during the measurement."""
WARM_UP_S = 30.0
MEASURED_S = 60.0
SHOWN = (Freshness.FIFTH_OF_A_SECOND, Freshness.SECOND, Freshness.FIVE_SECONDS, Freshness.MINUTE)
PAUSE = threading.Event()
"""Never set: waiting for it leaves the machine to the measured processes."""
TITLE = "one binding, an own runner, no new rows or 100 rows/s"
COLUMNS = ("rows/s", "freshness", "batches a minute", "cores", "MB", "start to row s", "added to row s", "load")


@dataclass(frozen=True)
class RunnerCost:
    """Processor seconds of a runner's processes so far, by process id, and their memory in bytes."""

    seconds: dict[int, float]
    memory: int

    @classmethod
    def of(cls, pid: int) -> "RunnerCost":
        """Return the cost so far. An ended process counts with its parent."""
        seconds, memory = {}, 0
        runner = psutil.Process(pid)
        for each in [runner, *runner.children(recursive=True)]:
            try:
                spent = each.cpu_times()
                memory += each.memory_full_info().pss
            except psutil.Error:
                continue
            seconds[each.pid] = spent.user + spent.system + spent.children_user + spent.children_system
        return cls(seconds, memory)

    def since(self, before: "RunnerCost") -> float:
        """Return the processor seconds since `before`."""
        return sum(spent - before.seconds.get(pid, 0.0) for pid, spent in self.seconds.items())


def spec(binding: str, rate: float, freshness: Freshness) -> RunSpec:
    """Return a binding of generated rows, counted for each device and second."""
    content = json.loads(density.spec(binding).model_dump_json())
    content["inputs"]["cars"]["adapter"]["options"]["rate"] = rate
    return RunSpec.model_validate_json(json.dumps(content | {"freshness": freshness.ticks}))


@contextmanager
def running_redis() -> Iterator[str]:
    """Run a Redis server for this measurement; yield its address."""
    port = free_port()
    command = [str(redis_server()), "--port", str(port), "--bind", HOST, "--save", ""]
    server, url = subprocess.Popen(command, stdout=subprocess.DEVNULL), f"redis://{HOST}:{port}/0"
    try:
        with redis.Redis.from_url(url, retry=patient()) as client:
            client.ping()
        yield url
    finally:
        server.terminate()
        server.wait()


def measured(rate: float, freshness: Freshness, seconds: float) -> list[str]:
    """Return the cells of COLUMNS."""
    with running_redis() as url, tempfile.TemporaryDirectory(prefix="freshness-") as root:
        runner = RunnerProcess(Path(root), "bench", url)
        first, added = spec("first", rate, freshness), spec("added", RATE, freshness)
        began = time.monotonic()
        runner.desire(first)
        runner.start()
        assert runner.process is not None
        try:
            runner.wait_until(lambda: runner.state("first-1") == "running", "it runs")
            start_s = _first_row_s(runner, "first", began) if rate > SELDOM else None
            PAUSE.wait(WARM_UP_S)
            batches, before, at = _batches(runner), RunnerCost.of(runner.process.pid), time.monotonic()
            PAUSE.wait(seconds)
            after, took = RunnerCost.of(runner.process.pid), time.monotonic() - at
            counted = (_batches(runner) - batches) / took * 60
            load, began = os.getloadavg()[0], time.monotonic()
            runner.desire(first, added)
            added_s = _first_row_s(runner, "added", began)
        finally:
            runner.end()
    figures = [f"{counted:.0f}", f"{after.since(before) / took:.4f}", f"{after.memory / 1e6:,.0f}"]
    starts = ["-" if start_s is None else f"{start_s:.1f}", f"{added_s:.1f}"]
    return ["none" if rate <= SELDOM else f"{rate:g}", freshness.value, *figures, *starts, f"{load:.1f}"]


def _first_row_s(runner: RunnerProcess, binding: str, began: float) -> float:
    parts = runner.folder / "results" / binding / "results"
    runner.wait_until(lambda: parts.is_dir() and any(parts.glob("part-*")), f"a row of {binding}", every_s=0.02)
    return time.monotonic() - began


def _batches(runner: RunnerProcess) -> int:
    commits = (runner.folder / "carriers" / "main" / "commits").glob("*.json")
    return max((int(each.stem) for each in commits), default=0)


def table(choices: Sequence[Freshness], seconds: float) -> Table:
    """Measure an idle runner, then one at each of `choices`."""
    found = Table(*COLUMNS, title=f"{TITLE}; {seconds:g} s measured")
    for rate, freshness in [(SELDOM, USUAL), *((RATE, each) for each in choices)]:
        found.add_row(*measured(rate, freshness, seconds))
    return found


def main() -> None:
    """Print the table."""
    made = argparse.ArgumentParser(
        prog="python -m tests.bench.organisations.freshness", description="The cost of freshness."
    )
    choices = [each.value for each in Freshness]
    made.add_argument("--freshness", nargs="*", choices=choices, default=[each.value for each in SHOWN])
    made.add_argument("--seconds", type=float, default=MEASURED_S)
    options = made.parse_args()
    Console(width=150).print(table([Freshness(each) for each in options.freshness], options.seconds))


if __name__ == "__main__":
    main()
