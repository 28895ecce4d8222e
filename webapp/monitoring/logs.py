"""The log of one run: what the runner wrote about it and its binding, and its changes of state, by time."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import redis
from django.conf import settings
from pydantic import ValidationError

from streaming.definition.strict import Strict
from webapp.core.server_paths import without_server_paths
from webapp.runs.launching import earlier_log, runner_log
from webapp.runs.models import Run
from webapp.runs.state_events import RunState, states_key

MOST_LINES: Final = 500
LONGEST_MESSAGE: Final = 4_000
SETTLES: Final = timedelta(seconds=30)
"""The runner may write of a run for so long after it was seen to have ended."""
_CURSOR: Final = re.compile(r"^(\d{1,20})\.(\d{1,20})_(\d{1,20}-\d{1,20})$")


class LogLine(Strict):
    """One line; `at` is ISO text in UTC, `level` info, warning or error."""

    at: str
    level: str
    message: str


class LogPage(Strict):
    """Lines in order of time; `next` is the `after` of those that follow, also of those that are not written yet."""

    lines: list[LogLine]
    next: str


@dataclass(frozen=True)
class LogCursor:
    """What was read: the file by its number on the disk, the bytes of it, and the last entry of the states."""

    file: int = 0
    offset: int = 0
    state: str = "0-0"

    def __str__(self) -> str:
        return f"{self.file}.{self.offset}_{self.state}"

    @classmethod
    def parse(cls, text: str | None) -> "LogCursor | None":
        """Return the cursor; the beginning for None, None for what is no cursor."""
        if text is None:
            return cls()
        found = _CURSOR.match(text)
        return cls(int(found[1]), int(found[2]), found[3]) if found else None


def log_page(run: Run, after: LogCursor) -> LogPage:
    """Return the lines of `run` after a cursor, at most `MOST_LINES` of the runner's and as many changes of state."""
    written, cursor = _written(run, after)
    states, last = _states(run, after.state)
    lines = sorted((*written, *states), key=lambda line: datetime.fromisoformat(line.at))
    return LogPage(lines=lines, next=str(LogCursor(cursor.file, cursor.offset, last)))


def _written(run: Run, after: LogCursor) -> tuple[list[LogLine], LogCursor]:
    """Return what the runner wrote: the file that `after` names may have become the earlier one meanwhile."""
    lines: list[LogLine] = []
    current = runner_log(run.organisation_id)
    cursor = after
    for path in (earlier_log(current), current):
        try:
            number = path.stat().st_ino
        except OSError:
            continue
        if path != current and after.file not in (0, number):
            continue
        offset = after.offset if number == after.file else 0
        found, offset = _read(path, offset, run, MOST_LINES - len(lines))
        lines += found
        cursor = LogCursor(number, offset)
        if len(lines) >= MOST_LINES:
            break
    return lines, cursor


def _read(path: Path, offset: int, run: Run, most: int) -> tuple[list[LogLine], int]:
    """Return the lines about `run` from byte `offset`, at most `most`, and how far they reach; half a line waits."""
    found: list[LogLine] = []
    with path.open("rb") as file:
        file.seek(offset if offset <= path.stat().st_size else 0)
        offset = file.tell()
        for content in file:
            if not content.endswith(b"\n"):
                break
            offset += len(content)
            found.extend(_about(content, run))
            if len(found) >= most:
                break
    return found, offset


def _about(content: bytes, run: Run) -> Iterator[LogLine]:
    """Yield the line if it names the run, or its binding while the run lives."""
    names_run = str(run.pk).encode() in content
    if not names_run and str(run.binding_id).encode() not in content:
        return
    try:
        line = json.loads(content)
        at = datetime.fromisoformat(line["at"])
        at = at.astimezone(UTC)  # also what names no zone
        shown = LogLine(at=at.isoformat(), level=line["level"], message=line["message"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # what Spark's own processes print
        return
    ends = None if run.ended_at is None else run.ended_at + SETTLES
    if names_run or (at >= run.created_at and (ends is None or at <= ends)):
        message = without_server_paths(shown.message, run.organisation_id)
        yield shown.model_copy(update={"message": message[:LONGEST_MESSAGE]})


def _states(run: Run, after: str) -> tuple[list[LogLine], str]:
    """Return the changes of state that Redis still knows; none while it cannot be reached."""
    key = states_key(str(run.organisation_id), str(run.pk))
    try:
        with redis.Redis.from_url(settings.REDIS_URL, decode_responses=True) as connection:
            before = connection.xrevrange(key, max=after, count=1)
            entries = connection.xrange(key, min=f"({after}", count=MOST_LINES)
    except redis.exceptions.RedisError:
        return [], after
    lines: list[LogLine] = []
    last = next((_state_line(fields) for _, fields in before), None)
    for entry, fields in entries:
        after = entry
        line = _state_line(fields)
        if line is not None and line != last:
            lines.append(line)
        last = line or last
    return lines, after


def _state_line(fields: Mapping[str, str]) -> LogLine | None:
    """Return what an entry says of the state; of one that is announced anew, for its steps, the same line again."""
    try:
        state = RunState.model_validate_json(fields["state"])
    except (ValidationError, KeyError):
        return None
    level = "info" if state.domain is None else "warning" if state.ended_at is None else "error"
    asked = state.ended_at is None and state.desired == "stopped"
    wanted = ", asked to stop" if asked else ""
    message = f"{state.observed}{wanted}" + (f": {state.message}" if state.message else "")
    return LogLine(at=state.changed_at, level=level, message=message)
