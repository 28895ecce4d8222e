"""One runner for each organisation; it ends the processes of a dead one and no others."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from streaming.runtime.process.single import TOKEN_VARIABLE, AnotherRunner, SingleRunner
from streaming.wire.runner_record import folder_name, host_name, runner_lives

WAITING = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits."""
    process = subprocess.Popen(WAITING, stdin=subprocess.PIPE, env={**os.environ, TOKEN_VARIABLE: "of a dead runner"})
    yield process
    process.kill()
    process.communicate()


def write_record(place: Path, *, token: str, pid: int, started: float, **more: str) -> None:
    of_folder = {"host": host_name(), "folder": folder_name(place)} | more
    (place / "runner.json").write_text(json.dumps({"token": token, "pid": pid, "started": started, **of_folder}))


def write_old_record(folder: Path, *, token: str, pid: int, started: float) -> None:
    """Write a record as release 0.1.0 does."""
    (folder / "runner.json").write_text(json.dumps({"token": token, "pid": pid, "started": started}))


def test_a_second_runner_is_refused_until_the_first_releases(tmp_path: Path) -> None:
    first = SingleRunner(tmp_path)
    with pytest.raises(AnotherRunner):
        SingleRunner(tmp_path)
    first.release()
    SingleRunner(tmp_path).release()


def test_processes_that_carry_the_dead_runners_token_are_ended(
    tmp_path: Path, bystander: "subprocess.Popen[bytes]"
) -> None:
    write_record(tmp_path, token="of a dead runner", pid=2**22, started=1.0)
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 1
    assert not psutil.pid_exists(bystander.pid)
    single.release()


def test_a_recycled_process_id_is_left_alone(tmp_path: Path, bystander: "subprocess.Popen[bytes]") -> None:
    write_record(tmp_path, token="another", pid=bystander.pid, started=psutil.Process(bystander.pid).create_time() - 60)
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 0
    assert bystander.poll() is None
    single.release()


def test_the_recorded_process_itself_is_ended(tmp_path: Path, bystander: "subprocess.Popen[bytes]") -> None:
    write_record(tmp_path, token="another", pid=bystander.pid, started=psutil.Process(bystander.pid).create_time())
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 1
    single.release()


def test_a_copied_folder_ends_no_process_of_the_original(tmp_path: Path, bystander: "subprocess.Popen[bytes]") -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.mkdir()
    started = psutil.Process(bystander.pid).create_time()
    write_record(original, token="of a dead runner", pid=bystander.pid, started=started)
    shutil.copytree(original, copy)
    single = SingleRunner(copy)
    assert single.end_predecessor() == 0
    assert not runner_lives(copy)
    assert bystander.poll() is None
    single.release()


@pytest.mark.parametrize("other", [{"host": "elsewhere"}, {"folder": "1:2"}])
def test_a_record_of_another_host_or_folder_ends_nothing(
    other: dict[str, str], tmp_path: Path, bystander: "subprocess.Popen[bytes]"
) -> None:
    started = psutil.Process(bystander.pid).create_time()
    write_record(tmp_path, token="of a dead runner", pid=bystander.pid, started=started, **other)
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 0
    assert bystander.poll() is None
    single.release()


def test_a_renamed_folder_still_knows_the_processes_that_were_left(
    tmp_path: Path, bystander: "subprocess.Popen[bytes]"
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    write_record(before, token="of a dead runner", pid=2**22, started=1.0)
    single = SingleRunner(before.rename(tmp_path / "after"))
    assert single.end_predecessor() == 1
    single.release()


def test_an_old_record_ends_only_what_a_dead_runner_has_left(
    tmp_path: Path, bystander: "subprocess.Popen[bytes]"
) -> None:
    started = psutil.Process(bystander.pid).create_time()
    write_old_record(tmp_path, token="of a dead runner", pid=bystander.pid, started=started)
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 0  # it lives, and this process holds its lock: that is another folder's runner
    write_old_record(tmp_path, token="of a dead runner", pid=2**22, started=1.0)
    assert single.end_predecessor() == 1
    single.release()


def test_a_runner_marks_the_processes_that_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "of the shell")  # restores the variable that `record` sets
    single = SingleRunner(tmp_path)
    single.record()
    assert os.environ[TOKEN_VARIABLE] == single.token
    assert json.loads((tmp_path / "runner.json").read_text())["pid"] == os.getpid()
    single.release()
    assert not (tmp_path / "runner.json").exists()


def test_a_runner_lives_while_its_recorded_process_does(tmp_path: Path, bystander: "subprocess.Popen[bytes]") -> None:
    assert not runner_lives(tmp_path)
    started = psutil.Process(bystander.pid).create_time()
    write_record(tmp_path, token="its own", pid=bystander.pid, started=started - 60)
    assert not runner_lives(tmp_path)
    write_record(tmp_path, token="its own", pid=bystander.pid, started=started)
    assert runner_lives(tmp_path)
    bystander.kill()
    bystander.wait()
    assert not runner_lives(tmp_path)


def test_an_unreadable_record_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "runner.json").write_text("{")
    single = SingleRunner(tmp_path)
    assert single.end_predecessor() == 0
    single.release()
