"""Rows pushed to a real installation whose web server is killed repeatedly: no row is lost or repeated.

Prints the acknowledged rows per second, and how long an acknowledgement took.
"""

import json
import os
import statistics
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from streaming.adapters.push.inbox import PushInbox
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site

BATCH = 500
SENDERS = 2
SECONDS = 20.0
KILLS = int(os.environ.get("KILLS", "8"))
"""The supervisor waits twice as long after each kill, up to a minute."""
BACK_S = 120.0
DEFINITION = {
    "shape": "point",
    "fields": {"id": "string", "speed": "double"},
    "advance": {"preset": "watermark(5s)"},
}


@dataclass
class Sender(threading.Thread):
    """Pushes batch after batch, and repeats each one with its id until it is acknowledged."""

    address: str
    token: str
    acknowledged: list[str] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Answers other than 200 and 429, which means: later."""

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        with httpx.Client(headers={"Authorization": f"Bearer {self.token}"}, timeout=20) as client:
            while not self.ended.is_set():
                self.push(client, uuid.uuid4().hex)

    def push(self, client: httpx.Client, batch: str) -> None:
        row = {"start": "2026-11-23T10:00:00Z", "speed": 120.5}
        body = "".join(json.dumps({**row, "id": f"{batch}-{number}"}) + "\n" for number in range(BATCH))
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": batch}
        while True:
            began = time.monotonic()
            try:
                answered = client.post(self.address, content=body, headers=headers)
            except httpx.TransportError:
                self.ended.wait(0.05)
                continue
            if answered.status_code == 200:
                self.took_s.append(time.monotonic() - began)
                self.acknowledged.append(batch)
                return
            if answered.status_code == 429:
                self.ended.wait(float(answered.headers["Retry-After"]))
                continue
            self.refused.append(answered.text)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_QUOTA_PUSHED_ROWS_PER_SECOND": "10000000"})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


@pytest.mark.thorough
def test_acknowledged_rows_are_stored_once_however_often_the_web_server_dies(site: Site) -> None:
    adapter = {"kind": "push", "options": {"inbox": "cars", "most_mib": 4_096}}
    stream = site.call("POST", "streams/", {"name": "pushed", "definition": DEFINITION, "adapter": adapter})["id"]
    settings = {"name": "push", "role": "operator", "expires_in_days": 1, "scopes": ["push"]}
    token = site.call("POST", "tokens/", settings)["token"]
    address = f"http://127.0.0.1:{site.env['PORT']}/api/t/demo/streams/{stream}/rows/"
    senders = [Sender(address, token) for _ in range(SENDERS)]
    began = time.monotonic()
    for sender in senders:
        sender.start()
    wait_until(lambda: time.monotonic() - began > SECONDS, 2 * SECONDS, "the undisturbed part")
    pushed = sum(len(sender.acknowledged) for sender in senders)
    took = statistics.quantiles([each for sender in senders for each in sender.took_s], n=100)
    print(f"\n{pushed * BATCH / (time.monotonic() - began):,.0f} rows/s in batches of {BATCH} by {SENDERS} senders")
    print(f"an acknowledgement took {took[49] * 1e3:.0f} ms (median), {took[98] * 1e3:.0f} ms (99 of 100)")
    for _ in range(KILLS):
        processes_of(site.var, "web server")[0].kill()
        before = [len(sender.acknowledged) for sender in senders]
        wait_until(
            lambda: all(len(sender.acknowledged) > had for sender, had in zip(senders, before, strict=True)),  # noqa: B023
            BACK_S,
            "acknowledgements after a killed web server",
        )
    for sender in senders:
        sender.ended.set()
    for sender in senders:
        sender.join()
    acknowledged = {f"{batch}-{row}" for sender in senders for batch in sender.acknowledged for row in range(BATCH)}
    inbox = PushInbox.of(site.var / site.organisation / "files", "cars")
    stored = [json.loads(line)["id"] for batch in inbox.between(0, 10**12) for line in batch.lines.splitlines()]
    print(f"{len(acknowledged):,} rows acknowledged over {KILLS} kills, {len(stored):,} stored")
    assert len(stored) == len(set(stored)), "repeated"
    assert acknowledged <= set(stored), "lost"
    assert [text for sender in senders for text in sender.refused] == []
