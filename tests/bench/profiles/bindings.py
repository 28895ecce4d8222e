"""The cost of a small binding in a batch of many, without Spark, by part: `python -m tests.bench.profiles.bindings`.

The bindings of `density` in one carrier whose batches run in this process (`tests.spark.loop`). Prints processor and
wall time for each binding and batch, minimum and median over the batches after the first ones; `--profile PART` also
prints the functions of one part. Use `TMPDIR=/dev/shm`: a file system without a journal takes up to half a millisecond
to create a file within minutes after thousands were deleted there, as each of these runs does.
"""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import cProfile
import json
import pstats
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from streaming.spark.abandonable_calls import AbandonableCall, CallSeries
from streaming.spark.messages.envelope import CarrierMessage, rows_of
from streaming.spark.query.control import AddBinding
from streaming.spark.query.offset import Offset
from streaming.spark.session.memory import SESSION_VARIABLE
from streaming.spark.sink.part_files import BindingSummary, TaskSink
from streaming.spark.sink.publishing import publish
from streaming.spark.source.feed import run_task
from streaming.spark.source.lane_clocks import purge_clocks
from streaming.wire.execution.case import ONLY_LANE
from tests.bench.organisations.density import spec
from tests.spark.loop import Loop

PARTS: Final = ("plan", "offset", "feed", "operate", "parts", "publish")
PAGES: Final = 32
"""The number of pages of a carrier with two partitions."""
WARM_UP: Final = 4
Seconds = dict[str, list[tuple[float, float]]]
"""By part, for each batch the seconds of processor and wall clock."""


class Measured(Loop):
    """A carrier of `count` bindings with timed parts."""

    def __init__(self, home: Path, count: int, profiled: str | None) -> None:
        super().__init__(home, pages=tuple(f"page-{number}" for number in range(PAGES)))
        self.seconds: Seconds = {part: [] for part in PARTS}
        self.profile = cProfile.Profile(time.process_time)
        self.warm = False
        self._profiled = profiled
        for number in range(count):
            given = spec(f"b{number}")
            self.carrier.control.append(
                AddBinding(kind="add", tick=0, spec=given, bucket_ids=[0], lanes={"cars": [ONLY_LANE]}, at_end="flush")
            )

    def timed(self, part: str, call: Callable[[], Any]) -> Any:
        """Return the result of `call`, and record its seconds."""
        profiled = self.warm and part == self._profiled
        began = time.process_time(), time.monotonic()
        if profiled:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(AbandonableCall, "__init__", _here)  # a profile sees one thread
                patch.setattr(CallSeries, "start", lambda calls: [AbandonableCall(call) for call in calls])
                found = self.profile.runcall(call)
        else:
            found = call()
        self.seconds[part].append((time.process_time() - began[0], time.monotonic() - began[1]))
        return found

    def run_once(self) -> None:
        """Run one batch, part by part."""
        offset = self.offset
        after = self.timed("plan", lambda: self.planner.plan(offset))
        planned = self.timed("offset", lambda: Offset.of_json(json.loads(json.dumps(after.to_json()))))
        self.planned = planned
        rows = self.timed("feed", self._fed)
        state = self.state
        rows = self.timed("operate", lambda: self._operate(rows, state))
        summaries = self.timed("parts", lambda: self._written(rows))
        self.timed("publish", lambda: publish(self.carrier, planned.n, summaries))
        self.offset, self.planned = planned, None
        for partition in range(self.carrier.settings.partitions):
            purge_clocks(self.carrier.folder, partition, planned.n - 1)
        self.carrier.control.compact(planned.control, planned.entries)

    def _fed(self) -> list[CarrierMessage]:
        return [row for task in self._tasks() for batch in run_task(task) for row in rows_of(batch)]

    def _written(self, rows: list[CarrierMessage]) -> list[BindingSummary]:
        sink = TaskSink(self.carrier, 0)
        for row in rows:
            sink.take(row)
        return sink.finish()


def _here(self: AbandonableCall[Any], call: Callable[[], Any]) -> None:
    self._call, self._running, self._found, self._fault, self._series = call, threading.Lock(), [], None, None
    self._running.acquire()
    self._started_at = time.monotonic()
    self.run()
    self.release()


def main() -> None:
    """Print the time of each part."""
    made = argparse.ArgumentParser(prog="python -m tests.bench.profiles.bindings", description=__doc__)
    made.add_argument("--bindings", type=int, default=100)
    made.add_argument("--batches", type=int, default=12)
    made.add_argument("--profile", choices=PARTS)
    made.add_argument("--functions", type=int, default=45)
    made.add_argument("--sort", default="tottime")
    options = made.parse_args()
    os.environ.setdefault(SESSION_VARIABLE, "profile")  # as in Spark's workers: bindings at work leave a mark
    with tempfile.TemporaryDirectory(prefix="bindings-") as home:
        loop = Measured(Path(home), options.bindings, options.profile)
        for number in range(WARM_UP + options.batches):
            loop.warm = number >= WARM_UP
            loop.run_once()
    print(f"load {os.getloadavg()[0]:.1f}")
    for part, seconds in loop.seconds.items():
        each = [tuple(1e3 * value / options.bindings for value in pair) for pair in seconds[WARM_UP:]]
        cpu, wall = zip(*each, strict=True)
        shown = (
            f"{name} {min(each):.3f} {statistics.median(each):.3f}" for name, each in (("cpu", cpu), ("wall", wall))
        )
        print(f"{part:8} ms", *shown, sep="  ")
    if options.profile:
        pstats.Stats(loop.profile).sort_stats(options.sort).print_stats(options.functions)


if __name__ == "__main__":
    main()
