"""A binding that uses too much memory fails alone, whether Python raises or its worker dies."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streaming.engine.operators.bucket import BucketOperators
from streaming.spark.errors import TOO_MUCH_MEMORY, WORKER_DIED
from streaming.spark.query.control import AddBinding, SaveBinding
from streaming.spark.query.manifests import Manifest
from streaming.spark.session.memory import LIMIT_VARIABLE, SESSION_VARIABLE, at_hand, count_deaths, suspects
from streaming.spark.source.feed_binding import BindingTask
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, add, rows, states, undisturbed

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setenv(SESSION_VARIABLE, "this")
    for name in ("a", "b"):
        write_readings(tmp_path / f"{name}.jsonl", BATCHES)
    loop = Loop(tmp_path)
    add(loop, spec("a", "a.jsonl"))
    add(loop, spec("b", "b.jsonl"))
    return loop


def key_of(loop: Loop, binding: str) -> str:
    manifest = loop.batch()
    assert manifest is not None
    return next(key for key, totals in manifest.bindings.items() if totals.binding == binding)


def dies_at(folder: Path, *keys: str, batch: int, session: str = "this") -> None:
    """Kill a separate process while it has `keys` at hand."""
    child = os.fork()
    if not child:
        os.environ[SESSION_VARIABLE] = session
        with at_hand(folder, keys[0], batch), at_hand(folder, keys[-1], batch):
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def guilt(folder: Path) -> dict[str, bool]:
    """Return whether each of the suspects is guilty."""
    return {key: each.guilty for key, each in suspects(folder).items()}


@pytest.mark.parametrize("place", ["feed", "operators"])
def test_a_binding_that_needs_too_much_memory_fails_alone_as_a_user_error(
    loop: Loop, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def eating(of: Callable[..., Any], guilty: Callable[[Any], bool]) -> Callable[..., Any]:
        def run(self: Any, *arguments: Any) -> Any:
            if guilty(self):
                raise MemoryError
            return of(self, *arguments)

        return run

    key = key_of(loop, "a")
    if place == "feed":
        mine = eating(BindingTask._bound_rows, lambda task: task._work.key == key)
        monkeypatch.setattr(BindingTask, "_bound_rows", mine)
    else:
        turns = iter([True])
        monkeypatch.setattr(BucketOperators, "turn", eating(BucketOperators.turn, lambda _: next(turns, False)))
    manifests = loop.run()
    failed = [(name, each) for name in ("a", "b") for each in states(manifests, name) if each[0] == "failed"]
    ((name, outcome),) = failed
    assert outcome == ("failed", "user", TOO_MUCH_MEMORY)
    assert rows(loop, "b" if name == "a" else "a") == undisturbed


def test_one_death_is_chance_and_two_in_one_batch_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SESSION_VARIABLE, "this")
    assert suspects(tmp_path) == {}
    dies_at(tmp_path, "guilty", "beside", batch=5)
    assert count_deaths(tmp_path) == {"guilty": "among", "beside": "among"}
    dies_at(tmp_path, "guilty", batch=5)
    assert count_deaths(tmp_path) == {"guilty": "alone"}
    assert guilt(tmp_path) == {"guilty": False, "beside": False}
    dies_at(tmp_path, "guilty", batch=5)
    assert count_deaths(tmp_path) == {"guilty": "again"}
    assert guilt(tmp_path) == {"guilty": True, "beside": False}
    assert count_deaths(tmp_path) == {}


def test_no_binding_is_blamed_for_another_batch_another_session_or_another_binding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SESSION_VARIABLE, "this")
    for batch, session, keys in [
        (5, "this", ("slow", "beside")),
        (5, "this", ("slow", "beside")),
        (6, "this", ("slow",)),
        (6, "before", ("slow",)),
        (7, "this", ("slow",)),
    ]:
        dies_at(tmp_path, *keys, batch=batch, session=session)
        count_deaths(tmp_path)
    assert guilt(tmp_path) == {"slow": False, "beside": False}


def test_a_live_process_and_a_regular_end_are_no_deaths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SESSION_VARIABLE, "this")
    with at_hand(tmp_path, "mine", 5):
        count_deaths(tmp_path)
    assert suspects(tmp_path) == {}


def test_a_batch_whose_worker_died_twice_is_repeated_without_the_culprit(loop: Loop, undisturbed: Undisturbed) -> None:
    key = key_of(loop, "a")
    local = loop.carrier.local
    assert local is not None
    for _ in range(2):
        assert loop.killed_at("fed")
        dies_at(local, key, batch=2)
        count_deaths(local)
    manifests = loop.run()
    assert ("failed", "user", TOO_MUCH_MEMORY) in states(manifests, "a")
    assert [state for state, _, _ in states(manifests, "b")][-1] == "completed"
    assert rows(loop, "b") == undisturbed


@pytest.fixture
def sending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    """Return a carrier that moves delaying bindings away; a worker has died in batch 2, at the work of a."""
    monkeypatch.setenv(SESSION_VARIABLE, "this")
    for name in ("a", "b"):
        write_readings(tmp_path / f"{name}.jsonl", BATCHES)
    loop = Loop(tmp_path, held_up_s=2.0)
    for name in ("a", "b"):
        add(loop, spec(name, f"{name}.jsonl"))
    died(loop, key_of(loop, "a"), 2)
    return loop


def died(loop: Loop, key: str, batch: int) -> None:
    assert loop.killed_at("fed")
    assert loop.carrier.local is not None
    dies_at(loop.carrier.local, key, batch=batch)
    count_deaths(loop.carrier.local)


def failed(manifest: Manifest | None) -> tuple[str, str | None, str | None, bool]:
    assert manifest is not None
    (change,) = (each for each in manifest.changes if each.state == "failed")
    return change.binding, change.domain, change.message, change.slow


def save(loop: Loop) -> None:
    command = SaveBinding(kind="savepoint", tick=0, binding="a", path="kept/a.arrow", moving=True)
    loop.carrier.control.append(command)


def test_one_death_moves_a_binding_with_its_state_after_one_repeated_batch_if_there_is_another_carrier(
    sending: Loop, undisturbed: Undisturbed
) -> None:
    assert failed(sending.batch()) == ("a", "external", WORKER_DIED, True)
    save(sending)
    manifests = sending.run()
    assert not [each for each in states(manifests, "a") if each[0] == "failed"]
    assert rows(sending, "b") == undisturbed
    elsewhere = Loop(sending.home, str(sending.home / "elsewhere"))
    command = AddBinding(
        kind="add",
        tick=0,
        spec=spec("a", "a.jsonl", run="2"),
        bucket_ids=[0],
        lanes={},
        at_end="flush",
        from_savepoint="kept/a.arrow",
        moving=True,
    )
    elsewhere.carrier.control.append(command)
    elsewhere.run()
    assert rows(elsewhere, "a") == undisturbed


def test_a_binding_that_cannot_even_be_moved_is_to_blame(sending: Loop, undisturbed: Undisturbed) -> None:
    sending.batch()
    save(sending)
    key = next(iter(suspects(sending.carrier.local)))
    died(sending, key, 3)
    assert failed(sending.batch()) == ("a", "user", TOO_MUCH_MEMORY, False)
    sending.run()
    assert rows(sending, "b") == undisturbed


LIMITED = """
import numpy
from streaming.spark.query.manifests import Manifest
from streaming.spark.session.memory import limit_memory
limit_memory()
print(open("/proc/self/oom_score_adj").read().strip())
small = numpy.ones(8 << 20)
try:
    numpy.ones(64 << 20)
except MemoryError:
    print("refused")
"""


def test_a_worker_has_a_memory_limit_and_is_the_first_process_that_the_system_kills() -> None:
    environment = {**os.environ, LIMIT_VARIABLE: str(256 << 20), "POLARS_MAX_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", LIMITED], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1000", "refused"]
