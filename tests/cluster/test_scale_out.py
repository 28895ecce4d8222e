"""A carrier on a cluster of one master and two workers: the same rows, from executors, even if one is killed."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.spark.query.layout import CarrierSettings
from streaming.storage.blobs import BlobFolder
from streaming.storage.folders import folder_at
from streaming.wire.messages import RunSpec
from tests.cluster.committed import rows
from tests.cluster.conftest import BUCKET
from tests.cluster.standalone import Standalone, standalone
from tests.conftest import ROOT
from tests.spark.loop import Loop
from tests.spark.test_loop import add

LANES, BUCKETS, ROWS, ROWS_A_BATCH = 4, 3, 24_000, 3_000
DEADLINE_S = 400.0
_LOOK_EVERY_S = 0.05


def spec() -> RunSpec:
    """Return counts of generated sightings for each plate and 10 s, hopping by 5 s; four lanes, some rows late or
    broken."""
    window = {"kind": "hopping", "size": "10s", "hop": "5s"}
    aggregates = [{"name": "n", "function": "count"}, {"name": "fastest", "function": "max", "of": "speed"}]
    grouped = {"group_by": ["plate"], "window": window, "aggregates": aggregates}
    nodes = [
        {"id": "cars", "kind": "input", "stream": "cars"},
        {"id": "windows", "kind": "window", "input": "cars", **grouped},
        {"id": "out", "kind": "output", "input": "windows"},
    ]
    stream = {
        "fields": {"plate": "string", "speed": "double"},
        "advance": {"generate": {"every": 20, "delay": "3s"}, "late": "drop"},
    }
    options = {"rate": 200, "lanes": LANES, "started_at": 0, "total_rows": ROWS, "malformed_share": 0.01}
    content = {
        "organisation": "o1",
        "binding": "b1",
        "run": "r1",
        "desired": "running",
        "query": {"version": 1, "name": "cars", "nodes": nodes},
        "inputs": {"cars": {"stream": stream, "adapter": {"kind": "generator", "options": options}}},
        "results": "results/b1",
    }
    return RunSpec.model_validate_json(json.dumps(content))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, store: str) -> Iterator[Standalone]:
    """Start a cluster whose workers have the credentials of the store in their environment, like separate machines."""
    with standalone(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """Return the results of the same binding, batch by batch in this process."""
    home = tmp_path_factory.mktemp("local")
    loop = Loop(home, rows_per_batch=ROWS_A_BATCH)
    loop.clock = 10**12
    add(loop, spec())
    loop.run()
    found = rows(folder_at(str(home / "results" / "b1")))
    assert all(found)
    return found


class Driver:
    """A process that runs `drive`, watched by `watched/sitecustomize.py`."""

    def __init__(self, home: Path, master: str, location: str, settings: CarrierSettings) -> None:
        self.notes, self._log = home / "notes", home / "driver.log"
        path = os.pathsep.join([str(ROOT / "tests" / "cluster" / "watched"), str(ROOT)])
        environment = {"PYTHONPATH": path, "PUNCTUAL_WATCHED": str(home), "PUNCTUAL_NOTES": str(self.notes)}
        command = [sys.executable, "-m", "tests.cluster.drive", master, location, str(home / "spark")]
        command += [spec().model_dump_json(), settings.model_dump_json()]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **environment}, cwd=ROOT
            )

    def wait_for_batch(self, number: int, carrier: BlobFolder) -> None:
        """Wait until the carrier has published batch `number`."""
        waited = 0.0
        while max(carrier.numbers("commits"), default=0) < number:
            try:
                code = self.process.wait(_LOOK_EVERY_S)
            except subprocess.TimeoutExpired:
                waited += _LOOK_EVERY_S
                assert waited < DEADLINE_S, self.log()
                continue
            raise AssertionError(f"the driver ended with {code}\n{self.log()}")

    def end(self) -> None:
        """Wait until the process has ended successfully."""
        assert self.process.wait(DEADLINE_S) == 0, self.log()

    def log(self) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-40:])


def who_did(notes: Path) -> dict[str, set[str | None]]:
    """Return the executors (None: the driver) that wrote clocks and parts, and that loaded the operators."""
    found = defaultdict(set)
    for line in notes.read_text().splitlines():
        note = json.loads(line)
        path = f"/{note['what']}"
        kinds = {"/lanes/": "clocks", "/part-": "parts", "/streaming.spark.stage.stage": "operators"}
        for mark, kind in kinds.items():
            if mark in path:
                found[kind].add(note["executor"])
    return found


@pytest.mark.spark
@pytest.mark.thorough
def test_a_killed_executor_changes_nothing_and_the_driver_reads_computes_and_writes_no_row(
    cluster: Standalone, expected: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    settings = CarrierSettings(home=str(tmp_path), rows_per_batch=ROWS_A_BATCH, buckets=BUCKETS, isolate=False)
    location = str(tmp_path / "carrier")
    driver = Driver(tmp_path, cluster.url, location, settings)
    driver.wait_for_batch(3, folder_at(location))
    cluster.executors()[0].kill()
    driver.end()
    assert rows(folder_at(str(tmp_path / "results" / "b1"))) == expected
    by = who_did(driver.notes)
    assert by["clocks"] >= {"0", "1"}
    assert len(by["parts"]) >= 2
    assert None not in by["clocks"] | by["parts"]
    assert len(by["operators"] - {None}) >= 2  # the driver loads them too, to send them


@pytest.mark.spark
@pytest.mark.thorough
def test_a_carrier_on_an_object_store_gives_the_same_rows(
    cluster: Standalone, expected: tuple[list[str], list[str]], tmp_path: Path, store: str
) -> None:
    """Check with Spark's own checkpoint in a shared folder: its wheel has no connector to such a store."""
    place = f"s3://{BUCKET}/{tmp_path.name}"
    location, results = f"{place}/carrier?{store}", f"{place}/out?{store}"
    settings = CarrierSettings(
        home=str(tmp_path), results=results, rows_per_batch=2 * ROWS_A_BATCH, buckets=BUCKETS, isolate=False
    )
    driver = Driver(tmp_path, cluster.url, location, settings)
    driver.end()
    assert rows(folder_at(results).within("results/b1")) == expected
    assert {path.name for path in tmp_path.iterdir()} == {"driver.log", "notes", "spark"}
