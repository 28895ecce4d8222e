"""Punctual on the same files: a carrier with one dedicated binding, batches of a given number of rows."""

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from streaming.definition.graph import QueryGraph
from streaming.definition.streams import (
    AdapterChoice,
    AdvanceTimeSettings,
    EventTime,
    GenerateSettings,
    StreamDefinition,
    TimeColumn,
)
from streaming.spark.layout import CarrierSettings
from streaming.spark.local_run import run_to_end
from streaming.spark.session import start_session
from streaming.temporal.settings import Late
from streaming.wire.messages import InputSpec, RunSpec
from tests.bench.data import WORKLOADS, Workload
from tests.bench.memory import PeakMemory


class Durations(StreamingQueryListener):
    """Collects `[rows, seconds]` of every micro-batch; the rows are the distance between its offsets."""

    def __init__(self) -> None:
        self.batches: list[list[float]] = []

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Nothing to note."""

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing to note."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Nothing to note."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Note one batch that read rows."""
        source = event.progress.sources[0]
        rows = position(source.endOffset) - position(source.startOffset)
        if rows > 0:
            self.batches.append([rows, event.progress.durationMs["triggerExecution"] / 1000])


def position(offset: str | None) -> int:
    """How far the only lane of the only binding has been read at `offset`."""
    carried = json.loads(offset).get("carried", {}) if offset and offset.startswith("{") else {}
    lanes = carried["bench"]["positions"]["events"] if carried else {}
    return sum(lanes.values())


def spec_of(workload: Workload, folder: str) -> RunSpec:
    """Count, sum and average for each key and window; a CTI every 100 events, delay 5 s, late events dropped."""
    aggregates = [
        {"name": "n", "function": "count"},
        {"name": "total", "function": "sum", "of": "value"},
        {"name": "mean", "function": "avg", "of": "value"},
    ]
    window = {"kind": "hopping", "size": f"{workload.size_s}s", "hop": f"{workload.hop_s}s"}
    nodes = [
        {"id": "events", "kind": "input", "stream": "events"},
        {
            "id": "w",
            "kind": "window",
            "input": "events",
            "group_by": ["key"],
            "window": window,
            "aggregates": aggregates,
        },
        {"id": "out", "kind": "output", "input": "w"},
    ]
    stream = StreamDefinition(
        fields={"key": "string", "value": "double"}, event_time=EventTime(start=TimeColumn(column="ts"))
    )
    advance = AdvanceTimeSettings(generate=GenerateSettings(every=100, delay="5s", final=True), late=Late.DROP)
    adapter = AdapterChoice(kind="file", options={"path": folder})
    return RunSpec(
        organisation="bench",
        binding="bench",
        run="bench",
        desired="running",
        query=QueryGraph.model_validate({"version": 1, "name": "bench", "nodes": nodes}),
        inputs={"events": InputSpec(stream=stream, adapter=adapter, advance=advance)},
        results="results",
    )


def main(workload_number: int, data: Path, work: Path, rows_per_batch: int) -> None:
    """Run the workload and print `{batches: [[rows, seconds], ...], peak_bytes}` as the last line."""
    spark = start_session()
    durations = Durations()
    spark.streams.addListener(durations)
    settings = CarrierSettings(home=str(data.parent), rows_per_batch=rows_per_batch, buckets=2, isolate=False)
    with PeakMemory() as memory:
        spec = spec_of(WORKLOADS[workload_number], data.name).model_copy(update={"results": str(work / "results")})
        result = run_to_end(spark, [(spec, "final")], work / "carrier", settings)["bench"]
    if result.failure is not None:
        raise SystemExit(result.failure)
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    print(json.dumps({"batches": durations.batches, "peak_bytes": memory.peak_bytes}))
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
