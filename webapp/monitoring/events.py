"""Server-sent events of one run: reports and state changes from Redis, from where the page's history ends."""

import json
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, connection

from streaming.wire import keys
from webapp.runs.api.bindings import NO_ROWS
from webapp.runs.lifecycle.liveness import Liveness, as_heard, read_lease
from webapp.runs.lifecycle.state_events import RunState, states_key

AT_A_TIME = 300
"""So many entries are read at a time."""
HEARTBEAT_S = 15.0
"""So often a silent stream says that it lives, and every stream asks whether its reader may still be here."""
LOOK_S = 3.0
"""So often a silent stream looks whether the runner lives: nobody else would say that it does not."""
LIFETIME_S = 300.0
"""A stream ends after so long; the browser comes back at once."""
NO_ENTRY = "0-0"
STILL_HERE = ": still here\n\n"
Entry = tuple[str, dict[str, str]]
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
        """Return the cursor of a page that knows the reports up to `entry`; an unreadable one is none."""
        return cls(report=entry) if entry and _ENTRY.match(entry) else cls()

    @classmethod
    def parse(cls, text: str | None) -> "EventCursor":
        """Return the cursor that `Last-Event-ID` names; an unreadable one is none."""
        parts = (text or "").split("_")
        if len(parts) != 2 or not all(_ENTRY.match(part) for part in parts):
            return cls()
        return cls(parts[0], parts[1])


def _frame(event: str, cursor: EventCursor, data: str) -> str:
    lines = "".join(f"data: {line}\n" for line in data.splitlines())
    return f"id: {cursor}\nevent: {event}\n{lines}\n"


class _Redis:
    """The readings of Redis that are needed here, with their types."""

    def __init__(self) -> None:
        self._connection: Any = redis.asyncio.Redis.from_url(
            settings.REDIS_URL,
            decode_responses=True,
            socket_timeout=HEARTBEAT_S + 10,  # longer than a read may block
        )

    async def newest(self, key: str, count: int) -> list[Entry]:
        """Return the newest entries, oldest first."""
        return list(reversed(await self._connection.xrevrange(key, count=count)))

    async def wait(self, after: dict[str, str], seconds: float) -> list[tuple[str, list[Entry]]]:
        """Return the entries after those given, by key; empty when none came within `seconds`."""
        milliseconds = max(1, ceil(seconds * 1000))  # to Redis 0 is for ever
        answers = await self._connection.xread(after, count=AT_A_TIME, block=milliseconds)
        pairs = answers.items() if isinstance(answers, dict) else answers or []
        return [(key, list(entries)) for key, entries in pairs]

    async def alive(self, organisation: str) -> Liveness:
        """Return whether the organisation's runner is heard of."""
        return read_lease(await self._connection.get(keys.lease(organisation)))

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.aclose()


class _Door:
    """Asks again and again whether the reader may still be here."""

    def __init__(self, allowed: Callable[[], bool], clock: Callable[[], float]) -> None:
        self._allowed, self._clock = allowed, clock
        self._asks_at = clock() + HEARTBEAT_S

    @property
    def seconds_left(self) -> float:
        """How long until it asks, in seconds; never more than a heartbeat."""
        return min(HEARTBEAT_S, self._asks_at - self._clock())

    async def open(self) -> bool:
        """Return whether the reader may stay; asks the database if a heartbeat has passed."""
        if self._clock() < self._asks_at:
            return True
        return await self.open_now()

    async def open_now(self) -> bool:
        """Return whether the reader may stay; asks the database."""
        self._asks_at = self._clock() + HEARTBEAT_S
        return await sync_to_async(self._ask)()

    def _ask(self) -> bool:
        try:
            return self._allowed()
        except DatabaseError as error:  # the browser comes back, and is told by the answer to its request
            logger.warning("An event stream ends, for its right cannot be checked: %s", error)
            return False
        finally:
            if not connection.in_atomic_block:
                connection.close()  # until it is asked again none is needed


async def event_stream(
    organisation: str,
    *,
    cursor: EventCursor,
    state: RunState,
    allowed: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[str]:
    """Yield frames: `state` as it is, then `progress` after the cursor, then both as they come; heartbeats as comments.

    Without a cursor the newest report comes first: what was before it is told by the run's history. The stream ends
    when `allowed`, which may ask the database, says no; it is asked once in each heartbeat.
    """
    door = _Door(allowed, clock)
    frames = _frames(organisation, cursor, state, door, clock)
    try:
        async for frame in frames:
            if not await (door.open_now() if frame is STILL_HERE else door.open()):
                yield ": you may no longer read this; the browser comes back and is told why\n\n"
                return
            yield frame
    finally:
        await frames.aclose()


async def _frames(
    organisation: str, cursor: EventCursor, state: RunState, door: _Door, clock: Callable[[], float]
) -> AsyncGenerator[str]:
    server = _Redis()
    watched = _FollowedRun(server, organisation, cursor, state)
    ends_at = clock() + LIFETIME_S
    try:
        async for frame in watched.opening():
            yield frame
        while clock() < ends_at:
            async for frame in watched.following(door.seconds_left):
                yield frame
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
        yield ": the connection to Redis broke; the browser comes back\n\n"
    finally:
        await server.close()


class _FollowedRun:
    """One run as its page follows it: what was sent so far, and its state as it is to be shown."""

    def __init__(self, server: _Redis, organisation: str, cursor: EventCursor, state: RunState) -> None:
        self._server, self._organisation = server, organisation
        self._reports, self._states = keys.reports(organisation, state.run), states_key(organisation, state.run)
        self._cursor, self._state = cursor, state
        self._reported_at: int | None = None
        self._told: RunState | None = None

    async def opening(self) -> AsyncGenerator[str]:
        """Yield the state, and the newest report where none came before."""
        if self._cursor.state is None:
            self._cursor = replace(self._cursor, state=_last(await self._server.newest(self._states, 1)))
        for _, fields in await self._server.newest(self._reports, 1):
            self._reported_at = json.loads(fields["report"])["at"]
        yield "retry: 2000\n" + (await self._news() or "")
        if self._cursor.report is None:
            for entry, fields in await self._server.newest(self._reports, 1):
                yield self._progress(entry, fields)

    async def following(self, seconds: float) -> AsyncGenerator[str]:
        """Yield what comes within `seconds`, or sooner what the runner's silence says; else that the stream lives."""
        after = {self._reports: self._cursor.report or NO_ENTRY, self._states: self._cursor.state or NO_ENTRY}
        arrived = await self._server.wait(after, min(LOOK_S, seconds))
        for key, entries in arrived:
            for entry, fields in entries:
                if key == self._reports:
                    yield self._progress(entry, fields)
                    continue
                self._cursor = replace(self._cursor, state=entry)
                self._state = RunState.model_validate_json(fields["state"])
                if news := await self._news():
                    yield news
        if news := await self._news():
            yield news
        elif not arrived and seconds < LOOK_S:
            yield STILL_HERE

    def _progress(self, entry: str, fields: dict[str, str]) -> str:
        report = json.loads(fields["report"])
        self._cursor, self._reported_at = replace(self._cursor, report=entry), report["at"]
        return _frame("progress", self._cursor, _slim(report))

    async def _news(self) -> str | None:
        """Return the state, if it is not what was told last: by the runner's word, and by whether it lives."""
        alive = await self._server.alive(self._organisation)
        state = as_heard(self._state, alive, last_report=self._reported_at)
        if state == self._told:
            return None
        self._told = state
        return _frame("state", self._cursor, state.model_dump_json())


def _slim(report: Mapping[str, Any]) -> str:
    """Return a report without the rows in it."""
    return json.dumps({**report, **NO_ROWS}, separators=(",", ":"))


def _last(entries: list[Entry]) -> str:
    return entries[-1][0] if entries else NO_ENTRY
