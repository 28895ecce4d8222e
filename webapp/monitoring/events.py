"""Server-sent events of one run: reports and state changes from Redis, recent history first."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

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
    connection = redis.asyncio.Redis.from_url(settings.REDIS_URL, decode_responses=True)
    ends_at = clock() + LIFETIME_S
    try:
        cursor = replace(cursor, state=cursor.state or await _newest(connection, states))
        yield "retry: 2000\n" + _frame("state", cursor, state.model_dump_json())
        if cursor.report in (None, NO_ENTRY):
            for entry, fields in reversed(await connection.xrevrange(reports, count=HISTORY)):
                cursor = replace(cursor, report=entry)
                yield _frame("progress", cursor, fields["report"])
        while clock() < ends_at:
            wanted = {reports: cursor.report or NO_ENTRY, states: cursor.state or NO_ENTRY}
            answers = await connection.xread(wanted, count=HISTORY, block=int(HEARTBEAT_S * 1000))
            if not answers:
                yield ": still here\n\n"
            for key, entries in answers:
                for entry, fields in entries:
                    is_report = key == reports
                    cursor = replace(cursor, report=entry) if is_report else replace(cursor, state=entry)
                    name = "progress" if is_report else "state"
                    yield _frame(name, cursor, fields["report" if is_report else "state"])
    except (redis.exceptions.ConnectionError, asyncio.TimeoutError):
        yield ": the connection to Redis broke; the browser comes back\n\n"
    finally:
        await connection.aclose()


async def _newest(connection: "redis.asyncio.Redis", key: str) -> str:
    newest = await connection.xrevrange(key, count=1)
    return str(newest[0][0]) if newest else NO_ENTRY
