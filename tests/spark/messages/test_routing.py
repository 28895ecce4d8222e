"""State that another version of the engine divided among buckets differently is never used as if it were ours."""

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from streaming.spark.planning.start_positions import ANOTHER_ROUTING, START_AGAIN
from streaming.spark.query.binding_life import CarriedBinding
from streaming.spark.query.savepoints import read_head
from tests.spark.loop import Loop
from tests.spark.planning.test_changing_carriers import PATH, add, read_by, run, save, stop
from tests.spark.specs import write_readings
from tests.spark.test_loop import BATCHES, rows, states, undisturbed

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]


@pytest.fixture
def begun(tmp_path: Path) -> Loop:
    """Return a carrier after three batches of its binding in two buckets."""
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    loop = Loop(tmp_path, isolate=False)
    add(loop, run(1), ids=(3, 4))
    for _ in range(3):
        loop.batch()
    return loop


def rerouted(loop: Loop, routing: str) -> CarriedBinding:
    """Change the routing of its binding as another version would have left it; return the carried binding."""
    item = loop.offset.carried["a"]
    item = replace(item, generation=replace(item.generation, routing=routing))
    loop.offset = replace(loop.offset, carried={"a": item})
    loop.restart()
    return item


@pytest.mark.parametrize("flush", [None, False, True])
def test_a_run_under_another_routing_fails_and_then_replays_open_windows(
    begun: Loop, undisturbed: Undisturbed, flush: bool | None
) -> None:
    before = rerouted(begun, "another")
    if flush is not None:
        stop(begun, flush=flush)
    manifest = begun.batch()
    assert manifest is not None
    assert states([manifest], "a") == [("failed", "user", f"{ANOTHER_ROUTING} {START_AGAIN}")]
    assert begun.offset.parked["a"].positions == before.positions
    add(begun, run(2), ids=(3, 4))
    again = begun.batch()
    assert again is not None
    ((state, _, message),) = states([again], "a")
    assert state == "running"
    assert str(message).startswith(ANOTHER_ROUTING)
    begun.run()
    assert read_by(begun) == BATCHES
    assert sorted(rows(begun, "a")[0]) == sorted(undisturbed[0])
    assert begun.offset.parked["a"].key != before.key


def test_a_savepoint_with_another_routing_is_not_restored(begun: Loop) -> None:
    save(begun)
    path = begun.home / PATH
    stream = pa.ipc.open_stream(path.read_bytes())
    head = {**json.loads(stream.schema.metadata[b"head"]), "routing": "another"}
    schema = stream.schema.with_metadata({b"head": json.dumps(head).encode()})
    with path.open("wb") as file, pa.ipc.new_stream(file, schema) as writer:
        for batch in stream:
            writer.write_batch(batch)
    assert read_head(begun.carrier.every, PATH).routing == "another"
    other = Loop(begun.home, str(begun.home / "other"), isolate=False)
    add(other, run(2), PATH, ids=(5, 6))
    ((state, _, message), *_) = states(other.run(), "a")
    assert state == "running"
    assert str(message).startswith(ANOTHER_ROUTING)
    assert read_by(other) == BATCHES
