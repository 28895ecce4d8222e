"""A real runner process, and its data in its folder and in Redis."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import redis
from cryptography.fernet import Fernet

from streaming.adapters.places import FILES
from streaming.wire import keys
from streaming.wire.messages import RunnerLease, RunObserved, RunSpec
from streaming.wire.progress import ProgressReport

DEADLINE_S = 300.0
BEATS_A_TURN = 2
"""Renewals of the lease, 2 s apart, in which a living runner makes a turn."""


class OrganisationMail:
    """The web application's side of an organisation's messages in Redis."""

    def __init__(self, root: Path, organisation: str, redis_url: str) -> None:
        self.folder = root / organisation
        self.files = self.folder / FILES
        self.organisation = organisation
        self.connection = redis.Redis.from_url(redis_url, decode_responses=True)

    def desire(self, *specs: RunSpec) -> None:
        """Write the desired runs, as the web application does."""
        with self.connection.pipeline(transaction=True) as together:
            together.delete(keys.desired(self.organisation))
            for each in specs:
                together.hset(keys.desired(self.organisation), each.carried_as, each.model_dump_json())
            together.execute()

    def observed(self, run: str) -> RunObserved | None:
        """Return the last reported state of `run`."""
        content = self.connection.hget(keys.observed(self.organisation), run)
        return None if content is None else RunObserved.model_validate_json(str(content))

    def state(self, run: str) -> str | None:
        """Return the name of the last reported state of `run`."""
        seen = self.observed(run)
        return None if seen is None else seen.state

    def batch(self, run: str) -> int:
        """Return the last reported batch of `run`, 0 before the first."""
        content = self.connection.hget(keys.progress(self.organisation), run)
        return 0 if content is None else ProgressReport.model_validate_json(str(content)).batch

    def progress(self, run: str) -> ProgressReport:
        """Return the last report of `run`."""
        return ProgressReport.model_validate_json(str(self.connection.hget(keys.progress(self.organisation), run)))

    def lease(self) -> RunnerLease | None:
        """Return the lease of the runner that carries its runs."""
        content = self.connection.get(keys.lease(self.organisation))
        return None if content is None else RunnerLease.model_validate_json(str(content))


class RunnerProcess(OrganisationMail):
    """`python -m streaming.runtime` for `organisation` under `root`; its log is `<organisation>.log` there.

    A test may change `configuration` before the start.
    """

    def __init__(self, root: Path, organisation: str, redis_url: str, *arguments: str) -> None:
        super().__init__(root, organisation, redis_url)
        self.command = [sys.executable, "-m", "streaming.runtime", *self._whose()]
        self.command += ["--root", str(root), *arguments]
        self.configuration: dict[str, Any] = {"redis": redis_url}
        self._log = root / f"{organisation}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def _whose(self) -> list[str]:
        return ["--organisation", self.organisation]

    def start(self) -> None:
        """Start it; it becomes the successor of the previous runner."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.PIPE, start_new_session=True
            )
        assert self.process.stdin is not None
        with self.process.stdin as pipe:
            pipe.write(json.dumps(self.configuration).encode())

    def wait_until(self, reached: Callable[[], bool], what: str, every_s: float = 0.1) -> None:
        """Poll every `every_s` until `reached`; fail if the process ends before, or after DEADLINE_S."""
        assert self.process is not None
        until = time.monotonic() + DEADLINE_S
        while not reached():
            try:
                code = self.process.wait(every_s)
            except subprocess.TimeoutExpired:
                assert time.monotonic() < until, f"not within {DEADLINE_S:g} s: {what}\n{self.log_end()}"
                continue
            raise AssertionError(f"the runner ended with {code} before: {what}\n{self.log_end()}")

    def await_turn(self, what: str) -> None:
        """Wait until the runner has read and applied what is desired."""
        beats: set[int] = set()

        def turned() -> bool:
            lease = self.lease()
            beats.update(() if lease is None else {lease.beat_at})
            return len(beats) > BEATS_A_TURN

        self.wait_until(turned, what)

    def retry(self, *specs: RunSpec) -> None:
        """Remove all desired runs and desire `specs` again until none of them is failed.

        Once is not enough: a runner that starts may take longer for its first turn than for some renewals of its lease.
        """
        until = time.monotonic() + DEADLINE_S
        while any(self.state(spec.run) == "failed" for spec in specs):
            assert time.monotonic() < until, (
                f"not within {DEADLINE_S:g} s: the runs are carried again\n{self.log_end()}"
            )
            self.desire()
            self.await_turn("the failed runs are removed")
            self.desire(*specs)
            self.await_turn("the failed runs are carried again")

    def kill(self) -> None:
        """Send SIGKILL only to the runner: Spark's processes stay, as after a real kill."""
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
        """Return the last lines of its log."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])


class PoolProcess(RunnerProcess):
    """Pooled runner `number`; `serve` sets its organisations."""

    def __init__(self, root: Path, number: int, redis_url: str, *arguments: str) -> None:
        self.number = number
        super().__init__(root, keys.pool_name(number), redis_url, *arguments)
        self._key = Fernet.generate_key().decode()
        self.configuration["keys"] = [self._key]

    def _whose(self) -> list[str]:
        return ["--pool", str(self.number)]

    def serve(self, *organisations: str) -> None:
        """Let it serve these organisations, each with its own key, and no others."""
        sealed = {each: Fernet(self._key).encrypt(json.dumps([key_of(each)]).encode()) for each in organisations}
        with self.connection.pipeline(transaction=True) as together:
            together.delete(keys.seated(self.organisation))
            together.hset(keys.seated(self.organisation), mapping=sealed)  # type: ignore[arg-type]
            for each in organisations:
                together.set(keys.place(each), self.organisation)
            together.execute()


def carried(
    root: Path, organisations: Sequence[str], redis_url: str, *arguments: str, pooled: bool
) -> tuple[list[RunnerProcess], list[OrganisationMail]]:
    """Return runners for organisations, not started, and the mail of each: one runner each, or a pooled one."""
    if not pooled:
        own = [RunnerProcess(root, each, redis_url, *arguments) for each in organisations]
        for each in own:
            each.configuration["keys"] = [key_of(each.organisation)]
        return own, list[OrganisationMail](own)
    pool = PoolProcess(root, 1, redis_url, *arguments)
    pool.serve(*organisations)
    return [pool], [OrganisationMail(root, each, redis_url) for each in organisations]


def key_of(organisation: str) -> str:
    """Return the key of an organisation's secrets."""
    return base64.urlsafe_b64encode(sha256(organisation.encode()).digest()).decode()
