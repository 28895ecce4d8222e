"""Punctual on a work: a carrier with one dedicated binding.

`python -m tests.bench.ours WORK FACTOR DATA PLACE [BROKERS]`; BROKERS for a work that reads messages.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from streaming.spark.carrier import Carrier
from streaming.spark.local_run import await_ends
from streaming.spark.query.layout import CarrierSettings
from streaming.spark.query.offset import Offset
from streaming.spark.session.session import start_session
from streaming.wire.outgoing import OutgoingPolicy
from tests.bench import results
from tests.bench.catalogue import WORKS
from tests.bench.data import sizes
from tests.bench.lanes import let_processes_know
from tests.bench.memory import PeakMemory
from tests.bench.releasing import Releasing, await_done
from tests.bench.topics import TransactedBatches, reading_topics
from tests.bench.works import BINDING, Work

DEADLINE_S = 600.0
LOOPBACK = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


class Durations(StreamingQueryListener):
    """Collects `[rows, seconds]` of every micro-batch; the rows are the distance between its offsets."""

    def __init__(self) -> None:
        self.batches: list[list[float]] = []

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Do nothing."""

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Do nothing."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Do nothing."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Record one batch that read rows."""
        source = event.progress.sources[0]
        rows = position(source.endOffset) - position(source.startOffset)
        if rows > 0:
            self.batches.append([rows, event.progress.durationMs["triggerExecution"] / 1000])


def position(offset: str | None) -> int:
    """Return the sum of the read positions of all lanes of the only binding at `offset`; 0 before the first batch."""
    if not offset or not offset.startswith("{"):
        return 0
    known = json.loads(offset)
    every = Offset.of_json(known).every if "layout" in known else ()
    return sum(sum(lanes.values()) for item in every for lanes in item.positions.values())


def settings_of(work: Work, home: Path) -> CarrierSettings:
    """Return settings of a dedicated carrier whose batches hold a full file of each input."""
    most = max(source.rows for source in work.sources.values())
    return CarrierSettings(home=str(home), rows_per_batch=most, buckets=2, isolate=False, outgoing=LOOPBACK)


def release_topics(topics: TransactedBatches, work: Work, carrier: Carrier, durations: Durations) -> None:
    """Release the batches one by one; return when the last one was read. Raises SystemExit if the query stops."""
    for number in range(len(work.batches)):
        topics.release(number)
        await_done(carrier, lambda: len(durations.batches) > number)  # noqa: B023 - it is awaited here


def main(work: Work, data: Path, home: Path, brokers: str) -> None:
    """Run `work` and print `{batches: [[rows, seconds], ...], peak_bytes, digest}` as the last line."""
    let_processes_know()
    topics = TransactedBatches(work, data, brokers) if brokers else None
    spark = start_session()
    durations = Durations()
    spark.streams.addListener(durations)
    releasing = None if topics is not None else Releasing(work, data, home, home / "carrier")
    spec = reading_topics(work, brokers) if brokers else work.spec()
    with PeakMemory() as memory:
        carrier = Carrier(spark, home / "carrier", settings_of(work, home))
        carrier.add(spec)
        carrier.start()
        if releasing is not None:
            releasing.release_all(len(work.batches), carrier, BINDING)
        elif topics is not None:
            release_topics(topics, work, carrier, durations)
        carrier.stop(BINDING, flush=True)
        await_ends(carrier, {BINDING}, after=0, deadline_s=DEADLINE_S)
        carrier.close()
    change = carrier.last_runs()[BINDING]
    if change.state == "failed":
        raise SystemExit(change.message)
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    expected = [sum(each) for each in zip(*(sizes(of, work.batches) for of in work.sources.values()), strict=True)]
    if [rows for rows, _ in durations.batches] != expected:
        raise SystemExit(f"batches of {durations.batches}, not of {expected}: the sizes differ")
    digest = results.of_ours(home / spec.results, work.columns)
    print(json.dumps({"batches": durations.batches, "peak_bytes": memory.peak_bytes, "digest": digest}))
    spark.stop()


if __name__ == "__main__":
    main(WORKS[sys.argv[1]].scaled(float(sys.argv[2])), Path(sys.argv[3]), Path(sys.argv[4]), (*sys.argv, "")[5])
