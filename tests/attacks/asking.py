"""Requests of the other organisation during an attack, from a process that no attack delays.

They read a page, push rows, validate a query and start a binding: each kind in its own thread, all from their own
address. `python -m tests.attacks.asking ADDRESS`: the first line of standard input is a `Work`; the process answers
each further line with a line of JSON (`Seen`) about the requests since the previous line. It ends with its input.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import httpx

EVERY_S = {"reads": 0.1, "pushes": 0.2, "validates": 0.5, "starts": 1.0}
MOST_S = 60.0
ADDRESS = "127.0.0.2"
WATCHED = "watched"
"""The name of their stream, query and binding, which is started and stopped all the time."""
TEXT = "QUERY watched;\nINSERT INTO out SELECT STREAM * FROM watched WHERE n > 1;\n"
OUR_OWN = {409}
"""Statuses that aren't failures: a start during the previous stop."""


def describe(answered: httpx.Response) -> str:
    """Return the status of an answer, and the start of its first message."""
    if not answered.headers.get("content-type", "").startswith("application/json"):
        return str(answered.status_code)
    body = answered.json()
    if isinstance(body, list):
        return str(answered.status_code)
    faults = body.get("faults") or [{}]
    message = str(faults[0].get("message") or body.get("message") or "")
    return f"{answered.status_code} {message[:110]}".strip()


@dataclass
class Work:
    """The resources of these requests: a token, a stream for pushed rows, and a binding to start and stop."""

    authorization: str
    pushed: str
    binding: str


@dataclass
class Seen:
    """The duration of each request in seconds, by kind; and the unsuccessful answers."""

    took_s: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in EVERY_S})
    failures: list[str] = field(default_factory=list)

    @property
    def longest_s(self) -> float:
        return max((max(each, default=0.0) for each in self.took_s.values()), default=0.0)

    def quantile_s(self, kind: str, share: float) -> float:
        """Return the time within which this share of the requests was answered."""
        ordered = sorted(self.took_s[kind])
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


class Asker:
    """Communicates with the process of this module."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def seen(self) -> Seen:
        """Return the requests since the last call."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(file=self._process.stdin, flush=True)
        return Seen(**json.loads(self._process.stdout.readline()))


@contextmanager
def asker(client: httpx.Client, work: Work) -> Iterator[Asker]:
    """Start the process with the address of `client`, and wait until it is ready."""
    command = [sys.executable, "-m", "tests.attacks.asking", str(client.base_url)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        print(json.dumps(asdict(work)), file=process.stdin, flush=True)
        made = Asker(process)
        made.seen()
        try:
            yield made
        finally:
            process.stdin.close()


class _Worker:
    """Repeats one kind of request and records the duration of each."""

    def __init__(self, kind: str, ask: Callable[[], httpx.Response], after: Callable[[], Any] = lambda: None) -> None:
        self._kind, self._ask, self._after = kind, ask, after
        self._lock, self._took_s, self._failures = threading.Lock(), list[float](), list[str]()
        threading.Thread(target=self._repeat, daemon=True).start()

    def _repeat(self) -> None:
        pause = threading.Event()
        while not pause.wait(EVERY_S[self._kind]):
            began, failures = time.monotonic(), []
            try:
                answered = self._ask()
                good = answered.status_code < 300 or answered.status_code in OUR_OWN
                failures += [] if good else [f"{self._kind} {describe(answered)}"]
            except httpx.HTTPError as error:
                failures.append(f"{self._kind} {type(error).__name__}")
            with self._lock:
                self._took_s.append(time.monotonic() - began)
                self._failures += failures
            try:
                self._after()
            except httpx.HTTPError:
                continue  # not measured

    def take(self, seen: Seen) -> None:
        """Move the recorded requests into `seen`."""
        with self._lock:
            seen.took_s[self._kind], self._took_s = self._took_s, []
            seen.failures += self._failures
            self._failures = []


def main(address: str) -> None:
    """Send requests until the input ends."""
    work = Work(**json.loads(sys.stdin.readline()))
    headers = {"Authorization": work.authorization}

    def client() -> httpx.Client:
        transport = httpx.HTTPTransport(local_address=ADDRESS, retries=0)
        return httpx.Client(base_url=address, headers=headers, timeout=MOST_S, transport=transport)

    reading, pushing, validating, starting = (client() for _ in EVERY_S)
    binding = f"bindings/{work.binding}/"
    workers = (
        _Worker("reads", lambda: reading.get("streams/")),
        _Worker("pushes", lambda: pushing.post(f"streams/{work.pushed}/rows/", json=[{"n": 1}])),
        _Worker("validates", lambda: validating.post("queries/validate/", json={"text": TEXT})),
        _Worker(
            "starts",
            lambda: starting.post(f"{binding}start/", json={}),
            lambda: starting.post(f"{binding}stop/", json={}),
        ),
    )
    for _ in sys.stdin:
        seen = Seen()
        for each in workers:
            each.take(seen)
        print(json.dumps(asdict(seen)), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
