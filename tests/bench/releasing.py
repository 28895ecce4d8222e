"""Lets Punctual find its files one batch at a time, the next as soon as the one before was planned, so none waits."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.spark.carrier import Carrier
from tests.bench.data import Source
from tests.bench.works import Work

LOOK_S: Final = 0.05
ALIVE_S: Final = 1.0
"""Looks are seldom, for they take time of the cores on which the batches are measured."""


def await_done(carrier: Carrier, done: Callable[[], bool]) -> None:
    """Return when `done` says so. Raises SystemExit when the query or a run has failed."""
    looked = time.monotonic()
    while not done():
        if time.monotonic() - looked > ALIVE_S:
            require_alive(carrier)
            looked = time.monotonic()
        carrier.wait(LOOK_S)


def require_alive(carrier: Carrier) -> None:
    """Raises SystemExit when the query or a run has failed."""
    failure = carrier.failure()
    stopped = [run for run, change in carrier.last_runs().items() if change.state == "failed"]
    if failure is not None or stopped:
        raise SystemExit(failure.detail if failure is not None else str(carrier.last_runs()))


class Releasing:
    """Copies of the generated files, moved into the folders that the inputs follow; `binding` reads them.

    A copy for each run, because an input refuses a file that has a second name (a link).
    """

    def __init__(self, work: Work, data: Path, home: Path, carrier: Path, prefix: str = "in") -> None:
        self._work = work
        self._data = data
        self._into = home / prefix
        self._carrier = carrier
        self._held = home / f"held-{prefix}"
        for name, source in work.sources.items():
            for lane in range(source.lanes):
                self._place(name, source.lanes, lane).mkdir(parents=True, exist_ok=True)
                self._copy(name, source, lane)

    def release(self, number: int) -> None:
        """Batch `number` appears, in all inputs and lanes."""
        for name, source in self._work.sources.items():
            for lane in range(source.lanes):
                file = source.file(self._data / name, number, lane)
                (self._held / name / file.name).rename(self._place(name, source.lanes, lane) / file.name)

    def planned(self, binding: str) -> int:
        """How many batches have been planned wholly."""
        counts = []
        for name, source in self._work.sources.items():
            pattern = f"journals/{binding}-*/{name}/" + ("*/files.jsonl" if source.lanes > 1 else "files.jsonl")
            lines = [path.read_bytes().count(b"\n") for path in self._carrier.glob(pattern)]
            counts.append(min(lines) if len(lines) == source.lanes else 0)
        return min(counts)

    def release_all(self, batches: int, carrier: Carrier, binding: str) -> None:
        """One batch after the other; returns when the last one is planned. Raises SystemExit when the query stops."""
        for number in range(batches):
            self.release(number)
            await_done(carrier, lambda: self.planned(binding) > number)  # noqa: B023 - it is awaited here

    def _copy(self, name: str, source: Source, lane: int) -> None:
        (self._held / name).mkdir(parents=True, exist_ok=True)
        for number in range(len(self._work.batches)):
            file = source.file(self._data / name, number, lane)
            shutil.copyfile(file, self._held / name / file.name)

    def _place(self, name: str, lanes: int, lane: int) -> Path:
        return self._into / name / str(lane) if lanes > 1 else self._into / name
