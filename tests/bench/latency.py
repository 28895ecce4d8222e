"""Latency of rows: `tests.bench` runs `python -m tests.bench.latency SIDE FOLDER PLACE STATE FACTOR` after `prepare`.

Batches of 100 events appear one by one, each 10 s of event time, so that each closes the previous window: a row for
each of ten keys. Both sides are timed until the commit of the rows is written: from the appearance of the file, from
its read (the planning of the batch, or the appearance if that is later), from the start of the first query of a
session, and from the start of another one (Punctual: a binding in the same carrier; plain Spark: a query in the same
session).
"""

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from streaming.spark.carrier import Carrier
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.session.session import start_session
from tests.bench import data
from tests.bench.data import Source
from tests.bench.plain import read, session_of
from tests.bench.releasing import Releasing
from tests.bench.works import Work, grouped, hopping, window_node

PATIENCE_S = 120.0
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.001, 0.3
"""Files appear at random times, so that they aren't synchronised with polls."""
WORK = Work("latency", "", {"events": Source(100, 10, keys=10)}, (window_node(hopping(10, 10)),), grouped(10, 10))
Seconds = dict[str, list[float]]


@dataclass(frozen=True)
class Counts:
    """The numbers of files for warm-up, of measured files, and of added queries."""

    warm_up: int
    measured: int
    added: int

    @classmethod
    def of(cls, factor: float) -> "Counts":
        """Return the default numbers multiplied by `factor`."""
        return cls(*(max(least, round(usual * factor)) for least, usual in ((2, 15), (5, 60), (2, 5))))

    @property
    def files(self) -> int:
        """The number of files of the first query; two exist when it starts."""
        return 2 + self.warm_up + self.measured


def prepare(folder: Path, factor: float) -> None:
    """Write the files, without late rows, so that each one advances the clock."""
    batches = (1.0,) * Counts.of(factor).files
    data.write(WORK.sources["events"], batches, folder / "data" / "events", 0, late_share=0.0, sentinels=False)


def ours(folder: Path, home: Path, state: str, counts: Counts) -> Seconds:
    """Measure Punctual, with the settings of a shared carrier."""
    session = start_session()
    carrier = Carrier(session, home / "carrier", CarrierSettings(home=str(home), rows_per_batch=1_000))
    releasing = _released(folder, home, "in")
    carrier.add(WORK.spec("first"))
    found: Seconds = {"start": [], "appeared": [], "read": [], "added": []}
    began = time.time()
    carrier.start()
    at, _, rows = _committed(carrier, home, "first", 0)
    found["start"].append(at - began)
    for number in range(2, counts.files):
        carrier.wait(random.uniform(SHORTEST_PAUSE_S, LONGEST_PAUSE_S))
        began = time.time()
        releasing.release(number)
        at, batch_s, rows = _committed(carrier, home, "first", rows)
        found["appeared"].append(at - began)
        found["read"].append(min(batch_s, at - began))
    for number in range(counts.added):
        _released(folder, home, f"in{number}")
        began = time.time()
        carrier.add(WORK.spec(f"added{number}", f"in{number}"))
        found["added"].append(_committed(carrier, home, f"added{number}", 0)[0] - began)
    carrier.close()
    session.stop()
    return found


def _released(folder: Path, home: Path, into: str) -> Releasing:
    """Release two batches: the second closes a window."""
    releasing = Releasing(WORK, folder / "data", home, home / "carrier", into)
    releasing.release(0)
    releasing.release(1)
    return releasing


def _committed(carrier: Carrier, home: Path, binding: str, known: int) -> tuple[float, float, int]:
    """Return the time of the next commit with rows, the seconds of its batch, and the rows so far."""
    commits = home / "results" / binding / "commits"

    def next_commit() -> tuple[float, float, int] | None:
        numbers = sorted(int(path.stem) for path in commits.glob("[0-9]*.json")) if commits.exists() else []
        for number in reversed(numbers):
            path = commits / f"{number}.json"
            totals = json.loads(path.read_bytes())["totals"]
            if totals["results"] > known:
                return path.stat().st_mtime_ns / 1e9, totals["batch_s"], totals["results"]
            break
        return None

    committed: tuple[float, float, int] = _until(next_commit, carrier.wait, carrier.failure)
    return committed


def _until(find: Callable[[], Any], wait: Callable[[float], Any], failure: Callable[[], Any]) -> Any:
    """Return the first result of `find` that isn't None. Raises SystemExit if the query stops, or after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while (what := find()) is None:
        if failure() is not None or time.monotonic() > end:
            raise SystemExit(f"no row arrived: {failure()}")
        wait(0.01)
    return what


def plain(folder: Path, home: Path, state: str, counts: Counts) -> Seconds:
    """Measure plain Spark, with its default of immediate batches without data."""
    session = session_of(state, **{"spark.sql.streaming.noDataMicroBatches.enabled": "true"})
    found: Seconds = {"start": [], "appeared": [], "read": [], "added": []}
    began = time.time()
    first = _Query(session, folder, home, "first")
    found["start"].append(first.emitted()[0] - began)
    for number in range(2, counts.files):
        first.wait(random.uniform(SHORTEST_PAUSE_S, LONGEST_PAUSE_S))
        began = time.time()
        first.release(number)
        at, planned = first.emitted()
        found["appeared"].append(at - began)
        found["read"].append(min(at - planned, at - began))
    for number in range(counts.added):
        began = time.time()
        further = _Query(session, folder, home, f"added{number}")
        found["added"].append(further.emitted()[0] - began)
    session.stop()
    return found


class _Query:
    """A query of plain Spark over a folder with two batches at the start."""

    def __init__(self, session: SparkSession, folder: Path, home: Path, name: str) -> None:
        self._files, self._into = folder / "data" / "events", home / name / "in"
        self._out = home / name / "out"
        self._into.mkdir(parents=True)
        self._seen = -1
        self.release(0)
        self.release(1)
        assert WORK.plain is not None
        made = WORK.plain({"events": read(session, WORK.sources["events"], self._into)})
        self._query: StreamingQuery = (
            made.writeStream.format("parquet")
            .option("path", str(self._out))
            .option("checkpointLocation", str(home / name / "checkpoint"))
            .outputMode("append")
            .start()
        )

    def release(self, number: int) -> None:
        """Let one more file appear."""
        file = WORK.sources["events"].file(self._files, number, 0)
        os.link(file, self._into / file.name)

    def wait(self, seconds: float) -> None:
        """Wait for so many seconds."""
        self._query.awaitTermination(seconds)  # type: ignore[arg-type]

    def emitted(self) -> tuple[float, float]:
        """Return the commit time of the next batch that emitted a window, and the planning time of the last read."""

        def next_emission() -> tuple[float, float] | None:
            for each in self._query.recentProgress:
                if each["batchId"] <= self._seen or not each["stateOperators"][0]["numRowsRemoved"]:
                    continue
                self._seen = each["batchId"]
                logs = [self._out / "_spark_metadata" / f"{self._seen}{end}" for end in ("", ".compact")]
                written = next(path.stat().st_mtime_ns for path in logs if path.exists()) / 1e9
                reading = [p for p in self._query.recentProgress if p["numInputRows"] and p["batchId"] <= self._seen]
                planned = datetime.fromisoformat(reading[-1]["timestamp"].replace("Z", "+00:00"))
                return written, planned.timestamp()
            return None

        found_at: tuple[float, float] = _until(next_emission, self.wait, self._query.exception)
        return found_at


NAMES = {
    "appeared": "100 events: appear to row, p50 / p99",
    "read": "100 events: read to row, p50 / p99",
    "start": "start of a query to first row, median / most",
    "added": "add to a warm carrier to first row, median / most",
}


def rows(plain: Sequence[Seconds], ours: Sequence[Seconds], factor: float) -> list[list[str]]:
    """Return the rows of the table, from the seconds of each turn."""
    made, first = [], Counts.of(factor).warm_up
    for name, title in NAMES.items():
        sides = [[each for turn in side for each in _steady(name, turn, first)] for side in (plain, ours)]
        most = 0.99 if name in ("appeared", "read") else 1.0
        shown = [f"{statistics.median(each):.2f} / {quantile(each, most):.2f}" for each in sides]
        ratio = f"{statistics.median(sides[0]) / statistics.median(sides[1]):.2f} of the medians"
        target = "3 s" if name == "added" else ""
        made.append([title, str(len(sides[1])), *shown, ratio, target, "-", "-", "-", "-"])
    return made


def _steady(name: str, turn: Seconds, first: int) -> list[float]:
    return turn[name][first:] if name in ("appeared", "read") else turn[name]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` of `values` do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


if __name__ == "__main__":
    side = {"plain": plain, "ours": ours}[sys.argv[1]]
    Path(sys.argv[3]).mkdir(parents=True)
    print(
        json.dumps({"seconds": side(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], Counts.of(float(sys.argv[5])))})
    )
