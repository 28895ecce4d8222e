"""A binding that moves between the shared carrier and one of its own, batch by batch without Spark's own process."""

import json
from pathlib import Path
from typing import Literal

import pytest

from streaming.spark.query.control import AddBinding, SaveBinding, StopBinding
from streaming.spark.query.savepoints import refusal
from streaming.storage.results import committed_batches
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, rows, states, undisturbed

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]
PATH = "savepoints/a.arrow"
NOT_DIVIDED = "can't be divided into 2 buckets."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return tmp_path


def run(number: int, where: str = "true") -> RunSpec:
    return spec("a", "readings.jsonl", run=f"a-{number}", where=where)


def add(loop: Loop, wanted: RunSpec, path: str | None = None, ids: tuple[int, ...] = (0,)) -> None:
    loop.carrier.control.append(
        AddBinding(
            kind="add",
            tick=0,
            spec=wanted,
            bucket_ids=list(ids),
            lanes={},
            at_end="flush",
            from_savepoint=path,
            moving=path is not None,
        )
    )


def stop(loop: Loop, *, flush: bool = False) -> None:
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=flush))


def save(loop: Loop) -> None:
    loop.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding="a", path=PATH, moving=True))
    loop.run()


def read_by(loop: Loop) -> int:
    """Return the position of the carried or parked binding: how many batches of rows it has read."""
    item = loop.offset.carried.get("a") or loop.offset.parked["a"]
    return sum(item.positions["readings"].values())


def begun(home: Path) -> Loop:
    """Return a shared carrier after three batches, with its binding saved for a move."""
    loop = Loop(home)
    add(loop, run(1))
    for _ in range(3):
        loop.batch()
    save(loop)
    return loop


def test_state_of_one_bucket_is_replayed_for_two_buckets_with_a_message(home: Path, undisturbed: Undisturbed) -> None:
    shared = begun(home)
    alone = Loop(home, str(home / "alone"))
    add(alone, run(2), PATH, ids=(0, 1))
    first = alone.batch()
    assert first is not None
    ((state, domain, message),) = states([first], "a")
    assert (state, domain) == ("running", None)
    assert NOT_DIVIDED in str(message)
    alone.run()
    assert read_by(shared) == 3
    assert read_by(alone) == BATCHES
    assert min(int(each) for each in committed_batches(home / "results" / "a")) == 1
    assert rows(alone, "a")[0] == undisturbed[0]
    assert alone.offset.n > shared.offset.n


def test_a_changed_query_loses_nothing_in_the_other_carrier(home: Path, undisturbed: Undisturbed) -> None:
    begun(home)
    before = committed_batches(home / "results" / "a")
    alone = Loop(home, str(home / "alone"))
    add(alone, run(2, where="value >= 0"), PATH)
    observed = states(alone.run(), "a")
    assert [(state, message is None) for state, _, message in observed] == [("running", False), ("completed", False)]
    assert rows(alone, "a")[0] == undisturbed[0]
    assert read_by(alone) == BATCHES
    assert committed_batches(home / "results" / "a")[: len(before)] == before
    assert len(committed_batches(home / "results" / "a")) == len(before) + BATCHES + 1


def test_a_flushed_run_marks_the_rows_that_were_cut_short_and_emits_them_again(
    home: Path, undisturbed: Undisturbed
) -> None:
    shared = Loop(home)
    add(shared, spec("a", "readings.jsonl", run="a-1", final=True))
    for _ in range(3):
        shared.batch()
    stop(shared, flush=True)
    shared.run()
    save(shared)
    assert refusal(shared.carrier.every, PATH) is None
    alone = Loop(home, str(home / "alone"))
    add(alone, spec("a", "readings.jsonl", run="a-2", final=True), PATH, ids=(0, 1))
    alone.run()
    assert read_by(alone) == BATCHES
    given = [json.loads(row) for row in rows(alone, "a")[0]]
    assert [json.dumps(row) for row in given if not row.get("incomplete")] == undisturbed[0]
    assert 0 < sum(row.get("incomplete", False) for row in given) < len(given)


@pytest.mark.parametrize("begin", [None, "beginning"])
def test_an_ended_run_emits_everything_again_only_on_request(
    home: Path, undisturbed: Undisturbed, begin: Literal["beginning"] | None
) -> None:
    shared = Loop(home)
    add(shared, run(1))
    shared.run()
    save(shared)
    alone = Loop(home, str(home / "alone"))
    add(alone, run(2).model_copy(update={"begin": begin}), PATH, ids=(0, 1))
    manifests = alone.run()
    assert manifests[0].batch > shared.offset.n - 1
    times = 1 if begin is None else 2
    assert [sorted(given) for given in rows(alone, "a")] == [sorted([*each] * times) for each in undisturbed]


def test_batch_numbers_continue_after_those_of_another_carrier(home: Path) -> None:
    shared = Loop(home)
    add(shared, run(1))
    shared.run()
    alone = Loop(home, str(home / "alone"))
    add(alone, run(2).model_copy(update={"begin": "beginning"}))
    alone.run()
    batches = committed_batches(home / "results" / "a")
    assert len(batches) == 2 * (BATCHES + 1)


def test_other_buckets_in_the_same_carrier_start_again_and_the_same_ones_resume(
    home: Path, undisturbed: Undisturbed
) -> None:
    alone = Loop(home, str(home / "alone"))
    observed: list[str | None] = []
    for number, ids in enumerate([(3, 4), (3, 4), (5, 6)], 1):
        add(alone, run(number), ids=ids)
        first = alone.batch()
        assert first is not None
        observed.append(states([first], "a")[0][2])
        alone.batch()
        stop(alone)
        alone.run()
    assert [each is None for each in observed] == [True, True, False]
    add(alone, run(4), ids=(5, 6))
    alone.run()
    assert read_by(alone) == BATCHES
    same = Loop(home / "same")
    write_readings(home / "same" / "readings.jsonl", BATCHES)
    for number in range(1, BATCHES + 1):
        add(same, run(number), ids=(3, 4))
        same.batch()
        stop(same)
        same.run()
    add(same, run(99), ids=(3, 4))
    same.run()
    assert rows(same, "a") == undisturbed
