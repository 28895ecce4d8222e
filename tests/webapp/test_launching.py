"""The launcher of real processes: detached, logged, found again, and told apart from a stranger with the same id."""

import json
import os
import socket
import uuid
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis

from streaming.wire.result_location import noted_location
from webapp.runs.launching import LOG_BYTES, LaunchedRunner, ProcessLauncher, end_runner, runner_log

WAITS = "import sys, os, time; print(sys.argv, flush=True); os.read(os.open(os.environ['GATE'], os.O_RDONLY), 1)"


@pytest.fixture
def gate(settings: Any, tmp_path: Path, redis_connection: "redis.Redis") -> Path:
    """A runner that waits: `streaming.runtime` of another folder, which ends when this pipe is opened and closed."""
    package = tmp_path / "other" / "streaming" / "runtime"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(WAITS)
    pipe = tmp_path / "gate"
    os.mkfifo(pipe)
    settings.BASE_DIR = tmp_path / "other"
    settings.RUNNER_ENVIRONMENT = {"PATH": os.environ["PATH"], "GATE": str(pipe)}
    return pipe


def opened(gate: Path) -> None:
    """Let the runner go; returns when it has come as far as the gate."""
    with gate.open("wb"):
        pass


def test_a_runner_lives_detached_until_it_ends(gate: Path, settings: Any) -> None:
    organisation = uuid.uuid4()
    launcher = ProcessLauncher()
    launched = launcher.launch(organisation)
    process = psutil.Process(launched.pid)
    assert launcher.alive(organisation, launched)
    assert os.getsid(launched.pid) != os.getsid(0)
    assert process.ppid() != os.getpid()
    opened(gate)
    process.wait(10)
    assert not launcher.alive(organisation, launched)
    arguments = f"'--organisation', '{organisation}', '--root', '{settings.PUNCTUAL_DATA}', '--worker-memory-mb', "
    told = runner_log(organisation).read_text()
    assert arguments + "'1024', '--jvm-memory-mb', '2048']" in told


@pytest.mark.parametrize(("days", "said"), [(2, "'--keep-results-s', '172800'"), (0, "'--jvm-memory-mb', '2048']")])
def test_a_runner_is_told_how_long_results_are_kept(gate: Path, settings: Any, days: int, said: str) -> None:
    settings.KEEP_RESULTS_DAYS = days
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    opened(gate)
    psutil.Process(launched.pid).wait(10)
    assert said in runner_log(organisation).read_text()


def test_where_its_results_are_to_lie_is_written_down_before_a_runner_starts(gate: Path, settings: Any) -> None:
    settings.RESULTS = "s3://bucket/all?region=eu-west-1"
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    opened(gate)
    psutil.Process(launched.pid).wait(10)
    assert noted_location(settings.PUNCTUAL_DATA / str(organisation)) == (
        f"s3://bucket/all/{organisation}?region=eu-west-1"
    )


def test_a_runner_is_asked_to_end(gate: Path) -> None:
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    process = psutil.Process(launched.pid)
    assert not end_runner(uuid.uuid4(), launched.pid)
    assert end_runner(organisation, launched.pid)
    process.wait(10)


def test_another_process_with_the_id_is_not_the_runner() -> None:
    me = LaunchedRunner(socket.gethostname(), os.getpid())
    assert not ProcessLauncher().alive(uuid.uuid4(), me)


def test_a_runner_lives_though_another_was_launched_after_it_in_vain(gate: Path, settings: Any) -> None:
    organisation = uuid.uuid4()
    launcher = ProcessLauncher()
    launched = launcher.launch(organisation)
    ended = LaunchedRunner(socket.gethostname(), 2**22)
    assert launcher.lives(organisation, launched)
    assert not launcher.lives(organisation, ended)
    process = psutil.Process(launched.pid)
    record = {"token": "t", "pid": launched.pid, "started": process.create_time()}
    (settings.PUNCTUAL_DATA / str(organisation) / "runner.json").write_text(json.dumps(record))
    assert launcher.lives(organisation, ended)
    opened(gate)
    process.wait(10)
    assert not launcher.lives(organisation, launched)


def test_a_process_of_another_machine_may_live() -> None:
    assert ProcessLauncher().alive(uuid.uuid4(), LaunchedRunner("elsewhere.example", 1))
    assert not ProcessLauncher().lives(uuid.uuid4(), LaunchedRunner("elsewhere.example", 1))


def test_a_long_log_is_put_aside(gate: Path) -> None:
    organisation = uuid.uuid4()
    log = runner_log(organisation)
    log.parent.mkdir(parents=True)
    with log.open("wb") as file:
        file.truncate(LOG_BYTES + 1)
    launched = ProcessLauncher().launch(organisation)
    process = psutil.Process(launched.pid)
    opened(gate)
    process.wait(10)
    assert log.with_suffix(".log.1").stat().st_size == LOG_BYTES + 1
    assert log.stat().st_size < LOG_BYTES
