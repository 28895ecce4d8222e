"""A runner that is up before anybody needs it: Spark's session and its classes, the engine, the fork server.

It waits at a socket to be told whose it is to be; until then it knows nothing of any organisation. It can be taken
once. It ends by itself when nobody says any more that it is wanted.
"""

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pyspark.sql import SparkSession

from streaming.runtime.configuration import Configuration
from streaming.runtime.secret_server import UNKNOWN, SecretAnswers, SecretSocket
from streaming.wire.standby import LONGEST_LINE, ORPHANED_S, StandbyAnswer, StayUp, TakeStandby

log = logging.getLogger(__name__)

LOOKS_EVERY_S: Final = 0.5
_LINE_S: Final = 5.0
_MESSAGES: Final[TypeAdapter[StayUp | TakeStandby]] = TypeAdapter(
    Annotated[StayUp | TakeStandby, Field(discriminator="kind")]
)


class LaterAnswers:
    """Who answers for secrets, which is known only once the runner is somebody's; till then it knows of none."""

    def __init__(self) -> None:
        self._answers: SecretAnswers | None = None

    def begin(self, answers: SecretAnswers) -> None:
        """From now on `answers` answers."""
        self._answers = answers

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """What it answers."""
        if self._answers is None:
            return {"refused": UNKNOWN, "domain": "external"}
        return self._answers.answer_of(organisation, run, name)


@dataclass(frozen=True)
class StandbyTaken:
    """Whose the runner is from now on, and the line on which that is awaited."""

    whose: str
    configuration: Configuration
    line: socket.socket

    def tell(self, state: Literal["taken", "ends"]) -> None:
        """Answer who asked; that may have gone, and then starts another runner, which finds this one."""
        _tell(self.line, state)
        self.line.close()


@dataclass(frozen=True)
class StoodBy:
    """What a runner has from the time when it stood by."""

    taken: StandbyTaken
    token: str
    session: SparkSession
    hatch: SecretSocket
    answers: LaterAnswers


class StandbySocket:
    """The socket at `path`, in a folder that its user alone may enter; it is there once it can be asked."""

    def __init__(self, path: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._monotonic = monotonic
        staged = path.with_suffix(".new")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(staged))
        self._listener.listen(16)
        self._listener.settimeout(LOOKS_EVERY_S)
        staged.rename(path)

    def wait(self, asked: threading.Event, fit: Callable[[], bool]) -> StandbyTaken | None:
        """Whose it is to be; None when it is `asked` to end, is no longer `fit`, or nobody wants it any more."""
        wanted = self._monotonic()
        while not asked.is_set() and fit():
            if self._monotonic() - wanted >= ORPHANED_S:
                log.info("nobody has said for %.0f s that this runner is wanted; it ends", ORPHANED_S)
                return None
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue
            at = self._monotonic()
            message = _heard(line)
            if isinstance(message, StandbyTaken):
                return message
            if message is not None:
                wanted = at
        return None

    def close(self) -> None:
        """Be asked no more."""
        self._listener.close()
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._path.parent.rmdir()


def _heard(line: socket.socket) -> StandbyTaken | StayUp | None:
    """What was said on `line`, which stays open only where the runner was taken; None: nothing that can be read."""
    line.settimeout(_LINE_S)
    try:
        with line.makefile("rb") as lines:
            message = _MESSAGES.validate_json(lines.readline(LONGEST_LINE))
        if isinstance(message, TakeStandby):
            told = Configuration.model_validate_json(json.dumps(message.told))
            return StandbyTaken(message.whose, told, line)
    except (OSError, ValidationError):  # said without the cause, which could show what was read
        log.warning("something was said to this runner that cannot be read")
        line.close()
        return None
    _tell(line, "waits")
    line.close()
    return message


def _tell(line: socket.socket, state: Literal["waits", "taken", "ends"]) -> None:
    answer = StandbyAnswer(state=state, pid=os.getpid())
    with suppress(OSError):
        line.sendall(answer.model_dump_json().encode() + b"\n")


class LogOutlet:
    """Where this process and what it starts write their log, which can be moved while they live.

    What is started inside of `lent` gets a pipe instead of a file; a thread writes what comes from it.
    """

    def __init__(self) -> None:
        self._out = os.dup(2)
        self._end, self._lent = os.pipe()
        self._copying = threading.Thread(target=self._copy, name="log", daemon=True)
        self._copying.start()

    def _copy(self) -> None:
        while content := os.read(self._end, 1 << 16):
            os.write(self._out, content)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Processes that are started inside write into the pipe."""
        kept = [os.dup(number) for number in (1, 2)]
        try:
            for number in (1, 2):
                os.dup2(self._lent, number)
            yield
        finally:
            for number, before in zip((1, 2), kept, strict=True):
                os.dup2(before, number)
                os.close(before)

    def move(self, log_file: Path) -> None:
        """Append to `log_file` from now on."""
        log_file.parent.mkdir(parents=True, exist_ok=True)
        opened = os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for number in (1, 2, self._out):
            os.dup2(opened, number)
        os.close(opened)

    def close(self) -> None:
        """Wait until what is left in the pipe is written; whatever was started has ended."""
        os.close(self._lent)
        self._copying.join(_LINE_S)
