"""A subscriber of results gets each row exactly once, although its server is killed while it reads."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import ResultRow
from tests.deploy.test_serve import ENDS_S, data, demo, read_until, started  # noqa: F401 - fixtures
from tests.ports import free_port
from tests.wire.written import write_commit, write_part
from webapp.client import Client
from webapp.runs.demo import SLUG

ROWS = 1_000
BATCHES = 4
Event = tuple[str | None, str, Any]


def commit(folder: Path, run: str, batch: int) -> None:
    rows = [
        ResultRow(output="out", start=n, end=n + 1, payload={"n": n}) for n in range(batch * ROWS, (batch + 1) * ROWS)
    ]
    part = write_part(folder, "results", batch, 0, rows)
    totals = {"run": run, "output_ctis": {"out": (batch + 1) * ROWS}}
    runs = [RunBatches(run=run, first=batch, last=batch)]
    write_commit(folder, Commit(batch=batch, parts=[part], totals=totals, runs=runs))


def events(client: httpx.Client, address: str, last: str | None) -> Iterator[Event]:
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
    fields: dict[str, str] = {}
    with client.stream("GET", address, headers=headers) as answered:
        assert answered.status_code == 200, answered.read()
        for line in answered.iter_lines():
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
                continue
            if "data" in fields:
                yield fields.get("id"), fields["event"], json.loads(fields["data"])
            fields = {}


class Subscriber:
    """A client of one stream that remembers its events."""

    def __init__(self, token: str, address: str) -> None:
        self._client = httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=ENDS_S)
        self._address = address
        self.received: list[Event] = []

    def receive(self, enough: Callable[[Event], bool], then: Callable[[], object] = lambda: None) -> None:
        """Receive events after the last one until one is `enough`; `then` happens while the connection is open."""
        last = next((cursor for cursor, _, _ in reversed(self.received) if cursor), None)
        for event in events(self._client, self._address, last):
            self.received.append(event)
            if enough(event):
                then()
                return


def received_by_library(address: str, token: str, binding: str, begun: threading.Event) -> list[int]:
    """Return the rows that the library receives, up to the last one."""

    async def receive() -> list[int]:
        numbers: list[int] = []
        with Client(address, token) as client:
            async for row in client.binding(binding).subscribe("out"):
                numbers.append(int(row.payload["n"]))
                begun.set()
                if len(numbers) >= BATCHES * ROWS:
                    break
        return numbers

    return asyncio.run(asyncio.wait_for(receive(), 4 * ENDS_S))


def test_a_killed_server_and_a_cut_off_subscriber_give_each_row_once(
    demo: tuple[dict[str, str], str],  # noqa: F811
    data: Path,  # noqa: F811
) -> None:
    env, token = demo
    port, begun = free_port(), threading.Event()
    address = f"http://127.0.0.1:{port}"
    with ThreadPoolExecutor(1) as pool:
        with started(env, "web", "--port", str(port)) as server:
            read_until(server, "Uvicorn running on")
            api, sent = f"{address}/api/t/{SLUG}", {"Authorization": f"Bearer {token}"}
            run = httpx.get(f"{api}/runs/", headers=sent, timeout=ENDS_S).json()[0]
            [files] = data.glob("*/files")
            folder = files.parent / "results" / run["binding"]
            for batch in range(2):
                commit(folder, run["id"], batch)
            library = pool.submit(received_by_library, address, token, run["binding"], begun)
            assert begun.wait(ENDS_S)
            subscriber = Subscriber(token, f"{api}/bindings/{run['binding']}/outputs/out/stream/")
            subscriber.receive(lambda event: event[0] == "0-0-300")
            subscriber.receive(lambda event: event[0] == "0-0-700", server.kill)
        with started(env, "web", "--port", str(port)) as server:
            read_until(server, "Uvicorn running on")
            for batch in range(2, BATCHES):
                commit(folder, run["id"], batch)
            subscriber.receive(lambda event: event[:2] == (str(BATCHES - 1), "committed"))
            assert library.result() == list(range(BATCHES * ROWS))
    rows = [row["payload"]["n"] for _, name, row in subscriber.received if name == "row"]
    assert rows == list(range(BATCHES * ROWS))
    ends = [row["batch"] for _, name, row in subscriber.received if name == "committed"]
    assert ends == list(range(BATCHES))
