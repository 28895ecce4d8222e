"""Starts, kills and stops of processes, own and pooled, lose nothing in an organisation's folder.

Rows are pushed before the first run exists: the folder then has an inbox, and no file of a runner.
"""

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from deploy.installation.embedded_redis import redis_url
from streaming.adapters.push.inbox import PushInbox
from streaming.spark.sink.committed_rows import committed_lines
from tests.conftest import ROOT
from tests.faults.installation.crowd import MADE
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site

pytestmark = pytest.mark.thorough

BACK_S: Final = 240.0
DEFINITION: Final[dict[str, Any]] = {
    "shape": "point",
    "fields": {"id": "long"},
    "event_time": {"start": {"column": "at", "unit": "us"}},
    "advance": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"},
}
FOREIGN: Final = (
    "later/release.bin",
    ".later",
    ".previews/later/copy.csv",
    "carriers/later/state.bin",
    "inboxes/later.bin",
    "kept/later/1.bin",
    "results/later/part.bin",
    "savepoints/later.bin",
    "uploads/later/content",
)
"""Files of a room that this release doesn't have."""
CHANGES: Final = ("carriers/homes.json", "carriers/main/", "inboxes/pushed.sqlite", "logs/", "results/", "runner.")
"""Prefixes of files that running processes rewrite; the test compares their meaning."""
SETTINGS: Final = ("/carrier.json", "/freshness.json", "/rate.json", "/release")
"""Suffixes of a carrier's files that its driver rewrites at each start."""


class Customer:
    """A new organisation, used through the API."""

    def __init__(self, site: Site) -> None:
        env = {**os.environ, **site.env, "PUNCTUAL_EMBEDDED": "1", "REDIS_URL": redis_url(site.var)}
        command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c", MADE.format(count=1, own=0)]
        made = subprocess.run(command, env=env, check=True, cwd=ROOT, capture_output=True, text=True)
        [[slug, organisation, token]] = json.loads(made.stdout.splitlines()[-1])
        self.folder = site.var / organisation
        self.pages = httpx.Client(
            base_url=f"http://127.0.0.1:{site.env['PORT']}/api/t/{slug}/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=20,
        )

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.pages.request(method, path, json=body).raise_for_status().json()

    def push(self, stream: str, batch: int) -> dict[str, Any]:
        """Push the ten rows from 10 * batch with an id of their own; return the receipt."""
        body = "".join(f'{{"at": {row}, "id": {row}}}\n' for row in range(10 * batch, 10 * batch + 10))
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": f"batch-{batch}"}
        answered = self.pages.post(f"streams/{stream}/rows/", content=body, headers=headers).raise_for_status()
        found: dict[str, Any] = answered.json()
        return found

    def upload(self, name: str, content: bytes, sent: int) -> str:
        """Start an upload of a file and send its first bytes; return the id of the upload."""
        named = f"filename {base64.b64encode(name.encode()).decode()}"
        headers = {"Upload-Length": str(len(content)), "Upload-Metadata": named, "Tus-Resumable": "1.0.0"}
        upload = str(self.pages.post("files/uploads/", headers=headers).raise_for_status().json()["id"])
        self.send(upload, 0, content[:sent])
        return upload

    def send(self, upload: str, offset: int, content: bytes) -> None:
        kind = "application/offset+octet-stream"
        headers = {"Upload-Offset": str(offset), "Tus-Resumable": "1.0.0", "Content-Type": kind}
        self.pages.patch(f"files/uploads/{upload}/", content=content, headers=headers).raise_for_status()

    def bound(self, name: str, stream: str, *, dedicated: bool = False) -> str:
        """Create a binding that emits every row of a stream."""
        nodes = [
            {"kind": "input", "id": "ids", "stream": stream},
            {"kind": "filter", "id": "each", "input": "ids", "where": "id >= 0"},
            {"kind": "output", "id": "out", "input": "each"},
        ]
        graph = {"version": 1, "name": f"q_{name}", "nodes": nodes}
        version = self.call("POST", "queries/", {"graph": graph, "comment": ""})["current"]["id"]
        body = {"name": name, "query_version": version, "dedicated": dedicated}
        return str(self.call("POST", "bindings/", body)["id"])

    def start(self, binding: str) -> None:
        self.call("POST", f"bindings/{binding}/start/")
        self.wait(binding, "running")

    def stop(self, binding: str) -> None:
        self.call("POST", f"bindings/{binding}/stop/", {"flush": False})
        self.wait(binding, "stopped")

    def wait(self, binding: str, state: str) -> None:
        def reached() -> bool:
            return bool(self.call("GET", f"bindings/{binding}/")["latest_run"]["observed"] == state)

        wait_until(reached, BACK_S, f"{binding} {state}")

    def rows(self, binding: str) -> list[int]:
        return sorted(each["payload"]["id"] for each in committed_lines(self.folder / "results" / binding, "results"))

    def pushed(self) -> list[int]:
        inbox = PushInbox.of(self.folder / "files", "pushed")
        return [json.loads(line)["id"] for batch in inbox.between(0, 10**9) for line in batch.lines.splitlines()]


@pytest.fixture(params=["0", "1"], ids=["own", "pooled"])
def site(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_POOLS": request.param})
    try:
        yield found
    finally:
        found.end()


def digests(folder: Path) -> Mapping[str, str]:
    """Return the digests of files below `folder` that no process rewrites, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if name in FOREIGN or not (name.startswith(CHANGES) or name.endswith(SETTINGS))
    }


def lost(before: Mapping[str, str], folder: Path) -> list[str]:
    """Return the files in `before` that are missing or different now."""
    now = digests(folder)
    return sorted(name for name, digest in before.items() if now.get(name) != digest)


def kill_runner(site: Site, customer: Customer, binding: str) -> None:
    """Kill all runners, and wait until another one carries `binding`."""
    ended = processes_of(site.var, "runner")
    for each in ended:
        each.kill()
    dead = {each.pid for each in ended}
    wait_until(lambda: {each.pid for each in processes_of(site.var, "runner")} - dead != set(), BACK_S, "a runner")
    customer.wait(binding, "running")


@pytest.fixture
def customer(site: Site) -> Iterator[Customer]:
    found = Customer(site)
    yield found
    found.pages.close()


def test_starts_kills_and_stops_lose_no_stored_data(site: Site, customer: Customer) -> None:
    adapter = {"kind": "push", "options": {"inbox": "pushed"}}
    stream = customer.call("POST", "streams/", {"name": "pushed", "definition": DEFINITION, "adapter": adapter})["id"]
    assert [customer.push(stream, batch)["first"] for batch in range(3)] == [0, 10, 20]
    content = b"at,id\n" + b"".join(b"%d,%d\n" % (row, row) for row in range(100))
    done = customer.upload("rows.csv", content, len(content))
    customer.pages.post(f"files/uploads/{done}/finish/", json={}).raise_for_status()
    half = customer.upload("half.csv", content, 50)
    for name in FOREIGN:
        (customer.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (customer.folder / name).write_bytes(name.encode())
    files = {"kind": "file", "options": {"path": "rows.csv", "format": "csv", "follow": True}}
    customer.call("POST", "streams/", {"name": "brought", "definition": DEFINITION, "adapter": files})
    binding, other = customer.bound("of_pushed", "pushed", dedicated=True), customer.bound("of_brought", "brought")
    before = digests(customer.folder)

    customer.start(binding)
    wait_until(lambda: customer.rows(binding) == list(range(30)), BACK_S, "the rows that were pushed before the start")
    kill_runner(site, customer, binding)
    assert customer.push(stream, 1)["again"], "the batch is recognised"
    assert not customer.push(stream, 3)["again"]
    wait_until(lambda: customer.rows(binding) == list(range(40)), BACK_S, "the rows that were pushed after the kill")
    customer.stop(binding)
    assert lost(before, customer.folder) == []

    before = digests(customer.folder)
    site.supervisor.terminate()
    assert site.supervisor.wait(300) == 0
    site.supervisor = site.started()
    customer.start(other)
    kill_runner(site, customer, other)
    wait_until(lambda: customer.rows(other) == list(range(100)), BACK_S, "the rows of the file")
    customer.stop(other)
    assert lost(before, customer.folder) == []
    assert [customer.push(stream, batch)["again"] for batch in range(5)] == [True, True, True, True, False]
    assert customer.pushed() == list(range(50))
    customer.send(half, 50, content[50:])
    customer.pages.post(f"files/uploads/{half}/finish/", json={}).raise_for_status()
    customer.start(binding)
    wait_until(lambda: len(customer.rows(binding)) >= 50, BACK_S, "the rows since the stop")
    assert customer.rows(binding) == list(range(50))
