"""The Python program that the page of results shows, run against a server whose connections break at every byte."""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from tests.client.event_server import (
    EVENTS,
    EventServer,
    StreamAnswer,
    every_cut,
    frame,
    frames_after,
    in_turn,
    row,
    running,
)
from tests.conftest import ROOT

NOW_S = 1_795_428_000.0
"""2026-11-23T10:00:00Z."""
RETRY_AFTER = [
    ("7", 7),
    ("0", 1),
    ("86400", 300),
    ("Mon, 23 Nov 2026 10:01:00 GMT", 60),
    ("Mon, 23 Nov 2026 09:59:00 GMT", 1),
    ("Tue, 24 Nov 2026 10:00:00 GMT", 300),
    ("", 5),
    ("soon", 5),
]
"""Headers, and the wait in seconds that the programs make of them."""
SHARED = ROOT / "frontend" / "src" / "model" / "text" / "retryAfterSnippet.ts"
SNIPPETS = ROOT / "frontend" / "src" / "model" / "results" / "readSnippets.ts"
ADDRESS = "${JSON.stringify(`${address}/stream/`)}"
Events = Callable[..., Iterator[tuple[str, str, Any]]]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses of the program, which take no time; after many it ends."""
    seconds: list[float] = []

    def pause(length: float) -> None:
        seconds.append(length)
        assert len(seconds) < 2_000

    monkeypatch.setattr("time.sleep", pause)
    return seconds


def retry_after_function() -> str:
    """Return the function that both programs share."""
    return SHARED.read_text().partition("RETRY_AFTER = `")[2].partition("`;")[0]


def events_of(server: EventServer) -> Events:
    """Return the function `events` of the program."""
    text = SNIPPETS.read_text().replace("${RETRY_AFTER}", retry_after_function())
    assert ADDRESS in text
    program = text.partition("return `import")[2].replace(ADDRESS, json.dumps(server.address)).partition("`;")[0]
    definitions = f"import{program}".replace("\\`", "`").replace("\\\\", "\\").partition("\nfor cursor")[0]
    scope: dict[str, Any] = {}
    exec(definitions, scope)
    events: Events = scope["events"]
    return events


def test_each_event_comes_once_whatever_byte_the_connection_breaks_after(pauses: list[float]) -> None:
    with running(every_cut()) as server:
        events = list(islice(events_of(server)(), len(EVENTS)))
    assert [(cursor, name) for cursor, name, _ in events] == EVENTS
    assert events[0][2]["payload"] == {"plate": "ä\u2028\x85"}
    assert set(pauses) == {2}


def test_a_failure_of_the_server_is_an_event_and_a_pause(pauses: list[float]) -> None:
    failure = StreamAnswer(f"retry: 30000\n{frame('3', 'failed', {'message': 'No.'})}".encode(), is_cut=False)
    with running(in_turn(failure, StreamAnswer(row("4-0-0").encode()))) as server:
        events = list(islice(events_of(server)("2"), 2))
    assert [(cursor, name) for cursor, name, _ in events] == [("3", "failed"), ("4-0-0", "row")]
    assert (pauses, server.cursors) == ([2], ["2", "3"])


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int, pauses: list[float]) -> None:
    busy = StreamAnswer(b"busy", status, is_cut=False, retry_after="7")
    with running(in_turn(busy, StreamAnswer(frames_after(None)))) as server:
        [(cursor, _, _)] = islice(events_of(server)(), 1)
    assert (cursor, pauses) == ("0-0-0", [7])


@pytest.mark.parametrize(("text", "wait_s"), RETRY_AFTER)
def test_the_program_waits_as_long_as_the_server_asks_for(
    text: str, wait_s: float, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: NOW_S)
    busy = StreamAnswer(b"busy", 503, is_cut=False, retry_after=text)
    with running(in_turn(busy, StreamAnswer(frames_after(None)))) as server:
        assert list(islice(events_of(server)(), 1))
    assert pauses == [wait_s]


@pytest.mark.usefixtures("pauses")
def test_a_refusal_ends_the_program_with_the_servers_words() -> None:
    with (
        running(in_turn(StreamAnswer(b"no", 422, is_cut=False))) as server,
        pytest.raises(SystemExit, match=r"^no$"),
    ):
        list(events_of(server)())
