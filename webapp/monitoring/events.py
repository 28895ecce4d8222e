"""Server-sent events of one run: reports and state changes from Redis, starting where the page's history ends."""

import json
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace

from streaming.wire import keys
from streaming.wire.progress import ProgressReport, read_without_rows
from webapp.monitoring.live_stream import LOOK_S, NO_ENTRY, STILL_HERE, Entry, LiveEntries, frame, live_stream
from webapp.runs.lifecycle.liveness import as_heard
from webapp.runs.lifecycle.state_events import RunState, states_key

_ENTRY = re.compile(r"^\d{1,20}-\d{1,20}$")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class EventCursor:
    """The last entries that a page has received: of the reports and of the state changes. None: nothing yet."""

    report: str | None = None
    state: str | None = None

    def __str__(self) -> str:
        return f"{self.report or NO_ENTRY}_{self.state or NO_ENTRY}"

    @classmethod
    def after(cls, entry: str | None) -> "EventCursor":
        """Return the cursor of a page that has the reports up to `entry`; an unreadable `entry` counts as no entry."""
        return cls(report=entry) if entry and _ENTRY.match(entry) else cls()

    @classmethod
    def parse(cls, text: str | None) -> "EventCursor":
        """Return the cursor that `Last-Event-ID` names; an unreadable one counts as none."""
        parts = (text or "").split("_")
        if len(parts) != 2 or not all(_ENTRY.match(part) for part in parts):
            return cls()
        return cls(parts[0], parts[1])


def event_stream(
    organisation: str,
    *,
    cursor: EventCursor,
    state: RunState,
    allowed: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[str]:
    """Return frames: `state`, then `progress` after the cursor, then both as they arrive; heartbeats as comments.

    Without a cursor the newest report comes first: the run's history covers the earlier ones.
    """
    return live_stream(lambda server: _FollowedRun(server, organisation, cursor, state), allowed, clock)


class _FollowedRun:
    """One run as its page follows it: the events sent so far, and the state to show."""

    def __init__(self, server: LiveEntries, organisation: str, cursor: EventCursor, state: RunState) -> None:
        self._server, self._organisation = server, organisation
        self._reports, self._states = keys.reports(organisation, state.run), states_key(organisation, state.run)
        self._cursor, self._state = cursor, state
        self._reported_at: int | None = None
        self._sent: RunState | None = None

    async def opening(self) -> AsyncGenerator[str]:
        """Yield the state, and the newest report unless the cursor has a report."""
        if self._cursor.state is None:
            self._cursor = replace(self._cursor, state=_last(await self._server.newest(self._states, 1)))
        for entry, fields in await self._server.newest(self._reports, 1):
            self._read(entry, fields)
        yield "retry: 2000\n" + (await self._news() or "")
        if self._cursor.report is None:
            for entry, fields in await self._server.newest(self._reports, 1):
                for each in self._progress(entry, fields):
                    yield each

    async def following(self, seconds: float) -> AsyncGenerator[str]:
        """Yield the events of the next `seconds`, or the new state if the runner goes silent, else a heartbeat."""
        after = {self._reports: self._cursor.report or NO_ENTRY, self._states: self._cursor.state or NO_ENTRY}
        arrived = await self._server.wait(after, min(LOOK_S, seconds))
        for key, entries in arrived:
            for entry, fields in entries:
                if key == self._reports:
                    for each in self._progress(entry, fields):
                        yield each
                    continue
                self._cursor = replace(self._cursor, state=entry)
                self._state = RunState.model_validate_json(fields["state"])
                if news := await self._news():
                    yield news
        if news := await self._news():
            yield news
        elif not arrived and seconds < LOOK_S:
            yield STILL_HERE

    def _progress(self, entry: str, fields: dict[str, str]) -> Iterator[str]:
        """Move to `entry`; yield its report, unless it is unreadable."""
        self._cursor = replace(self._cursor, report=entry)
        report = self._read(entry, fields)
        if report is not None:
            yield frame("progress", self._cursor, report.model_dump_json())

    def _read(self, entry: str, fields: dict[str, str]) -> ProgressReport | None:
        try:
            report = read_without_rows(json.loads(fields["report"]))
        except ValueError:
            logger.exception("run %s: the report %s cannot be read and is not sent", self._state.run, entry)
            return None
        self._reported_at = report.at
        return report

    async def _news(self) -> str | None:
        """Return the state as a frame, considering the runner's lease, unless it equals the last one sent."""
        alive = await self._server.alive(self._organisation)
        state = as_heard(self._state, alive, last_report=self._reported_at)
        if state == self._sent:
            return None
        self._sent = state
        return frame("state", self._cursor, state.model_dump_json())


def _last(entries: list[Entry]) -> str:
    return entries[-1][0] if entries else NO_ENTRY
