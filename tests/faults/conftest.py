"""Runner processes that are disturbed, of which none stays."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime.process import RunnerProcess

Runners = Callable[[str, int], RunnerProcess]
"""Makes a runner process of an organisation with so many rows a batch, which is not started."""


@pytest.fixture
def runners(tmp_path: Path, redis_server_url: str) -> Iterator[Runners]:
    """Makes runner processes and sees that none stays."""
    made: list[RunnerProcess] = []

    def make(organisation: str, rows_a_batch: int) -> RunnerProcess:
        arguments = ("--min-interval-s", "0", "--rows-per-batch", str(rows_a_batch))
        made.append(RunnerProcess(tmp_path, organisation, redis_server_url, *arguments))
        return made[-1]

    yield make
    for runner in made:
        runner.end()
