"""The whole runner: from the desired runs in Redis, through Spark, to results and states."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.runtime.processes.process import RunnerProcess
from tests.spark.specs import spec, write_readings

pytestmark = pytest.mark.spark


@pytest.fixture
def runner(tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    found = RunnerProcess(tmp_path, "o1", redis_server_url, "--min-interval-s", "0")
    write_readings(found.files / "readings.jsonl", 3)
    yield found
    found.end()


def test_runs_start_complete_and_fail_and_the_runner_ends_when_asked(runner: RunnerProcess) -> None:
    good, lost = spec("good", "readings.jsonl"), spec("lost", "nowhere.jsonl")
    runner.desire(good, lost)
    runner.start()
    runner.wait_until(lambda: runner.state("good-1") == "completed", "the input has ended")
    seen = runner.observed("lost-1")
    assert seen is not None
    assert (seen.state, seen.domain) == ("failed", "user")
    assert "nowhere.jsonl" in str(seen.message)
    results = list(committed_lines(runner.folder / "results" / "good", "results"))
    report = runner.progress("good-1")
    assert report.results == len(results) > 0
    assert report.inputs["readings"].received == 15
    assert runner.connection.xlen(keys.reports("o1", "good-1")) == 4
    lease = RunnerLease.model_validate_json(str(runner.connection.get(keys.lease("o1"))))
    assert runner.process is not None
    assert lease.pid == runner.process.pid

    again = spec("lost", "readings.jsonl", run="lost-2")
    runner.desire(again)
    runner.wait_until(lambda: runner.state("lost-2") == "completed", "the corrected run has ended")
    assert runner.end() == 0
    assert runner.connection.get(keys.lease("o1")) is None
    assert not (runner.folder / "runner.json").exists()
    lines = [json.loads(line) for line in runner.log_end().splitlines() if line.startswith("{")]
    assert any(line["message"] == "the runner ends: it was asked to end" for line in lines)
