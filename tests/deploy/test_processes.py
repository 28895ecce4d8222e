"""Every child is stopped, with all that it started."""

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from deploy.installation.processes import ChildProcess, ChildProcesses, end_trees, is_runner, is_service, running
from deploy.prepare.console import SetupError

WITH_A_CHILD = (
    "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
    "print(child.pid, flush=True); child.wait()"
)
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"


def started(code: str, *arguments: str, env: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def finish(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    process.stdout.close()
    return process.wait()


def test_a_process_ends_with_all_that_it_started() -> None:
    parent = started(WITH_A_CHILD)
    child = int(first_line(parent))
    end_trees(running([parent.pid]))
    finish(parent)
    assert running([child]) == []


def test_a_process_that_does_not_listen_is_killed() -> None:
    process = started(DEAF)
    assert first_line(process) == "deaf"
    end_trees(running([process.pid]), stop_s=0.1)
    assert running([process.pid]) == []
    finish(process)


def test_what_is_spared_lives_on() -> None:
    parent = started(WITH_A_CHILD)
    child = running([int(first_line(parent))])
    end_trees(running([parent.pid]), spare=child)
    finish(parent)
    assert child[0].is_running()
    end_trees(child)


def test_a_child_that_ended_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    processes = ChildProcesses(os.environ, tmp_path)
    child = processes.start("web", [sys.executable, "-c", "raise SystemExit('no such table')"])
    child.process.wait()
    with pytest.raises(SetupError, match=r"The web process ended \(code 1\)(.|\n)*no such table"):
        processes.require_alive()


def test_runners_that_outlive_their_worker_are_stopped_after_it(tmp_path: Path) -> None:
    processes = ChildProcesses(os.environ, tmp_path)
    worker = processes.start("worker", [sys.executable, "-c", "import signal; signal.pause()"])
    runner = started(WITH_A_CHILD)
    java = int(first_line(runner))
    processes.stop(lambda: running([runner.pid]))
    finish(runner)
    assert running([worker.process.pid, runner.pid, java]) == []


def test_a_runner_is_known_by_its_root(tmp_path: Path) -> None:
    runner = started(DEAF, "streaming.runtime", "--root", str(tmp_path / "organisations"))
    first_line(runner)
    process = psutil.Process(runner.pid)
    assert is_runner(process, tmp_path)
    assert not is_runner(process, tmp_path / "another")
    runner.kill()
    finish(runner)


def test_a_service_is_known_by_the_data_it_serves(tmp_path: Path) -> None:
    worker = started(DEAF, "celery", env={"PUNCTUAL_DATA": str(tmp_path)})
    first_line(worker)
    process = psutil.Process(worker.pid)
    assert is_service(process, tmp_path)
    assert not is_service(process, tmp_path / "another")
    worker.kill()
    finish(worker)


@dataclass
class Clock:
    """A clock that changes only when the test sets it."""

    at: float = 0.0

    def __call__(self) -> float:
        return self.at


def ended(child: ChildProcess) -> None:
    child.process.wait()


def test_a_child_that_was_killed_is_started_again_and_no_other_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    processes = ChildProcesses(os.environ, tmp_path, Clock())
    waits = [sys.executable, "-c", "import signal; signal.pause()"]
    web, worker = processes.start("web", waits), processes.start("worker", waits)
    before = [web.process.pid, worker.process.pid]
    web.process.kill()
    ended(web)
    processes.tend()
    assert web.process.poll() is None
    assert [web.process.pid == before[0], worker.process.pid == before[1]] == [False, True]
    assert "The web process ended (killed by signal 9); it restarts now." in capsys.readouterr().out
    processes.stop(list)


def test_what_a_killed_child_had_started_ends_before_the_next_one_begins(tmp_path: Path) -> None:
    processes = ChildProcesses(os.environ, tmp_path, Clock())
    worker = processes.start("worker", [sys.executable, "-c", WITH_A_CHILD])
    while not worker.log.read_text().strip():
        worker.process.poll()
    (left,) = running([int(worker.log.read_text())])
    worker.process.kill()
    ended(worker)
    processes.tend()
    left.wait(60)
    processes.stop(list)


def test_a_child_that_cannot_start_is_tried_on_with_back_off_and_says_why_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    processes = ChildProcesses(os.environ, tmp_path, clock)
    worker = processes.start("worker", [sys.executable, "-c", "raise SystemExit('no such table')"])
    pauses = []
    for _ in range(12):
        ended(worker)
        processes.tend()
        pauses.append(0.0 if worker.due is None else worker.due - clock.at)
        clock.at += pauses[-1]
        processes.tend()
        assert worker.due is None
    printed = capsys.readouterr().out
    assert pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    assert printed.count("10 times in a row") == 1
    assert printed.count("\n") == 10
    assert printed.splitlines()[-1].endswith("ends with: no such table")
    ended(worker)
    processes.stop(list)


def test_a_child_that_ends_on_a_full_disk_is_started_again_soon_after_there_is_room(tmp_path: Path) -> None:
    mounted = ["mount", "-t", "tmpfs", "-o", "size=2m", "punctual-test", str(tmp_path)]
    assert subprocess.run(mounted, check=False).returncode == 0, "A tmpfs can't be mounted: run this test as root."
    try:
        clock = Clock()
        processes = ChildProcesses(os.environ, tmp_path, clock)
        filler = tmp_path / "somebody-else"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        prints = processes.start("beat", [sys.executable, "-uc", "print('starts'); import signal; signal.pause()"])
        pauses = []
        for _ in range(9):
            ended(prints)
            processes.tend()
            pauses.append(0.0 if prints.due is None else prints.due - clock.at)
            clock.at += pauses[-1]
            processes.tend()
        ended(prints)
        filler.unlink()
        assert max(pauses) <= 4
        clock.at += 4
        processes.tend()
        clock.at += 4
        processes.tend()
        assert prints.process.poll() is None
        processes.stop(list)
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_child_that_has_lived_for_a_minute_is_started_again_at_once(tmp_path: Path) -> None:
    clock = Clock()
    processes = ChildProcesses(os.environ, tmp_path, clock)
    worker = processes.start("worker", [sys.executable, "-c", "import signal; signal.pause()"])
    worker.failures = 7
    clock.at = 61.0
    worker.process.kill()
    ended(worker)
    processes.tend()
    assert (worker.failures, worker.due, worker.process.poll()) == (1, None, None)
    processes.stop(list)


def test_a_child_that_finds_no_memory_is_tried_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    processes = ChildProcesses(os.environ, tmp_path, clock)
    worker = processes.start("worker", [sys.executable, "-c", "import signal; signal.pause()"])

    def refused(*_: object, **__: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    worker.process.kill()
    ended(worker)
    with monkeypatch.context() as memory:
        memory.setattr(subprocess, "Popen", refused)
        processes.tend()
    assert worker.due == 60
    clock.at = 60
    processes.tend()
    assert worker.process.poll() is None
    processes.stop(list)
