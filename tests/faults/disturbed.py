"""A runner with the three plans that is disturbed: SIGKILL to it or to a worker, and failing writes."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from streaming.storage.results import FOLDERS
from tests.faults.journal import numbers, planned_by
from tests.faults.plans import PLANS, plan, write_inputs
from tests.faults.spark_processes import spark_processes
from tests.runtime.processes.process import RunnerProcess

ROWS_A_BATCH = 40
TASKS = 2
MOST_POLLS = 250
"""A kill comes at most so many polls after its batch was planned; a poll takes about 3 ms."""
EVERY_S = 0.003
STATES_EVERY = 64
"""The states of the runs are read only at every so many polls, to spare Redis, which the runner needs too."""


class Disturbed:
    """A run of all three plans in `runner`; `happened` counts its disturbances."""

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

    def reports(self) -> dict[str, dict[str, Any]]:
        """Return the last totals of the three runs, without values that depend on the clock and on batches."""
        arrivals = {"__all__": {"lanes": {"__all__": {"last_arrival"}}}}
        batches = dict.fromkeys(("at", "batch", "batch_s", "held_back", "recent_results", "recent_late"), True)
        reports = {name: self.runner.progress(f"{name}-1") for name in PLANS}
        return {name: each.model_dump(exclude={**batches, "inputs": arrivals}) for name, each in reports.items()}

    def to_the_end(self) -> None:
        """Wait until all three have completed; retry failed ones."""
        while self.states != {"completed"}:
            self.runner.wait_until(lambda: self.states <= {"completed", "failed"}, "the runs have ended or failed")
            if "failed" in self.states:
                self._retry_failed()

    def kill_the_runner(self, batch: int) -> None:
        """Kill the driver at a random moment after `batch` was planned; start a new one."""
        self._reach(batch)
        self.runner.kill()
        self.happened["runner"] += 1
        self.runner.start()

    def kill_a_starting_runner(self) -> None:
        """Kill the driver at a random moment between its start and its first batches."""
        polls = iter(range(self._chosen.randrange(8 * MOST_POLLS)))
        self.runner.wait_until(lambda: next(polls, None) is None, "a moment of its start", EVERY_S)
        self.runner.kill()
        self.happened["starting runner"] += 1
        self.runner.start()

    def kill_a_process(self, kind: str, batch: int) -> None:
        """Kill a Python process of Spark (see PROCESSES) at a random moment after `batch` was planned."""
        self._reach(batch)
        victims: list[psutil.Process] = []

        def poll() -> bool:
            assert self.runner.process is not None
            victims.extend(spark_processes(self.runner.process.pid, kind))
            return bool(victims)

        self._wait(poll, f"there is a {kind}")
        try:
            self._chosen.choice(victims).kill()
        except psutil.NoSuchProcess:
            return
        self.happened[kind] += 1

    def let_a_write_fail(self, kind: str, name: str, batch: int) -> None:
        """Let writes of the binding `name` fail soon after `batch`: the disk is full, or a name is taken.

        When the query has failed, the obstacles are removed and the runs are retried.
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
        polls = iter(range(self._chosen.randrange(MOST_POLLS)))
        self._wait(lambda: next(polls, None) is None, "a moment later")
        assert self.states != {"completed"}, "it has ended before it was disturbed"

    def _wait(self, reached: Callable[[], bool], what: str) -> None:
        """Wait until `reached`; retry runs that fail during that, as the web application does."""
        count = 0

        def poll() -> bool:
            nonlocal count
            count += 1
            if count % STATES_EVERY == 0 and "failed" in self.states:
                self._retry_failed()
            return reached()

        self.runner.wait_until(poll, what, EVERY_S)

    def _retry_failed(self) -> None:
        seen = (self.runner.observed(f"{name}-1") for name in PLANS)
        self.failures.update({f"{each.domain}: {each.message}" for each in seen if each and each.state == "failed"})
        self.runner.retry(*map(plan, PLANS))

    def _want(self) -> None:
        self.runner.desire(*map(plan, PLANS))
