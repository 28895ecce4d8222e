"""Server-sent events of one run: reports and state changes from Redis, recent history first."""

import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import redis.asyncio
from django.conf import settings

from streaming.wire import keys
from webapp.runs.state_events import RunState, states_key

HISTORY = 300
"""How many of the newest reports a page receives when it opens."""
HEARTBEAT_S = 15.0
LIFETIME_S = 300.0
"""A stream ends after so long; the browser comes back at once, and its right to be here is checked again."""
NO_ENTRY = "0-0"
Entry = tuple[str, dict[str, str]]
_ENTRY = re.compile(r"^\d{1,20}-\d{1,20}$")


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

    async def wait(self, after: dict[str, str]) -> list[tuple[str, list[Entry]]]:
        """Return the entries after those given, by key; empty when none came within a heartbeat."""
        answers = await self._connection.xread(after, count=HISTORY, block=int(HEARTBEAT_S * 1000))
        pairs = answers.items() if isinstance(answers, dict) else answers or []
        return [(key, list(entries)) for key, entries in pairs]

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.aclose()


async def event_stream(
    organisation: str,
    run: str,
    *,
    cursor: Cursor,
    state: RunState,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[str]:
    """Yield frames: `state` as it is, then recent `progress`, then both as they come, and heartbeats as comments."""
    reports, states = keys.reports(organisation, run), states_key(organisation, run)
    connection = _Redis()
    ends_at = clock() + LIFETIME_S
    try:
        if cursor.state is None:
            cursor = replace(cursor, state=_last(await connection.newest(states, 1)))
        yield "retry: 2000\n" + _frame("state", cursor, state.model_dump_json())
        if cursor.report in (None, NO_ENTRY):
            for entry, fields in await connection.newest(reports, HISTORY):
                cursor = replace(cursor, report=entry)
                yield _frame("progress", cursor, fields["report"])
        while clock() < ends_at:
            arrived = await connection.wait({reports: cursor.report or NO_ENTRY, states: cursor.state or NO_ENTRY})
            if not arrived:
                yield ": still here\n\n"
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
        await connection.close()


def _last(entries: list[Entry]) -> str:
    return entries[-1][0] if entries else NO_ENTRY
