"""The runner's loop over a real Redis and a carrier of paper: messages, leases, failures, idleness."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.definition.streams import AdapterChoice
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.fleet import Fleet
from streaming.runtime.lease import Heart
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.pool import Pool, PoolRoom, PoolSeat
from streaming.runtime.runner import Runner, RunnerExit
from streaming.runtime.secret_server import SecretKeeper
from streaming.spark.errors import RunFailure
from streaming.wire import keys
from streaming.wire.messages import ProgressReport, RunLimits, RunnerLease
from streaming.wire.sealed import Keyring, sealed
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

A = spec("a", "rows.jsonl")


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        yield Desk.laid(connection, tmp_path)


def test_a_desired_run_is_carried_and_every_change_is_told(desk: Desk) -> None:
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


def test_a_run_that_starts_tells_when_its_query_plans(desk: Desk) -> None:
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


def test_a_full_disk_keeps_old_batches_apart_and_the_runner_going(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    assert desk.carrier.tidied == 1
    desk.carrier.cannot_tidy = True
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


def test_a_query_that_stops_fails_its_runs_with_the_sentence_and_not_the_stack_trace(desk: Desk) -> None:
    desk.desire(A)
    desk.runner.turn()
    desk.carrier.stopped_by = RunFailure("external", "The disk is full. Free space.", "Traceback ...")
    desk.runner.turn()
    seen = desk.observed()
    assert (seen.state, seen.domain, seen.message) == ("failed", "external", "The disk is full. Free space.")
    desk.runner.turn()
    assert not desk.carrier.running


def test_a_failed_run_that_is_asked_for_again_starts_the_query_again(desk: Desk) -> None:
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


def test_an_entry_that_cannot_be_read_does_not_keep_the_others_from_running(desk: Desk) -> None:
    desk.desire(A)
    desk.connection.hset(keys.desired(ORGANISATION), "broken", "{")
    desk.runner.turn()
    assert desk.carrier.commands == ["add a-1"]


def test_the_runner_ends_after_a_minute_in_which_nothing_was_desired(desk: Desk) -> None:
    assert desk.runner.turn() is None
    desk.clock[0] = 59.9
    assert desk.runner.turn() is None
    desk.clock[0] = 60.0
    assert desk.runner.turn() is RunnerExit.IDLE


def test_something_desired_in_between_begins_the_minute_anew(desk: Desk) -> None:
    desk.runner.turn()
    desk.clock[0] = 59.0
    desk.desire(A)
    desk.runner.turn()
    desk.desire()
    desk.clock[0] = 61.0
    assert desk.runner.turn() is None


def test_a_runner_whose_lease_another_one_took_ends(desk: Desk) -> None:
    other = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.connection.set(keys.lease(ORGANISATION), other.model_dump_json())
    desk.heart.beat()
    assert desk.runner.turn() is RunnerExit.LEASE_LOST


def test_a_lease_that_ran_out_is_taken_again(desk: Desk) -> None:
    desk.connection.delete(keys.lease(ORGANISATION))
    desk.heart.beat()
    assert not desk.heart.lost.is_set()
    assert 0 < int(desk.connection.ttl(keys.lease(ORGANISATION))) <= keys.LEASE_TTL_S


def test_a_lease_elsewhere_is_respected_and_one_of_a_dead_process_here_is_not(desk: Desk) -> None:
    mailbox = Mailbox(desk.connection, "o2")
    elsewhere = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.connection.set(keys.lease("o2"), elsewhere.model_dump_json())
    assert not Heart(mailbox, "mine").take()
    dead = elsewhere.model_copy(update={"host": socket.gethostname(), "pid": 2**22})
    desk.connection.set(keys.lease("o2"), dead.model_dump_json())
    assert Heart(mailbox, "mine").take()


def test_a_limit_reaches_the_carrier_in_the_next_turn_before_anything_is_carried(desk: Desk) -> None:
    desk.desire(A)
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=5_000).model_dump_json())
    desk.runner.turn()
    desk.connection.set(keys.limits(ORGANISATION), RunLimits(events_per_second=7).model_dump_json())
    desk.runner.turn()
    desk.connection.set(keys.limits(ORGANISATION), "{")
    desk.runner.turn()
    desk.connection.delete(keys.limits(ORGANISATION))
    desk.runner.turn()
    assert desk.carrier.limits == [5_000, 7], "the last limit holds where none can be read"
    assert desk.carrier.commands == ["add a-1"]


def test_the_log_says_once_that_the_limit_holds_a_run_back_and_once_that_it_has_caught_up(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "streaming.runtime")
    desk.desire(A)
    for held_back in (None, 5_000, 5_000, None, None):
        desk.carrier.commit(None, held_back=held_back)
    desk.runner.turn()
    said = [record.getMessage() for record in caplog.records if "held back" in record.getMessage()]
    assert said == [
        "run a-1: held back by the organisation's limit of 5,000 events/s",
        "run a-1: no longer held back by the organisation's limit; it has caught up",
    ]


def test_the_rate_of_the_last_ten_seconds_is_told_and_falls_to_nothing(desk: Desk) -> None:
    def rate() -> int:
        return int(desk.connection.get(keys.rate(ORGANISATION)) or -1)

    desk.desire(A)
    desk.carrier.commit("running", received=1_000)
    desk.runner.turn()
    assert rate() == -1, "what was read before the runner began is no rate"
    desk.carrier.commit(None, received=1_500)
    desk.runner.turn()
    assert rate() == 50
    desk.clock[0] = 10.0
    desk.runner.turn()
    assert desk.connection.get(keys.rate(ORGANISATION)) == "0"


def test_giving_up_the_lease_leaves_that_of_another_runner_alone(desk: Desk) -> None:
    other = RunnerLease(token="other", host="elsewhere", pid=1, started_at=0, beat_at=0)
    desk.heart.stop()
    assert desk.connection.get(keys.lease(ORGANISATION)) is None
    desk.connection.set(keys.lease(ORGANISATION), other.model_dump_json())
    desk.heart.stop()
    assert desk.connection.get(keys.lease(ORGANISATION)) is not None


def test_messages_wait_while_redis_cannot_be_reached(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_runner_whose_keys_are_outdated_ends_so_that_it_is_started_with_the_new_ones(desk: Desk) -> None:
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


def test_how_fresh_results_are_to_be_reaches_the_carrier_of_a_run_that_is_under_way(desk: Desk) -> None:
    desk.desire(A.model_copy(update={"freshness": 5_000_000}))
    desk.runner.turn()
    desk.carrier.commit("running")
    for freshness in (5_000_000, 200_000, 200_000):
        desk.desire(A.model_copy(update={"freshness": freshness}))
        desk.runner.turn()
    assert desk.carrier.fresh == [{"a": 5_000_000}, {"a": 200_000}], "each is told once"
    assert desk.carrier.commands == ["add a-1"], "the run goes on"


def test_what_is_desired_is_read_again_when_it_changes(desk: Desk) -> None:
    desk.desire(A)
    mailbox = Mailbox(desk.connection, ORGANISATION)
    first = mailbox.desired()
    first.clear()
    assert list(mailbox.desired()) == ["a"], "what a caller does with it is its own affair"
    desk.desire(A, spec("b", "rows.jsonl"))
    assert sorted(mailbox.desired()) == ["a", "b"]


def test_who_waits_hears_whom_something_new_is_desired_of_and_each_word_once(desk: Desk) -> None:
    mailbox = Mailbox(desk.connection, "pool-1")
    desk.connection.rpush(keys.calls("pool-1"), "o1", "o2", "o1")
    desk.connection.rpush(keys.calls("pool-2"), "o3")
    assert mailbox.called(60.0) == {"o1", "o2"}
    assert mailbox.called(0.01) == set()


def test_a_pool_lets_the_seats_look_that_were_called_and_no_others() -> None:
    room = PoolRoom("pool-1", Path(), "", None, (), None, None, None, 0.0, 0.0, None)  # type: ignore[arg-type]
    seats = {each: PoolSeat(room, each, (), lambda: 0) for each in ("o1", "o2")}
    Pool(room, None, None, None, seats).hear({"o1", "gone"})  # type: ignore[arg-type]
    assert [seat.called for seat in seats.values()] == [True, False]
