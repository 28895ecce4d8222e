"""Plain Spark on a work, in its best form: its own source, watermark, operators, and RocksDB state.

`python -m tests.bench.plain WORK FACTOR DATA PLACE [STATE]`; STATE `memory` uses Spark's default state store instead.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from streaming.spark.session.session import start_session, write_checksums
from tests.bench import results
from tests.bench.catalogue import WORKS
from tests.bench.data import Source, sizes
from tests.bench.memory import PeakMemory
from tests.bench.works import Work

PLAIN_JVM = "-XX:+TieredCompilation -XX:+UseG1GC"
"""Java's own defaults, set explicitly: Punctual's session limits the compiler, which would slow plain Spark down."""
IN_MEMORY = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
SETTINGS: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.sql.streaming.pollingDelay": "10ms",
    "spark.driver.extraJavaOptions": PLAIN_JVM,
    "spark.driver.memory": "4g",
}


def session_of(state: str, **more: str) -> SparkSession:
    """Return a session with Java's defaults and the state store `state`."""
    store = {"spark.sql.streaming.stateStore.providerClass": IN_MEMORY} if state == "memory" else {}
    session = start_session(settings={**SETTINGS, **store, **more})
    write_checksums(session, wanted=True)  # Spark's default, for which it has no setting
    return session


def read(session: SparkSession, source: Source, folder: Path, *, text: bool = False) -> DataFrame:
    """Return a stream of the files, one batch for each trigger, with a watermark equal to Punctual's delay."""
    reader = session.readStream.option("maxFilesPerTrigger", source.lanes)
    if text:
        lines = reader.text(str(folder))
        rows = lines.select(f.from_json("value", source.schema).alias("row")).select("row.*")
    else:
        shaped = reader.schema(source.schema)
        rows = shaped.parquet(str(folder)) if source.form == "parquet" else shaped.json(str(folder))
    return rows.withWatermark("ts", "5 seconds")


def main(work: Work, data: Path, home: Path, state: str) -> None:
    """Run `work` and print `{batches: [[rows, seconds], ...], peak_bytes, digest}` as the last line."""
    if work.plain is None:
        raise SystemExit("plain Spark can't express this query")
    session = session_of(state)
    inputs = {name: read(session, of, data / name, text=work.text) for name, of in work.sources.items()}
    with PeakMemory() as memory:
        query = (
            work.plain(inputs)
            .writeStream.format("parquet")
            .option("path", str(home / "out"))
            .option("checkpointLocation", str(home / "checkpoint"))
            .outputMode("append")
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
    progress = [p for p in query.recentProgress if p["numInputRows"]][: len(work.batches)]
    batches = [[p["numInputRows"], p["durationMs"]["triggerExecution"] / 1000] for p in progress]
    expected = [sum(each) for each in zip(*(sizes(of, work.batches) for of in work.sources.values()), strict=True)]
    if [rows for rows, _ in batches] != expected:
        raise SystemExit(f"batches of {batches}, not of {expected}: the sizes differ")
    digest = results.of_plain(home / "out", work.columns)
    print(json.dumps({"batches": batches, "peak_bytes": memory.peak_bytes, "digest": digest}))
    session.stop()


if __name__ == "__main__":
    main(WORKS[sys.argv[1]].scaled(float(sys.argv[2])), Path(sys.argv[3]), Path(sys.argv[4]), (*sys.argv, "")[5])
