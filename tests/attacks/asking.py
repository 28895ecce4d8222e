"""A person of the other organisation who looks at a page all the time, in a process that no attack holds up.

`python -m tests.attacks.asking ADDRESS`: the first line of standard input is a token; each further one is answered by
a line of JSON, with what was seen since the line before. Ends with its input.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import httpx

EVERY_S = 0.1
MOST_S = 60.0


@dataclass
class Seen:
    """The longest request, in seconds, and the answers that were no 200."""

    longest_s: float = 0.0
    failures: list[str] = field(default_factory=list)


class Asker:
    """Talks to such a process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def seen(self) -> Seen:
        """What it saw since this was asked last; at least one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(file=self._process.stdin, flush=True)
        return Seen(**json.loads(self._process.stdout.readline()))


@contextmanager
def asker(client: httpx.Client) -> Iterator[Asker]:
    """Start one that asks as `client` does; it is ready."""
    command = [sys.executable, "-m", "tests.attacks.asking", str(client.base_url)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        print(client.headers["Authorization"], file=process.stdin, flush=True)
        made = Asker(process)
        made.seen()
        try:
            yield made
        finally:
            process.stdin.close()


def main(address: str) -> None:
    """Ask until the input ends."""
    seen, lines = Seen(), threading.Semaphore(0)
    headers = {"Authorization": sys.stdin.readline().strip()}

    def read() -> None:
        for _ in sys.stdin:
            lines.release()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    with httpx.Client(base_url=address, headers=headers, timeout=MOST_S) as client:
        while True:
            began = time.monotonic()
            try:
                status = client.get("streams/").status_code
                seen.failures += [] if status == 200 else [str(status)]
            except httpx.HTTPError as error:
                seen.failures.append(type(error).__name__)
            seen.longest_s = max(seen.longest_s, time.monotonic() - began)
            if lines.acquire(timeout=EVERY_S):
                print(json.dumps(asdict(seen)), flush=True)
                seen = Seen()


if __name__ == "__main__":
    main(sys.argv[1])
