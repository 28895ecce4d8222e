"""The runs of `memory`: `loop` and `spark` (many small batches), `large`, `backlog`. Each prints JSON last."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from streaming.spark.carrier import Carrier
from streaming.spark.local_run import await_ends, run_to_end
from streaming.spark.query.control import AddBinding
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.manifests import Manifest
from streaming.spark.session.session import start_session
from streaming.wire.messages import RunSpec
from tests.bench import data
from tests.bench.data import Source
from tests.bench.memory import PeakMemory, Sizes
from tests.bench.ours import Durations
from tests.bench.works import Work, hopping, window_node

SMALL_ROWS = 1_000
LARGE_ROWS = 10_000_000
BACKLOG_ROWS = 10_000_000
SMALL_INPUTS = 3
AFTER_S = 15.0
DEADLINE_S = 3_600.0
TICKS_PER_S = 1_000_000
TEN_TIMES = 10


def sightings(name: str, rate: float, total: int | None, started: int) -> RunSpec:
    """Return a binding that counts sightings by plate and 10 s: `rate` rows per second since the tick `started`."""
    window = {"kind": "tumbling", "size": "10s"}
    aggregates = [{"name": "n", "function": "count"}, {"name": "mean", "function": "avg", "of": "speed"}]
    nodes = [
        {"id": "cars", "kind": "input", "stream": "cars"},
        {
            "id": "w",
            "kind": "window",
            "input": "cars",
            "group_by": ["plate"],
            "window": window,
            "aggregates": aggregates,
        },
        {"id": "out", "kind": "output", "input": "w"},
    ]
    stream = {
        "fields": {"plate": "string", "speed": "double"},
        "advance": {"generate": {"every": 50, "delay": "5s"}, "late": "drop"},
    }
    options = {"rate": rate, "lanes": 2, "started_at": started, "total_rows": total}
    content = {
        "organisation": "bench",
        "binding": name,
        "run": name,
        "desired": "running",
        "query": {"version": 1, "name": name, "nodes": nodes},
        "inputs": {"cars": {"stream": stream, "adapter": {"kind": "generator", "options": options}}},
        "results": f"results/{name}",
    }
    return RunSpec.model_validate_json(json.dumps(content))


def loop(folder: Path, batches: int) -> list[tuple[int, float, Mapping[str, int]]]:
    """Run feed, operators and sink of small batches in this process; return (batch, its seconds, sizes) ten times."""
    from tests.spark.loop import Loop

    folder.mkdir(parents=True)
    running = Loop(folder, rows_per_batch=SMALL_ROWS)
    running.clock = 10**15
    spec = sightings("small", 1_000.0, batches * SMALL_ROWS, 0)
    running.carrier.control.append(AddBinding(kind="add", tick=0, spec=spec, bucket_ids=[0], lanes={}, at_end="flush"))
    found: list[tuple[int, float, Mapping[str, int]]] = []
    for number in range(1, batches + 1):
        began = time.perf_counter()
        running.batch()
        if number % (batches // TEN_TIMES) == 0:
            sizes = Sizes.now().to_json()
            mine = {"largest": sizes["driver"], "workers": sizes["driver"]}
            found.append((number, time.perf_counter() - began, {**sizes, **mine}))
    return found


class Sampled(Durations):
    """Records (batch, its seconds, sizes) every so many batches."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every = every
        self.found: list[tuple[int, float, Mapping[str, int]]] = []

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Record one batch."""
        number = event.progress.batchId
        if number and number % self.every == 0:
            seconds = event.progress.durationMs["triggerExecution"] / 1000
            self.found.append((number, seconds, Sizes.now().to_json()))


def spark(folder: Path, batches: int) -> list[tuple[int, float, Mapping[str, int]]]:
    """Run the same in Spark's own processes."""
    session = start_session()
    sampled = Sampled(batches // TEN_TIMES)
    session.streams.addListener(sampled)
    settings = CarrierSettings(home=str(folder), rows_per_batch=SMALL_ROWS)
    spec = sightings("small", 1_000.0, batches * SMALL_ROWS, 0)
    result = run_to_end(session, [(spec, "flush")], folder / "carrier", settings, deadline_s=DEADLINE_S)
    if result["small"].failure is not None:
        raise SystemExit(result["small"].failure)
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    session.stop()
    return sampled.found


def written(folder: Path, rows: int) -> RunSpec:
    """Write a file of `rows` rows below `folder`; return a binding that counts and sums it by key and 10 s."""
    source = Source(rows, 10_000)
    data.write(source, (1.0,), folder / "in" / "events", 0, sentinels=False)
    return Work("memory", "", {"events": source}, (window_node(hopping(10, 10)),), None).spec(follow=False)


def large(folder: Path, rows: int) -> dict[str, float]:
    """Read ten million rows in batches of `rows`; return `worker_bytes`, `peak_bytes`, `slowest_s`, `batches`.

    The first batch after the start of a query, which may be the only one, is always slow (ENGINE.md).
    """
    spec = written(folder, LARGE_ROWS)
    session = start_session()
    carrier = Carrier(session, folder / "carrier", CarrierSettings(home=str(folder), rows_per_batch=rows))
    with PeakMemory() as memory:
        carrier.add(spec)
        carrier.start()
        manifests = await_ends(carrier, {spec.binding}, after=0, deadline_s=DEADLINE_S)
        carrier.close()
    session.stop()
    if manifests[-1].failed:
        raise SystemExit(manifests[-1].changes)
    seconds = [report.batch_s for manifest in manifests if manifest.read for report in manifest.reports]
    peaks = {"worker_bytes": memory.worker_bytes, "peak_bytes": memory.peak_bytes}
    return {**peaks, "slowest_s": max(seconds), "batches": len(seconds)}


def backlog(folder: Path, rows: int) -> dict[str, Any]:
    """Run small paced inputs next to one with a backlog of ten million rows; return the waits of small inputs' rows."""
    huge = written(folder, BACKLOG_ROWS)
    session = start_session()
    carrier = Carrier(session, folder / "carrier", CarrierSettings(home=str(folder), rows_per_batch=rows))
    carrier.start()
    now = time.time_ns() // 1_000
    for number in range(SMALL_INPUTS):
        carrier.add(sightings(f"small{number}", 100.0, None, now))
    seen = _until(carrier, 0, lambda manifest: manifest.batch >= 3)
    first = seen[-1].batch
    carrier.add(huge)
    began = time.monotonic()
    during = await_ends(carrier, {"bench"}, after=first, deadline_s=DEADLINE_S)
    backlog_s, ended = time.monotonic() - began, time.monotonic() + AFTER_S
    last = during[-1].batch
    after = _until(carrier, last, lambda _: time.monotonic() > ended)
    carrier.close()
    session.stop()
    return {"backlog_s": backlog_s, "during": waits([seen[-1], *during]), "after": waits([during[-1], *after])}


def _until(carrier: Carrier, batch: int, reached: Callable[[Manifest], bool]) -> list[Manifest]:
    """Return the manifests after `batch`, up to one for which `reached`."""
    found: list[Manifest] = []
    while not found or not reached(found[-1]):
        failure = carrier.failure()
        if failure is not None:
            raise SystemExit(failure.detail)
        carrier.wait(0.05)
        found += carrier.manifests_after(found[-1].batch if found else batch)
    return found


def waits(manifests: list[Manifest]) -> list[float]:
    """Return for each batch how long its oldest row of a small input waited: since the previous batch was planned."""
    found = []
    planned: float | None = None
    for manifest in manifests:
        mine = [report for report in manifest.reports if report.run.startswith("small")]
        if mine:
            at = max(report.at for report in mine) / TICKS_PER_S
            if planned is not None:
                found.append(at - planned)
            planned = at - max(report.batch_s for report in mine)
    return found


RUNS: Mapping[str, Callable[[Path, int], Any]] = {"loop": loop, "spark": spark, "large": large, "backlog": backlog}

if __name__ == "__main__":
    print(json.dumps(RUNS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
