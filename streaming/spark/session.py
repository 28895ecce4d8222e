"""One Spark session with the settings that the engine was measured with (ENGINE.md)."""

import logging
import os
import socket
import subprocess  # nosec B404 # only the type of what Spark has started
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit
from uuid import uuid4

from pyspark import SparkContext
from pyspark.sql import SparkSession

from streaming.spark import fork_server
from streaming.spark.class_archive import archive_options, java_program
from streaming.spark.errors import PunctualError
from streaming.spark.fork_server import start_fork_server
from streaming.spark.memory import LIMIT_VARIABLE, SESSION_VARIABLE

NO_JAVA = (
    "Java was not found. Install a Java 17 runtime (for example the package openjdk-17-jre-headless), "
    "or set JAVA_HOME to one, then start again."
)

_COMPILER: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # Almost all work is done in Python, so the JVM's second compiler costs more than it saves: 25 s of a core until
    # the twelfth small batch with it, 12 s without, and the batches are shorter.
    "spark.executor.extraJavaOptions": _COMPILER,
    "spark.hadoop.fs.permissions.umask-mode": "077",  # else its checkpoints are open to all, whatever the umask
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
    # The planner waits for something to do by itself (patience.py) before it says that there is nothing.
    "spark.sql.streaming.pollingDelay": "50ms",
    # On local files the default manager starts processes (readlink) for each path that it renames.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.minBatchesToRetain": "20",
    "spark.sql.streaming.numRecentProgressUpdates": "5",
    "spark.sql.streaming.stopTimeout": "30s",
}


HEAP_MB: Final = 2_048
"""The largest heap of the JVM, where nothing is said."""
METASPACE_MB: Final = 512
"""Of the JVM, for classes beside those of the archive: 23 MB after four queries (2026-11-23), and each adds some."""
LOOPBACK: Final = "127.0.0.1"
WORKER_PYTHON: Final = Path(__file__).with_name("worker_python.sh")
_HANDED_ON: Final = ("PYTHONPATH", "POLARS_MAX_THREADS", "ENGINE_PYTHON", LIMIT_VARIABLE, SESSION_VARIABLE)
"""What of the environment executors on other machines have too; where a run's secrets are asked for is not in it."""


def is_local(master: str) -> bool:
    """Whether `master` (Spark's word for where it runs) is the JVM of the session, with no executors."""
    return master == "local" or master.startswith("local[")


def driver_host(master: str) -> str:
    """The address of this machine at which the executors of `master` reach it."""
    there = urlsplit(master.removeprefix("k8s://")).hostname
    if master.startswith("local") or there in {LOOPBACK, "localhost", "::1"}:
        return LOOPBACK
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect((there or socket.getfqdn(), 1))  # sends nothing: the system says which way it would go
            return str(line.getsockname()[0])
        except OSError:
            return socket.getfqdn()


def jvm_mb(heap_mb: int) -> int:
    """All that the JVM of a session with such a heap may have: its options limit all but the last part of it.

    As much again beside the heap, for what it reads and writes (Arrow, the network); classes; compiled code, threads.
    """
    return 2 * heap_mb + METASPACE_MB + 256


def start_session(
    master: str = "local[2]",
    settings: Mapping[str, str] | None = None,
    *,
    make_archive: bool = False,
    heap_mb: int = HEAP_MB,
) -> SparkSession:
    """The session of this process at `master`, with `settings` above those of the engine.

    `make_archive`: where there is no class archive yet, the JVM writes it when it ends, which takes it some seconds.
    `heap_mb`: the largest heap of the JVM, by which what it has beside the heap is limited too.

    Planners and workers use the interpreter that calls; with executors on other machines it must be there at the same
    path. Raises `PunctualError` when there is no Java.
    """
    if java_program() is None:
        raise PunctualError(NO_JAVA, domain="user")
    os.environ["ENGINE_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = str(WORKER_PYTHON)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    os.environ[SESSION_VARIABLE] = uuid4().hex
    forks = start_fork_server()
    if forks is not None:
        os.environ[fork_server.VARIABLE] = forks
    host = driver_host(master)
    os.environ.setdefault("SPARK_LOCAL_IP", host)
    _let_workers_import_punctual()
    builder = SparkSession.builder.master(master).appName("punctual")
    limits = f"-XX:MaxDirectMemorySize={heap_mb}m -XX:MaxMetaspaceSize={METASPACE_MB}m"
    driver = {
        "spark.driver.memory": f"{heap_mb}m",
        "spark.driver.extraJavaOptions": f"{_COMPILER} {limits} {archive_options(make=make_archive)}".strip(),
    }
    for name, value in {**SETTINGS, **driver, **_settings_at(master, host), **(settings or {})}.items():
        builder = builder.config(name, value)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    session: SparkSession = builder.getOrCreate()
    if is_local(master):
        write_checksums(session, wanted=False)
    return session


def write_checksums(session: SparkSession, *, wanted: bool) -> None:
    """Whether Hadoop writes a file of checksums beside each local file, in the JVM of `session`.

    Without its native library it starts `chmod` for each file, so they are half of the processes of a small batch.
    """
    spark = cast(Any, session)
    files = spark._jvm.org.apache.hadoop.fs.FileSystem
    files.get(spark._jvm.java.net.URI("file:///"), spark._jsc.hadoopConfiguration()).setWriteChecksum(wanted)


def end_session(session: SparkSession) -> None:
    """Stop `session` and wait until its JVM has ended: until then it is a process of whoever started it."""
    java: subprocess.Popen[bytes] = cast(Any, session.sparkContext)._gateway.proc
    session.stop()
    with java:
        pass  # it ends when its standard input does


def has_java(session: SparkSession) -> bool:
    """Whether the JVM of `session` lives."""
    java: subprocess.Popen[bytes] = cast(Any, session.sparkContext)._gateway.proc
    return java.poll() is None


def is_started() -> bool:
    """Whether this process has a session: the active one is known to the thread that started it alone."""
    return SparkContext._active_spark_context is not None


def cores_of(session: SparkSession) -> int:
    """How many tasks the master of `session` runs at a time: n of `local[n]`."""
    return int(session.sparkContext.defaultParallelism)


def _settings_at(master: str, host: str) -> dict[str, str]:
    found = {"spark.driver.bindAddress": host, "spark.driver.host": host}
    if not is_local(master):
        found |= {f"spark.executorEnv.{name}": os.environ[name] for name in _HANDED_ON if name in os.environ}
    return found


def _let_workers_import_punctual() -> None:
    """Workers start in Spark's folder: without this they import `streaming` only where it is installed."""
    here = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH", "")
    if here not in known.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in (here, known) if part)
