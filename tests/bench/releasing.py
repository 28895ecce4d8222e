"""Releases files to Punctual one batch at a time, each as soon as the previous one was planned."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.spark.carrier import Carrier
from tests.bench.data import Source
from tests.bench.works import Work

POLL_S: Final = 0.05
ALIVE_S: Final = 1.0
"""The interval of health checks: they are rare, because they use the cores on which the batches are measured."""


def await_done(carrier: Carrier, done: Callable[[], bool]) -> None:
    """Wait until `done`. Raises SystemExit when the query or a run has failed."""
    checked = time.monotonic()
    while not done():
        if time.monotonic() - checked > ALIVE_S:
            require_alive(carrier)
            checked = time.monotonic()
        carrier.wait(POLL_S)


def require_alive(carrier: Carrier) -> None:
    """Raise SystemExit if the query or a run has failed."""
    failure = carrier.failure()
    stopped = [run for run, change in carrier.last_runs().items() if change.state == "failed"]
    if failure is not None or stopped:
        raise SystemExit(failure.detail if failure is not None else str(carrier.last_runs()))


class Releasing:
    """Copies of the generated files, moved into the folders that the inputs follow.

    Each run has its own copies, because an input refuses a file with a second name (a link).
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
        """Let batch `number` appear in all inputs and lanes."""
        for name, source in self._work.sources.items():
            for lane in range(source.lanes):
                file = source.file(self._data / name, number, lane)
                (self._held / name / file.name).rename(self._place(name, source.lanes, lane) / file.name)

    def planned(self, binding: str) -> int:
        """Return how many batches have been planned in all inputs and lanes."""
        counts = []
        for name, source in self._work.sources.items():
            pattern = f"journals/{binding}-*/{name}/" + ("*/files.jsonl" if source.lanes > 1 else "files.jsonl")
            lines = [path.read_bytes().count(b"\n") for path in self._carrier.glob(pattern)]
            counts.append(min(lines) if len(lines) == source.lanes else 0)
        return min(counts)

    def release_all(self, batches: int, carrier: Carrier, binding: str) -> None:
        """Release the batches one by one; return when the last one is planned. Raises SystemExit if the query stops."""
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
