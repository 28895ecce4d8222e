"""Waiting inside the planner: Spark is answered when there is something to do, and the driver is always heard."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streaming.spark.control import AddBinding, StopBinding
from streaming.spark.layout import HOLD, CarrierFolder, CarrierSettings, create
from streaming.spark.looks import write_freshness
from streaming.spark.offset import Offset
from streaming.spark.patience import AT_MOST_S, PatientPlanner
from streaming.spark.planner import Planner
from streaming.spark.task_places import TaskPlaces, lay_out
from tests.spark.test_resting import endless


class Waited:
    """A clock that waiting moves on; `then`, by second, is what the driver does meanwhile."""

    def __init__(self, then: dict[int, Callable[[], object]]) -> None:
        self.at = 0.0
        self._then = then

    def wait(self, seconds: float) -> None:
        self.at += seconds
        for second in [each for each in self._then if each <= self.at]:
            self._then.pop(second)()


def patient(
    carrier: CarrierFolder, then: dict[int, Callable[[], object]], places: TaskPlaces | None = None
) -> tuple[PatientPlanner, Waited]:
    waited = Waited(then)
    planner = Planner(carrier, lambda: round(waited.at * 1_000_000))
    return PatientPlanner(carrier, planner, monotonic=lambda: waited.at, wait=waited.wait, places=places), waited


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


def test_commands_are_heard_while_the_planner_waits_though_nobody_is_due_for_an_hour(tmp_path: Path) -> None:
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


def test_a_binding_that_is_to_be_fresher_is_looked_at_sooner(tmp_path: Path) -> None:
    carrier = carried(tmp_path)
    start(carrier, "a")
    planner, waited = patient(carrier, {2: lambda: write_freshness(carrier.folder, {"a": 4_000_000})})
    begun = planner.plan(Offset())
    assert sum(planner.plan(begun).planned_rows(carrier.organisation_of).values()) > 0
    assert int(waited.at) == 4


def test_what_was_planned_waits_for_its_places_is_planned_once_and_gives_them_back_when_its_batch_is_over(
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


def test_who_waits_for_places_hears_that_it_is_to_stop(tmp_path: Path) -> None:
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
