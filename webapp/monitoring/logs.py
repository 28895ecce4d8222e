"""The log of one run: the runner's lines about it and its binding, merged with its journal by time."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from streaming.definition.strict import Strict
from webapp.core.server_paths import without_server_paths
from webapp.runs.lifecycle.journal import RunEventKind
from webapp.runs.models import Run, RunEvent
from webapp.runs.runners.detached import earlier_log
from webapp.runs.runners.launching import runner_log
from webapp.runs.states import Observed

MOST_LINES: Final = 500
LONGEST_MESSAGE: Final = 4_000
SETTLES: Final = timedelta(seconds=30)
"""The time after a run's end during which the runner may still write about it."""
WORDS: Final[Mapping[RunEventKind, str]] = {
    RunEventKind.STARTED: "start requested",
    RunEventKind.MOVED: "moved",
    RunEventKind.BEGAN: "started with fresh state",
    RunEventKind.CHANGED: "changed",
    RunEventKind.STOP: "stop requested",
    RunEventKind.TOLD: "waiting",
    RunEventKind.REPAIRED: "repaired",
    RunEventKind.CARRIED: "moved to another carrier",
    RunEventKind.WORKER: "a worker died",
}
_CURSOR: Final = re.compile(r"^(\d{1,20})\.(\d{1,20})_(\d{1,9})$")


class LogLine(Strict):
    """One line; `at` is ISO text in UTC, `level` info, warning or error."""

    at: str
    level: str
    message: str


class LogPage(Strict):
    """Lines in order of time; `next` is the `after` of the following page, also while that has no lines yet."""

    lines: list[LogLine]
    next: str


@dataclass(frozen=True)
class LogCursor:
    """The position of a reader: the file's inode, the bytes read of it, and the last entry of the journal."""

    file: int = 0
    offset: int = 0
    event: int = 0

    def __str__(self) -> str:
        return f"{self.file}.{self.offset}_{self.event}"

    @classmethod
    def parse(cls, text: str | None) -> "LogCursor | None":
        """Return the cursor that `text` names: the start for None, and None if it names no cursor."""
        if text is None:
            return cls()
        found = _CURSOR.match(text)
        return cls(int(found[1]), int(found[2]), int(found[3])) if found else None


@dataclass(frozen=True)
class LogChoice:
    """The lines to return: of these levels (None: all), containing this text, ignoring case."""

    levels: frozenset[str] | None = None
    text: str = ""

    def fits(self, line: LogLine) -> bool:
        """Return whether the line is one of those to return."""
        return (self.levels is None or line.level in self.levels) and self.text.lower() in line.message.lower()


EVERY_LINE: Final = LogChoice()


def log_page(run: Run, after: LogCursor, choice: LogChoice = EVERY_LINE) -> LogPage:
    """Return the lines of `run` after a cursor, at most `MOST_LINES` of the runner's and as many of its journal."""
    written, cursor = _written(run, after, choice)
    events, last = _journaled(run, after.event)
    lines = sorted(
        (*written, *(event for event in events if choice.fits(event))), key=lambda line: datetime.fromisoformat(line.at)
    )
    return LogPage(lines=lines, next=str(LogCursor(cursor.file, cursor.offset, last)))


def _written(run: Run, after: LogCursor, choice: LogChoice) -> tuple[list[LogLine], LogCursor]:
    """Return the runner's lines; the file that `after` names may have been rotated to the earlier one since."""
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
        found, offset = _read(path, offset, (run, choice), MOST_LINES - len(lines))
        lines += found
        cursor = LogCursor(number, offset)
        if len(lines) >= MOST_LINES:
            break
    return lines, cursor


def _read(path: Path, offset: int, wanted: tuple[Run, LogChoice], most: int) -> tuple[list[LogLine], int]:
    """Return at most `most` `wanted` lines from byte `offset`, and the offset after them; half a line waits."""
    found: list[LogLine] = []
    run, choice = wanted
    with path.open("rb") as file:
        file.seek(offset if offset <= path.stat().st_size else 0)
        offset = file.tell()
        for content in file:
            if not content.endswith(b"\n"):
                break
            offset += len(content)
            found.extend(line for line in _about(content, run) if choice.fits(line))
            if len(found) >= most:
                break
    return found, offset


def _about(content: bytes, run: Run) -> Iterator[LogLine]:
    """Yield the line if it names the run, or if it names the run's binding while the run lives."""
    names_run = str(run.pk).encode() in content
    if not names_run and str(run.binding_id).encode() not in content:
        return
    try:
        line = json.loads(content)
        at = datetime.fromisoformat(line["at"])
        at = at.astimezone(UTC)  # also for times without a zone
        shown = LogLine(at=at.isoformat(), level=line["level"], message=line["message"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # a line from Spark's own processes
        return
    ends = None if run.ended_at is None else run.ended_at + SETTLES
    if names_run or (at >= run.created_at and (ends is None or at <= ends)):
        message = without_server_paths(shown.message, run.organisation_id)
        yield shown.model_copy(update={"message": message[:LONGEST_MESSAGE]})


def _journaled(run: Run, after: int) -> tuple[list[LogLine], int]:
    """Return the journal of `run` after an entry, and the number of the last entry."""
    events = list(RunEvent.objects.filter(run=run, number__gt=after)[:MOST_LINES])
    return [_line_of(event) for event in events], events[-1].number if events else after


def _line_of(event: RunEvent) -> LogLine:
    """Return an entry as a line: the new state of the run or the event, and who caused it."""
    failed = event.observed == Observed.FAILED
    level = "error" if failed and event.domain != "external" else "info" if event.domain is None else "warning"
    what = event.observed or WORDS[RunEventKind(event.kind)]
    by = f" by {event.who}" if event.who else ""
    message = f"{what}{by}" + (f": {event.message}" if event.message else "")
    return LogLine(at=event.at.isoformat(), level=level, message=message)
