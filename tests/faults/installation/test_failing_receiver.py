"""Results posted to a receiver that fails, hangs and cuts off, while the installation's processes are killed."""

import base64
import json
import random
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from standardwebhooks import Webhook

from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import NumberedRun, wait_until
from tests.faults.installation.site import Site

pytestmark = pytest.mark.thorough
SECRET: Final = "whsec_" + base64.b64encode(b"planted secret of 24 bytes").decode()
KILLED: Final = ("runner", "JVM", "worker", "beat", "Redis", "web server", "runner")
BACK_S: Final = 240.0
TIMEOUT_S: Final = 2
MOST_FAILURES: Final = 4
"""In a row: after more of them a delivery waits longer than this test, up to `backoff.LONGEST_S`."""


class Receiver(ThreadingHTTPServer):
    """Stores each request by its id, then often fails to say so; `bodies`: what it stored, by id."""

    daemon_threads = True

    def __init__(self, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: dict[str, bytes] = {}
        self.repeats: Counter[str] = Counter()
        self.conflicts: list[str] = []
        self.healthy, self.ended = threading.Event(), threading.Event()
        self._chosen, self._lock = random.Random(seed), threading.Lock()
        self._failures = 0

    def behaviour(self) -> str:
        """Return how the next request is treated."""
        if self.healthy.is_set():
            return "stored"
        with self._lock:
            behaviour = self._chosen.choice(["stored", "stored", "stored", "refused", "lost answer", "hangs", "busy"])
            if self._failures == MOST_FAILURES:
                behaviour = "stored"
            self._failures = 0 if behaviour == "stored" else self._failures + 1
            return behaviour

    def store(self, name: str, body: bytes) -> None:
        """Keep a body once; the same id with another body is a conflict."""
        with self._lock:
            if self.bodies.setdefault(name, body) != body:
                self.conflicts.append(name)
            self.repeats[name] += 1

    def numbers(self) -> Counter[int]:
        """Return how often each row was stored, repeats of a request left out."""
        with self._lock:
            rows = [row for body in self.bodies.values() for row in json.loads(body)["data"]["rows"]]
        return Counter(row["payload"]["id"] for row in rows)


class Handler(BaseHTTPRequestHandler):
    """Treats one request as the receiver chooses."""

    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Webhook(SECRET).verify(body, dict(self.headers.items()))
        match self.server.behaviour():
            case "refused":
                return self.send_error(500)
            case "busy":
                return self.send_error(503)
            case "lost answer":
                self.server.store(self.headers["webhook-id"], body)
                self.close_connection = True
                return None
            case "hangs":
                self.server.store(self.headers["webhook-id"], body)
                self.server.ended.wait(3 * TIMEOUT_S)
                self.close_connection = True
                return None
            case _:
                self.server.store(self.headers["webhook-id"], body)
                self.send_response(204)
                self.end_headers()
                return None

    def log_message(self, *_: Any, **__: Any) -> None:
        """Print nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(seed=27) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            serving.join()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_OUTGOING_NETWORKS": "127.0.0.0/8"})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def test_a_receiver_that_fails_gets_each_row_under_one_id_whatever_is_killed(site: Site, receiver: Receiver) -> None:
    options = {
        "url": f"http://127.0.0.1:{receiver.server_port}/hook",
        "secret": SECRET,
        "rows_per_request": 7,
        "timeout_s": TIMEOUT_S,
    }
    own = site.var / site.organisation
    outputs = [{"node": "out", "adapter": {"kind": "webhook", "options": options}}]
    run = NumberedRun(site.call, own / "files", own / "results", outputs)
    wait_until(lambda: run.states() == {"running"}, BACK_S, "the run's start")
    for kind in KILLED:
        before = len(receiver.bodies)
        for victim in processes_of(site.var, kind)[:1]:
            victim.kill()
        took = wait_until(lambda: len(receiver.bodies) > before, BACK_S, f"a request after a killed {kind}")  # noqa: B023
        print(f"{kind}: requests arrive after {took:.0f} s", flush=True)
    run.writer.end()
    receiver.healthy.set()
    wanted = set(range(run.writer.rows))
    wait_until(lambda: receiver.numbers().keys() >= wanted, BACK_S, "every row")
    wait_until(lambda: [each.get("waiting_rows") for each in run.deliveries()] == [0], BACK_S, "a page that says so")
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, BACK_S, "the stop")
    repeated = sum(times > 1 for times in receiver.repeats.values())
    print(f"{len(wanted)} rows in {len(receiver.bodies)} requests, {repeated} of them repeated", flush=True)
    assert receiver.conflicts == []
    assert receiver.numbers() == Counter(wanted)
