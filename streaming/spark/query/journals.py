"""Journals of adapters of a carrier on an object store: each process has its own copy on its machine.

An adapter journals in a folder (file lists, the start time of a generator, the copy of a download). Only the planner
adds to it, in `latest`. Its additions are in the store before Spark logs the offset that depends on them. Workers
check the store before they read.
"""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final

import psutil

from streaming.adapters.contract import InputAdapter, Position
from streaming.spark.query.layout import CarrierFolder
from streaming.storage.blobs import BlobFolder, LocalFolder, Tag
from streaming.wire.rows.arrived import Arrived

_PREFIX: Final = "punctual-journals-"
_PIECE_BYTES: Final = 4 << 20


def history_journal(name: str) -> str:
    """Return the journal of the history of the input whose journal is `name`."""
    return f"{name}~history"


def seam_journal(name: str) -> str:
    """Return the place of the seam of the input whose journal is `name`."""
    return f"{name}~seam"


def journals_of_input(name: str) -> tuple[str, ...]:
    """Return all journals of the input whose journal is `name`."""
    return name, history_journal(name), seam_journal(name)


def journaling(carrier: CarrierFolder, name: str, build: Callable[[Path], InputAdapter]) -> InputAdapter:
    """Return the adapter that `build` makes for its journal folder, stored as `name` in the folder of `carrier`."""
    if carrier.local is not None:
        return build(carrier.local / name)
    place = sha256(f"{carrier.location}\n{name}".encode()).hexdigest()[:32]
    mirror = Mirror(carrier.folder, name, _of_process(os.getpid()) / place)
    return MirroredAdapter(build(mirror.path), mirror)


class Mirror:
    """A copy, at `path`, of the blobs `<name>/*` of `folder`."""

    def __init__(self, folder: BlobFolder, name: str, path: Path) -> None:
        self.path = path
        self._folder = folder
        self._name = name
        self._files = LocalFolder(path)
        self._there: dict[str, Tag] = {}
        self._here: dict[str, Tag] = {}

    def pull(self) -> None:
        """Make the copy equal to the store; files that only the copy has are removed. Raises `OSError`."""
        there = dict(self._folder.tags(self._name))
        for blob in [blob for blob, tag in there.items() if self._there.get(blob) != tag]:
            content = self._folder.read(f"{self._name}/{blob}")
            if content is not None:
                self._files.write(blob, content)
        for blob in self._files.tags("").keys() - there.keys():
            self._files.remove(blob)
        self._there, self._here = there, dict(self._files.tags(""))

    def push(self) -> None:
        """Upload the files of the copy that have changed since the last pull or push. Raises `OSError`."""
        here = dict(self._files.tags(""))
        changed = [blob for blob, tag in here.items() if self._here.get(blob) != tag]
        for blob in changed:
            writing = self._folder.writing(f"{self._name}/{blob}")
            with (self.path / blob).open("rb") as file:
                writing.add(iter(lambda: file.read(_PIECE_BYTES), b""))
            writing.finish()
        if changed:
            self._there, self._here = dict(self._folder.tags(self._name)), here


class MirroredAdapter:
    """The adapter `inner`, which journals in the copy of `mirror`."""

    kind: ClassVar[str] = "mirrored"

    def __init__(self, inner: InputAdapter, mirror: Mirror) -> None:
        self._inner = inner
        self._mirror = mirror
        self._pulled = False

    def lanes(self) -> Sequence[str]:
        """Return the lanes of `inner`."""
        return self._inner.lanes()

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """Return the answer of `inner`, once its journal is in the store. Raises `AdapterError`, `OSError`."""
        self._pull_once()
        found = self._inner.latest(start, now=now, limit_rows=limit_rows)
        self._mirror.push()
        return found

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """Return the answer of `inner`. Raises `AdapterError`, `OSError`."""
        self._pull_once()
        return self._inner.finished(positions)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """Read with `inner`, from the journal in the store. Raises `AdapterError`, `OSError`."""
        self._mirror.pull()
        return self._inner.read(lane, start, end)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that only some adapters have, outside the contract."""
        return getattr(self._inner, name)

    def _pull_once(self) -> None:
        """Pull before the first use only: the planner is the only writer."""
        if not self._pulled:
            self._mirror.pull()
            self._pulled = True


@lru_cache(maxsize=1)
def _of_process(process: int) -> Path:
    """Return the folder for copies of `process`, which is this one; remove folders of processes that are gone."""
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_PREFIX}*"):
        found = re.match(rf"{_PREFIX}(\d+)-", left.name)
        if found is not None and not psutil.pid_exists(int(found[1])):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{process}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
