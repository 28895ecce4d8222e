"""A runner that carries the three plans and is disturbed: SIGKILL to it or to a worker, and writes that fail."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from streaming.spark.layout import opened
from streaming.wire.messages import ProgressReport
from streaming.wire.results import FOLDERS
from tests.faults.journal import numbers, planned_by
from tests.faults.plans import PLANS, plan, write_inputs
from tests.faults.spark_processes import spark_processes
from tests.runtime.process import RunnerProcess

ROWS_A_BATCH = 40
TASKS = 2
MOST_LOOKS = 250
"""A kill comes up to so many looks after its batch was planned; one look is about 3 ms."""
EVERY_S = 0.003
STATES_EVERY = 64
"""The states of the runs are asked for at every so many looks: they are in Redis, and so is what the runner needs."""


class Disturbed:
    """A run of all three plans in `runner`, with what was done to it in `happened`."""

    def __init__(self, runner: RunnerProcess, files: int, chosen: random.Random) -> None:
        write_inputs(runner.files, files)
        self.runner = runner
        self.happened: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self._chosen = chosen
        self._want()

    @property
    def planned(self) -> int:
        """The batch that Spark's newest offset plans."""
        offsets = self.runner.folder / "carriers" / "main" / "spark" / "offsets"
        found = numbers(offsets)
        return planned_by(offsets / str(found[-1])) if found else 0

    @property
    def states(self) -> set[str | None]:
        """The states of the three runs."""
        return {self.runner.state(f"{name}-1") for name in PLANS}

    def reports(self) -> dict[str, ProgressReport]:
        """The last totals of the three runs, without what depends on the clock and on the cut into batches."""
        reports = {name: self.runner.progress(f"{name}-1") for name in PLANS}
        varying: dict[str, Any] = {
            "at": 0,
            "batch": 0,
            "batch_s": 0.0,
            "held_back": None,
            "recent_results": [],
            "recent_late": [],
        }
        return {name: report.model_copy(update=varying) for name, report in reports.items()}

    def to_the_end(self) -> None:
        """Wait until all three have ended; whatever still fails is asked for again."""
        while self.states != {"completed"}:
            self.runner.wait_until(lambda: self.states <= {"completed", "failed"}, "the runs have ended or failed")
            if "failed" in self.states:
                self._ask_again()

    def kill_the_runner(self, batch: int) -> None:
        """SIGKILL to the driver at a random moment after `batch` was planned; a new one starts."""
        self._reach(batch)
        self.runner.kill()
        self.happened["runner"] += 1
        self.runner.start()

    def kill_a_starting_runner(self) -> None:
        """SIGKILL to the driver somewhere between its start and its first batches."""
        looks = iter(range(self._chosen.randrange(8 * MOST_LOOKS)))
        self.runner.wait_until(lambda: next(looks, None) is None, "a moment of its start", EVERY_S)
        self.runner.kill()
        self.happened["starting runner"] += 1
        self.runner.start()

    def kill_a_process(self, kind: str, batch: int) -> None:
        """SIGKILL to a Python process of Spark (see PROCESSES) at a random moment after `batch` was planned."""
        self._reach(batch)
        found: list[psutil.Process] = []

        def look() -> bool:
            assert self.runner.process is not None
            found.extend(spark_processes(self.runner.process.pid, kind))
            return bool(found)

        self._wait(look, f"there is a {kind}")
        try:
            self._chosen.choice(found).kill()
        except psutil.NoSuchProcess:
            return
        self.happened[kind] += 1

    def let_a_write_fail(self, kind: str, name: str, batch: int) -> None:
        """Soon after `batch` nothing of the binding `name` can be written: the disk is full, or a name is taken.

        Until the query has failed; then the obstacles go, and the runs are asked for again.
        """
        self._reach(batch)
        last = self.planned + 3
        obstacles = self._obstacles(kind, name, range(last - 2, last + 1))
        self.runner.wait_until(lambda: "failed" in self.states or self.planned > last, f"a write of {name} failed")
        if "failed" in self.states:
            self.happened[kind] += 1
        for path in obstacles:
            path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)

    def _obstacles(self, kind: str, name: str, batches: range) -> list[Path]:
        folder = self.runner.folder / "results" / name
        made = []
        for each in FOLDERS.values():
            (folder / each).mkdir(parents=True, exist_ok=True)
            for task in range(TASKS):
                for batch in batches:
                    path = folder / each / f"part-{batch}-{task}.jsonl"
                    if kind == "full disk":
                        path = path.with_name(f".{path.name}.staged")
                        path.symlink_to("/dev/full")
                    else:
                        (path / "taken").mkdir(parents=True)
                    made.append(path)
        return made

    def _reach(self, batch: int) -> None:
        self._wait(lambda: self.planned >= batch, f"batch {batch} is planned")
        looks = iter(range(self._chosen.randrange(MOST_LOOKS)))
        self._wait(lambda: next(looks, None) is None, "a moment later")
        assert self.states != {"completed"}, "it has ended before it was disturbed"

    def _wait(self, reached: Callable[[], bool], what: str) -> None:
        """Wait until `reached`; runs that fail meanwhile are asked for again, as the web application does."""
        count = 0

        def look() -> bool:
            nonlocal count
            count += 1
            if count % STATES_EVERY == 0 and "failed" in self.states:
                self._ask_again()
            return reached()

        self.runner.wait_until(look, what, EVERY_S)

    def _ask_again(self) -> None:
        seen = (self.runner.observed(f"{name}-1") for name in PLANS)
        self.failures.update({f"{each.domain}: {each.message}" for each in seen if each and each.state == "failed"})
        self.runner.desire()
        carrier = opened(str(self.runner.folder / "carriers" / "main"))
        self.runner.wait_until(lambda: not carrier.control.commanded(), "the failed runs are given up")
        self._want()
        self.runner.wait_until(lambda: "failed" not in self.states, "the runs are carried again")

    def _want(self) -> None:
        self.runner.desire(*map(plan, PLANS))
