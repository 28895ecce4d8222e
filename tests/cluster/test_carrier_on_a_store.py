"""A carrier whose folder and results are on an object store, killed at every stage: the rows of a local one."""

from pathlib import Path

import pytest

from streaming.spark.query import binding, journals
from streaming.storage.folders import folder_at, is_remote
from streaming.wire.messages import RunSpec
from tests.cluster.committed import rows
from tests.faults.plans import plan, write_inputs
from tests.spark.loop import Loop
from tests.spark.test_loop import STAGES, add

ROWS_A_BATCH = 400
FILES = 8
PLAN = "aggregate"
RESULTS = f"results/{PLAN}"


def laid_out(home: Path) -> RunSpec:
    write_inputs(home, FILES)
    return plan(PLAN)


@pytest.fixture
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    home = tmp_path_factory.mktemp("undisturbed")
    loop = Loop(home, rows_per_batch=ROWS_A_BATCH)
    add(loop, laid_out(home))
    loop.run()
    found = rows(folder_at(str(home / RESULTS)))
    assert found[0]
    return found


def forget() -> None:
    """Forget the caches that another process, or one on another machine, does not have."""
    binding._BUILT.clear()
    journals._of_process.cache_clear()


def stored_loop(home: Path, location: str) -> Loop:
    where = folder_at(location)
    assert where.numbers("carrier/control") == []
    carrier, results = _below(location, "carrier"), _below(location, "out")
    return Loop(home, carrier, rows_per_batch=ROWS_A_BATCH, results=results)


def _below(location: str, name: str) -> str:
    place, mark, options = location.partition("?")
    return f"{place}/{name}{mark}{options}"


@pytest.mark.parametrize("stage", [None, *STAGES])
def test_a_carrier_on_a_store_has_the_rows_of_a_local_one_wherever_it_is_killed(
    location: str, tmp_path: Path, expected: tuple[list[str], list[str]], stage: str | None
) -> None:
    loop = stored_loop(tmp_path, location)
    add(loop, laid_out(tmp_path))

    batches = 0
    while True:
        forget()
        if stage is not None:
            loop.killed_at(stage)
            forget()
            loop.restart()
        if loop.batch() is None:
            break
        batches += 1
    assert batches >= 2
    assert rows(folder_at(location).within(f"out/{RESULTS}")) == expected


def test_a_carrier_on_a_store_writes_nothing_to_the_organisations_own_folder(tmp_path: Path, store: str) -> None:
    location = f"s3://punctual/{tmp_path.name}?{store}"
    loop = stored_loop(tmp_path, location)
    assert is_remote(loop.carrier.location)
    add(loop, laid_out(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    loop.run()
    assert sorted(tmp_path.rglob("*")) == before


def test_files_keep_the_order_in_which_a_planner_on_another_machine_listed_them(tmp_path: Path, location: str) -> None:
    wanted = laid_out(tmp_path)
    item = wanted.inputs["readings"]
    follow = item.adapter.model_copy(update={"options": {**item.adapter.options, "follow": True}})
    wanted = wanted.model_copy(update={"inputs": {"readings": item.model_copy(update={"adapter": follow})}})
    late = tmp_path / "readings" / "0000.csv"
    late.rename(tmp_path / "aside.csv")
    loop = stored_loop(tmp_path, location)
    add(loop, wanted)
    before = sum(manifest.read for manifest in loop.run())
    (tmp_path / "aside.csv").rename(late)  # it is older than the files already read, and would come first
    forget()
    loop.restart()
    after = sum(manifest.read for manifest in loop.run())
    assert before == (FILES - 1) * after
