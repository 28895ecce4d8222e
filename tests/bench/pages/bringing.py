"""Data sent to a running installation: an upload in constant memory, inference from a large file, pushed batches.

`python -m tests.bench bringing`, in pieces `python -m tests.bench.pages.bringing [upload] [inference] [push] [--mb
1000] [--seconds 30]`; prints the load of the machine with each figure. Targets: the web server's memory does not depend
on the size of an upload; inference from 100 MB under 2 s; 20,000 pushed rows per second in batches of 500 with 99 of
100 acknowledged in 250 ms. `tests/faults/test_pushed` tests that kills of the web server lose no acknowledged row.
"""

import argparse
import base64
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil

from tests.faults.installation.kinds import processes_of
from tests.faults.installation.site import Site
from tests.faults.installation.test_pushed import BATCH, DEFINITION, Sender

PIECE = 8 << 20
UPLOADED_MB = 1_000
PUSHED_S = 30.0
SENDERS = 2
TARGET_ROWS_S = 20_000
INFERRED_MB = 100
LIMITS = {"PUSHED_ROWS_PER_SECOND": "10000000"}
WORKS = ("upload", "inference", "push")


class ResidentMemory(threading.Thread):
    """The peak memory of the web server and its children together while this thread runs, in bytes."""

    def __init__(self, var: Path) -> None:
        super().__init__(daemon=True)
        (self._server,) = processes_of(var, "web server")
        self._ended = threading.Event()
        self.first = self.peak = self._now()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            self.peak = max(self.peak, self._now())

    def end(self) -> None:
        self._ended.set()
        self.join()

    def _now(self) -> int:
        total = 0
        for each in (self._server, *self._server.children(recursive=True)):
            try:
                total += each.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total


def upload(site: Site, mb: int) -> str:
    """Send `mb` MB as pages do, piece by piece."""
    row = b"2026-01-01T00:00:00Z,ZH 12345,101.5\n"
    piece = (row * (PIECE // len(row) + 1))[:PIECE]
    name = base64.b64encode(b"large.csv").decode()
    size, memory = mb * 1_000_000, ResidentMemory(site.var)
    address, forged = "/api/t/demo/files/uploads/", {"X-CSRFToken": site.pages.cookies["csrftoken"]}
    tus = {"Tus-Resumable": "1.0.0", **forged}
    opened = site.pages.post(
        address, headers={**tus, "Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
    )
    place = f"{address}{opened.raise_for_status().json()['id']}/"
    memory.start()
    began, at = time.monotonic(), 0
    while at < size:
        content = piece[: size - at]
        sent = {**tus, "Upload-Offset": str(at), "Content-Type": "application/offset+octet-stream"}
        site.pages.patch(place, content=content, headers=sent).raise_for_status()
        at += len(content)
    site.pages.post(f"{place}finish/", json={"replace": True}, headers=forged, timeout=120).raise_for_status()
    took = time.monotonic() - began
    memory.end()
    return (
        f"upload of {mb:,} MB: {took:.1f} s, {mb / took:,.0f} MB/s; the web server has "
        f"{memory.first >> 20} MiB before and {memory.peak >> 20} MiB at most"
    )


def inference(site: Site) -> str:
    """Infer a stream from files of 100 MB."""
    folder = site.var / site.organisation / "files"
    folder.mkdir(exist_ok=True)
    csv = "2026-01-01T00:{0:02}:{1:02}Z,ZH {2},{3}.5\n"
    json_line = '{{"at": "2026-01-01T00:{0:02}:{1:02}Z", "plate": "ZH {2}", "speed": {3}.5}}\n'
    found = []
    for name, head, line in (("large.csv", "at,plate,speed\n", csv), ("large.jsonl", "", json_line)):
        block = "".join(line.format(n // 60 % 60, n % 60, n % 977, 60 + n % 80) for n in range(100_000))
        path = folder / name
        with path.open("w", encoding="utf-8") as file:
            file.write(head)
            while file.tell() < INFERRED_MB * 1_000_000:
                file.write(block)
        form = "csv" if name.endswith("csv") else "json_lines"
        adapter = {"kind": "file", "options": {"path": name, "format": form}}
        took = []
        for _ in range(5):
            began = time.monotonic()
            proposal = site.call("POST", "streams/infer/", {"adapter": adapter})
            took.append(time.monotonic() - began)
            if proposal["faults"]:
                raise SystemExit(f"{name}: {proposal['faults']}")
        found.append(f"{form} {min(took):.2f} / {statistics.median(took):.2f} / {max(took):.2f} s")
        path.unlink()
    return f"inference from {INFERRED_MB} MB, min / median / max of 5: {', '.join(found)}"


def push(site: Site, seconds: float) -> str:
    """Push as fast as two senders can; return how long acknowledgements took."""
    adapter = {"kind": "push", "options": {"inbox": "bench", "most_mib": 4_096}}
    stream = site.call("POST", "streams/", {"name": "bench", "definition": DEFINITION, "adapter": adapter})["id"]
    body = {"name": "bench", "role": "operator", "expires_in_days": 1, "scopes": ["push"]}
    token = site.call("POST", "tokens/", body)["token"]
    address = f"http://127.0.0.1:{site.env['PORT']}/api/t/demo/streams/{stream}/rows/"
    senders = [Sender(address, token) for _ in range(SENDERS)]
    (server,) = processes_of(site.var, "web server")
    before, began = server.cpu_times(), time.monotonic()
    for sender in senders:
        sender.start()
    senders[0].join(seconds)
    for sender in senders:
        sender.ended.set()
    for sender in senders:
        sender.join()
    took, after = time.monotonic() - began, server.cpu_times()
    rows = BATCH * sum(len(sender.acknowledged) for sender in senders)
    spent = after.user + after.system - before.user - before.system
    each = statistics.quantiles([one for sender in senders for one in sender.took_s], n=100)
    refused = [text for sender in senders for text in sender.refused]
    if refused:
        raise SystemExit(f"{len(refused)} batches were refused, the first: {refused[0]}")
    return (
        f"push in batches of {BATCH} by {SENDERS} senders: {rows / took:,.0f} rows/s (target {TARGET_ROWS_S:,}), "
        f"acknowledged in {each[49] * 1e3:.0f} ms (median), {each[98] * 1e3:.0f} ms (99 of 100); "
        f"the web server spends {spent / rows * 1e6:.1f} us of processor a row"
    )


def measure(works: Sequence[str] = WORKS, mb: int = UPLOADED_MB, seconds: float = PUSHED_S) -> Iterator[str]:
    """Yield a line for each of `works`, from an installation that ends with the last one."""
    limits = {f"PUNCTUAL_QUOTA_{name}": value for name, value in LIMITS.items()}
    with tempfile.TemporaryDirectory(prefix="punctual-bringing-") as folder:
        site = Site(Path(folder) / "var", limits)
        try:
            site.sign_in()
            doing: dict[str, Callable[[], str]] = {
                "upload": lambda: upload(site, mb),
                "inference": lambda: inference(site),
                "push": lambda: push(site, seconds),
            }
            for name in works:
                yield f"{doing[name]()}; load {os.getloadavg()[0]:.1f}"
        finally:
            site.end()


def main() -> None:
    """Print a line for each work."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pages.bringing")
    parser.add_argument("works", nargs="*", choices=[[], *WORKS])
    parser.add_argument("--mb", type=int, default=UPLOADED_MB)
    parser.add_argument("--seconds", type=float, default=PUSHED_S)
    options = parser.parse_args()
    for line in measure(options.works or WORKS, options.mb, options.seconds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
