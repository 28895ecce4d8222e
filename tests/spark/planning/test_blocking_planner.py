"""Waiting inside the planner: Spark gets an answer when there is work, and every command is received."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streaming.spark.planning.blocking_planner import AT_MOST_S, BlockingPlanner
from streaming.spark.planning.planner import Planner
from streaming.spark.planning.poll_schedule import write_freshness
from streaming.spark.query.control import AddBinding, StopBinding
from streaming.spark.query.layout import HOLD, CarrierFolder, CarrierSettings, create
from streaming.spark.query.offset import Offset
from streaming.spark.session.task_places import TaskPlaces, lay_out
from streaming.storage.backup_hold import release_hold, write_hold
from tests.spark.planning.test_resting import endless


class Waited:
    """A clock that waiting advances; `then` maps seconds to actions of the driver."""

    def __init__(self, then: dict[int, Callable[[], object]]) -> None:
        self.at = 0.0
        self._then = then

    def wait(self, seconds: float) -> None:
        self.at += seconds
        for second in [each for each in self._then if each <= self.at]:
            self._then.pop(second)()


def patient(
    carrier: CarrierFolder, then: dict[int, Callable[[], object]], places: TaskPlaces | None = None
) -> tuple[BlockingPlanner, Waited]:
    waited = Waited(then)
    planner = Planner(carrier, lambda: round(waited.at * 1_000_000))
    return BlockingPlanner(carrier, planner, monotonic=lambda: waited.at, wait=waited.wait, places=places), waited


def carried(folder: Path) -> CarrierFolder:
    return create(folder / "carrier", CarrierSettings(home=str(folder), pages=("page-0",), min_interval_s=3_600))


def start(carrier: CarrierFolder, binding: str) -> None:
    command = AddBinding(kind="add", tick=0, spec=endless(binding), bucket_ids=[0], lanes={}, at_end="flush")
    carrier.control.append(command)


def test_the_first_answer_comes_at_once_and_later_ones_after_a_while(tmp_path: Path) -> None:
    planner, waited = patient(carried(tmp_path), {})
    nothing = Offset()
    assert planner.plan(nothing) is nothing
    assert waited.at == 0
    assert planner.plan(nothing) is nothing
    assert waited.at == pytest.approx(AT_MOST_S)


def test_commands_are_received_while_the_planner_waits_though_no_binding_is_due_for_an_hour(tmp_path: Path) -> None:
    carrier = carried(tmp_path)
    stop = StopBinding(kind="stop", tick=0, binding="a", flush=False)
    planner, waited = patient(carrier, {3: lambda: start(carrier, "a"), 6: lambda: carrier.control.append(stop)})
    planner.plan(Offset())
    begun = planner.plan(Offset())
    assert (list(begun.carried), int(waited.at)) == (["a"], 3)
    assert (list(planner.plan(begun).parked), int(waited.at)) == (["a"], 6)


def test_a_driver_that_stops_the_query_is_answered_at_once_and_nothing_is_planned(tmp_path: Path) -> None:
    carrier = carried(tmp_path)
    planner, waited = patient(carrier, {2: lambda: carrier.folder.write(HOLD, b"")})
    nothing = Offset()
    planner.plan(nothing)
    assert planner.plan(nothing) is nothing
    assert int(waited.at) == 2
    start(carrier, "a")
    assert planner.plan(nothing) is nothing
    assert int(waited.at) == 2


def test_a_backup_is_answered_at_once_and_nothing_is_planned_until_it_releases_its_hold(tmp_path: Path) -> None:
    carrier = carried(tmp_path / "o1")
    planner, waited = patient(carrier, {2: lambda: write_hold(tmp_path, "one")})
    nothing = Offset()
    planner.plan(nothing)
    assert planner.plan(nothing) is nothing
    assert int(waited.at) == 2
    start(carrier, "a")
    assert planner.plan(nothing) is nothing
    assert int(waited.at) == 2
    release_hold(tmp_path)
    assert list(planner.plan(nothing).carried) == ["a"]


def test_a_batch_that_waits_for_places_does_not_start_while_a_backup_holds(tmp_path: Path) -> None:
    lay_out(tmp_path / "places", 1)
    carrier, places = carried(tmp_path / "o1"), TaskPlaces(tmp_path / "places", 1)
    other = TaskPlaces(tmp_path / "places", 1)
    assert other.take()
    start(carrier, "a")
    planner, _ = patient(carrier, {}, places)
    nothing = Offset()
    assert planner.plan(nothing) is nothing
    write_hold(tmp_path, "one")
    other.give_back()
    assert planner.plan(nothing) is nothing
    release_hold(tmp_path)
    assert list(planner.plan(nothing).carried) == ["a"]


def test_a_binding_with_a_new_shorter_freshness_is_polled_sooner(tmp_path: Path) -> None:
    carrier = carried(tmp_path)
    start(carrier, "a")
    planner, waited = patient(carrier, {2: lambda: write_freshness(carrier.folder, {"a": 4_000_000})})
    begun = planner.plan(Offset())
    assert sum(planner.plan(begun).planned_rows(carrier.organisation_of).values()) > 0
    assert int(waited.at) == 4


def test_a_planned_batch_waits_for_its_places_is_planned_once_and_returns_them_at_its_end(
    tmp_path: Path,
) -> None:
    carrier = carried(tmp_path)
    start(carrier, "a")
    lay_out(tmp_path / "places", 2)
    other, mine = TaskPlaces(tmp_path / "places", 2), TaskPlaces(tmp_path / "places", 2)
    assert other.take()
    planner, waited = patient(carrier, {15: other.give_back}, mine)
    nothing = Offset()
    assert planner.plan(nothing) is nothing
    assert planner.plan(nothing) is nothing
    assert waited.at == pytest.approx(AT_MOST_S, abs=0.2)
    assert not mine.held
    begun = planner.plan(nothing)
    assert (list(begun.carried), begun.tick, int(waited.at), mine.held) == (["a"], 1, 15, True)
    assert not other.take()
    planner.plan(begun)
    assert other.take()


def test_a_query_that_waits_for_places_can_be_stopped(tmp_path: Path) -> None:
    carrier = carried(tmp_path)
    start(carrier, "a")
    lay_out(tmp_path / "places", 1)
    other = TaskPlaces(tmp_path / "places", 1)
    assert other.take()
    planner, waited = patient(carrier, {2: lambda: carrier.folder.write(HOLD, b"")}, TaskPlaces(tmp_path / "places", 1))
    nothing = Offset()
    planner.plan(nothing)
    assert planner.plan(nothing) is nothing
    assert int(waited.at) == 2
