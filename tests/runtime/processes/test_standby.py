"""A standby runner on Spark that becomes the runner of an organisation or a pool."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from streaming.runtime.process.single import SingleRunner
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.runner_record import read_record, runner_lives
from streaming.wire.standby import StayUp, TakeStandby, ask_standby
from tests.runtime.processes.process import DEADLINE_S, OrganisationMail, PoolProcess, RunnerProcess, key_of
from tests.spark.specs import spec, write_readings

pytestmark = [pytest.mark.spark, pytest.mark.thorough]


class Standby:
    """`python -m streaming.runtime --standby` with a started session; its exit code is `code`."""

    def __init__(self, root: Path, *kind: str) -> None:
        self.door = Path(tempfile.mkdtemp()) / "socket"
        self.code = 0
        self.log = root / "standby.log"
        command = [sys.executable, "-m", "streaming.runtime", "--standby", str(self.door), "--root", str(root), *kind]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        until = time.monotonic() + DEADLINE_S
        while ask_standby(self.door, StayUp(), 5.0) is None:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until
            with pytest.raises(subprocess.TimeoutExpired):
                self.process.wait(0.1)

    def take(self, runner: RunnerProcess) -> str | None:
        answer = ask_standby(
            self.door, TakeStandby(whose=runner.organisation, configuration=runner.configuration), 20.0
        )
        return None if answer is None else answer.state

    def all_processes(self) -> list[psutil.Process]:
        me = psutil.Process(self.process.pid)
        return [me, *me.children(recursive=True)]


@pytest.fixture
def standby(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Standby]:
    found = Standby(tmp_path, *getattr(request, "param", ()))
    yield found
    if found.process.poll() is None:
        found.process.terminate()
    assert found.process.wait(60) == found.code


def test_it_becomes_an_organisations_runner_and_leaves_nothing(
    standby: Standby, tmp_path: Path, redis_server_url: str
) -> None:
    runner = RunnerProcess(tmp_path, "o1", redis_server_url, "--min-interval-s", "0")
    runner.process = standby.process
    write_readings(runner.files / "readings.jsonl", 3)
    runner.desire(spec("good", "readings.jsonl"))
    before = standby.log.read_text()
    started = standby.all_processes()
    assert standby.take(runner) == "taken"
    record = read_record(runner.folder)
    assert record is not None
    assert record.pid == standby.process.pid
    assert runner_lives(runner.folder)
    runner.wait_until(lambda: runner.state("good-1") == "completed", "the input has ended")
    rows = list(committed_lines(runner.folder / "results" / "good", "results"))
    assert runner.progress("good-1").results == len(rows) > 0
    lease = runner.lease()
    assert lease is not None
    assert (lease.pid, lease.session_at) == (standby.process.pid, lease.started_at)
    second = RunnerProcess(tmp_path, "o2", redis_server_url)
    assert standby.take(second) is None, "it was taken already"
    assert runner.end() == 0
    assert not psutil.wait_procs(started, timeout=20)[1], "a child process outlived it"
    assert not standby.door.parent.exists()
    assert standby.log.read_text() == before, "later lines go to the organisation's log"
    lines = (runner.folder / "logs" / "runner.log").read_text().splitlines()
    messages = [json.loads(line)["message"] for line in lines if line.startswith("{")]
    assert "run good-1 is running" in messages
    assert messages[-1] == "the runner ends: it was asked to end"


@pytest.mark.parametrize("standby", [("--pooled",)], indirect=True)
def test_it_becomes_a_pooled_runner(standby: Standby, tmp_path: Path, redis_server_url: str) -> None:
    pool = PoolProcess(tmp_path, 1, redis_server_url)
    acme = OrganisationMail(tmp_path, "acme", redis_server_url)
    pool.process = standby.process
    write_readings(acme.files / "readings.jsonl", 3)
    acme.desire(spec("good", "readings.jsonl").model_copy(update={"organisation": "acme"}))
    pool.serve("acme")
    assert key_of("acme") not in json.dumps(pool.configuration)
    assert standby.take(pool) == "taken"
    pool.wait_until(lambda: acme.state("good-1") == "completed", "the input has ended")
    assert list(committed_lines(acme.folder / "results" / "good", "results"))
    assert pool.end() == 0


def test_it_becomes_no_runner_of_another_kind(standby: Standby, tmp_path: Path, redis_server_url: str) -> None:
    standby.code = 2
    assert standby.take(PoolProcess(tmp_path, 1, redis_server_url)) == "ends"


def test_it_ends_and_answers_so_if_another_runner_lives(
    standby: Standby, tmp_path: Path, redis_server_url: str
) -> None:
    standby.code = 3
    living = SingleRunner(tmp_path / "o1")
    assert standby.take(RunnerProcess(tmp_path, "o1", redis_server_url)) == "ends"
    assert standby.process.wait(60) == standby.code
    living.release()
