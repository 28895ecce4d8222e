"""Subscriptions of the Python library against a server whose connections break at every byte."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
import pytest

from tests.client.event_server import (
    EVENTS,
    EventServer,
    StreamAnswer,
    every_cut,
    frame,
    frames_after,
    in_turn,
    opening,
    row,
    running,
)
from webapp.client import PunctualError, ResultsChanged
from webapp.client.credentials import Account
from webapp.client.library.subscribing import LONGEST_PAUSE_S, Subscription
from webapp.client.server import LONGEST_RETRY_AFTER_S, ApiServer

Item = TypeVar("Item")


class Enough(Exception):
    """The last pause of a test."""


@dataclass
class Pauses:
    """The pauses between connections, which take no time; the last one raises `Enough`."""

    most: int = 2_000
    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        if len(self.seconds) == self.most:
            raise Enough


def subscribed(
    server: EventServer, after: str | None = None, *, pauses: Pauses | None = None, key: tuple[str, ...] = ()
) -> Subscription:
    account = Account(server.address, "pct_1", "acme")
    return Subscription(ApiServer(account), "bindings/b/outputs/out/stream/", key, after, pauses or Pauses())


def first(count: int, items: AsyncGenerator[Item]) -> list[Item]:
    async def collect() -> list[Item]:
        async with aclosing(items):
            return [await anext(items) for _ in range(count)]

    return asyncio.run(collect())


def test_each_event_comes_once_whatever_byte_the_connection_breaks_after() -> None:
    with running(every_cut()) as server:
        events = first(len(EVENTS), subscribed(server).events())
    assert [(each.cursor, each.name) for each in events] == EVENTS
    assert events[0].row is not None
    assert events[0].row.payload == {"plate": "ä\u2028\x85"}
    assert events[1].data == {"batch": 0, "cti": 5, "ended": False}


def test_rows_continue_after_a_restart_and_after_missing_rows() -> None:
    changes: list[ResultsChanged] = []

    async def collect(server: EventServer) -> list[str]:
        ids: list[str] = []
        cursor = None
        while len(changes) < 5:
            try:
                async with aclosing(subscribed(server, cursor).rows()) as rows:
                    while len(ids) < 2:
                        ids.append((await anext(rows)).id)
                break
            except ResultsChanged as change:
                cursor = change.event.cursor
                changes.append(change)
        return ids

    with running(lambda request: StreamAnswer(frames_after(request.cursor))) as server:
        assert asyncio.run(collect(server)) == ["0-0-0", "1-8-0"]
    assert [(each.event.name, each.event.cursor) for each in changes] == [
        ("restarted", "1-start"),
        ("rows_missing", "1-gap"),
    ]
    assert all(f"after={each.event.cursor!r}" in str(each) for each in changes)


def test_a_subscription_to_the_newest_rows_stays_where_it_opened() -> None:
    answers = StreamAnswer(opening("4").encode()), StreamAnswer((opening("4") + row("5-0-0")).encode())
    with running(in_turn(*answers)) as server:
        [event] = first(1, subscribed(server, "newest").events())
    assert (event.cursor, server.cursors) == ("5-0-0", ["newest", "4"])


def test_a_stream_that_ends_as_planned_continues() -> None:
    answers = StreamAnswer(frames_after("1-start"), is_cut=False), StreamAnswer(row("2-0-0").encode(), is_cut=False)
    with running(in_turn(*answers)) as server:
        events = first(3, subscribed(server, "1-start").events())
    assert ([each.cursor for each in events], server.cursors) == (["1-gap", "1-8-0", "2-0-0"], ["1-start", "1-8-0"])


def test_requests_have_the_token_and_the_key() -> None:
    with running(in_turn(StreamAnswer(row("0-0-0").encode()))) as server:
        first(1, subscribed(server, key=("plate:A", "n:1")).events())
    [request] = server.requests
    assert request.parameters == {"key": ["plate:A", "n:1"]}
    assert request.headers["authorization"] == "Bearer pct_1"


def test_pauses_grow_until_the_server_answers() -> None:
    busy, quiet = StreamAnswer(status=503, is_cut=False), StreamAnswer(opening("4").encode())
    planned = StreamAnswer(b": still here\n\n", is_cut=False)
    pauses = Pauses(6)
    with running(in_turn(busy, busy, quiet, busy, planned, busy)) as server, pytest.raises(Enough):
        first(1, subscribed(server, pauses=pauses).events())
    assert pauses.seconds == [1.0, 2.0, 1.0, 2.0, 0.5, 1.0]
    assert server.cursors == [None, None, None, "4", "4", "4"]


def test_a_pause_is_as_long_as_the_server_asks_for() -> None:
    answers = [StreamAnswer(status=503, is_cut=False, retry_after=each) for each in ("7", "soon", "3600")]
    pauses = Pauses(3)
    with running(in_turn(*answers)) as server, pytest.raises(Enough):
        first(1, subscribed(server, pauses=pauses).events())
    assert pauses.seconds == [7.0, 2.0, LONGEST_RETRY_AFTER_S]


def test_a_long_outage_ends_no_subscription(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise httpx.ConnectError("refused")

    monkeypatch.setattr(httpx.AsyncClient, "stream", refuse)
    pauses = Pauses(1_100)  # 2 to the power of 1,024 is too large for a float
    server = EventServer(lambda _: StreamAnswer(), "http://127.0.0.1:1")
    with pytest.raises(Enough):
        first(1, subscribed(server, pauses=pauses).events())
    assert pauses.seconds[-1] == LONGEST_PAUSE_S


def test_a_refusal_and_a_failure_of_the_server_are_errors() -> None:
    refusal = StreamAnswer(json.dumps({"message": "after: no.", "code": "bad"}).encode(), 422, is_cut=False)
    failure = StreamAnswer(f"retry: 30000\n{frame('0', 'failed', {'message': 'No file.'})}".encode(), is_cut=False)
    with running(in_turn(refusal, failure)) as server:
        with pytest.raises(PunctualError, match=r"^after: no\.$"):
            first(1, subscribed(server).events())
        with pytest.raises(PunctualError, match=r"^No file\.$"):
            first(1, subscribed(server).events())
