"""Commands of a runner for a run that reads in parallel with another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.runtime.paper import Desk
from tests.spark.specs import spec

A = spec("a", "rows.jsonl")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def test_a_parallel_run_is_deleted_when_it_is_cancelled_and_kept_when_another_takes_over(desk: Desk) -> None:
    beside = A.model_copy(update={"run": "a-c", "beside": True})
    desk.desire(A, beside)
    desk.runner.turn()
    desk.desire(A)
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1", "add a-c", "forget a~next"]
    desk.desire(A, beside.model_copy(update={"run": "a-d"}))
    desk.runner.turn()
    desk.desire(A.model_copy(update={"run": "a-2", "takes_over": "a-d"}))
    desk.runner.turn()
    assert desk.carrier.commands[3:] == ["add a-d", "stop a flush=False", "add a-2"]
