"""After a restart a run is said to run when its query has planned again, and not before."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.runtime.binding_locations import MAIN
from tests.runtime.paper import Desk
from tests.spark.specs import spec


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def running(desk: Desk) -> None:
    """Come to a run of the shared query that is told to run."""
    desk.desire(spec("a", "rows.jsonl"))
    desk.runner.turn()
    desk.carriers[MAIN].ready = True
    desk.carriers[MAIN].commit("running", run="a-1")
    desk.runner.turn()
    assert desk.observed().state == "running"


def test_a_restarted_runner_says_running_once_its_query_has_planned_and_not_before(desk: Desk) -> None:
    running(desk)
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].ready, desk.carriers[MAIN].has_planned = True, False
    desk.runner.turn()
    assert desk.observed().state == "starting"
    desk.carriers[MAIN].has_planned = True
    desk.runner.turn()
    assert desk.observed().state == "running"


def test_a_query_that_is_started_again_is_not_said_to_run_meanwhile(desk: Desk) -> None:
    running(desk)
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].ready = True
    desk.runner.turn()
    assert desk.observed().state == "running"
    desk.carriers[MAIN].ready, desk.carriers[MAIN].has_planned = False, False
    desk.runner._fleet._members[MAIN].tried = 1  # its first start after the restart has not planned
    desk.runner.turn()
    assert desk.observed().state == "starting"
    desk.carriers[MAIN].ready = desk.carriers[MAIN].has_planned = True
    desk.runner.turn()
    assert desk.observed().state == "running"
