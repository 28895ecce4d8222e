"""Kills at every stage of every batch, and at any write in between, without Spark's own processes."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.errors import explain_query
from streaming.spark.query.manifests import newest_manifest
from streaming.spark.query.totals import BindingTotals
from streaming.storage.blobs import LocalFolder, LocalWriting
from tests.faults.plans import PLANS, Rows, carried, plan, rows_of, write_inputs
from tests.spark.loop import Loop

FILES = 3
ROWS_A_BATCH = 40
FEWEST_BATCHES = 8
STAGES = ("planned", "fed", "written", "published")
SEEDS = range(4)
KILLED_WRITES = 0.1


@dataclass(frozen=True)
class Ended:
    """The rows and totals of a run that has ended."""

    rows: Rows
    totals: BindingTotals
    batches: int


def started(home: Path, name: str) -> Loop:
    write_inputs(home, FILES)
    loop = Loop(home, rows_per_batch=ROWS_A_BATCH)
    loop.carrier.control.append(carried(loop.carrier, plan(name)))
    return loop


def ended(loop: Loop, name: str) -> Ended:
    last = newest_manifest(loop.carrier.folder)
    assert last is not None
    (totals,) = last.bindings.values()
    return Ended(rows_of(loop.home, name), totals, last.batch)


@pytest.fixture(scope="module", params=PLANS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def undisturbed(name: str, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    loop = started(tmp_path_factory.mktemp(f"undisturbed-{name}"), name)
    loop.run()
    found = ended(loop, name)
    assert found.batches >= FEWEST_BATCHES
    assert min(map(len, found.rows)) > 10
    return found


def with_crashes(loop: Loop, name: str, stages_of: Callable[[], Iterable[str]]) -> tuple[Ended, int]:
    """Run to the end, kill each batch once at every stage of `stages_of`; return the result and the number of kills."""
    kills = 0
    while True:
        for stage in stages_of():
            kills += loop.killed_at(stage)
        if loop.batch() is None:
            return ended(loop, name), kills


def test_kills_at_every_stage_of_every_batch_change_nothing(name: str, undisturbed: Ended, tmp_path: Path) -> None:
    found, kills = with_crashes(started(tmp_path, name), name, lambda: STAGES)
    assert found == undisturbed
    assert kills == len(STAGES) * undisturbed.batches


@pytest.mark.parametrize("seed", SEEDS)
def test_kills_at_some_stages_of_some_batches_change_nothing(
    name: str, undisturbed: Ended, tmp_path: Path, seed: int
) -> None:
    chosen = random.Random(seed)
    found, kills = with_crashes(
        started(tmp_path, name), name, lambda: chosen.choices(STAGES, k=chosen.choice((0, 0, 1, 2, 3)))
    )
    assert found == undisturbed
    assert kills > 0


class Killed(BaseException):
    """The process was killed during a write; no handler of exceptions catches this."""


@dataclass
class Writes:
    """Kills this process at some of its writes: before, in the middle or after."""

    chosen: random.Random
    active: bool = False
    kills: int = 0

    def around(self, write: Callable[[], Any], half: Callable[[], Any]) -> Any:
        """Do `write`, unless this process is killed before it, in its middle (`half` is done) or after it."""
        if not self.active or self.chosen.random() >= KILLED_WRITES:
            return write()
        self.kills += 1
        self.chosen.choice((lambda: None, half, write))()
        raise Killed


@pytest.fixture
def writes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writes]:
    """Patch every write to the folders of carrier and results; once it is `active`, some are killed."""
    found = Writes(random.Random(request.param))
    whole, create, stage, add, finish, remove = (
        LocalFolder.write,
        LocalFolder.create,
        LocalFolder._stage,
        LocalWriting.add,
        LocalWriting.finish,
        LocalFolder.remove,
    )

    def written(self: LocalFolder, name: str, content: bytes) -> None:
        found.around(lambda: whole(self, name, content), lambda: stage(self, name, content[: len(content) // 2]))

    def created(self: LocalFolder, name: str, content: bytes) -> bool:
        done = found.around(
            lambda: create(self, name, content), lambda: stage(self, name, content[: len(content) // 2])
        )
        return bool(done)

    def added(self: LocalWriting, pieces: Iterable[bytes]) -> None:
        every = b"".join(pieces)
        found.around(lambda: add(self, [every]), lambda: add(self, [every[: len(every) // 2]]))

    def finished(self: LocalWriting) -> None:
        found.around(lambda: finish(self), lambda: None)

    def removed(self: LocalFolder, name: str) -> None:
        found.around(lambda: remove(self, name), lambda: None)

    for of, method, put in (
        (LocalFolder, "write", written),
        (LocalFolder, "create", created),
        (LocalFolder, "remove", removed),
        (LocalWriting, "add", added),
        (LocalWriting, "finish", finished),
    ):
        monkeypatch.setattr(of, method, put)
    yield found
    found.active = False


@pytest.mark.parametrize("writes", SEEDS, indirect=True)
def test_kills_at_any_write_change_nothing(name: str, undisturbed: Ended, tmp_path: Path, writes: Writes) -> None:
    loop = started(tmp_path, name)
    continues = True
    while continues:
        writes.active = True
        try:
            continues = loop.batch() is not None
        except Killed:
            writes.active = False
            loop.restart()
    assert ended(loop, name) == undisturbed
    assert writes.kills > undisturbed.batches // 2


@pytest.mark.parametrize(
    "cause",
    [
        "java.io.EOFException",
        "java.net.SocketException: Connection reset",
        "java.io.IOException: Broken pipe",
        "Python worker exited unexpectedly (crashed)",
    ],
)
def test_a_run_whose_planner_or_worker_was_killed_is_retried(cause: str) -> None:
    """Spark 4.3 reports either kill so."""
    error = RuntimeError("[STREAM_FAILED] Query terminated with exception: (no cause message)")
    error._cause = RuntimeError(cause)  # type: ignore[attr-defined]
    assert explain_query(error).domain == "external"
