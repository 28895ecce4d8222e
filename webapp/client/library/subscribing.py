"""The stream of an output: each committed row once, also after the connection broke."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

import httpx

from ..outcomes import CommandFailure, ExitCode
from ..server import ApiServer, read_answer, retry_after_s
from .things import RowKind, SubscriptionRow

TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)
"""A silent stream sends a heartbeat every 15 seconds."""
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
_BUSY: Final = frozenset({429, 502, 503, 504})
_ROWS: Final = frozenset(get_args(RowKind))
_CHANGES: Final = {
    "restarted": "From batch {batch} on, a run that started without state emits rows again. Discard the rows received "
    "so far, then subscribe",
    "rows_missing": "Files with {rows} rows are missing. Continue",
}
_POSITION: Final = "position"
"""An answer, or a frame with an id and no data: only the cursor may have moved."""


@dataclass(frozen=True)
class ReceivedEvent:
    """An event of the stream; `cursor` is the last id received, for `after`. `row` is set for events of rows."""

    name: str
    cursor: str | None
    data: Mapping[str, Any]

    @property
    def row(self) -> SubscriptionRow | None:
        """The row, None for another event."""
        return SubscriptionRow.of(cast("RowKind", self.name), self.data) if self.name in _ROWS else None


class ResultsChanged(Exception):
    """The rows received so far don't count any more, or some are missing.

    `event` is the event with this news, `restarted` or `rows_missing`; subscribe after its cursor to continue.
    """

    def __init__(self, event: ReceivedEvent) -> None:
        super().__init__(f"{_CHANGES[event.name].format_map(event.data)} with after={event.cursor!r}; or use `events`.")
        self.event = event


@dataclass(frozen=True)
class Subscription:
    """A wish for events: an address, parameters, and the cursor to continue after."""

    server: ApiServer
    path: str
    key: Sequence[str]
    after: str | None
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def rows(self) -> AsyncGenerator[SubscriptionRow]:
        """Yield each row once. Raises `ResultsChanged`, and `PunctualError` for a refusal."""
        async with aclosing(self.events()) as events:
            async for event in events:
                if event.name in _CHANGES:
                    raise ResultsChanged(event)
                if event.row is not None:
                    yield event.row

    async def events(self) -> AsyncGenerator[ReceivedEvent]:
        """Yield each event; connect again whenever the connection ends."""
        cursor, failed = self.after, 0
        headers = {**self.server.headers, "Accept": "text/event-stream"}
        async with httpx.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=self.server.uses_proxies) as client:
            while True:
                wait_s = 0.0
                try:
                    async with aclosing(self._connection(client, cursor)) as events:
                        async for event in events:
                            cursor, failed = event.cursor, 0
                            if event.name != _POSITION:
                                yield event
                except _Interrupted as interrupted:
                    failed, wait_s = failed + 1, interrupted.wait_s
                await self.pause(max(wait_s, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failed, 10))))

    async def _connection(self, client: httpx.AsyncClient, cursor: str | None) -> AsyncGenerator[ReceivedEvent]:
        query: dict[str, Any] = {"key": list(self.key), **({} if cursor is None else {"after": cursor})}
        try:
            async with client.stream("GET", self.server.url(self.path), params=query) as answered:
                if answered.status_code in _BUSY:
                    raise _Interrupted(retry_after_s(answered.headers))
                if answered.status_code != 200:
                    await answered.aread()
                    read_answer(answered, self.server.account.address)
                yield ReceivedEvent(_POSITION, cursor, {})
                async with aclosing(_events(answered, cursor)) as events:
                    async for event in events:
                        yield event
        except httpx.TransportError:
            raise _Interrupted from None


class _Interrupted(Exception):
    """The connection broke, or the server is busy: connect again after `wait_s` at the earliest."""

    def __init__(self, wait_s: float = 0.0) -> None:
        super().__init__()
        self.wait_s = wait_s


async def _events(answered: httpx.Response, cursor: str | None) -> AsyncGenerator[ReceivedEvent]:
    fields: dict[str, str] = {}
    async for line in _lines(answered):
        name, _, value = line.partition(": ")
        if name:
            fields[name] = value
            continue
        cursor = fields.get("id", cursor)
        data = json.loads(fields.get("data", "{}"))
        if fields.get("event") == "failed":
            raise CommandFailure(ExitCode.NO_SERVER, str(data["message"]))
        yield ReceivedEvent(fields.get("event", _POSITION), cursor, data)
        fields = {}


async def _lines(answered: httpx.Response) -> AsyncGenerator[str]:
    """Yield lines that end with a newline: texts may contain other characters that separate lines."""
    rest = b""
    async for piece in answered.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode()
