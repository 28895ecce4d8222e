"""One runner for each organisation and machine: a lock that its process holds, and the end of leftover processes.

Spark's JVM and its Python workers are separate processes. After a runner was killed they may finish a batch while its
successor already reads the checkpoint; so the successor ends them first. It recognises them by a token in their
environment, because process ids are reused.
"""

import fcntl
import os
import uuid
from pathlib import Path
from typing import IO

import psutil

from streaming.wire.runner_record import RECORD, RunnerRecord, read_record, record_of, runner_lives, write_record

TOKEN_VARIABLE = "PUNCTUAL_RUNNER_TOKEN"  # nosec B105 # a name or a sentence, no password
_ENDING_S = 5.0


class AnotherRunner(Exception):
    """The organisation's runner is alive on this machine."""


class SingleRunner:
    """The lock of the only runner of `folder`; released when its process ends in any way."""

    def __init__(self, folder: Path, token: str | None = None) -> None:
        """`token`: the token of this process, if it holds another folder already."""
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
        """Kill the processes that a dead runner of this folder left running; return their number.

        A copy of the folder has the record of a runner that isn't ours: its processes are left alone. A record of
        release 0.1.0 names no folder; but this process holds the folder's lock, so a recorded runner that lives is that
        of another folder.
        """
        recorded = read_record(self._folder)
        if recorded is None or recorded.token == self.token:
            return 0
        if not recorded.names_folder and runner_lives(self._folder):
            return 0
        left = [process for process in psutil.process_iter() if _belongs(process, recorded)]
        for process in left:
            _kill(process)
        psutil.wait_procs(left, timeout=_ENDING_S)
        return len(left)

    def record(self) -> None:
        """Record this process, and mark every process that it starts from now on."""
        os.environ[TOKEN_VARIABLE] = self.token
        write_record(self._folder, record_of(self._folder, self.token))

    def release(self) -> None:
        """Release the folder for another runner."""
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
