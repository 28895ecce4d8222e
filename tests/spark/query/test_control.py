"""The control log stays short: commands that batches have applied become one list, without an effect on runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.spark.query import control
from streaming.spark.query.control import AddBinding, Command, ControlLog, SaveBinding, StopBinding
from streaming.spark.sink.compaction_schedule import EVERY_S, CompactionScheduler
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import committed_spans
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, add, rows, stop, undisturbed

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]


def command(kind: str, binding: str, number: int) -> Command:
    if kind == "stop":
        return StopBinding(kind="stop", tick=0, binding=binding, flush=False)
    if kind == "savepoint":
        return SaveBinding(kind="savepoint", tick=0, binding=binding, path="p")
    wanted = spec(binding, "readings.jsonl", run=f"{binding}-{number}")
    return AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={}, at_end="flush")


@given(
    commands=st.lists(
        st.tuples(st.sampled_from(["add", "stop", "savepoint"]), st.sampled_from("abc"), st.integers(0, 9)), max_size=12
    ),
    cuts=st.lists(st.integers(0, 12), max_size=4),
)
def test_compaction_does_not_change_the_commanded_runs(
    tmp_path_factory: pytest.TempPathFactory, commands: list[tuple[str, str, int]], cuts: list[int]
) -> None:
    folder = LocalFolder(tmp_path_factory.mktemp("control"))
    plain = LocalFolder(tmp_path_factory.mktemp("plain"))
    log, whole = ControlLog(folder), ControlLog(plain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(control, "MANY", 1)
        for number, each in enumerate(commands, start=1):
            assert log.append(command(*each)) == whole.append(command(*each)) == number
            if number in cuts:
                ControlLog(folder).compact(number, {number - 1})
                log = ControlLog(folder)
            assert ControlLog(folder).commanded() == whole.commanded()
    assert ControlLog(folder).newest() == len(commands)


def test_a_start_reads_one_list_and_the_later_commands(tmp_path: Path) -> None:
    log = ControlLog(LocalFolder(tmp_path))
    for number in range(3 * control.MANY):
        log.append(command("stop" if number % 2 else "add", "a", number))
    log.compact(2 * control.MANY, {5})
    left = [path.name for path in (tmp_path / "control").iterdir()]
    assert len(left) == control.MANY + len(["the last that was taken", "entry 5", "the list"])
    assert isinstance(ControlLog(LocalFolder(tmp_path)).read(5), AddBinding)
    with pytest.raises(LookupError):
        ControlLog(LocalFolder(tmp_path)).read(4)


def test_a_few_commands_are_left_as_they_are(tmp_path: Path) -> None:
    log = ControlLog(LocalFolder(tmp_path))
    for number in range(control.MANY - 1):
        log.append(command("add", "a", number))
    log.compact(control.MANY - 1, ())
    assert len(list((tmp_path / "control").iterdir())) == control.MANY - 1


def test_runs_stop_start_and_wait_over_a_log_that_is_compacted_in_every_batch(
    tmp_path: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "MANY", 1)
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path)
    add(loop, spec("a", "readings.jsonl"))
    add(loop, spec("parked", "readings.jsonl"))
    loop.batch()
    stop(loop, "parked", flush=False)
    for number in range(2, 5):
        stop(loop, "a", flush=False)
        add(loop, spec("a", "readings.jsonl", run=f"a-{number}"))
        loop.batch()
        loop = again(loop)
    assert len(list((tmp_path / "carrier" / "control").iterdir())) <= 5, "the start waits for the batch after the stop"
    assert loop.carrier.control.commanded() == {"a": "a-4"}
    add(loop, spec("parked", "readings.jsonl", run="parked-2"))
    loop.run()
    assert rows(loop, "a") == rows(loop, "parked") == undisturbed


def again(loop: Loop) -> Loop:
    """Return a new driver in a process that only has the folder and Spark's checkpoint."""
    new = Loop(loop.home)
    new.offset, new.state, new.clock = loop.offset, loop.state, loop.clock
    return new


def test_old_batches_of_every_binding_are_merged_a_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"NEWEST_LEFT": 2, "MERGED_AT_ONCE": 3, "FEWEST_MERGED": 2}.items():
        monkeypatch.setattr(f"streaming.spark.sink.compaction.{name}", value)
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path)
    for name in "ab":
        add(loop, spec(name, "readings.jsonl"))
    loop.run()
    before = {name: rows(loop, name) for name in "ab"}
    now = [0.0]

    def clock() -> float:
        now[0] += 0.02
        return now[0]

    tidying = CompactionScheduler(loop.carrier, clock)
    tidying.turn(1.0)
    assert all(len(committed_spans(tmp_path / "results" / name)) == BATCHES + 1 for name in "ab")
    now[0] += EVERY_S
    tidying.turn(0.03)
    assert sum(len(committed_spans(tmp_path / "results" / name)) < BATCHES + 1 for name in "ab") <= 1
    tidying.turn(10.0)
    assert all(len(committed_spans(tmp_path / "results" / name)) < BATCHES + 1 for name in "ab")
    assert {name: rows(loop, name) for name in "ab"} == before


def test_old_rows_are_deleted_even_for_bindings_unknown_to_this_carrier(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    elsewhere = Loop(tmp_path, str(tmp_path / "dedicated"))
    add(elsewhere, spec("a", "readings.jsonl"))
    elsewhere.run()
    loop = Loop(tmp_path, keep_results_s=1e-6)
    add(loop, spec("b", "readings.jsonl"))
    loop.run()
    now = [0.0]
    tidying = CompactionScheduler(loop.carrier, lambda: now[0])
    now[0] += EVERY_S
    tidying.turn(10.0)
    assert [len(committed_spans(tmp_path / "results" / name)) for name in "ab"] == [1, 1], "the newest stays"


def test_the_last_command_that_adds_a_binding_is_found_also_after_it_was_stopped(tmp_path: Path) -> None:
    log = ControlLog(LocalFolder(tmp_path))
    assert log.last_added("a") is None
    for kind, binding, number in (("add", "a", 1), ("add", "a", 2), ("add", "b", 3), ("stop", "a", 4)):
        log.append(command(kind, binding, number))
    found = log.last_added("a")
    assert found is not None
    assert found.spec.run == "a-2"
