"""One Spark session with the settings that the engine was measured with (ENGINE.md)."""

import logging
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from streaming.spark.errors import PunctualError

NO_JAVA = (
    "Java was not found. Install a Java 17 runtime (for example the package openjdk-17-jre-headless), "
    "or set JAVA_HOME to one, then start again."
)

SETTINGS: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    # Almost all work is done in Python, so the JVM's second compiler costs more than it saves: 25 s of a core until
    # the twelfth small batch with it, 12 s without, and the batches are shorter.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "UTC",
    # 20 queries that start at once made one worker fail to connect within the default 15 s.
    "spark.python.authenticate.socketTimeout": "120s",
    # At its default Spark measures the Arrow batch after every row: three times slower.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # How often an idle query asks the planner whether there is anything to do.
    "spark.sql.streaming.pollingDelay": "250ms",
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.numRecentProgressUpdates": "5",
    "spark.sql.streaming.stopTimeout": "30s",
}


def start_session(master: str = "local[2]", settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session of this process, with `settings` above those of the engine.

    Planners and workers use the interpreter that calls. Raises `PunctualError` when there is no Java.
    """
    _require_java()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    _let_workers_import_punctual()
    builder = SparkSession.builder.master(master).appName("punctual")
    for name, value in {**SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    session: SparkSession = builder.getOrCreate()
    return session


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return
    if shutil.which("java") is None:
        raise PunctualError(NO_JAVA, domain="user")


def _let_workers_import_punctual() -> None:
    """Workers start in Spark's folder: without this they import `streaming` only where it is installed."""
    here = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH", "")
    if here not in known.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in (here, known) if part)
