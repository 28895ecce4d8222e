"""A Spark session with the settings with which the engine was measured (ENGINE.md)."""

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

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from streaming.spark.errors import EngineGone, PunctualError
from streaming.spark.session import fork_server
from streaming.spark.session.class_archive import archive_options, java_program
from streaming.spark.session.fork_server import start_fork_server
from streaming.spark.session.memory import LIMIT_VARIABLE, SESSION_VARIABLE

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
    "spark.hadoop.fs.permissions.umask-mode": "077",  # else everybody can read its checkpoints, whatever the umask
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
    # The planner itself waits for work (blocking_planner.py) before it answers that nothing is to do.
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
"""The default for the largest heap of the JVM."""
METASPACE_MB: Final = 512
"""For classes outside the archive: 23 MB after four queries (2026-11-23), and each further query adds some."""
ENDS_WITHIN_S: Final = 5.0
"""The time for a JVM that was asked to end: it stops its queries first, so their errors come before its end."""
LOOPBACK: Final = "127.0.0.1"
_STOPPED_CONTEXT: Final = ("SparkContext was shut down", "stopped SparkContext", "SparkContext has been shutdown")
WORKER_PYTHON: Final = Path(__file__).with_name("worker_python.sh")
_HANDED_ON: Final = ("PYTHONPATH", "POLARS_MAX_THREADS", "ENGINE_PYTHON", LIMIT_VARIABLE, SESSION_VARIABLE)
"""The environment variables that executors on other machines get too; the address for secrets is not one of them."""


def is_local(master: str) -> bool:
    """Return True if `master` (Spark's setting of where to run) is the JVM of the session, with no executors."""
    return master == "local" or master.startswith("local[")


def driver_host(master: str) -> str:
    """Return the address at which the executors of `master` can connect to this machine."""
    there = urlsplit(master.removeprefix("k8s://")).hostname
    if master.startswith("local") or there in {LOOPBACK, "localhost", "::1"}:
        return LOOPBACK
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect((there or socket.getfqdn(), 1))  # sends nothing: it only asks the system for the route
            return str(line.getsockname()[0])
        except OSError:
            return socket.getfqdn()


def jvm_mb(heap_mb: int) -> int:
    """Return the maximum memory of the JVM of a session with this heap; its options limit all but the last part.

    The parts are the heap; as much again for input and output (Arrow, the network); classes; compiled code and threads.
    """
    return 2 * heap_mb + METASPACE_MB + 256


def start_session(
    master: str = "local[2]",
    settings: Mapping[str, str] | None = None,
    *,
    make_archive: bool = False,
    heap_mb: int = HEAP_MB,
) -> SparkSession:
    """Start or return the session of this process at `master`; `settings` override those of the engine.

    `make_archive`: if there is no class archive yet, the JVM writes it when it ends, which takes some seconds.
    `heap_mb`: the largest heap of the JVM; it also limits the memory next to the heap.

    Planners and workers use the interpreter of the caller; executors on other machines need it at the same path. Raises
    `PunctualError` when there is no Java.
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
    """Set if Hadoop writes a file of checksums next to each local file, in the JVM of `session`.

    Without its native library Hadoop starts `chmod` for each file, so checksums are half of the processes of a small
    batch.
    """
    spark = cast(Any, session)
    files = spark._jvm.org.apache.hadoop.fs.FileSystem
    files.get(spark._jvm.java.net.URI("file:///"), spark._jsc.hadoopConfiguration()).setWriteChecksum(wanted)


def end_session(session: SparkSession) -> None:
    """Stop `session` and wait until its JVM has ended: until then it remains a child process of the caller."""
    java: subprocess.Popen[bytes] = cast(Any, session.sparkContext)._gateway.proc
    if java.poll() is None:
        session.stop()
    with java:
        pass  # it ends when its standard input does


def has_java(session: SparkSession) -> bool:
    """Return True if the JVM of `session` lives."""
    java: subprocess.Popen[bytes] = cast(Any, session.sparkContext)._gateway.proc
    return java.poll() is None


def raise_if_engine_ends(session: SparkSession, error: Exception) -> None:
    """Raise `EngineGone` if `error` comes from the end of the JVM of `session`."""
    broken = isinstance(error, Py4JError | OSError) and not isinstance(error, Py4JJavaError)
    stopped = any(mark in str(error) for mark in _STOPPED_CONTEXT)
    if (broken or stopped) and _ends(session):
        raise EngineGone from error


def _ends(session: SparkSession) -> bool:
    """Return true when the JVM of `session` has ended, or ends within ENDS_WITHIN_S."""
    java: subprocess.Popen[bytes] = cast(Any, session.sparkContext)._gateway.proc
    try:
        java.wait(ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def is_started() -> bool:
    """Return True if this process has a session; Spark's active session is visible to a single thread only."""
    return SparkContext._active_spark_context is not None


def cores_of(session: SparkSession) -> int:
    """Return how many tasks the master of `session` runs at a time: n of `local[n]`."""
    return int(session.sparkContext.defaultParallelism)


def _settings_at(master: str, host: str) -> dict[str, str]:
    found = {"spark.driver.bindAddress": host, "spark.driver.host": host}
    if not is_local(master):
        found |= {f"spark.executorEnv.{name}": os.environ[name] for name in _HANDED_ON if name in os.environ}
    return found


def _let_workers_import_punctual() -> None:
    """Add this program to PYTHONPATH: workers start in Spark's folder, and `streaming` may not be installed."""
    here = str(Path(__file__).resolve().parents[3])
    known = os.environ.get("PYTHONPATH", "")
    if here not in known.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in (here, known) if part)
