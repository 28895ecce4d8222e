"""Server-sent events while their reader may read them: the wait for entries of Redis, heartbeats, and rights."""

import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from math import ceil
from typing import Any, Protocol

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, connection

from streaming.wire import keys
from webapp.runs.lifecycle.liveness import Liveness, read_lease

AT_A_TIME = 300
"""The number of entries in one read."""
HEARTBEAT_S = 15.0
"""The interval of heartbeats on a silent stream, and of checks that the reader still has the right to read."""
LOOK_S = 3.0
"""The interval at which a silent stream checks that the runner lives; nothing else would report its death."""
LIFETIME_S = 300.0
"""The longest life of a stream; the browser reconnects at once."""
NO_ENTRY = "0-0"
RETRY_MS_AFTER_FAILURE = 30_000
STILL_HERE = ": still here\n\n"
Entry = tuple[str, dict[str, str]]
logger = logging.getLogger(__name__)


def frame(event: str, cursor: object, data: str) -> str:
    """Return a server-sent event with JSON; its id is what a client sends as `Last-Event-ID` when it reconnects.

    JSON escapes line breaks, so `data` is one line. Other characters that separate lines belong to texts.
    """
    place = "" if cursor is None else f"id: {cursor}\n"
    return f"{place}event: {event}\ndata: {data}\n\n"


class StreamFailed(Exception):
    """The stream ends with a sentence for its reader."""


class LiveEntries:
    """The Redis commands that this module needs, with types."""

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
        """Return the entries after those in `after`, by key; empty when none came within `seconds`."""
        milliseconds = max(1, ceil(seconds * 1000))  # to Redis, 0 means for ever
        answers = await self._connection.xread(after, count=AT_A_TIME, block=milliseconds)
        pairs = answers.items() if isinstance(answers, dict) else answers or []
        return [(key, list(entries)) for key, entries in pairs]

    async def alive(self, organisation: str) -> Liveness:
        """Return whether the organisation's runner holds its lease."""
        return read_lease(await self._connection.get(keys.lease(organisation)))

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.aclose()


class ReaderDoor:
    """Checks regularly that the reader still has the right to read."""

    def __init__(self, allowed: Callable[[], bool], clock: Callable[[], float]) -> None:
        self._allowed, self._clock = allowed, clock
        self._asks_at = clock() + HEARTBEAT_S

    @property
    def seconds_left(self) -> float:
        """The time until the next check, in seconds; never more than a heartbeat."""
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
        except DatabaseError as error:  # the browser reconnects, and the answer to its request has the reason
            logger.warning("An event stream ends because its reader's rights cannot be checked: %s", error)
            return False
        finally:
            if not connection.in_atomic_block:
                connection.close()  # no connection is needed until the next check


class FollowedEvents(Protocol):
    """Something that a stream follows."""

    def opening(self) -> AsyncGenerator[str]:
        """Yield the first frames."""
        ...

    def following(self, seconds: float) -> AsyncGenerator[str]:
        """Yield the frames of the next `seconds`; `STILL_HERE` if nothing came and a heartbeat is due."""
        ...


async def live_stream(
    followed_by: Callable[[LiveEntries], FollowedEvents],
    allowed: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[str]:
    """Yield the frames of `followed_by`, for `LIFETIME_S` at most.

    The stream ends when `allowed`, which may ask the database, returns False; it is called once in each heartbeat.
    """
    door = ReaderDoor(allowed, clock)
    frames = _frames(followed_by, door, clock)
    try:
        async for each in frames:
            if not await (door.open_now() if each is STILL_HERE else door.open()):
                yield ": you may no longer read this; the browser reconnects and receives the reason\n\n"
                return
            yield each
    finally:
        await frames.aclose()


async def _frames(
    followed_by: Callable[[LiveEntries], FollowedEvents], door: ReaderDoor, clock: Callable[[], float]
) -> AsyncGenerator[str]:
    server = LiveEntries()
    followed = followed_by(server)
    ends_at = clock() + LIFETIME_S
    try:
        turn = followed.opening()
        while True:
            async with aclosing(turn):
                async for each in turn:
                    yield each
                    if clock() >= ends_at:
                        return
            if clock() >= ends_at:
                return
            turn = followed.following(door.seconds_left)
    except (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError):
        yield ": the connection to Redis broke; the browser reconnects\n\n"
    except StreamFailed as failure:
        yield f"retry: {RETRY_MS_AFTER_FAILURE}\n{frame('failed', None, json.dumps({'message': str(failure)}))}"
    finally:
        await server.close()
