"""A run that resumes from a backup restored later ends with the rows of an undisturbed one."""

from pathlib import Path

import pytest

from streaming.runtime.checkpoints import main
from tests.runtime.processes.process import RunnerProcess
from tests.runtime.processes.test_dedicated import BATCHES, undisturbed
from tests.spark.specs import spec, write_readings
from tests.spark.test_on_spark import rows

pytestmark = [pytest.mark.spark, pytest.mark.thorough]


def run_until(runner: RunnerProcess, batch: int) -> None:
    runner.start()
    runner.wait_until(lambda: runner.batch("a-1") >= batch, f"batch {batch}")
    assert runner.end() == 0


def test_a_run_resumes_from_a_restored_backup(tmp_path: Path, redis_server_url: str) -> None:
    runner = RunnerProcess(tmp_path, "o1", redis_server_url, "--min-interval-s", "0.2")
    write_readings(runner.files / "readings.jsonl", BATCHES)
    runner.desire(spec("a", "readings.jsonl"))
    file = tmp_path / "o1.backup"
    run_until(runner, 4)
    assert main(["backup", str(runner.folder), str(file)]) == 0
    run_until(runner, runner.batch("a-1") + 5)
    later = rows(runner.folder, "a")
    assert main(["restore", str(runner.folder), str(file)]) == 0
    before = rows(runner.folder, "a")
    assert len(before[0]) < len(later[0])
    runner.start()
    try:
        runner.wait_until(lambda: runner.state("a-1") == "completed", "the input has ended")
    finally:
        runner.end()
    assert rows(runner.folder, "a") == undisturbed(tmp_path / "undisturbed")
