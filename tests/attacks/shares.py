"""One organisation's use of shared resources: limited processes, the web process, connections.

Each attack takes at most `SECONDS`, with few threads of low priority, so that the server is measured, not the attacker.
"""

import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx

from tests.attacks.crowds import slow_query
from tests.attacks.stage import Stage, counted

SECONDS = 12.0
MOST = 400
"""The maximum number of requests of one attack."""
CONNECTIONS = 1_300
ROWS = 300_000


def flood(ask: Callable[[int], httpx.Response], at_once: int) -> str:
    """Send requests repeatedly with `at_once` threads; return the different answers."""
    until = time.monotonic() + SECONDS

    def again(thread: int) -> list[str]:
        statuses = []
        for number in range(MOST // at_once):
            if time.monotonic() >= until:
                break
            try:
                statuses.append(str(ask(thread + number * at_once).status_code))
            except httpx.HTTPError as error:
                statuses.append(type(error).__name__)
        return statuses

    with ThreadPoolExecutor(at_once) as threads:
        return counted(answer for each in threads.map(again, range(at_once)) for answer in each)


def nothing_at_all(_stage: Stage) -> str:
    """Don't attack: the baseline of the machine."""
    threading.Event().wait(SECONDS)
    return "nothing"


def a_viewer_that_validates_and_simulates(stage: Stage) -> str:
    """Send twelve simultaneous requests that use up their time limit."""
    text = slow_query()
    sample = {"rows": [{"stream": "cars", "start": at, "payload": {"speed": 2.0}} for at in range(500)]}
    asked = (("queries/validate/", {"text": text}), ("queries/simulate/", {"text": text, "sample": sample}))

    def ask(number: int) -> httpx.Response:
        path, body = asked[number % 2]
        return stage.viewer.post(path, json=body)

    return flood(ask, 12)


def people_of_many_organisations_that_validate(stage: Stage) -> str:
    """Send four simultaneous requests in each of four organisations of one person."""
    text = slow_query()
    names = [f"mallory-{number}" for number in range(4)]
    return flood(lambda at: stage.clients[names[at % 4]].post("queries/validate/", json={"text": text}), 16)


def lists_of_wide_streams(stage: Stage) -> str:
    """List forty streams with the maximum number of fields in twelve simultaneous requests."""
    fields = {f"f{number}": "string" for number in range(1_000)}
    refused = stage.stream("wide.jsonl", {f"f{number}": "string" for number in range(20_000)})
    made = [stage.stream("wide.jsonl", fields) for _ in range(40)]
    streams = sum(each.startswith("streams/") for each in made)
    listed = flood(lambda _: stage.viewer.get("streams/"), 12)
    return f"20,000 fields: {refused[:3]}; {streams} streams of 1,000; {listed}"


def validates_of_twelve_thousand_nodes(stage: Stage) -> str:
    nodes = [{"kind": "input", "id": f"n{number}", "stream": "cars"} for number in range(12_000)]
    body = json.dumps({"graph": {"version": 1, "name": "q", "nodes": nodes}}).encode()
    return posted(stage, "queries/validate/", body)


def simulations_of_wrong_rows(stage: Stage) -> str:
    body = json.dumps({"text": "QUERY q;", "sample": {"rows": [{"a": 1}] * ROWS}}).encode()
    return posted(stage, "queries/simulate/", body)


def posted(stage: Stage, path: str, body: bytes) -> str:
    """Send the same body repeatedly in eight simultaneous requests."""
    headers = {"Content-Type": "application/json"}
    return flood(lambda _: stage.viewer.post(path, content=body, headers=headers), 8)


def more_requests_than_anybody_sends(stage: Stage) -> str:
    """Send sixteen simultaneous reads by a viewer and an owner."""
    return flood(lambda at: (stage.viewer if at % 2 else stage.mallory).get("runs/"), 16)


def connections_that_send_nothing(stage: Stage) -> str:
    """Open more connections than the server may open files: silent, with half of the headers, or with a slow body."""
    place = urlsplit(stage.installation.address)
    beginnings = (b"", b"GET / HTTP/1.1\r\nhost: h", b"POST /api/ HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\nx")
    opened = 0
    with ExitStack() as held:
        until = time.monotonic() + SECONDS
        for number in range(CONNECTIONS):
            source = (f"127.0.1.{1 + number % 20}", 0)
            try:
                line = held.enter_context(
                    socket.create_connection((str(place.hostname), int(place.port or 80)), 5, source_address=source)
                )
                line.sendall(beginnings[number % 3])
                opened += 1
            except OSError:
                continue
        threading.Event().wait(max(until - time.monotonic(), 0.0))
    return f"{opened} opened"
