"""Plain Spark in its best legal form: its Parquet source, its watermark, its window aggregate, RocksDB state."""

import json
import sys
from pathlib import Path

from pyspark.sql import functions as f

from streaming.spark.session import start_session
from tests.bench.data import WORKLOADS
from tests.bench.memory import PeakMemory

PLAIN_JVM = "-XX:+TieredCompilation -XX:+UseG1GC"
"""Java's own defaults, said aloud: Punctual's session saves on the compiler, which would slow plain Spark down."""


def main(workload_number: int, data: Path, work: Path) -> None:
    """Run the workload over `data` and print `{batches: [[rows, seconds], ...], peak_bytes}` as the last line."""
    workload = WORKLOADS[workload_number]
    spark = start_session(
        settings={
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.numRecentProgressUpdates": "100",
            "spark.driver.extraJavaOptions": PLAIN_JVM,
        }
    )
    window = f.window("ts", f"{workload.size_s} seconds", f"{workload.hop_s} seconds")
    with PeakMemory() as memory:
        query = (
            spark.readStream.schema("ts timestamp, key string, value double")
            .option("maxFilesPerTrigger", 1)
            .parquet(str(data))
            .withWatermark("ts", "5 seconds")
            .groupBy(window, "key")
            .agg(f.count("*").alias("n"), f.sum("value").alias("total"), f.avg("value").alias("mean"))
            .writeStream.format("parquet")
            .option("path", str(work / "out"))
            .option("checkpointLocation", str(work / "checkpoint"))
            .outputMode("append")
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
    progress = [p for p in query.recentProgress if p["numInputRows"]]
    batches = [[p["numInputRows"], p["durationMs"]["triggerExecution"] / 1000] for p in progress]
    print(json.dumps({"batches": batches, "peak_bytes": memory.peak_bytes}))
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
