"""JSON logs: a parent passes on each line of a process as one JSON object, also those of the JVM and of crashes.

The process itself logs JSON objects, which pass unchanged. The rest is wrapped: a message of Spark becomes a record
with its level and class, and the lines of a stack trace stay together.
"""

import json
import os
import re
import select
import signal
import subprocess  # nosec B404 # this program itself
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import FrameType
from typing import IO, Final

from webapp.variables.reading import Environment

_PARENT_MARK: Final = "_SERVE_LOGS_ARE_WRAPPED"
"""Not a setting: the parent's message to its child."""
LOGGING_ROLES: Final = frozenset({"web", "worker", "beat", "runner", "migrate"})
_SPARK: Final = re.compile(
    r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ([\w.$]+): (.*)", re.DOTALL
)
_LEVELS: Final = {"TRACE": "debug", "WARN": "warning", "FATAL": "critical"}
_CONTINUES: Final = re.compile(r"\s|Caused by: |Suppressed: ")
_TRACE: Final = "Traceback (most recent call last):"
_MOST_LINES: Final = 500
"""A record of so many lines is complete, so that endless indented output is written too."""
_SETTLES_S: Final = 0.2
"""A record is complete if no line follows within this time."""


def must_wrap(role: str, environment: Mapping[str, str]) -> bool:
    """Return whether this is the parent: logs are JSON, and no parent has started this process."""
    is_json = Environment(environment).text("PUNCTUAL_LOG_FORMAT") == "json"
    return is_json and role in LOGGING_ROLES and _PARENT_MARK not in environment


@dataclass
class RecordWriter:
    """Writes lines as records; a record may have several lines, and is written once the next one starts."""

    write: Callable[[str], None]
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    _lines: list[str] = field(default_factory=list)

    def line(self, text: str) -> None:
        """Take the next line, without its end."""
        if _is_record(text):
            self.flush()
            self.write(text + "\n")
        elif self._lines and self._continues(text) and len(self._lines) < _MOST_LINES:
            self._lines.append(text)
        elif text.strip():
            self.flush()
            self._lines = [text]

    def flush(self) -> None:
        """Write the record that is being collected, if any."""
        if not self._lines:
            return
        text, self._lines = "\n".join(self._lines), []
        spark = _SPARK.fullmatch(text)
        level = "ERROR" if text.startswith(_TRACE) else "INFO"
        level, where, message = spark.groups() if spark else (level, "output", text)
        record = {
            "at": self.now().isoformat(timespec="milliseconds"),
            "level": _LEVELS.get(level, level.lower()),
            "where": where,
            "message": message,
        }
        self.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _continues(self, text: str) -> bool:
        if _CONTINUES.match(text):
            return True
        return self._lines[0] == _TRACE and self._lines[-1][:1].isspace()  # the line that names the exception


def _is_record(text: str) -> bool:
    """Return whether the line is a JSON object with the fields of a record."""
    if not text.startswith("{"):
        return False
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and {"at", "level", "message"} <= found.keys()


def wrapped(command: Sequence[str]) -> int:
    """Run `command` with its output wrapped, pass signals on to it, and return its exit code."""
    process = subprocess.Popen(  # nosec B603 # this program itself, no shell
        command, env={**os.environ, _PARENT_MARK: "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )

    def pass_on(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, pass_on)
    assert process.stdout is not None  # nosec B101 # for mypy only
    _copy(process.stdout, RecordWriter(_print), lambda: process.poll() is not None)
    code = process.wait()
    return 128 - code if code < 0 else code


def _print(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _copy(source: IO[bytes], writer: RecordWriter, ended: Callable[[], bool]) -> None:
    """Copy lines until the end; processes that outlive the child may keep the pipe open, so its end counts too."""
    rest = b""
    ended_at: float | None = None
    while True:
        if ended_at is None and ended():
            ended_at = time.monotonic()
        ready, _, _ = select.select([source], [], [], _SETTLES_S)
        if not ready:
            writer.flush()
            if ended_at is not None:
                break
            continue
        part = os.read(source.fileno(), 65_536)
        if not part or (ended_at is not None and time.monotonic() - ended_at > 1.0):
            break
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            writer.line(line.decode(errors="replace").rstrip("\r"))
    if rest:
        writer.line(rest.decode(errors="replace"))
    writer.flush()
