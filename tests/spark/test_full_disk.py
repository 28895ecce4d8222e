"""A disk that is full again and again, at any moment of a batch: the query starts again, and no row is lost."""

from pathlib import Path
from random import Random
from typing import Final

import pytest
from pyspark.sql import SparkSession

from streaming.spark.carrier import Carrier
from streaming.spark.errors import DISK_FULL
from streaming.spark.query.layout import CarrierSettings
from tests.faults.small_disk import filled, small_disk
from tests.spark.specs import spec, write_readings
from tests.spark.test_on_spark import rows, undisturbed

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

BATCHES: Final = 60
LONGEST_RUN_S: Final = 1.0
LONGEST_FULL_S: Final = 2.0


@pytest.mark.parametrize("seed", range(3))
def test_results_are_those_of_an_undisturbed_run(session: SparkSession, tmp_path: Path, seed: int) -> None:
    expected = undisturbed(tmp_path / "undisturbed", BATCHES)
    random = Random(seed)
    with small_disk(tmp_path / "disk", mib=48) as disk:
        write_readings(disk / "readings.jsonl", BATCHES)
        settings = CarrierSettings(home=str(disk), min_interval_s=0.2)
        carrier = Carrier(session, disk / "carrier", settings)
        carrier.add(spec("a", "readings.jsonl"))
        failures = []
        carrier.start()
        while not has_completed(carrier):
            carrier.wait(random.uniform(0, LONGEST_RUN_S))
            with filled(disk):
                carrier.wait(random.uniform(0, LONGEST_FULL_S))
            failures += run_another_batch(carrier)
        carrier.close()
        assert rows(disk, "a") == expected
    assert DISK_FULL in failures


def run_another_batch(carrier: Carrier) -> list[str]:
    """Start the query whenever it has failed until it ends a batch; return the failures."""
    failures = []
    before = max((each.batch for each in carrier.manifests_after(0)), default=0)
    while not carrier.manifests_after(before) and not has_completed(carrier):
        failed = carrier.failure()
        failures += [] if failed is None else [failed.message]
        carrier.start()
        carrier.wait(0.05)
    return failures


def has_completed(carrier: Carrier) -> bool:
    change = carrier.last_runs().get("a-1")
    return change is not None and change.state == "completed"
