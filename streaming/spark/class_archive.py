"""An archive of Spark's classes for the JVM: mapped, and shared by all JVMs of the machine, instead of parsed anew.

Java makes it when a JVM ends that was told to (`-XX:ArchiveClassesAtExit`), and ignores one that is damaged or of
another Java. It is code, so it lies in a folder that only its user may write.

`python -m streaming.spark.class_archive` makes it, if there is none, by running a small query.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_QUIET: Final = "-Xlog:disable -Xlog:all=error:stderr"
"""Java says on standard output what it left out of an archive, and why it could not use one."""
_UNUSED_S: Final = 30 * 24 * 3600.0
_MAGIC: Final = (0xF00BABA8).to_bytes(4, sys.byteorder)
"""Begins an archive. Java writes it last, so a file without it is being made, or never was finished."""


def java_program() -> Path | None:
    """The Java that Spark starts; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return (Path(home) / "bin" / "java").resolve()
    found = shutil.which("java")
    return None if found is None else Path(found).resolve()


def archive_place(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where the archive of this Java and this Spark belongs; None where this user has no folder of their own for it."""
    java = java_program()
    home = environment.get("XDG_CACHE_HOME") or (environment.get("HOME") and f"{environment['HOME']}/.cache")
    if java is None or not home:
        return None
    folder = Path(home) / "punctual"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        known, program = folder.stat(), java.stat()
    except OSError:
        return None
    if known.st_uid != os.getuid() or known.st_mode & 0o022:
        return None
    of = f"{java} {program.st_size} {program.st_mtime_ns} {pyspark.__version__} {pyspark.__file__}"
    return folder / f"spark-classes-{hashlib.sha256(of.encode()).hexdigest()[:16]}.jsa"


def is_whole(archive: Path) -> bool:
    """Whether `archive` was written to its end, by this user."""
    try:
        with archive.open("rb") as file:
            return os.fstat(file.fileno()).st_uid == os.getuid() and file.read(4) == _MAGIC
    except OSError:
        return False


def archive_options(*, make: bool) -> str:
    """What to tell the JVM: to use the archive, or, with `make` where there is none, to write it when it ends."""
    place = archive_place()
    if place is None:
        return ""
    if is_whole(place):
        os.utime(place)
        return f"-XX:SharedArchiveFile={place} -Xshare:auto {_QUIET}"
    return f"-XX:ArchiveClassesAtExit={place} {_QUIET}" if make else ""


def main() -> int:
    """Make the archive, if there is none: run a query as runners do, then let its JVM write what it has loaded."""
    from streaming.spark.errors import PunctualError

    place = archive_place()
    if place is None or is_whole(place):
        return 0
    _forget_unused(place.parent)
    try:
        _run_something()
    except PunctualError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0 if is_whole(place) else 1


def _forget_unused(folder: Path) -> None:
    """Remove archives that no session has used for long: those of a Java, or a place of Spark, that is no more."""
    for archive in folder.glob("spark-classes-*.jsa"):
        if time.time() - archive.stat().st_mtime > _UNUSED_S:
            archive.unlink(missing_ok=True)


def _run_something() -> None:
    from streaming.spark.session import end_session, start_session

    session = start_session(make_archive=True)
    load_all(session)
    end_session(session)  # the JVM writes the archive


def load_all(session: "SparkSession") -> None:
    """Have `session` load what queries load, by running a small one to its end. Raises `PunctualError`.

    The first query of a session took 4.3 s to its first batch, the next one 1.1 s (2 cores, 2026-11-26).
    """
    from streaming.spark.layout import CarrierSettings
    from streaming.spark.local_run import run_to_end
    from streaming.wire.messages import RunSpec

    with tempfile.TemporaryDirectory(prefix="engine-classes-") as folder:
        home = Path(folder).resolve()
        run_to_end(
            session, [(RunSpec.model_validate(SPEC), "flush")], home / "carrier", CarrierSettings(home=str(home))
        )


SPEC: Final[Mapping[str, Any]] = {
    "organisation": "classes",
    "binding": "classes",
    "run": "classes",
    "desired": "running",
    "query": {
        "version": 1,
        "name": "classes",
        "nodes": [
            {"id": "cars", "kind": "input", "stream": "cars"},
            {
                "id": "windows",
                "kind": "window",
                "input": "cars",
                "window": {"kind": "tumbling", "size": "10s"},
                "aggregates": [{"name": "n", "function": "count"}],
            },
            {"id": "out", "kind": "output", "input": "windows"},
        ],
    },
    "inputs": {
        "cars": {
            "stream": {"shape": "point", "fields": {"plate": "string"}, "advance": {"preset": "watermark(5s)"}},
            "adapter": {"kind": "generator", "options": {"total_rows": 100, "rate": 1_000_000}},
        }
    },
    "results": "results",
}
"""A run that loads what runs load."""


if __name__ == "__main__":
    sys.exit(main())
