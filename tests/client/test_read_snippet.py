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


def events_of(server: EventServer) -> Events:
    """Return the function `events` of the program."""
    text = SNIPPETS.read_text()
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
    busy = StreamAnswer(b"busy", status, is_cut=False)
    with running(in_turn(busy, StreamAnswer(frames_after(None)))) as server:
        [(cursor, _, _)] = islice(events_of(server)(), 1)
    assert (cursor, pauses) == ("0-0-0", [7])


@pytest.mark.usefixtures("pauses")
def test_a_refusal_ends_the_program_with_the_servers_words() -> None:
    with (
        running(in_turn(StreamAnswer(b"no", 422, is_cut=False))) as server,
        pytest.raises(SystemExit, match=r"^no$"),
    ):
        list(events_of(server)())
