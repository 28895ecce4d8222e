"""The launcher of real processes: detached, logged, found again, and not confused with another process of its id."""

import json
import os
import shutil
import socket
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
from django.core.management import call_command

from streaming.storage.result_location import noted_location
from webapp.core.secrets import organisation_keys
from webapp.runs.runners.detached import LOG_BYTES
from webapp.runs.runners.launching import LaunchedRunner, ProcessLauncher, end_runner, runner_log
from webapp.runs.runners.standby_processes import fitting, installed_standbys, runner_arguments, usual_arguments
from webapp.runs.runners.standbys import StandbyNote

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
    process.wait(60)
    assert not launcher.alive(organisation, launched)
    arguments = f"'--organisation', '{organisation}', '--root', '{settings.PUNCTUAL_DATA}', '--worker-memory-mb', "
    text = runner_log(organisation).read_text()
    assert arguments + "'1024', '--jvm-memory-mb', '2048']" in text


@pytest.mark.parametrize(("days", "sentence"), [(2, "'--keep-results-s', '172800'"), (0, "'--jvm-memory-mb', '2048']")])
def test_a_runner_gets_the_age_limit_of_results(gate: Path, settings: Any, days: int, sentence: str) -> None:
    settings.KEEP_RESULTS_DAYS = days
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    opened(gate)
    psutil.Process(launched.pid).wait(60)
    assert sentence in runner_log(organisation).read_text()


def test_where_its_results_are_to_lie_is_written_down_before_a_runner_starts(gate: Path, settings: Any) -> None:
    settings.RESULTS = "s3://bucket/all?region=eu-west-1"
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    opened(gate)
    psutil.Process(launched.pid).wait(60)
    assert noted_location(settings.PUNCTUAL_DATA / str(organisation)) == (
        f"s3://bucket/all/{organisation}?region=eu-west-1"
    )


def test_a_runner_is_asked_to_end(gate: Path) -> None:
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation)
    process = psutil.Process(launched.pid)
    assert not end_runner(uuid.uuid4(), launched.pid)
    assert end_runner(organisation, launched.pid)
    process.wait(60)


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
    process.wait(60)
    assert not launcher.lives(organisation, launched)


STANDS_BY = """
import json, os, pathlib, socket, sys
import psutil
if "--standby" not in sys.argv:
    os.read(os.open(os.environ["GATE"], os.O_RDONLY), 1)
    sys.exit()
door = pathlib.Path(sys.argv[sys.argv.index("--standby") + 1])
root = pathlib.Path(sys.argv[sys.argv.index("--root") + 1])
listener = socket.socket(socket.AF_UNIX)
listener.bind(str(door) + ".new")
listener.listen()
os.rename(str(door) + ".new", door)
while True:
    line, _ = listener.accept()
    message = json.loads(line.makefile().readline())
    if message["kind"] == "take":
        break
    line.sendall(json.dumps({"state": "waits", "pid": os.getpid()}).encode() + b"\\n")
    line.close()
door.unlink()
me = {"token": "t", "pid": os.getpid(), "started": psutil.Process().create_time()}
(root / message["whose"] / "runner.json").write_text(json.dumps(me))
(root / message["whose"] / "told.json").write_text(json.dumps(message["told"]))
line.sendall(json.dumps({"state": "taken", "pid": os.getpid()}).encode() + b"\\n")
os.read(os.open(os.environ["GATE"], os.O_RDONLY), 1)
"""


@pytest.fixture
def standby(gate: Path, settings: Any) -> Iterator[StandbyNote]:
    """Return a ready standby for launches of the usual size."""
    (settings.BASE_DIR / "streaming" / "runtime" / "__main__.py").write_text(STANDS_BY)
    standbys = installed_standbys()
    shutil.rmtree(standbys.folder, ignore_errors=True)
    standbys.tend(1, fitting(usual_arguments()), datetime.now(UTC), quiet=True)
    (found,) = [StandbyNote.model_validate_json(path.read_bytes()) for path in standbys.folder.glob("*.json")]
    process = psutil.Process(found.pid)
    while not Path(found.socket).exists():
        with pytest.raises(psutil.TimeoutExpired):
            process.wait(0.02)
    yield found
    standbys.end_all()
    try:
        process.kill()
        process.wait(60)
    except psutil.NoSuchProcess:
        return


def test_a_standby_runner_goes_to_the_first_that_needs_one(standby: StandbyNote, gate: Path, settings: Any) -> None:
    first, second = uuid.uuid4(), uuid.uuid4()
    launcher = ProcessLauncher()
    launched = launcher.launch(first)
    assert (launched.pid, launched.stood_by) == (standby.pid, True)
    assert launcher.alive(first, launched)
    assert launcher.lives(first, launched)
    assert not launcher.alive(second, launched)
    text = json.loads((settings.PUNCTUAL_DATA / str(first) / "told.json").read_text())
    assert set(text) == {"redis", "keys", "outgoing"}
    assert text["keys"] == organisation_keys(first)
    other = launcher.launch(second)
    assert (other.pid != standby.pid, other.stood_by) == (True, False)
    assert end_runner(first, launched.pid)
    psutil.Process(standby.pid).wait(60)
    assert not launcher.alive(first, launched)
    opened(gate)
    psutil.Process(other.pid).wait(60)


def test_a_runner_of_another_size_is_not_the_standby(standby: StandbyNote, gate: Path) -> None:
    organisation = uuid.uuid4()
    launched = ProcessLauncher().launch(organisation, (3_000, None, None))
    assert not launched.stood_by
    opened(gate)
    psutil.Process(launched.pid).wait(60)
    same = ProcessLauncher().launch(organisation, (2_048, 1_024, None))
    assert same.pid == standby.pid, "that is how large it is"


def test_a_pool_is_not_the_standby_of_organisations(standby: StandbyNote, gate: Path) -> None:
    launched = ProcessLauncher().launch_pool(1, [])
    assert not launched.stood_by
    opened(gate)
    psutil.Process(launched.pid).wait(60)


def test_with_pools_there_is_a_standby_for_them(gate: Path, settings: Any) -> None:
    settings.POOLS = 1
    assert usual_arguments()[-1] == "--pooled"
    settings.POOLS = 0
    assert "--pooled" not in usual_arguments()


def test_one_that_died_is_no_hindrance(standby: StandbyNote, gate: Path) -> None:
    psutil.Process(standby.pid).kill()
    psutil.Process(standby.pid).wait(60)
    launched = ProcessLauncher().launch(uuid.uuid4())
    assert not launched.stood_by
    opened(gate)
    psutil.Process(launched.pid).wait(60)


@pytest.mark.parametrize("comes_up", [True, False])
def test_a_standby_is_ended_with_all_others(
    standby: StandbyNote, capsys: pytest.CaptureFixture[str], comes_up: bool, db: None
) -> None:
    if not comes_up:
        Path(standby.socket).unlink()
    call_command("stoprunners")
    psutil.Process(standby.pid).wait(60)
    assert f"a standby runner (process {standby.pid}) to end" in capsys.readouterr().out
    assert not installed_standbys().any()


def test_it_fits_only_what_is_started_in_the_same_way(gate: Path, settings: Any) -> None:
    before = fitting(usual_arguments())
    assert fitting(runner_arguments(2_048, 1_024, None)) == before
    assert fitting(runner_arguments(None, None, 4)) != before
    settings.POOLS = 1
    assert fitting(usual_arguments()) != before
    settings.POOLS = 0
    settings.KEEP_RESULTS_DAYS = 3
    assert fitting(usual_arguments()) != before
    settings.KEEP_RESULTS_DAYS = 0
    settings.RUNNER_ENVIRONMENT = {**settings.RUNNER_ENVIRONMENT, "LANG": "C"}
    assert fitting(usual_arguments()) != before
    settings.RUNNER_ENVIRONMENT.pop("LANG")
    assert fitting(usual_arguments()) == before
    (settings.BASE_DIR / "streaming" / "runtime" / "another.py").touch()
    assert fitting(usual_arguments()) != before


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
    process.wait(60)
    assert log.with_suffix(".log.1").stat().st_size == LOG_BYTES + 1
    assert log.stat().st_size < LOG_BYTES
