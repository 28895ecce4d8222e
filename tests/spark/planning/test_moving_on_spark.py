"""Moved runs and hanging adapters in Spark's own processes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.spark.carrier import Carrier
from streaming.spark.errors import PunctualError
from streaming.spark.local_run import await_ends
from streaming.spark.query.layout import CarrierSettings
from tests.spark.specs import spec, write_readings
from tests.spark.test_on_spark import DEADLINE_S, rows, undisturbed, wait_for

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("buckets", [1, 2])
def test_a_run_that_is_moved_in_the_middle_of_its_input_gives_the_results_of_an_undisturbed_run(
    session: SparkSession, tmp_path: Path, buckets: int
) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 12)
    write_readings(tmp_path / "readings.jsonl", 12)
    settings = CarrierSettings(home=str(tmp_path), buckets=buckets, isolate=buckets == 1, min_interval_s=0.2)
    first, second = (Carrier(session, tmp_path / name, settings) for name in ("first", "second"))
    first.add(spec("a", "readings.jsonl"))
    first.start()
    wait_for(first, lambda: len(first.manifests_after(0)) >= 4)
    path = first.savepoint("a")
    wait_for(first, lambda: first.saved(path))
    wait_for(first, lambda: first.last_runs()["a-1"].state == "stopped")  # reported after the savepoint is written
    before = len(rows(tmp_path, "a")[0])
    first.close()
    assert 0 < before < len(expected[0])
    second.add(spec("a", "readings.jsonl", run="a-2"), from_savepoint=path)
    second.start()
    await_ends(second, {"a"}, after=0, deadline_s=DEADLINE_S)
    nothing = second.savepoint("b")
    with pytest.raises(PunctualError, match="has no saved state"):
        wait_for(second, lambda: second.saved(nothing))
    second.close()
    assert rows(tmp_path, "a") == expected


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """Return a pipe, which would block forever if it were opened as a file; `test_hanging` has hanging adapters."""
    path = tmp_path / "silent.jsonl"
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR)
    yield path
    os.close(end)


def test_a_pipe_is_not_a_file_and_stops_only_its_own_run(session: SparkSession, tmp_path: Path, pipe: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed", 6)
    write_readings(tmp_path / "readings.jsonl", 6)
    settings = CarrierSettings(home=str(tmp_path), read_deadline_s=30.0)
    carrier = Carrier(session, tmp_path / "carrier", settings)
    carrier.add(spec("silent", pipe.name))
    carrier.add(spec("a", "readings.jsonl"))
    carrier.start()
    await_ends(carrier, {"a", "silent"}, after=0, deadline_s=DEADLINE_S)
    change = carrier.last_runs()["silent-1"]
    carrier.close()
    assert (change.state, change.domain) == ("failed", "user")
    assert pipe.name in str(change.message)
    assert rows(tmp_path, "a") == expected
