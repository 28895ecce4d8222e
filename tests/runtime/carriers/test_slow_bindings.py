"""A slow binding of a pool continues in the second carrier without ending its run, and returns later."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from streaming.runtime.carriers.carrier import REST_AFTER_S
from streaming.runtime.carriers.locations import BindingLocations
from streaming.runtime.carriers.slow_bindings import FIRST_S, LONGEST_S, SlowBindings
from streaming.runtime.runner import RunnerExit
from streaming.wire import keys
from streaming.wire.binding_homes import APART, CARRIERS, apart_in, carrier_of, name_in_pool, pools_of
from tests.runtime.paper import ORGANISATION, Desk, PaperCarrier
from tests.spark.specs import spec

POOL = "pool-1"
SECOND = apart_in(POOL)
A, B = spec("a", "rows.jsonl"), spec("b", "rows.jsonl")
SENTENCE = "The input readings did not answer within 1 s."


@pytest.fixture
def desk(redis_server_url: str, tmp_path: Path) -> Iterator[Desk]:
    """Return a desk with runs a and b running in the shared carrier of a pool."""
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        connection.set(keys.place(ORGANISATION), POOL)
        desk = Desk.laid(connection, tmp_path, POOL)
        desk.desire(A, B)
        desk.runner.turn()
        for binding in ("a", "b"):
            desk.carriers[POOL].commit("running", run=f"{binding}-1")
            commits = tmp_path / "results" / binding / "commits"
            commits.mkdir(parents=True)
            (commits / "1.json").write_text("{}")
        desk.carriers[POOL].ready = True
        desk.runner.turn()
        desk.carriers[POOL].commands.clear()
        yield desk


def hang(desk: Desk, *, slow: bool = True, batch: int = 4) -> None:
    desk.carriers[POOL].commit("failed", message=SENTENCE, slow=slow, batch=batch)
    desk.runner.turn()
    desk.runner.turn()


def move(desk: Desk, source: str, target: str, batch: int) -> None:
    """Write the savepoint and let the run start with it."""
    desk.carriers[source].there.add("a.arrow")
    desk.runner.turn()
    assert desk.carriers[target].commands[-1] == "add a-1 from a.arrow"
    desk.carriers[target].commit("running", batch=batch)
    desk.carriers[target].ready = True
    desk.runner.turn()
    desk.carriers[source].there.clear()


def home(desk: Desk) -> tuple[str, int, str | None]:
    location = BindingLocations(desk.carriers.folder / CARRIERS).home("a")
    return location.name, location.batch, location.savepoint


def test_it_continues_with_its_state_and_is_not_reported_as_failed(desk: Desk) -> None:
    hang(desk)
    assert desk.carriers[POOL].commands == ["save a to move"]
    desk.carriers[POOL].commit("stopped", batch=9)  # by the savepoint; it is read after the command to continue
    move(desk, POOL, SECOND, 12)
    assert desk.observed("a-1").state == desk.observed("b-1").state == "running"
    assert home(desk) == (SECOND, 12, None)
    assert desk.carriers[SECOND].running
    assert pools_of(desk.carriers.folder) == {POOL}
    where = desk.carriers.folder.parent / POOL / CARRIERS / APART
    assert carrier_of(desk.carriers.folder, "a") == (where, name_in_pool(desk.carriers.folder.name, "a"))


def test_other_failures_are_reported_and_move_nothing(desk: Desk) -> None:
    hang(desk, slow=False)
    assert (desk.observed("a-1").state, desk.observed("a-1").message) == ("failed", SENTENCE)
    assert desk.carriers[POOL].commands == []


def test_it_returns_after_a_time_without_errors_and_later_the_next_time(desk: Desk) -> None:
    hang(desk)
    move(desk, POOL, SECOND, 12)
    desk.clock[0] = FIRST_S - 1
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[1:] == []
    desk.clock[0] = FIRST_S
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[1:] == ["save a to move"]
    move(desk, SECOND, POOL, 20)
    assert home(desk) == (POOL, 20, None)
    assert desk.observed("a-1").state == "running"
    desk.runner.turn()
    desk.clock[0] = FIRST_S + REST_AFTER_S
    desk.runner.turn()
    assert not desk.carriers[SECOND].running, "no binding needs it any more"
    hang(desk, batch=24)
    move(desk, POOL, SECOND, 30)
    desk.clock[0] += FIRST_S
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[-1] == "add a-1 from a.arrow"
    desk.clock[0] += FIRST_S
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[-1] == "save a to move"


def test_a_failure_in_the_second_carrier_is_reported_and_retried_there(desk: Desk) -> None:
    hang(desk)
    move(desk, POOL, SECOND, 12)
    desk.carriers[SECOND].commit("failed", message=SENTENCE, slow=True, batch=13)
    desk.runner.turn()
    assert desk.observed("a-1").state == "failed"
    desk.desire(B)
    desk.runner.turn()
    desk.clock[0] = FIRST_S - 1
    desk.desire(A, B)
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[1:] == ["add a-1"]
    desk.clock[0] = FIRST_S + 1
    desk.carriers[SECOND].commit("running", batch=14)
    desk.runner.turn()
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[2:] == [], "its time started again"


@pytest.mark.parametrize("flush", [False, True])
def test_a_run_that_is_stopped_during_its_move_stops_in_the_new_carrier(desk: Desk, flush: bool) -> None:
    hang(desk)
    desk.desire(A.model_copy(update={"desired": "stopped", "flush": flush}), B)
    desk.runner.turn()
    assert desk.observed("a-1").state == "stopping"
    move(desk, POOL, SECOND, 12)
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[1:] == [f"stop a flush={flush}"]
    desk.carriers[SECOND].commit("stopped", batch=13)
    desk.runner.turn()
    assert desk.observed("a-1").state == "stopped"


def test_a_run_that_fails_during_its_move_is_reported_and_not_moved(desk: Desk) -> None:
    hang(desk)
    desk.carriers[POOL].commit("failed", message="It is too large.", batch=5)
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("a-1").message) == ("failed", "It is too large.")
    desk.carriers[POOL].there.add("a.arrow")
    desk.runner.turn()
    assert not [command for command in desk.carriers[SECOND].commands if command.startswith("add")]


def restart(desk: Desk) -> None:
    desk.restart()
    desk.runner.turn()
    desk.carriers[POOL].ready = True
    desk.runner.turn()


def test_a_successor_moves_a_binding_that_hung_when_its_predecessor_died(desk: Desk) -> None:
    desk.carriers[POOL].commit("failed", message=SENTENCE, slow=True)
    restart(desk)
    assert desk.carriers[POOL].commands == ["save a to move"]
    move(desk, POOL, SECOND, 12)
    assert desk.observed("a-1").state == "running"


def test_a_successor_starts_with_the_savepoint_if_the_new_carrier_has_not_loaded_it(desk: Desk) -> None:
    hang(desk)
    desk.carriers[POOL].there.add("a.arrow")
    desk.runner.turn()
    assert home(desk) == (SECOND, 1, "a.arrow")
    desk.carriers[SECOND].asked.clear()  # the predecessor died before it wrote the command
    desk.carriers[SECOND].commands.clear()
    restart(desk)
    assert desk.carriers[SECOND].commands == ["add a-1 from a.arrow"]


def test_a_successor_leaves_it_in_the_second_carrier_for_its_time(desk: Desk) -> None:
    hang(desk)
    move(desk, POOL, SECOND, 12)
    desk.clock[0] = FIRST_S / 2
    restart(desk)
    assert desk.carriers[SECOND].running
    desk.clock[0] = FIRST_S
    desk.runner.turn()
    assert desk.carriers[SECOND].commands == ["add a-1 from a.arrow"]
    desk.clock[0] = FIRST_S * 1.5
    desk.runner.turn()
    assert desk.carriers[SECOND].commands[1:] == ["save a to move"]


def refuses_barriers(carrier: PaperCarrier) -> None:
    carrier.nothing_kept.add("nobody.arrow")
    carrier.ready = True


def test_an_organisation_leaves_both_carriers_also_after_a_restart_of_its_pool(desk: Desk) -> None:
    hang(desk)
    move(desk, POOL, SECOND, 12)
    desk.restart()
    desk.connection.set(keys.place(ORGANISATION), keys.OWN)
    for name in (POOL, SECOND):
        desk.carriers[name].commands.clear()
        desk.carriers[name].kept |= {"a", "b"} if name == POOL else {"a"}
        refuses_barriers(desk.carriers[name])
    for _ in range(3):
        desk.runner.turn()
    assert desk.carriers[POOL].running
    assert desk.carriers[SECOND].running, "otherwise nothing would process its commands"
    assert desk.carriers[SECOND].commands[:2] == ["stop a flush=False", "save a to move"]
    assert "forget a" in desk.carriers[POOL].commands
    assert pools_of(desk.carriers.folder) == {POOL}
    desk.carriers[SECOND].there.add("a.arrow")
    desk.carriers[POOL].there.add("b.arrow")
    ends = [desk.runner.turn() for _ in range(6)]
    assert RunnerExit.MOVED in ends
    assert pools_of(desk.carriers.folder) == set()
    kept = BindingLocations(desk.carriers.folder / CARRIERS)
    assert {kept.home(each).savepoint for each in ("a", "b")} == {"a.arrow", "b.arrow"}


def test_no_binding_is_apart_for_more_than_a_day() -> None:
    clock = [0.0]
    slow = SlowBindings(lambda: clock[0])
    for _ in range(20):
        slow.send("a")
    clock[0] = LONGEST_S
    assert slow.due() == ["a"]
    slow.come_back("a")
    assert ("a" in slow, slow.due()) == (False, [])


def test_a_slow_binding_of_a_leaving_organisation_is_not_reported_as_failed(desk: Desk) -> None:
    desk.connection.set(keys.place(ORGANISATION), keys.OWN)
    desk.runner.turn()
    desk.carriers[POOL].commit("failed", message=SENTENCE, slow=True, batch=4)
    desk.runner.turn()
    assert desk.observed("a-1").state == "running"
    assert not [command for command in desk.carriers[SECOND].commands if command.startswith("add")]
