"""Journals of adapters where the carrier is on an object store: each process has a copy of its own on its machine.

An adapter journals in a folder (file lists, when a generator started, the copy of a download). The planner alone
adds to it, in `latest`; what it added is on the store before the offset that counts on it is in Spark's log. Workers
look at the store before they read.
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
from streaming.spark.layout import CarrierFolder
from streaming.wire.arrived import Arrived
from streaming.wire.storage import BlobFolder, LocalFolder, Tag

_PREFIX: Final = "punctual-journals-"
_PIECE_BYTES: Final = 4 << 20


def journaling(carrier: CarrierFolder, name: str, build: Callable[[Path], InputAdapter]) -> InputAdapter:
    """The adapter that `build` makes of the folder in which it journals, kept as `name` in the folder of `carrier`."""
    if carrier.local is not None:
        return build(carrier.local / name)
    place = sha256(f"{carrier.location}\n{name}".encode()).hexdigest()[:32]
    mirror = Mirror(carrier.folder, name, _of_process(os.getpid()) / place)
    return MirroredAdapter(build(mirror.path), mirror)


class Mirror:
    """The copy at `path` of the blobs `<name>/*` of `folder`."""

    def __init__(self, folder: BlobFolder, name: str, path: Path) -> None:
        self.path = path
        self._folder = folder
        self._name = name
        self._files = LocalFolder(path)
        self._there: dict[str, Tag] = {}
        self._here: dict[str, Tag] = {}

    def pull(self) -> None:
        """Bring the copy to what the store has; what only the copy has goes. Raises `OSError`."""
        there = dict(self._folder.tags(self._name))
        for blob in [blob for blob, tag in there.items() if self._there.get(blob) != tag]:
            content = self._folder.read(f"{self._name}/{blob}")
            if content is not None:
                self._files.write(blob, content)
        for blob in self._files.tags("").keys() - there.keys():
            self._files.remove(blob)
        self._there, self._here = there, dict(self._files.tags(""))

    def push(self) -> None:
        """Bring to the store what was written to the copy since. Raises `OSError`."""
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
    """`inner`, which journals in the copy of `mirror`."""

    kind: ClassVar[str] = "mirrored"

    def __init__(self, inner: InputAdapter, mirror: Mirror) -> None:
        self._inner = inner
        self._mirror = mirror
        self._pulled = False

    def lanes(self) -> Sequence[str]:
        """Those of `inner`."""
        return self._inner.lanes()

    def latest(self, start: Mapping[str, Position], *, now: int, limit_rows: int) -> Mapping[str, Position]:
        """What `inner` says, once the store has what it journaled for that. Raises `AdapterError`, `OSError`."""
        self._pull_once()
        found = self._inner.latest(start, now=now, limit_rows=limit_rows)
        self._mirror.push()
        return found

    def finished(self, positions: Mapping[str, Position]) -> bool:
        """What `inner` says. Raises `AdapterError`, `OSError`."""
        self._pull_once()
        return self._inner.finished(positions)

    def read(self, lane: str, start: Position, end: Position) -> Iterator[Arrived]:
        """What `inner` reads by what the store has now. Raises `AdapterError`, `OSError`."""
        self._mirror.pull()
        return self._inner.read(lane, start, end)

    def __getattr__(self, name: str) -> Any:
        """What some adapters can do beyond the contract."""
        return getattr(self._inner, name)

    def _pull_once(self) -> None:
        """The planner alone writes, so that it needs to look only when it begins."""
        if not self._pulled:
            self._mirror.pull()
            self._pulled = True


@lru_cache(maxsize=1)
def _of_process(process: int) -> Path:
    """The folder for copies of `process`, which is this one; those of processes that are gone are removed."""
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_PREFIX}*"):
        found = re.match(rf"{_PREFIX}(\d+)-", left.name)
        if found is not None and not psutil.pid_exists(int(found[1])):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{process}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
