"""One runner for each organisation and machine: a lock that dies with its process, and the end of what it left.

Spark's JVM and its Python workers are processes of their own. When a runner is killed they may finish a batch while
its successor already reads the checkpoint; so the successor ends them first. They are known by a token in their
environment, which a recycled process id does not have.
"""

import fcntl
import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import psutil

TOKEN_VARIABLE = "PUNCTUAL_RUNNER_TOKEN"  # nosec B105 # a name or a sentence, no password
_ENDING_S = 5.0


class AnotherRunner(Exception):
    """The organisation's runner is alive on this machine."""


@dataclass(frozen=True)
class Recorded:
    """A runner as it wrote itself down. `started` is its start by the system's clock, so that its id is not enough."""

    token: str
    pid: int
    started: float


class SingleRunner:
    """Held by the one runner of `folder`; released when its process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._record = folder / "runner.json"
        self._lock: IO[str] = (folder / "runner.lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise AnotherRunner(f"another runner holds {folder / 'runner.lock'}") from None
        self.token = uuid.uuid4().hex

    def end_predecessor(self) -> int:
        """Kill what a dead runner of this folder left running; how many processes that were."""
        recorded = _read(self._record)
        if recorded is None:
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
        staged = self._record.with_suffix(".staged")
        staged.write_text(json.dumps(asdict(Recorded(self.token, me.pid, me.create_time()))))
        staged.replace(self._record)

    def release(self) -> None:
        """Let another runner have the folder."""
        self._record.unlink(missing_ok=True)
        self._lock.close()


def _read(path: Path) -> Recorded | None:
    try:
        return Recorded(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _belongs(process: psutil.Process, recorded: Recorded) -> bool:
    if process.pid == os.getpid():
        return False
    try:
        if process.pid == recorded.pid:
            return abs(process.create_time() - recorded.started) < 0.5
        return process.environ().get(TOKEN_VARIABLE) == recorded.token
    except psutil.Error:
        return False


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
