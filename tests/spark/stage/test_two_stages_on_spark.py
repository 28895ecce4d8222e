"""A dedicated carrier with two stages in Spark's own processes."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.spark.carrier import Carrier
from streaming.spark.local_run import await_ends, run_to_end
from streaming.spark.query.layout import CarrierSettings
from tests.spark.specs import spec, write_readings
from tests.spark.stage.test_two_stages import add as add_to
from tests.spark.stage.test_two_stages import begin, chained_spec
from tests.spark.test_on_spark import DEADLINE_S, rows, wait_for
from tests.spark.test_on_spark import undisturbed as in_one_stage

pytestmark = pytest.mark.spark

MANY = 12
"""Batches of readings."""


def test_a_chained_plan_in_two_buckets_gives_the_same_rows_even_after_a_restart(
    session: SparkSession, tmp_path: Path
) -> None:
    quiet = begin(tmp_path / "quiet", buckets=1, stages=1)
    write_readings(quiet.home / "readings.jsonl", MANY)
    add_to(quiet, chained_spec())
    quiet.run()
    write_readings(tmp_path / "readings.jsonl", MANY)
    settings = CarrierSettings(home=str(tmp_path), buckets=2, stages=2, isolate=False)
    carrier = Carrier(session, tmp_path / "carrier", settings)
    carrier.add(chained_spec())
    carrier.start()
    wait_for(carrier, lambda: len(carrier.manifests_after(0)) >= 3)
    carrier.close()
    before = carrier.manifests_after(0)[-1].batch
    assert before < MANY, "it was stopped on the way"

    again = Carrier(session, tmp_path / "carrier", settings.model_copy(update={"stages": 1}))
    assert again.settings.stages == 2
    again.start()
    await_ends(again, {"a"}, after=0, deadline_s=DEADLINE_S)
    again.close()
    assert rows(tmp_path, "a") == rows(quiet.home, "a")
    parts = [path.name for path in (tmp_path / "results" / "a" / "results").iterdir()]
    assert {name.removesuffix(".jsonl").rpartition("-")[2] for name in parts} == {"0", "1"}


def test_a_plan_that_needs_one_stage_passes_through_the_second(session: SparkSession, tmp_path: Path) -> None:
    expected = in_one_stage(tmp_path / "undisturbed", 3)
    write_readings(tmp_path / "readings.jsonl", 3)
    settings = CarrierSettings(home=str(tmp_path), buckets=2, stages=2, isolate=False)
    found = run_to_end(session, [(spec("a", "readings.jsonl"), "flush")], tmp_path / "carrier", settings)
    assert found["a"].failure is None
    assert rows(tmp_path, "a") == expected
