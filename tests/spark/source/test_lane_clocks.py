"""The feed's state of many keys or open edges: written as it changes, and restored after any kill or move."""

from pathlib import Path

import pytest

from streaming.engine.state import texts_by_key as entries
from streaming.spark.errors import DamagedCheckpoint
from streaming.spark.source import lane_clocks
from streaming.spark.source.lane_clocks import VERSIONS_KEPT, read_clocks, whole
from streaming.storage.blobs import LocalFolder
from tests.spark.loop import Crash, Loop, fault_of_operators
from tests.spark.many import SHAPES, many_spec, write_many
from tests.spark.query.test_savepoints import add as add_from
from tests.spark.query.test_savepoints import save
from tests.spark.test_loop import BATCHES, STAGES, add, rows, states

Rows = tuple[list[str], list[str]]


@pytest.fixture(params=list(SHAPES))
def what(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def undisturbed(tmp_path_factory: pytest.TempPathFactory, what: str) -> Rows:
    """Return the rows of a run whose feed writes its whole state in every batch."""
    home = tmp_path_factory.mktemp("undisturbed")
    write_many(home, what, BATCHES)
    loop = Loop(home)
    add(loop, many_spec(what))
    loop.run()
    assert not pieces(loop)
    return rows(loop, "a")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, undisturbed: Rows) -> None:
    """Make more than two keys or open edges count as many, with a file of its own for each piece."""
    monkeypatch.setattr(entries, "FEW", 2)
    monkeypatch.setattr(lane_clocks, "APART_BYTES", 0)


@pytest.fixture
def loop(tmp_path: Path, what: str, small: None) -> Loop:
    write_many(tmp_path, what, BATCHES)
    return Loop(tmp_path, partitions=1)


def pieces(loop: Loop) -> list[str]:
    return sorted(path.name for path in (loop.home / "carrier" / "lanes").glob("*/pieces/*"))


def listed(loop: Loop) -> list[str]:
    """Return the files that the newest version lists."""
    return sorted(read_clocks(loop.carrier.folder, 0, loop.offset.n + 1).pieces)


def needed(loop: Loop) -> set[str]:
    """Return the files to which the stored versions refer."""
    found = set()
    for number in loop.carrier.folder.numbers("lanes/0"):
        for clock in read_clocks(loop.carrier.folder, 0, number + 1).clocks.values():
            found |= {file for kept in (clock.state, clock.before) if kept is not None for _, file in kept.apart}
    return found


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("at", range(1, BATCHES + 2))
def test_a_batch_killed_at_any_stage_changes_nothing(
    loop: Loop, undisturbed: Rows, what: str, stage: str, at: int
) -> None:
    add(loop, many_spec(what))
    for _ in range(at - 1):
        loop.batch()

    assert loop.killed_at(stage)
    assert loop.killed_at(stage)
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_a_task_killed_before_it_has_written_its_version_leaves_no_file_behind(
    loop: Loop, undisturbed: Rows, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(loop, many_spec(what))
    write = LocalFolder.write

    def broken(self: LocalFolder, name: str, content: bytes) -> None:
        if name.startswith("lanes/0/") and name.endswith(".arrow"):
            raise Crash
        write(self, name, content)

    for _ in range(BATCHES):
        with monkeypatch.context() as patched:
            patched.setattr(LocalFolder, "write", broken)
            with pytest.raises(Crash):
                loop.batch()
        loop.batch()
        assert pieces(loop) == listed(loop)
        assert needed(loop) <= set(pieces(loop))
    loop.run()
    assert rows(loop, "a") == undisturbed


def test_a_batch_adds_a_file_and_removes_those_that_no_batch_may_need(loop: Loop, what: str) -> None:
    add(loop, many_spec(what))
    for _ in range(BATCHES):
        before = set(pieces(loop))
        loop.batch()
        added = set(pieces(loop)) - before
        assert {name.partition(".")[0] for name in added} <= {str(loop.offset.n)}
        assert len(added) == 1
        assert pieces(loop) == listed(loop)
        assert needed(loop) <= set(pieces(loop))
    add(loop, many_spec("keys" if what == "edges" else "edges", "a-2"))  # another query: a generation of its own
    write_many(loop.home, "keys" if what == "edges" else "edges", BATCHES)
    for _ in range(VERSIONS_KEPT + 2):
        loop.batch()
    alive = read_clocks(loop.carrier.folder, 0, loop.offset.n + 1)
    assert {name.partition("/")[0] for name in alive.clocks} == {"a@2"}
    assert pieces(loop) == listed(loop)
    assert all(int(name.partition(".")[0]) > BATCHES for name in pieces(loop))


@pytest.mark.parametrize("breaks_at", [1, 2, 4, BATCHES])
def test_an_error_of_the_operators_restores_the_previous_clocks(
    loop: Loop, undisturbed: Rows, what: str, breaks_at: int
) -> None:
    add(loop, many_spec(what))
    with fault_of_operators(breaks_at):
        assert states(loop.run(), "a")[-1][0] == "failed"
    add(loop, many_spec(what, "a-2"))
    loop.run()
    assert rows(loop, "a") == undisturbed


@pytest.mark.parametrize("after", [1, 3, BATCHES - 1])
def test_a_moved_run_keeps_its_clocks(loop: Loop, undisturbed: Rows, what: str, after: int) -> None:
    new = Loop(loop.home, str(loop.home / "dedicated"))
    add(loop, many_spec(what))
    for _ in range(after):
        loop.batch()
    save(loop)
    loop.run()
    add_from(new, many_spec(what, "a-2"), "savepoints/a.arrow")
    new.run()
    assert rows(new, "a") == undisturbed


def test_a_version_with_a_missing_file_is_an_error(loop: Loop, what: str) -> None:
    add(loop, many_spec(what))
    loop.batch()
    (clock,) = read_clocks(loop.carrier.folder, 0, 2).clocks.values()
    assert whole(loop.carrier.folder, 0, clock.state) is not None
    _, file = clock.state.apart[0]
    loop.carrier.folder.remove(f"lanes/0/pieces/{file}")
    with pytest.raises(DamagedCheckpoint, match="is missing"):
        whole(loop.carrier.folder, 0, clock.state)
