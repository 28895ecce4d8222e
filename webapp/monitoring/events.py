"""Server-sent events of one run: reports and state changes from Redis, recent history first."""

import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, connection

from streaming.wire import keys
from webapp.runs.state_events import RunState, states_key

HISTORY = 300
"""How many of the newest reports a page receives when it opens."""
HEARTBEAT_S = 15.0
"""So often a silent stream says that it lives, and every stream asks whether its reader may still be here."""
LIFETIME_S = 300.0
"""A stream ends after so long; the browser comes back at once."""
NO_ENTRY = "0-0"
STILL_HERE = ": still here\n\n"
Entry = tuple[str, dict[str, str]]
_ENTRY = re.compile(r"^\d{1,20}-\d{1,20}$")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cursor:
    """The last entries that a page has received: of the reports and of the state changes. None: nothing yet."""

    report: str | None = None
    state: str | None = None

    def __str__(self) -> str:
        return f"{self.report or NO_ENTRY}_{self.state or NO_ENTRY}"

    @classmethod
    def parse(cls, text: str | None) -> "Cursor":
        """Return the cursor that `Last-Event-ID` names; an unreadable one starts from the beginning."""
        parts = (text or "").split("_")
        if len(parts) != 2 or not all(_ENTRY.match(part) for part in parts):
            return cls()
        return cls(parts[0], parts[1])


def _frame(event: str, cursor: Cursor, data: str) -> str:
    lines = "".join(f"data: {line}\n" for line in data.splitlines())
    return f"id: {cursor}\nevent: {event}\n{lines}\n"


class _Redis:
    """The two readings of Redis streams that are needed here, with their types."""

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
        answers = await self._connection.xread(after, count=HISTORY, block=milliseconds)
        pairs = answers.items() if isinstance(answers, dict) else answers or []
        return [(key, list(entries)) for key, entries in pairs]

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
    run: str,
    *,
    cursor: Cursor,
    state: RunState,
    allowed: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[str]:
    """Yield frames: `state` as it is, then recent `progress`, then both as they come, and heartbeats as comments.

    The stream ends when `allowed`, which may ask the database, says no; it is asked once in each heartbeat.
    """
    door = _Door(allowed, clock)
    frames = _frames(keys.reports(organisation, run), states_key(organisation, run), cursor, state, door, clock)
    try:
        async for frame in frames:
            if not await (door.open_now() if frame is STILL_HERE else door.open()):
                yield ": you may no longer read this; the browser comes back and is told why\n\n"
                return
            yield frame
    finally:
        await frames.aclose()


async def _frames(
    reports: str, states: str, cursor: Cursor, state: RunState, door: _Door, clock: Callable[[], float]
) -> AsyncGenerator[str]:
    server = _Redis()
    ends_at = clock() + LIFETIME_S
    try:
        if cursor.state is None:
            cursor = replace(cursor, state=_last(await server.newest(states, 1)))
        yield "retry: 2000\n" + _frame("state", cursor, state.model_dump_json())
        if cursor.report in (None, NO_ENTRY):
            for entry, fields in await server.newest(reports, HISTORY):
                cursor = replace(cursor, report=entry)
                yield _frame("progress", cursor, fields["report"])
        while clock() < ends_at:
            after = {reports: cursor.report or NO_ENTRY, states: cursor.state or NO_ENTRY}
            arrived = await server.wait(after, door.seconds_left)
            if not arrived:
                yield STILL_HERE
            for key, entries in arrived:
                for entry, fields in entries:
                    if key == reports:
                        cursor = replace(cursor, report=entry)
                        yield _frame("progress", cursor, fields["report"])
                    else:
                        cursor = replace(cursor, state=entry)
                        yield _frame("state", cursor, fields["state"])
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
        yield ": the connection to Redis broke; the browser comes back\n\n"
    finally:
        await server.close()


def _last(entries: list[Entry]) -> str:
    return entries[-1][0] if entries else NO_ENTRY
