"""A real runner process, and what it leaves in its folder and in Redis."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis

from streaming.adapters.places import FILES
from streaming.wire import keys
from streaming.wire.messages import ProgressReport, RunObserved, RunSpec

DEADLINE_S = 300.0


class RunnerProcess:
    """`python -m streaming.runtime` for `organisation` under `root`; its log is `<organisation>.log` there.

    `told` is its configuration, which may be added to before it starts.
    """

    def __init__(self, root: Path, organisation: str, redis_url: str, *arguments: str) -> None:
        self.folder = root / organisation
        self.files = self.folder / FILES
        self.organisation = organisation
        self.connection = redis.Redis.from_url(redis_url, decode_responses=True)
        self._command = [sys.executable, "-m", "streaming.runtime", "--organisation", organisation]
        self._command += ["--root", str(root), *arguments]
        self.told: dict[str, Any] = {"redis": redis_url}
        self._log = root / f"{organisation}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it becomes the successor of whatever ran before."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.PIPE, start_new_session=True
            )
        assert self.process.stdin is not None
        with self.process.stdin as told:
            told.write(json.dumps(self.told).encode())

    def desire(self, *specs: RunSpec) -> None:
        """Write what is desired, as the web application does."""
        with self.connection.pipeline(transaction=True) as together:
            together.delete(keys.desired(self.organisation))
            for each in specs:
                together.hset(keys.desired(self.organisation), each.binding, each.model_dump_json())
            together.execute()

    def observed(self, run: str) -> RunObserved | None:
        """The last state that was told of `run`."""
        content = self.connection.hget(keys.observed(self.organisation), run)
        return None if content is None else RunObserved.model_validate_json(str(content))

    def state(self, run: str) -> str | None:
        """The name of that state."""
        seen = self.observed(run)
        return None if seen is None else seen.state

    def progress(self, run: str) -> ProgressReport:
        """The last report of `run`."""
        return ProgressReport.model_validate_json(str(self.connection.hget(keys.progress(self.organisation), run)))

    def wait_until(self, reached: Callable[[], bool], what: str, every_s: float = 0.1) -> None:
        """Look every `every_s` until `reached`; fails when the process ends before, or after DEADLINE_S."""
        assert self.process is not None
        until = time.monotonic() + DEADLINE_S
        while not reached():
            try:
                code = self.process.wait(every_s)
            except subprocess.TimeoutExpired:
                assert time.monotonic() < until, f"not within {DEADLINE_S:g} s: {what}\n{self.log_end()}"
                continue
            raise AssertionError(f"the runner ended with {code} before: {what}\n{self.log_end()}")

    def kill(self) -> None:
        """SIGKILL to the runner alone: Spark's processes stay behind, as after a real kill."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> int:
        """Ask it to end and return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(60)
        self.connection.close()
        return code

    def log_end(self) -> str:
        """The last lines of its log."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])
