"""The runner's loop over a real Redis and a fake carrier: messages, leases, failures, idle exit."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.definition.streams.stream import AdapterChoice
from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.lease import LeaseHeartbeat
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.pool import Pool, PoolRoom, PoolSeat
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretKeeper
from streaming.spark.errors import RunFailure
from streaming.wire import keys
from streaming.wire.messages import RunLimits, RunnerLease
from streaming.wire.progress import ProgressReport
from streaming.wire.sealed import Keyring, sealed
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

A = spec("a", "rows.jsonl")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def test_a_desired_run_is_carried_and_every_change_is_reported(desk: Desk) -> None:
    desk.desire(A)
    assert desk.runner.turn() is None
    assert desk.carrier.commands == ["add a-1"]
    assert desk.carrier.running
    assert desk.observed().state == "starting"
    desk.carrier.commit("running", received=5)
    desk.runner.turn()
    assert desk.observed().state == "running"
    desk.carrier.commit("completed", received=9, message="The input has ended.")
    desk.runner.turn()
    assert (desk.observed().state, desk.observed().message) == ("completed", "The input has ended.")
    assert desk.carrier.commands == ["add a-1"]


def test_a_starting_run_reports_when_its_query_plans(desk: Desk) -> None:
    desk.carrier.ready = False
    desk.desire(A)
    desk.runner.turn()
    assert desk.observed().step == "planning"
    desk.carrier.ready = True
    desk.runner.turn()
    first = desk.observed()
    assert (first.state, first.step) == ("starting", "first_batch")
    desk.runner.turn()
    assert desk.observed() == first
    desk.carrier.commit("running")
    desk.runner.turn()
    assert (desk.observed().state, desk.observed().step) == ("running", None)


def test_a_full_disk_prevents_compaction_and_the_runner_continues(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    assert desk.carrier.compacted == 1
    desk.carrier.cannot_compact = True
    desk.carrier.commit("running")
    assert desk.runner.turn() is None
    assert desk.observed().state == "running"


def test_every_committed_batch_is_reported_once(desk: Desk) -> None:
    desk.desire(A)
    for received in (5, 9):
        desk.carrier.commit(None, received=received)
    desk.runner.turn()
    desk.runner.turn()
    entries = desk.connection.xrange(keys.reports(ORGANISATION, "a-1"))
    reports = [ProgressReport.model_validate_json(content["report"]) for _, content in entries]
    assert [report.inputs["readings"].received for report in reports] == [5, 9]
    newest = ProgressReport.model_validate_json(str(desk.connection.hget(keys.progress(ORGANISATION), "a-1")))
    assert newest == reports[-1]


def test_a_restarted_runner_sends_the_reports_that_were_not_sent(desk: Desk) -> None:
    desk.desire(A)
    desk.carrier.commit("running", received=5)
    desk.runner.turn()
    desk.carrier.commit(None, received=9)
    desk.restart()
    desk.runner.turn()
    assert desk.connection.xlen(keys.reports(ORGANISATION, "a-1")) == 2


def test_a_query_that_stops_fails_its_runs_with_the_message_and_not_the_stack_trace(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.stopped_by = RunFailure("external", "The disk is full. Free space.", "Traceback ...")
    desk.runner.turn()
    seen = desk.observed()
    assert (seen.state, seen.domain, seen.message) == ("failed", "external", "The disk is full. Free space.")
    desk.runner.turn()
    assert not desk.carrier.running


def test_a_failed_run_that_is_desired_again_restarts_the_query(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.stopped_by = RunFailure("external", "The disk is full.", "")
    desk.runner.turn()
    desk.desire()
    desk.runner.turn()
    desk.desire(A)
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1", "stop a flush=False", "add a-1"]
    assert desk.carrier.running
    assert desk.observed().state == "starting"
    desk.carrier.commit("stopped")
    desk.carrier.commit("running")
    desk.runner.turn()
    assert desk.observed().state == "running"


def test_a_query_that_cannot_start_fails_its_runs_and_the_runner_lives(desk: Desk) -> None:
    desk.carrier.refuses = OSError(28, "No space left on device")
    desk.desire(A)
    assert desk.runner.turn() is None
    assert desk.observed().state == "failed"
    assert "Free space" in str(desk.observed().message)


def test_a_user_stop_reaches_the_carrier_with_its_flush(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.desire(A.model_copy(update={"desired": "stopped", "flush": True}))
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1", "stop a flush=True"]
    assert desk.observed().state == "stopping"


def test_an_unreadable_entry_does_not_prevent_other_runs(desk: Desk) -> None:
    desk.desire(A)
    desk.connection.hset(keys.desired(ORGANISATION), "broken", "{")
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1"]


def test_the_runner_ends_after_a_minute_without_a_desired_run(desk: Desk) -> None:
    assert desk.runner.turn() is None
    desk.clock[0] = 59.9
    assert desk.runner.turn() is None
    desk.clock[0] = 60.0
    assert desk.runner.turn() is RunnerExit.IDLE


def test_a_desired_run_restarts_the_minute(desk: Desk) -> None:
    desk.runner.turn()
    desk.clock[0] = 59.0
    desk.desire(A)
    desk.runner.turn()
    desk.desire()
    desk.clock[0] = 61.0
    assert desk.runner.turn() is None


def test_a_runner_ends_when_another_one_took_its_lease(desk: Desk) -> None:
    other = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.connection.set(keys.lease(ORGANISATION), other.model_dump_json())
    desk.heart.beat()
    assert desk.runner.turn() is RunnerExit.LEASE_LOST


def test_a_lease_that_ran_out_is_taken_again(desk: Desk) -> None:
    desk.connection.delete(keys.lease(ORGANISATION))
    desk.heart.beat()
    assert not desk.heart.lost.is_set()
    assert 0 < int(desk.connection.ttl(keys.lease(ORGANISATION))) <= keys.LEASE_TTL_S


def test_a_lease_of_another_machine_is_respected_and_one_of_a_dead_process_here_is_not(desk: Desk) -> None:
    mailbox = Mailbox(desk.connection, "o2")
    elsewhere = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.connection.set(keys.lease("o2"), elsewhere.model_dump_json())
    assert not LeaseHeartbeat(mailbox, "mine").take()
    dead = elsewhere.model_copy(update={"host": socket.gethostname(), "pid": 2**22})
    desk.connection.set(keys.lease("o2"), dead.model_dump_json())
    assert LeaseHeartbeat(mailbox, "mine").take()


def test_a_limit_applies_to_the_carrier_in_the_next_turn_before_any_run_is_carried(desk: Desk) -> None:
    desk.desire(A)
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=5_000).model_dump_json())
    desk.runner.turn()
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=7).model_dump_json())
    desk.runner.turn()
    desk.connection.set(keys.limits(ORGANISATION), "{")
    desk.runner.turn()
    desk.connection.delete(keys.limits(ORGANISATION))
    desk.runner.turn()
    assert desk.carrier.limits == [5_000, 7], "an unreadable limit leaves the last one valid"
    assert desk.carrier.commands == ["add a-1"]


def test_the_log_says_once_that_the_limit_delays_a_run_and_once_that_it_has_caught_up(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "streaming.runtime")
    desk.desire(A)
    for held_back in (None, 5_000, 5_000, None, None):
        desk.carrier.commit(None, held_back=held_back)
    desk.runner.turn()
    messages = [record.getMessage() for record in caplog.records if "delayed" in record.getMessage()]
    assert messages == [
        "run a-1: delayed by the organisation's limit of 5,000 events/s",
        "run a-1: no longer delayed by the organisation's limit; it has caught up",
    ]


def test_the_rate_of_the_last_ten_seconds_is_reported_and_falls_to_zero(desk: Desk) -> None:
    def rate() -> int:
        return int(desk.connection.get(keys.rate(ORGANISATION)) or -1)

    desk.desire(A)
    desk.carrier.commit("running", received=1_000)
    desk.runner.turn()
    assert rate() == -1, "rows read before the start of the runner don't count"
    desk.carrier.commit(None, received=1_500)
    desk.runner.turn()
    assert rate() == 50
    desk.clock[0] = 10.0
    desk.runner.turn()
    assert desk.connection.get(keys.rate(ORGANISATION)) == "0"


def test_releasing_the_lease_does_not_touch_that_of_another_runner(desk: Desk) -> None:
    other = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.heart.stop()
    assert desk.connection.get(keys.lease(ORGANISATION)) is None
    desk.connection.set(keys.lease(ORGANISATION), other.model_dump_json())
    desk.heart.stop()
    assert desk.connection.get(keys.lease(ORGANISATION)) is not None


def test_messages_wait_while_redis_is_unreachable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.commit("running", received=5)
    with monkeypatch.context() as cut:
        cut.setattr(desk.connection.connection_pool, "get_connection", _unreachable)
        assert desk.runner.turn() is None
    assert desk.observed().state == "starting"
    desk.runner.turn()
    assert desk.observed().state == "running"
    assert desk.connection.xlen(keys.reports(ORGANISATION, "a-1")) == 1


def _unreachable(*_: object, **__: object) -> None:
    raise redis.ConnectionError("connection refused")


def test_a_runner_with_outdated_keys_ends_so_that_it_starts_with_the_new_ones(desk: Desk) -> None:
    mailbox = Mailbox(desk.connection, ORGANISATION, SecretKeeper(Keyring([])))
    fleet = Fleet(desk.carriers.__getitem__, desk.carriers.folder, lambda: 0.0)
    runner = Runner(mailbox, desk.heart, fleet, Deliveries(desk.carriers.folder, desk.carriers.target))
    desk.desire(A)
    assert runner.turn() is None
    adapter = AdapterChoice(kind="download", options={"url": "https://a.example/b.csv", "token": sealed("newer")})
    reads = A.inputs["readings"].model_copy(update={"adapter": adapter})
    desk.desire(A, spec("b", "rows.jsonl").model_copy(update={"inputs": {"readings": reads}}))
    assert runner.turn() is RunnerExit.KEYS_OUTDATED
    assert desk.carrier.commands == ["add a-1"]


def test_a_changed_freshness_applies_to_a_running_run(desk: Desk) -> None:
    desk.desire(A.model_copy(update={"freshness": 5_000_000}))
    desk.runner.turn()
    desk.carrier.commit("running")
    for freshness in (5_000_000, 200_000, 200_000):
        desk.desire(A.model_copy(update={"freshness": freshness}))
        desk.runner.turn()
    assert desk.carrier.fresh == [{"a": 5_000_000}, {"a": 200_000}], "each one is set once"
    assert desk.carrier.commands == ["add a-1"], "the run continues"


def test_desired_runs_are_parsed_again_when_they_change(desk: Desk) -> None:
    desk.desire(A)
    mailbox = Mailbox(desk.connection, ORGANISATION)
    first = mailbox.desired()
    first.clear()
    assert list(mailbox.desired()) == ["a"], "changes of a caller don't matter"
    desk.desire(A, spec("b", "rows.jsonl"))
    assert sorted(mailbox.desired()) == ["a", "b"]


def test_a_waiting_runner_receives_each_call_once(desk: Desk) -> None:
    mailbox = Mailbox(desk.connection, "pool-1")
    desk.connection.rpush(keys.calls("pool-1"), "o1", "o2", "o1")
    desk.connection.rpush(keys.calls("pool-2"), "o3")
    assert mailbox.called(60.0) == {"o1", "o2"}
    assert mailbox.called(0.01) == set()


def test_a_pool_wakes_only_the_called_seats() -> None:
    room = PoolRoom("pool-1", Path(), "", None, (), None, None, None, 0.0, 0.0, None)  # type: ignore[arg-type]
    seats = {each: PoolSeat(room, each, (), lambda: 0) for each in ("o1", "o2")}
    Pool(room, None, None, None, seats).call({"o1", "gone"})  # type: ignore[arg-type]
    assert [seat.called for seat in seats.values()] == [True, False]
