"""After a restart a run is reported as running only when its query has planned again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.runtime.carriers.locations import MAIN
from tests.runtime.paper import Desk
from tests.spark.specs import spec


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def running(desk: Desk) -> None:
    """Start a run of the shared query until it is reported as running."""
    desk.desire(spec("a", "rows.jsonl"))
    desk.runner.turn()
    desk.carriers[MAIN].ready = True
    desk.carriers[MAIN].commit("running", run="a-1")
    desk.runner.turn()
    assert desk.observed().state == "running"


def test_a_restarted_runner_reports_running_only_once_its_query_has_planned(desk: Desk) -> None:
    running(desk)
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].ready, desk.carriers[MAIN].has_planned = True, False
    desk.runner.turn()
    assert desk.observed().state == "starting"
    desk.carriers[MAIN].has_planned = True
    desk.runner.turn()
    assert desk.observed().state == "running"


def test_a_run_whose_query_restarts_is_reported_as_starting(desk: Desk) -> None:
    running(desk)
    desk.restart()
    desk.runner.turn()
    desk.carriers[MAIN].ready = True
    desk.runner.turn()
    assert desk.observed().state == "running"
    desk.carriers[MAIN].ready, desk.carriers[MAIN].has_planned = False, False
    desk.runner._fleet._members[MAIN].tried = 1  # its first start after the restart hasn't planned
    desk.runner.turn()
    assert desk.observed().state == "starting"
    desk.carriers[MAIN].ready = desk.carriers[MAIN].has_planned = True
    desk.runner.turn()
    assert desk.observed().state == "running"
