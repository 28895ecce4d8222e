"""A run on Spark emits the rows of a repair once, with a batch of its own results."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.resume.repairs import read_given, rows_path
from streaming.spark.carrier import Carrier
from streaming.spark.local_run import await_ends
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.sink.committed_rows import committed_lines
from streaming.storage.blobs import LocalFolder
from streaming.storage.results import read_commit, runs_of
from tests.spark.specs import spec, write_readings
from tests.spark.test_on_spark import DEADLINE_S, undisturbed, wait_for

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

CORRECTED = {"output": "out", "start": 0, "end": 10, "payload": {"device": "d0", "n": 9, "total": 9}, "repair": "r"}


def test_a_repair_is_emitted_once_while_the_run_continues(session: SparkSession, tmp_path: Path) -> None:
    expected, _ = undisturbed(tmp_path / "undisturbed", 20)
    write_readings(tmp_path / "readings.jsonl", 20)
    path = tmp_path / rows_path("a", "r")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(CORRECTED) + "\n")
    carrier = Carrier(session, tmp_path / "carrier", CarrierSettings(home=str(tmp_path), min_interval_s=0.2))
    carrier.add(spec("a", "readings.jsonl"))
    carrier.start()
    wait_for(carrier, lambda: len(carrier.manifests_after(0)) >= 4)
    carrier.repair("a", "another", "r")
    for _ in range(2):
        carrier.repair("a", "a-1", "r")
    await_ends(carrier, {"a"}, after=0, deadline_s=DEADLINE_S)
    carrier.close()
    results = list(committed_lines(tmp_path / "results" / "a", "results"))
    assert [row for row in results if row.get("repair")] == [CORRECTED]
    assert sorted(json.dumps(row) for row in results if not row.get("repair")) == expected
    given = read_given(LocalFolder(tmp_path), "a", "r")
    assert given is not None
    commit = read_commit(tmp_path / "results" / "a", given)
    assert commit is not None
    assert [each.run for each in runs_of(commit)] == ["a-1"]
