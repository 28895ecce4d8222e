"""An organisation's leave from a pool: savepoints are recorded before any state is deleted."""

from pathlib import Path

import pytest

from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.carriers.leaving import PoolLeave
from streaming.runtime.carriers.locations import MAIN, NOWHERE, BindingLocations
from streaming.wire.binding_homes import CARRIERS, pools_of
from tests.runtime.paper import PaperCarrier
from tests.spark.specs import spec

POOL = "pool-1"
BARRIER = "nobody.arrow"


@pytest.fixture
def carrier() -> PaperCarrier:
    return PaperCarrier(kept={"a"})


def homes_of(folder: Path, *bindings: str) -> BindingLocations:
    homes = BindingLocations(folder / CARRIERS)
    for binding in bindings:
        homes.enter(binding, POOL, None)
        homes.note(binding, POOL, 7)
    return homes


def test_a_binding_is_recorded_with_its_savepoint_before_it_is_deleted(tmp_path: Path, carrier: PaperCarrier) -> None:
    homes = homes_of(tmp_path, "a")
    leave = PoolLeave(tmp_path, POOL, homes)
    assert not leave.turn(carrier, set())
    assert not leave.turn(carrier, set())
    assert carrier.commands == ["save a to move"]
    assert pools_of(tmp_path) == {POOL}
    carrier.there.add("a.arrow")
    assert not leave.turn(carrier, set())
    assert carrier.commands[1:] == ["forget a", "save nobody"]
    again = BindingLocations(tmp_path / CARRIERS).home("a")
    assert (again.name, again.batch, again.savepoint) == (NOWHERE, 7, "a.arrow")


def test_a_late_report_of_the_batch_with_the_savepoint_changes_nothing(tmp_path: Path, carrier: PaperCarrier) -> None:
    homes = homes_of(tmp_path, "a")
    leave = PoolLeave(tmp_path, POOL, homes)
    leave.turn(carrier, set())
    carrier.there.add("a.arrow")
    leave.turn(carrier, set())
    homes.note("a", POOL, 8)  # the run stopped in the batch that wrote the savepoint
    homes.keep()
    assert pools_of(tmp_path) == set()
    assert homes.home("a").savepoint == "a.arrow"


def test_a_late_report_of_the_carrier_before_the_pool_changes_nothing(tmp_path: Path) -> None:
    homes = homes_of(tmp_path, "a")
    homes.note("a", MAIN, 8)  # it was stopped there
    homes.keep()
    assert pools_of(tmp_path) == {POOL}
    homes.leave("a", "a.arrow")
    homes.note("a", MAIN, 9)
    assert homes.of("a") == MAIN


def test_a_leave_is_complete_when_two_final_commands_have_been_answered(tmp_path: Path, carrier: PaperCarrier) -> None:
    carrier.kept.clear()
    leave = PoolLeave(tmp_path, POOL, homes_of(tmp_path))
    assert not leave.turn(carrier, set())
    carrier.nothing_kept.add(BARRIER)
    assert not leave.turn(carrier, set())
    assert leave.turn(carrier, set())
    assert carrier.commands == ["save nobody"] * 2


def test_bindings_that_wait_for_an_answer_or_have_not_started_keep_their_state(
    tmp_path: Path, carrier: PaperCarrier
) -> None:
    homes = homes_of(tmp_path, "a")
    homes.leave("b", "savepoints/b.arrow")
    homes.enter("b", POOL, "savepoints/b.arrow")
    leave = PoolLeave(tmp_path, POOL, homes)
    assert not leave.turn(carrier, {"a"})
    assert carrier.commands == ["forget b"]
    assert homes.home("b").savepoint == "savepoints/b.arrow"
    assert pools_of(tmp_path) == {POOL}


def test_a_binding_without_state_is_in_no_carrier(tmp_path: Path, carrier: PaperCarrier) -> None:
    homes = homes_of(tmp_path, "a")
    carrier.nothing_kept.add("a.arrow")
    leave = PoolLeave(tmp_path, POOL, homes)
    leave.turn(carrier, set())
    leave.turn(carrier, set())
    assert (homes.of("a"), homes.home("a").savepoint) == (NOWHERE, None)
    assert pools_of(tmp_path) == set()


def test_a_cancelled_leave_requests_new_savepoints_the_next_time(tmp_path: Path, carrier: PaperCarrier) -> None:
    fleet = Fleet(lambda name: carrier if name == POOL else PaperCarrier(), tmp_path, lambda: 0.0, POOL)
    wanted = spec("a", "rows.jsonl")
    fleet.add(wanted)
    assert not fleet.leave()  # no savepoint is requested before the command was answered
    carrier.commit("running")
    list(fleet.manifests())
    assert not fleet.leave()
    assert carrier.commands == ["add a-1", "save a to move"]
    fleet.add(wanted)
    carrier.commit("running")
    list(fleet.manifests())
    carrier.there.add("a.arrow")  # the outdated savepoint
    assert not fleet.leave()
    assert carrier.commands[-2:] == ["add a-1", "save a to move"]
