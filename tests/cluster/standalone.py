"""Spark's own cluster on the loopback address: a master and workers, each a process, with an executor for each run."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pyspark

from deploy.up.place import HOST
from tests.ports import free_port

WORKERS = 2
DEADLINE_S = 60.0
_LOOK_EVERY_S = 0.2
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
EXECUTOR = "CoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class Standalone:
    """A running cluster; `url` is the address of its master for Spark."""

    url: str
    workers: tuple[psutil.Process, ...]

    def executors(self) -> list[psutil.Process]:
        """Return the JVMs of the executors that run now."""
        children = [child for worker in self.workers for child in worker.children(recursive=True)]
        return [child for child in children if _runs(child, EXECUTOR)]


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    """Start a master and workers of one core and 1 GiB each; `folder` gets their logs. All end with the context."""
    port, page = free_port(), free_port()
    url = f"spark://{HOST}:{port}"
    started: list[subprocess.Popen[bytes]] = []
    try:
        master = ["--host", HOST, "--port", str(port), "--webui-port", str(page)]
        started.append(_start(_MASTER, master, folder / "master.log"))
        _await(started[0], page, workers=0)
        for number in range(WORKERS):
            worker = ["--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
            worker += ["--work-dir", str(folder / f"worker-{number}"), url]
            started.append(_start(_WORKER, worker, folder / f"worker-{number}.log"))
        _await(started[0], page, workers=WORKERS)
        yield Standalone(url, tuple(psutil.Process(each.pid) for each in started[1:]))
    finally:
        left = [child for each in started for child in _children(each.pid)]
        for each in reversed(started):
            each.terminate()
        for each in started:
            each.wait()
        for child in left:
            if child.is_running():
                child.kill()
        psutil.wait_procs(left)


def _start(which: str, arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp"]
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST, "SPARK_SCALA_VERSION": "2.13"}
    command = [*java, str(home / "jars" / "*"), which, *arguments]
    with log.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)


def _await(master: subprocess.Popen[bytes], page: int, workers: int) -> None:
    """Poll the master's page until `workers` workers have registered."""
    waited = 0.0
    while _alive(page) != workers:
        try:
            raise AssertionError(f"the master ended with {master.wait(_LOOK_EVERY_S)}")
        except subprocess.TimeoutExpired:
            waited += _LOOK_EVERY_S
        assert waited < DEADLINE_S, f"{workers} workers did not register"


def _alive(page: int) -> int | None:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{page}/json/", timeout=5) as answer:
            status: dict[str, Any] = json.load(answer)
    except OSError:
        return None
    return int(status["aliveworkers"])


def _children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _runs(process: psutil.Process, what: str) -> bool:
    try:
        return any(what in word for word in process.cmdline())
    except psutil.Error:
        return False
