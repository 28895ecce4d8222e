"""During a pause of its input, a restart point soon covers all rows that a binding has read, so they can be
repaired."""

from pathlib import Path

from streaming.spark.query.control import AddBinding
from streaming.spark.query.restart_points import read_points
from streaming.spark.sink.compaction_schedule import EVERY_S, CompactionScheduler
from streaming.storage.blobs import LocalFolder
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings


def test_a_restart_point_covers_the_last_batches_before_a_pause(tmp_path: Path) -> None:
    write_readings(tmp_path / "readings.jsonl", 8)
    loop, now = Loop(tmp_path), [0.0]
    wanted = spec("a", "readings.jsonl")
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes={"readings": ["0"]}, at_end="flush")
    )
    manifests = [loop.batch() for _ in range(4)]
    last = manifests[-1]
    assert last is not None
    [totals] = last.bindings.values()
    read = {lane: report.at for lane, report in totals.inputs["readings"].items()}
    shared = LocalFolder(tmp_path)
    assert all(each.positions["readings"] != read for each in read_points(shared, "a")), "a batch writes the point"
    tidying = CompactionScheduler(loop.carrier, lambda: now[0])
    tidying.turn(1.0)
    now[0] += EVERY_S
    tidying.turn(1.0)
    newest = read_points(shared, "a")[0]
    assert newest.positions["readings"] == read
    assert (newest.run, newest.flushed) == (wanted.run, False)
    written = (tmp_path / "kept" / "a" / "points").stat().st_mtime_ns
    now[0] += 2 * EVERY_S
    tidying.turn(1.0)
    assert (tmp_path / "kept" / "a" / "points").stat().st_mtime_ns == written, "a pause costs one point"
