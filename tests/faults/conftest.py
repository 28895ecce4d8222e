"""Runner processes for tests that disturb them; all end with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime.processes.process import RunnerProcess

Runners = Callable[[str, int], RunnerProcess]
"""Creates a runner process, not started, of an organisation with so many rows a batch."""


@pytest.fixture
def runners(tmp_path: Path, redis_server_url: str) -> Iterator[Runners]:
    """Yield a function that creates runner processes; end all of them after the test."""
    made: list[RunnerProcess] = []

    def make(organisation: str, rows_a_batch: int) -> RunnerProcess:
        arguments = ("--min-interval-s", "0", "--rows-per-batch", str(rows_a_batch))
        made.append(RunnerProcess(tmp_path, organisation, redis_server_url, *arguments))
        return made[-1]

    yield make
    for runner in made:
        runner.end()
