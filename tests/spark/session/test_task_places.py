"""Places for tasks: no query takes those of another, waiting queries get theirs, and a dead process loses none."""

import os
import signal
from pathlib import Path

import pytest

from streaming.spark.errors import NO_PLACE, NoPlaceForTasks, explain_query
from streaming.spark.planning.planner import Planner
from streaming.spark.query.control import AddBinding
from streaming.spark.query.layout import HOLD, CarrierSettings, create
from streaming.spark.query.offset import Offset
from streaming.spark.session.task_places import PATIENCE_S, TaskPlaces, lay_out
from streaming.spark.source.source import FeedReader
from tests.spark.planning.test_resting import endless


def free(folder: Path) -> int:
    """Return the number of free places."""
    for wanted in range(4, 0, -1):
        asked = TaskPlaces(folder, wanted)
        found = asked.take()
        asked.give_back()
        if found:
            return wanted
    return 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lay_out(tmp_path / "places", 4)
    return tmp_path / "places"


def test_as_many_queries_get_places_as_are_available(folder: Path) -> None:
    one, two, three = (TaskPlaces(folder, 2) for _ in range(3))
    assert [each.take() for each in (one, two, three)] == [True, True, False]
    assert one.take()
    two.give_back()
    assert three.take()
    assert not two.take()


def test_a_query_that_needs_many_places_is_not_overtaken_by_small_ones(folder: Path) -> None:
    few, many, later = TaskPlaces(folder, 1), TaskPlaces(folder, 4), TaskPlaces(folder, 1)
    assert few.take()
    assert not many.take()
    assert not later.take()
    few.give_back()
    assert many.take()
    many.give_back()
    assert later.take()


def test_a_query_that_needs_more_places_than_exist_takes_all(folder: Path) -> None:
    every = TaskPlaces(folder, 16)
    assert every.take()
    assert free(folder) == 0
    every.give_back()
    assert free(folder) == 4


def test_the_places_of_a_killed_process_are_free(folder: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        TaskPlaces(folder, 4).take()
        os.write(writer, b"!")
        signal.pause()
    os.read(reader, 1)
    assert free(folder) == 0
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert free(folder) == 4


def test_a_repeated_batch_waits_for_its_places_and_gives_up_with_a_sentence(folder: Path) -> None:
    clock = [0.0]

    def pause(seconds: float) -> None:
        clock[0] += seconds

    other, mine = TaskPlaces(folder, 4), TaskPlaces(folder, 1)
    assert other.take()
    with pytest.raises(NoPlaceForTasks) as raised:
        mine.wait(lambda: False, lambda: clock[0], pause)
    assert clock[0] == pytest.approx(PATIENCE_S, abs=1)
    failure = explain_query(raised.value)
    assert (failure.domain, failure.message) == ("external", NO_PLACE)
    with pytest.raises(NoPlaceForTasks):
        mine.wait(lambda: True, lambda: clock[0], pause)
    other.give_back()
    mine.wait(lambda: True, lambda: clock[0], pause)
    assert mine.held


def test_the_feed_of_a_query_requests_as_many_places_as_it_has_tasks(tmp_path: Path, folder: Path) -> None:
    settings = CarrierSettings(home=str(tmp_path), partitions=3, buckets=3, places=str(folder))
    carrier = create(tmp_path / "carrier", settings)
    carrier.control.append(
        AddBinding(kind="add", tick=0, spec=endless("a"), bucket_ids=[0, 1, 2], lanes={}, at_end="flush")
    )
    reader, start = FeedReader({"carrier": carrier.location}), Offset()
    end = Planner(carrier, lambda: 1).plan(start)
    reader.partitions(start.to_json(), end.to_json())
    assert free(folder) == 1
    carrier.folder.write(HOLD, b"")
    with pytest.raises(NoPlaceForTasks):
        FeedReader({"carrier": carrier.location}).partitions(start.to_json(), end.to_json())
    reader.latestOffset(end.to_json(), None)  # type: ignore[arg-type] # Spark's limit is not read
    assert free(folder) == 4


def test_places_are_created_again_without_touching_other_files(tmp_path: Path) -> None:
    lay_out(tmp_path, 2)
    (tmp_path / "later").write_text("kept")
    lay_out(tmp_path, 1)
    assert [TaskPlaces(tmp_path, 1).take() for _ in range(2)] == [True, False]
    assert (tmp_path / "later").read_text() == "kept"
