"""Spark's Python processes as forks: they behave like the processes that Spark wanted."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.spark.session import fork_server
from streaming.spark.session.fork_server import SLEEPING, VARIABLE, start_fork_server, threads
from streaming.spark.session.session import WORKER_PYTHON

PROGRAM = """
import json, os, signal, sys

def say(**what):
    print(json.dumps(what), flush=True)

match sys.argv[1]:
    case "about":
        say(name=__name__, arguments=sys.argv[2:], folder=os.getcwd(), mark=os.environ.get("MARK"),
            fresh="streaming.spark.stage.stage" not in sys.modules, read=sys.stdin.read(),
            open=os.listdir("/proc/self/fd"))
        sys.exit(int(sys.argv[2]))
    case "raise":
        raise ValueError("a fault of the program")
    case "wait":
        if sys.argv[2:] == ["stubborn"]:
            signal.signal(signal.SIGTERM, lambda *_: (say(heard="SIGTERM"), sys.exit(7)))
        say(pid=os.getpid())
        while True:
            signal.pause()
"""


@pytest.fixture(scope="module")
def server() -> str:
    path = start_fork_server()
    assert path is not None
    return path


def launched(server: str | None, folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start what Spark would start, with `program.py` in `folder`."""
    (folder / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "ENGINE_PYTHON": sys.executable, "PYTHONPATH": str(folder), "MARK": "of this one"}
    environment |= {} if server is None else {VARIABLE: server}
    pipe = subprocess.PIPE
    command = [str(WORKER_PYTHON), "-m", "program", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def parse(line: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(line)
    return found


def gone(pid: int) -> bool:
    """Return True if the process has ended and its parent has had time to notice."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


@pytest.mark.parametrize("forked", [True, False])
def test_a_fork_is_the_requested_program(server: str, tmp_path: Path, forked: bool) -> None:
    with launched(server if forked else str(tmp_path / "nobody"), tmp_path, "about", "3") as process:
        out, _ = process.communicate("what it reads", timeout=60)
        about = parse(out)
        assert about.pop("open") == ["0", "1", "2", "3"], "three streams, and the folder that it lists"
        expected = {"name": "__main__", "arguments": ["3"], "folder": str(tmp_path), "mark": "of this one"}
        assert about == {**expected, "fresh": not forked, "read": "what it reads"}
        assert process.returncode == 3


@pytest.mark.parametrize("forked", [True, False])
def test_an_error_of_the_program_is_reported_as_by_python(server: str, tmp_path: Path, forked: bool) -> None:
    with launched(server if forked else None, tmp_path, "raise") as process:
        _, error = process.communicate(timeout=60)
        assert error.rstrip().endswith("ValueError: a fault of the program")
        assert process.returncode == 1


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_launcher_ends_the_fork(server: str, tmp_path: Path, ending: signal.Signals) -> None:
    with launched(server, tmp_path, "wait") as process:
        assert process.stdout is not None
        pid = parse(process.stdout.readline())["pid"]
        assert isinstance(pid, int)
        assert pid != process.pid
        process.send_signal(ending)
        assert process.stdout.read() == "", "the fork holds the pipe open until it has ended"
        assert process.wait(timeout=60) == -ending


def test_a_program_may_answer_a_signal_itself(server: str, tmp_path: Path) -> None:
    with launched(server, tmp_path, "wait", "stubborn") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        out, _ = process.communicate(timeout=60)
        assert parse(out) == {"heard": "SIGTERM"}
        assert process.returncode == 7


def test_a_killed_fork_is_reported_as_killed(server: str, tmp_path: Path) -> None:
    with launched(server, tmp_path, "wait") as process:
        assert process.stdout is not None
        pid = parse(process.stdout.readline())["pid"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL


DRIVER = """
import sys
from streaming.spark.session.fork_server import _OURS, start_fork_server
print(start_fork_server(), _OURS[-1].process.pid, flush=True)
sys.stdin.read()
"""


def test_the_server_ends_with_its_driver_and_leaves_no_files(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    driver = subprocess.Popen([sys.executable, "-c", DRIVER], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert driver.stdout is not None
    assert driver.stderr is not None
    path, pid = driver.stdout.readline().split()
    with launched(path, tmp_path, "about", "0") as process:
        assert process.communicate("", timeout=60)[0]
    driver.kill()
    assert driver.stderr.read() == "", "the server shares the pipe, and has ended at its end"
    driver.communicate(timeout=60)
    assert gone(int(pid))
    assert not Path(path).parent.exists()


def test_a_server_that_died_is_replaced(server: str, tmp_path: Path) -> None:
    running = fork_server._OURS[-1].process
    running.kill()
    running.wait(timeout=60)
    with launched(server, tmp_path, "about", "0") as process:
        assert parse(process.communicate("", timeout=60)[0])["fresh"], "meanwhile Spark starts the interpreter itself"
        another = start_fork_server()
        assert another is not None
        assert another != server
        assert not parse(launched(another, tmp_path, "about", "0").communicate("", timeout=60)[0])["fresh"]


def test_no_import_of_the_server_starts_a_computing_thread() -> None:
    script = (
        "import importlib; from streaming.spark.session.fork_server import *\n"
        "for name in IMPORTED: importlib.import_module(name)\n"
        "print(sorted(threads() - SLEEPING))"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    out = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"
    assert isinstance(threads(), set)
    assert SLEEPING


def test_the_server_waits_for_a_thread_that_has_no_name_of_its_own_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the wait of the server: on a busy machine it refused to serve, so every process started the slow way."""
    waits: list[float] = []
    monkeypatch.setattr(fork_server.time, "sleep", waits.append)
    names = iter([{"python"}, {"python", "jemalloc_bg_thd"}, {"jemalloc_bg_thd"}])
    monkeypatch.setattr(fork_server, "threads", lambda: next(names))
    assert fork_server.wait_for_threads()
    assert len(waits) == 2
    monkeypatch.setattr(fork_server, "threads", lambda: {"computing"})
    assert not fork_server.wait_for_threads(tries=3)


@pytest.mark.spark
def test_workers_of_a_session_are_forks(session: SparkSession) -> None:
    """Check that workers have the server's imports, and the environment that Spark gave them."""

    def look(rows: Iterator[int]) -> Iterator[tuple[bool, bool]]:
        yield "streaming.spark.stage.stage" in sys.modules, "PYTHON_WORKER_FACTORY_SECRET" in os.environ
        list(rows)

    found = session.sparkContext.parallelize([1, 2], 2).mapPartitions(look).collect()
    assert found == [(True, True), (True, True)]
