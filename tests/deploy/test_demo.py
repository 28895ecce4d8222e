"""The demo counts as running once its numbers change."""

import pytest
import redis

from deploy.installation.demo import DemoWatch, RunnerReports, look
from deploy.prepare.console import SetupError
from streaming.temporal.ticks import Tick
from streaming.wire import keys
from streaming.wire.messages import RunObserved
from streaming.wire.progress import LATENESS_BUCKETS, InputCounts, ProgressReport


def observed(state: str, message: str | None = None, at: int = 1_000) -> RunObserved:
    return RunObserved.model_validate(
        {"kind": "observed", "run": "r", "state": state, "domain": None, "message": message, "at": at}
    )


def watch() -> tuple[DemoWatch, list[str]]:
    printed: list[str] = []
    return DemoWatch(printed.append, since=Tick(1_000)), printed


def test_numbers_that_stand_still_do_not_move() -> None:
    demo, _ = watch()
    seen = RunnerReports({"r": 100}, {"r": observed("running")})
    assert [demo.moved(seen), demo.moved(seen)] == [False, False]


def test_numbers_that_grow_move_once_the_run_is_running() -> None:
    demo, _ = watch()
    assert not demo.moved(RunnerReports({"r": 100}, {"r": observed("starting")}))
    assert not demo.moved(RunnerReports({"r": 200}, {"r": observed("starting")}))
    assert demo.moved(RunnerReports({"r": 200}, {"r": observed("running")}))


def test_each_change_of_state_is_printed_once() -> None:
    demo, printed = watch()
    for state in ("starting", "starting", "running", "running"):
        demo.moved(RunnerReports({}, {"r": observed(state)}))
    assert printed == ["  ... demo run: starting", "  ... demo run: running"]


def test_a_failed_run_ends_the_waiting_with_its_message() -> None:
    demo, _ = watch()
    with pytest.raises(SetupError, match="The disk is full"):
        demo.moved(RunnerReports({}, {"r": observed("failed", "The disk is full: free some space.")}))


def test_a_failure_of_an_earlier_start_is_not_this_one_s() -> None:
    demo, printed = watch()
    assert not demo.moved(RunnerReports({}, {"r": observed("failed", at=999)}))
    assert printed == []


def test_reports_of_every_organisation_are_read(redis_server_url: str) -> None:
    lateness = [0] * LATENESS_BUCKETS
    counts = InputCounts(
        received=7, outcomes={}, reasons={}, lateness=lateness, cti=None, ended=False, largest_start=None
    )
    report = ProgressReport(
        kind="progress",
        run="r",
        batch=1,
        at=0,
        inputs={"a": counts, "b": counts},
        output_ctis={},
        results=0,
        quarantined=0,
        recent_results=[],
        recent_late=[],
        batch_s=0.1,
    )
    with redis.Redis.from_url(redis_server_url) as client:
        client.hset(keys.progress("one"), "r", report.model_dump_json())
        client.hset(keys.observed("one"), "r", observed("running").model_dump_json())
        assert look(client) == RunnerReports({"r": 14}, {"r": observed("running")})
