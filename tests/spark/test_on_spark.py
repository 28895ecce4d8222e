"""The carrier in Spark's own processes."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from streaming.spark.carrier import Carrier
from streaming.spark.errors import DISK_FULL, PunctualError
from streaming.spark.local_run import await_ends, run_to_end
from streaming.spark.planning.token_bucket import BURST_S
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.offset import Offset
from streaming.spark.sink.committed_rows import committed_lines
from streaming.temporal.ticks import TICKS_PER_S
from streaming.wire.messages import RunSpec
from tests.run.test_unicode import STREAM, write_bad_text
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import ROWS, file_spec, write_lines
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add

pytestmark = pytest.mark.spark

DEADLINE_S = 120.0


def rows(home: Path, binding: str) -> tuple[list[str], list[str]]:
    folder = home / "results" / binding
    results, late = committed_lines(folder, "results"), committed_lines(folder, "late")
    return sorted(json.dumps(row) for row in results), sorted(json.dumps(row) for row in late)


def undisturbed(home: Path, batches: int) -> tuple[list[str], list[str]]:
    """Return the results of the same readings, batch by batch in this process."""
    write_readings(home / "readings.jsonl", batches)
    loop = Loop(home)
    add(loop, spec("a", "readings.jsonl"))
    loop.run()
    return rows(home, "a")


def wait_for(carrier: Carrier, reached: Callable[[], bool]) -> None:
    until = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < until
        assert carrier.failure() is None
        carrier.wait(0.02)


def test_a_query_that_started_without_work_starts_again(session: SparkSession, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 8)
    write_readings(tmp_path / "readings.jsonl", 8)
    carrier = Carrier(session, tmp_path / "carrier", CarrierSettings(home=str(tmp_path)))
    carrier.start()
    wait_for(carrier, (tmp_path / "carrier/spark/commits/0").exists)
    carrier.close()
    carrier.start()
    carrier.add(spec("a", "readings.jsonl"))
    wait_for(carrier, lambda: "a-1" in carrier.last_runs())
    carrier.close()
    carrier.start()
    wait_for(carrier, lambda: carrier.last_runs()["a-1"].state == "completed")
    carrier.close()
    assert rows(tmp_path, "a") == expected


def test_bindings_come_and_go_while_the_query_runs_and_a_restart_resumes(session: SparkSession, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 8)
    write_readings(tmp_path / "readings.jsonl", 8)
    settings = CarrierSettings(home=str(tmp_path))
    carrier = Carrier(session, tmp_path / "carrier", settings)
    carrier.start()
    carrier.add(spec("a", "readings.jsonl"))
    carrier.add(spec("lost", "nowhere.jsonl"))
    wait_for(carrier, lambda: len(carrier.manifests_after(0)) >= 2)
    assert carrier.last_runs()["lost-1"].state == "failed"
    assert carrier.last_runs()["a-1"].state == "running"
    carrier.add(spec("b", "readings.jsonl"))
    wait_for(carrier, lambda: "b-1" in carrier.last_runs())
    carrier.stop("b", flush=False)
    wait_for(carrier, lambda: carrier.last_runs()["b-1"].state == "stopped")
    carrier.close()
    before = carrier.manifests_after(0)[-1].batch

    again = Carrier(session, tmp_path / "carrier", settings)
    assert again.commanded() == {"a": "a-1", "lost": "lost-1"}
    again.add(spec("b", "readings.jsonl", run="b-2"))
    again.start()
    for seconds in (0.0, 0.0004):  # less than a millisecond, which Spark refuses
        again.wait(seconds)
    await_ends(again, {"a", "b"}, after=before, deadline_s=DEADLINE_S)
    again.close()
    assert rows(tmp_path, "a") == expected
    assert rows(tmp_path, "b") == expected


def test_a_limited_run_reads_no_more_than_the_limit_and_gives_the_same_results(
    session: SparkSession, tmp_path: Path
) -> None:
    unlimited, home = tmp_path / "unlimited", tmp_path / "limited"
    for folder in (unlimited, home):
        folder.mkdir()
        write_lines(folder / "lines.jsonl")
    loop = Loop(unlimited)
    add(loop, file_spec("a", "lines.jsonl"))
    loop.run()
    carrier = Carrier(session, home / "carrier", CarrierSettings(home=str(home)))
    carrier.limit(50)
    carrier.add(file_spec("a", "lines.jsonl"))
    carrier.start()
    try:
        manifests = await_ends(carrier, {"a"}, after=0, deadline_s=DEADLINE_S)
    finally:
        carrier.close()
    begun, *later = [manifest for manifest in manifests if manifest.read]
    assert begun.read == 50 * BURST_S
    assert len(later) >= 1
    ticks = [Offset.of_json(each).tick for each in offsets(home / "carrier")]
    passed_s = (ticks[-1] - ticks[0]) / TICKS_PER_S
    assert sum(each.read for each in later) == ROWS - begun.read <= 50 * passed_s
    held = [each.reports[0].held_back for each in manifests if each.read]
    assert held == [50] * len(later) + [None]
    assert rows(home, "a") == rows(unlimited, "a")


def offsets(carrier: Path) -> list[dict[str, Any]]:
    """Return the offsets of planned batches from Spark's own log."""
    logged = sorted((carrier / "spark" / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    found = [json.loads(path.read_text().splitlines()[-1]) for path in logged]
    return [each for each in found if each["n"]]


def test_a_full_disk_stops_the_query_with_a_sentence_and_keeps_the_checkpoint(
    session: SparkSession, tmp_path: Path
) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 4)
    write_readings(tmp_path / "readings.jsonl", 4)
    folder = tmp_path / "results" / "a" / "results"
    folder.mkdir(parents=True)
    full = [folder / f".part-{batch}-{task}.jsonl.staged" for batch in range(1, 9) for task in range(2)]
    for path in full:
        path.symlink_to("/dev/full")
    settings = CarrierSettings(home=str(tmp_path))
    with pytest.raises(PunctualError) as raised:
        run_to_end(session, [(spec("a", "readings.jsonl"), "flush")], tmp_path / "carrier", settings)
    assert str(raised.value) == DISK_FULL
    for path in full:
        path.unlink()
    carrier = Carrier(session, tmp_path / "carrier", settings)
    carrier.start()
    await_ends(carrier, {"a"}, after=0, deadline_s=DEADLINE_S)
    carrier.close()
    assert rows(tmp_path, "a") == expected


def test_unwritable_results_and_a_poison_row_stop_no_other_binding(session: SparkSession, tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 4)
    write_readings(tmp_path / "readings.jsonl", 4)
    write_bad_text(tmp_path / "texts.parquet")
    blocked = tmp_path / "results" / "b" / "results"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where a folder belongs")
    settings = CarrierSettings(home=str(tmp_path))
    wanted = [spec("a", "readings.jsonl"), spec("b", "readings.jsonl"), texts_spec("t", "texts.parquet")]
    found = run_to_end(session, [(each, "flush") for each in wanted], tmp_path / "carrier", settings)
    assert found["a"].failure is None
    assert rows(tmp_path, "a") == expected
    failure = found["b"].failure
    assert failure is not None
    assert "writing the results" in failure
    assert "start the run again" in failure
    assert found["t"].failure is None
    results, ((reason, raw),) = rows(tmp_path, "t")[0], [(row["reason"], row["raw"]) for row in found["t"].rows("late")]
    assert [json.loads(row)["payload"]["v"] for row in results] == ["caf\u00e9", None]
    assert (reason, json.loads(raw)["v"]) == ("bad_payload", "caf\\xe9")
    blocked.unlink()
    later = [spec("b", "readings.jsonl", run="b-2"), spec("d", "readings.jsonl")]
    run_to_end(session, [(each, "flush") for each in later], tmp_path / "carrier", settings)
    assert rows(tmp_path, "b") == rows(tmp_path, "d") == expected


def texts_spec(binding: str, path: str) -> RunSpec:
    """Return a run over the texts of a Parquet file, unchanged."""
    content = json.loads(spec(binding, path).model_dump_json())
    content["query"]["nodes"] = [
        {"id": "readings", "kind": "input", "stream": "readings"},
        {"id": "out", "kind": "output", "input": "readings"},
    ]
    content["inputs"]["readings"]["stream"] |= STREAM
    content["inputs"]["readings"]["adapter"] = {"kind": "file", "options": {"path": path}}
    return RunSpec.model_validate_json(json.dumps(content))


def test_buckets_of_a_dedicated_carrier_are_in_different_partitions_and_give_the_same_rows(
    session: SparkSession, tmp_path: Path
) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 3)
    write_readings(tmp_path / "readings.jsonl", 3)
    settings = CarrierSettings(home=str(tmp_path), buckets=2, isolate=False)
    found = run_to_end(session, [(spec("a", "readings.jsonl"), "flush")], tmp_path / "carrier", settings)
    assert found["a"].failure is None
    assert rows(tmp_path, "a") == expected
    parts = [path.name for path in (tmp_path / "results" / "a" / "results").iterdir()]
    assert {name.removesuffix(".jsonl").rpartition("-")[2] for name in parts} == {"0", "1"}
    written = [path for path in (tmp_path / "carrier" / "spark").rglob("*") if path.is_file()]
    assert {"offsets", "commits"} < {path.parent.name for path in written}
    assert [path for path in written if path.suffix == ".crc"] == []  # each would need a `chmod` process of its own
