"""One runner for each organisation and machine: a lock that dies with its process, and the end of what it left.

Spark's JVM and its Python workers are processes of their own. When a runner is killed they may finish a batch while
its successor already reads the checkpoint; so the successor ends them first. They are known by a token in their
environment, which a recycled process id does not have.
"""

import fcntl
import os
import uuid
from pathlib import Path
from typing import IO

import psutil

from streaming.wire.runner_record import RECORD, RunnerRecord, read_record, write_record

TOKEN_VARIABLE = "PUNCTUAL_RUNNER_TOKEN"  # nosec B105 # a name or a sentence, no password
_ENDING_S = 5.0


class AnotherRunner(Exception):
    """The organisation's runner is alive on this machine."""


class SingleRunner:
    """Held by the one runner of `folder`; released when its process ends, however it ends."""

    def __init__(self, folder: Path, token: str | None = None) -> None:
        """`token`: that of this process, where it holds another folder already."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock: IO[str] = (folder / "runner.lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise AnotherRunner(f"another runner holds {folder / 'runner.lock'}") from None
        self.token = token or uuid.uuid4().hex

    def end_predecessor(self) -> int:
        """Kill what a dead runner of this folder left running; how many processes that were."""
        recorded = read_record(self._folder)
        if recorded is None or recorded.token == self.token:
            return 0
        left = [process for process in psutil.process_iter() if _belongs(process, recorded)]
        for process in left:
            _kill(process)
        psutil.wait_procs(left, timeout=_ENDING_S)
        return len(left)

    def record(self) -> None:
        """Write this process down, and mark every process that it starts from now on."""
        os.environ[TOKEN_VARIABLE] = self.token
        me = psutil.Process()
        write_record(self._folder, RunnerRecord(self.token, me.pid, me.create_time()))

    def release(self) -> None:
        """Let another runner have the folder."""
        (self._folder / RECORD).unlink(missing_ok=True)
        self._lock.close()


def _belongs(process: psutil.Process, recorded: RunnerRecord) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        if process.pid == recorded.pid:
            return recorded.is_of(process)
        return process.environ().get(TOKEN_VARIABLE) == recorded.token
    except psutil.Error:
        return False


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
