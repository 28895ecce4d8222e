"""Files of an unfinished attempt, which are removed before the batch is attempted again.

Spark writes the state of batch b as version b + 1 and leaves existing files alone, because it assumes that all
attempts are equal. Ours may leave out a failed binding (attempts.py). Without this room's cleanup, the binding's state
of the failed attempt would return at the next load.
Spark writes its log to hidden files and renames them. A hidden file that a full disk or a kill left in the log of the
first batch would make Spark refuse the checkpoint: "should be empty on batch 0".
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession

_VERSION: Final = re.compile(r"([0-9]+)(?:_[0-9A-Za-z_-]+)?\.(?:changelog|zip|delta|snapshot)")
_HIDDEN: Final = re.compile(r"\..*\.tmp")


def remove_unfinished_files(session: SparkSession, checkpoint: str) -> int:
    """Remove hidden files and the state of the batch after the last committed one; return the number of removed files.

    An attempt writes no later version, so files of later versions stay: they mean another problem. No query may run
    on `checkpoint`. Raises `OSError` if it is a folder of this machine.
    """
    files = _LocalFiles() if re.match(r"[a-z][a-z0-9+.-]*:", checkpoint) is None else _HadoopFiles(session)
    committed = list(files.of(f"{checkpoint}/commits"))
    attempted = max((int(name) for _, name in committed if name.isdigit()), default=-1) + 2
    states = files.of(f"{checkpoint}/state")
    gone = [path for path, name in states if _version(name) == attempted or _HIDDEN.fullmatch(name)]
    logged = [*committed, *files.of(f"{checkpoint}/offsets")]
    gone += [path for path, name in logged if _HIDDEN.fullmatch(name)]
    for path in gone:
        files.remove(path)
    return len(gone)


def _version(name: str) -> int:
    found = _VERSION.fullmatch(name)
    return 0 if found is None else int(found[1])


class _LocalFiles:
    """Files of this machine."""

    def of(self, folder: str) -> Iterator[tuple[str, str]]:
        """Yield path and name of each file at any depth; the folder may be missing."""
        for path, _, names in os.walk(folder):
            yield from ((f"{path}/{name}", name) for name in names)

    def remove(self, path: str) -> None:
        """Delete the file."""
        Path(path).unlink()


class _HadoopFiles:
    """Files of a file system for which Spark has a connector."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def of(self, folder: str) -> Iterator[tuple[str, str]]:
        """Yield path and name of each file at any depth; the folder may be missing."""
        system, path = self._at(folder)
        found = system.listFiles(path, True) if system.exists(path) else None
        while found is not None and found.hasNext():
            each = found.next().getPath()
            yield each.toString(), each.getName()

    def remove(self, path: str) -> None:
        """Delete the file."""
        system, there = self._at(path)
        system.delete(there, False)

    def _at(self, place: str) -> tuple[Any, Any]:
        path = self._session._jvm.org.apache.hadoop.fs.Path(place)  # type: ignore[union-attr]
        return path.getFileSystem(self._session._jsc.hadoopConfiguration()), path
