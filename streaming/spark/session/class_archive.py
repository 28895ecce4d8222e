"""An archive of Spark's classes for the JVM: mapped, and shared by all JVMs of the machine, instead of parsed again.

A JVM with the option `-XX:ArchiveClassesAtExit` writes it at its end. Java ignores an archive that is damaged or of
another Java. It contains code, so it is in a folder that only its user may write.
`class_loading.py` makes it.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyspark

_QUIET: Final = "-Xlog:disable -Xlog:all=error:stderr"
"""Otherwise Java prints on standard output which classes an archive lacks, and why it could not use one."""
_UNUSED_S: Final = 30 * 24 * 3600.0
_MAGIC: Final = (0xF00BABA8).to_bytes(4, sys.byteorder)
"""The first bytes of an archive. Java writes them last, so a file without them is unfinished."""


def java_program() -> Path | None:
    """Return the Java that Spark starts; None if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return (Path(home) / "bin" / "java").resolve()
    found = shutil.which("java")
    return None if found is None else Path(found).resolve()


def archive_place(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the path of the archive for this Java and this Spark; None if this user has no private folder for it."""
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
    """Return True if `archive` is complete, and this user wrote it."""
    try:
        with archive.open("rb") as file:
            return os.fstat(file.fileno()).st_uid == os.getuid() and file.read(4) == _MAGIC
    except OSError:
        return False


def archive_options(*, make: bool) -> str:
    """Return the JVM options that use the archive, or, with `make` and without an archive, that write it at the end."""
    place = archive_place()
    if place is None:
        return ""
    if is_whole(place):
        os.utime(place)
        return f"-XX:SharedArchiveFile={place} -Xshare:auto {_QUIET}"
    return f"-XX:ArchiveClassesAtExit={place} {_QUIET}" if make else ""


def delete_unused_archives(folder: Path) -> None:
    """Remove archives that no session has used for long: their Java, or their place of Spark, no longer exists."""
    for archive in folder.glob("spark-classes-*.jsa"):
        if time.time() - archive.stat().st_mtime > _UNUSED_S:
            archive.unlink(missing_ok=True)
