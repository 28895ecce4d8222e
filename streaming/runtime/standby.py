"""A standby runner, started before anybody needs it: Spark's session and its classes, the engine, the fork server.

It waits at a socket for its assignment; until then it knows nothing of any organisation. It can be taken once. It exits
when the messages that it is still needed stop.
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

POLL_S: Final = 0.5
_LINE_S: Final = 5.0
_MESSAGES: Final[TypeAdapter[StayUp | TakeStandby]] = TypeAdapter(
    Annotated[StayUp | TakeStandby, Field(discriminator="kind")]
)


class LaterAnswers:
    """Answers requests for secrets once the runner is assigned; until then it refuses all of them."""

    def __init__(self) -> None:
        self._answers: SecretAnswers | None = None

    def begin(self, answers: SecretAnswers) -> None:
        """Pass requests to `answers` from now on."""
        self._answers = answers

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """Return the answer to a request, see `SecretAnswers`."""
        if self._answers is None:
            return {"refused": UNKNOWN, "domain": "external"}
        return self._answers.answer_of(organisation, run, name)


@dataclass(frozen=True)
class StandbyTaken:
    """The assignment of the runner, and the connection on which its sender waits for an answer."""

    whose: str
    configuration: Configuration
    line: socket.socket

    def answer(self, state: Literal["taken", "ends"]) -> None:
        """Answer the sender; if it has disconnected, it starts another runner, which finds this one."""
        _send_answer(self.line, state)
        self.line.close()


@dataclass(frozen=True)
class StoodBy:
    """The resources of a runner from its time on standby."""

    taken: StandbyTaken
    token: str
    session: SparkSession
    hatch: SecretSocket
    answers: LaterAnswers


class StandbySocket:
    """The socket at `path`, in a folder that only its user may enter; it exists once it accepts connections."""

    def __init__(self, path: Path, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._monotonic = monotonic
        staged = path.with_suffix(".new")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(staged))
        self._listener.listen(16)
        self._listener.settimeout(POLL_S)
        staged.rename(path)

    def wait(self, asked: threading.Event, fit: Callable[[], bool]) -> StandbyTaken | None:
        """Wait for an assignment; None when it is `asked` to end, is no longer `fit`, or isn't needed any more."""
        wanted = self._monotonic()
        while not asked.is_set() and fit():
            if self._monotonic() - wanted >= ORPHANED_S:
                log.info("no message for %.0f s that this runner is needed; it exits", ORPHANED_S)
                return None
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue
            at = self._monotonic()
            message = _receive(line)
            if isinstance(message, StandbyTaken):
                return message
            if message is not None:
                wanted = at
        return None

    def close(self) -> None:
        """Close the socket and remove it."""
        self._listener.close()
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._path.parent.rmdir()


def _receive(line: socket.socket) -> StandbyTaken | StayUp | None:
    """Receive a message on `line`, None if it is unreadable; `line` stays open only if the runner was taken."""
    line.settimeout(_LINE_S)
    try:
        with line.makefile("rb") as lines:
            message = _MESSAGES.validate_json(lines.readline(LONGEST_LINE))
        if isinstance(message, TakeStandby):
            configuration = Configuration.model_validate_json(json.dumps(message.configuration))
            return StandbyTaken(message.whose, configuration, line)
    except (OSError, ValidationError):  # logged without the cause, which could show the message
        log.warning("this standby runner received an unreadable message")
        line.close()
        return None
    _send_answer(line, "waits")
    line.close()
    return message


def _send_answer(line: socket.socket, state: Literal["waits", "taken", "ends"]) -> None:
    answer = StandbyAnswer(state=state, pid=os.getpid())
    with suppress(OSError):
        line.sendall(answer.model_dump_json().encode() + b"\n")


class LogOutlet:
    """The log of this process and its children, which can move to another file while they live.

    Processes that are started inside `lent` write into a pipe; a thread copies it to the log.
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
        """Let processes that are started inside write into the pipe."""
        saved = [os.dup(number) for number in (1, 2)]
        try:
            for number in (1, 2):
                os.dup2(self._lent, number)
            yield
        finally:
            for number, before in zip((1, 2), saved, strict=True):
                os.dup2(before, number)
                os.close(before)

    def move(self, log_file: Path) -> None:
        """Write to the end of `log_file` from now on."""
        log_file.parent.mkdir(parents=True, exist_ok=True)
        opened = os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for number in (1, 2, self._out):
            os.dup2(opened, number)
        os.close(opened)

    def close(self) -> None:
        """Write the rest of the pipe; call this after all child processes have ended."""
        os.close(self._lent)
        self._copying.join(_LINE_S)
