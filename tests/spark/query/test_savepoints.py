"""A run that is moved in the middle of its input gives the rows of an undisturbed one; a misfit is refused."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError
from streaming.spark.planning.batch_plan_builder import HAS_ENDED, NOT_KNOWN
from streaming.spark.query.control import AddBinding, SaveBinding, StopBinding
from streaming.spark.query.manifests import SavepointWritten
from streaming.spark.query.savepoints import PIECE_BYTES, items_of, pieces_of, read_head, refusal
from streaming.storage.results import committed_batches
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import file_spec
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, rows, states, undisturbed

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]
PATH = "savepoints/a.arrow"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return tmp_path


def add(loop: Loop, wanted: RunSpec, entering: str | None = None, buckets: int = 1) -> None:
    ids = list(range(buckets))
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=ids, lanes={}, at_end="flush", from_savepoint=entering)
    )


def save(loop: Loop, path: str = PATH) -> None:
    loop.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding="a", path=path))


def lanes_spec(run: str = "a-1") -> RunSpec:
    """Return `spec` over three lanes, which several tasks of the feed share."""
    content = json.loads(spec("a", "lanes.jsonl", run=run).model_dump_json())
    content["inputs"]["readings"]["stream"]["lanes"] = ["x", "y", "z"]
    return RunSpec.model_validate_json(json.dumps(content))


def write_lanes(home: Path) -> None:
    lines = [json.loads(line) for line in (home / "readings.jsonl").read_text().splitlines()]
    named = [{**line, "lane": "xyz"[number % 3]} for number, line in enumerate(lines)]
    (home / "lanes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in named))


@pytest.mark.parametrize("after", range(1, BATCHES))
@pytest.mark.parametrize("stopped_first", [True, False])
def test_a_moved_run_gives_the_rows_of_an_undisturbed_run(
    home: Path, undisturbed: Undisturbed, after: int, stopped_first: bool
) -> None:
    old, new = Loop(home), Loop(home, str(home / "dedicated"))
    add(old, spec("a", "readings.jsonl"))
    for _ in range(after):
        old.batch()
    if stopped_first:
        old.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=False))
        old.run()
    save(old)
    saved = old.run()
    moved = saved[-1].bindings["a@1"]
    assert saved[-1].saved == (SavepointWritten("a", PATH),)
    assert list((home / "carrier" / "savepoints").iterdir()) == []
    add(new, spec("a", "readings.jsonl", run="a-2"), PATH)
    report = new.run()[-1].reports[-1]
    assert rows(new, "a") == undisturbed
    assert moved.results + report.results == len(undisturbed[0])
    assert report.inputs["readings"].received == (BATCHES - after) * 5
    assert report.batch == max(committed_batches(home / "results" / "a")) > saved[-1].batch


def test_a_run_may_move_to_another_carrier_and_back(home: Path, undisturbed: Undisturbed) -> None:
    shared, other = Loop(home), Loop(home, str(home / "dedicated"))
    add(shared, spec("a", "readings.jsonl"))
    shared.batch()
    for number, (left, entered) in enumerate([(shared, other), (other, shared), (shared, other), (other, shared)]):
        path = f"savepoints/{number}.arrow"
        save(left, path)
        left.run()
        add(entered, spec("a", "readings.jsonl", run=f"a-{number + 2}"), path)
        entered.batch()
        entered.batch()
    shared.run()
    assert rows(shared, "a") == undisturbed


@pytest.mark.parametrize("buckets", [1, 2])
@pytest.mark.parametrize("partitions", [1, 2, 4])
def test_clocks_of_all_lanes_and_state_of_all_buckets_move_along(home: Path, buckets: int, partitions: int) -> None:
    write_lanes(home)
    quiet = Loop(home / "quiet")
    for name in ("readings.jsonl", "lanes.jsonl"):
        (quiet.home / name).write_text((home / name).read_text())
    add(quiet, lanes_spec(), buckets=buckets)
    quiet.run()
    old, new = Loop(home, partitions=2), Loop(home, str(home / "dedicated"), partitions=partitions)
    add(old, lanes_spec(), buckets=buckets)
    for _ in range(3):
        old.batch()
    save(old)
    old.run()
    add(new, lanes_spec("a-2"), PATH, buckets=buckets)
    new.run()
    assert rows(new, "a") == rows(quiet, "a")
    assert len(rows(new, "a")[0]) > BATCHES


@pytest.mark.parametrize("stage", STAGES)
def test_a_kill_while_a_run_leaves_or_enters_changes_nothing(home: Path, undisturbed: Undisturbed, stage: str) -> None:
    old, new = Loop(home), Loop(home, str(home / "dedicated"))
    add(old, spec("a", "readings.jsonl"))
    old.batch()
    old.batch()
    save(old)
    assert old.killed_at(stage)
    old.run()
    add(new, spec("a", "readings.jsonl", run="a-2"), PATH)
    assert new.killed_at(stage)
    new.run()
    assert rows(new, "a") == undisturbed


def saved_at(home: Path, batches: int = 2) -> Loop:
    old = Loop(home)
    add(old, spec("a", "readings.jsonl"))
    for _ in range(batches):
        old.batch()
    save(old)
    old.run()
    return old


@pytest.mark.parametrize(
    ("wanted", "buckets", "says"),
    [
        (spec("a", "readings.jsonl", where="value > 1"), 1, "belongs to another query"),
        (spec("a", "readings.jsonl"), 2, "created with 1 bucket, but this engine uses 2"),
    ],
)
def test_a_savepoint_that_does_not_fit_is_refused(home: Path, wanted: RunSpec, buckets: int, says: str) -> None:
    saved_at(home)
    new = Loop(home, str(home / "dedicated"))
    add(new, wanted, PATH, buckets=buckets)
    ((state, domain, message),) = states(new.run(), "a")
    assert (state, domain) == ("failed", "user")
    assert says in str(message)


def test_another_version_and_other_files_are_refused_as_savepoints(home: Path) -> None:
    loop = saved_at(home)
    stream = pa.ipc.open_stream((home / PATH).read_bytes())
    head = {**json.loads(stream.schema.metadata[b"head"]), "version": 99}
    with (home / "savepoints" / "newer.arrow").open("wb") as file:
        schema = stream.schema.with_metadata({b"head": json.dumps(head).encode()})
        pa.ipc.new_stream(file, schema).close()
    (home / "savepoints" / "none.arrow").write_text("nothing of ours")
    with pytest.raises(AdapterError, match="has version 99"):
        read_head(loop.carrier.every, "savepoints/newer.arrow")
    for name in ("none", "missing"):
        with pytest.raises(AdapterError, match="can't be read"):
            read_head(loop.carrier.every, f"savepoints/{name}.arrow")


def test_a_savepoint_of_a_missing_binding_is_refused(home: Path) -> None:
    loop = Loop(home)
    save(loop)
    assert loop.run() != []
    assert refusal(loop.carrier.every, PATH) == NOT_KNOWN
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    save(loop, "savepoints/ended.arrow")
    loop.run()
    assert refusal(loop.carrier.every, "savepoints/ended.arrow") == HAS_ENDED
    assert not (home / PATH).exists()


def test_a_run_that_failed_to_enter_may_try_again(
    home: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved_at(home)
    new = Loop(home, str(home / "dedicated"))
    with monkeypatch.context() as patched:
        patched.setattr("streaming.spark.source.feed_binding.read_items", broken)
        add(new, spec("a", "readings.jsonl", run="a-2"), PATH)
        assert states(new.run(), "a")[-1][0] == "failed"
    add(new, spec("a", "readings.jsonl", run="a-3"), PATH)
    new.run()
    assert rows(new, "a") == undisturbed


def broken(*_: Any) -> Any:
    raise RuntimeError("a fault of our own")


def test_listed_files_keep_their_places_after_a_move(home: Path) -> None:
    """Add a file that is older than the listed ones: it must come after them, wherever the run is by then."""

    def write(folder: Path, number: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        lines = [{"at": number * 100 + row, "device": f"d{number}", "value": row} for row in range(40)]
        path = folder / f"{number}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(path, (number, number))

    def begun(at: Path) -> Loop:
        for number in (1, 2):
            write(at / "files", number)
        loop = Loop(at, rows_per_batch=30)
        add(loop, timed())
        loop.batch()
        loop.batch()
        return loop

    def timed() -> RunSpec:
        content = json.loads(file_spec("a", "files").model_dump_json())
        content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
        return RunSpec.model_validate_json(json.dumps(content))

    quiet, old = begun(home / "quiet"), begun(home)
    new = Loop(home, str(home / "dedicated"), rows_per_batch=30)
    save(old)
    old.run()
    for folder in (home / "quiet", home):
        write(folder / "files", 0)
    quiet.run()
    add(new, timed(), PATH)
    new.run()
    assert rows(new, "a") == rows(quiet, "a")
    assert all(len(each) > 4 for each in rows(new, "a"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=5), st.binary(max_size=20)), max_size=8))
def test_pieces_have_the_original_items(monkeypatch: pytest.MonkeyPatch, items: list[tuple[int, str, bytes]]) -> None:
    monkeypatch.setattr("streaming.spark.query.savepoints.PIECE_BYTES", 30)
    whole = [("state", *item) for item in items]
    pieces = list(pieces_of(whole))
    assert [item for piece in pieces for item in items_of(piece)] == whole
    assert all(sum(len(item[3]) for item in items_of(piece)) < 30 + 20 for piece in pieces)
    assert PIECE_BYTES > 30
