"""Places for the tasks of some queries of a session, so that waiting queries cannot block the others.

Spark runs tasks first in, first out: a query whose reading hangs blocks as many task slots as it has partitions, and
later queries have fewer. So the session of a pool has places in addition to those of its shared carriers. A dedicated
query takes its share of them before a batch starts, and returns them when the batch is over. A place is a lock on a
file: it is free again when the planner that holds it ends, in whatever way.
"""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from streaming.spark.errors import NoPlaceForTasks

LOOK_S: Final = 0.1
PATIENCE_S: Final = 60.0
"""A repeated batch waits this long for its places; then its query ends, and is retried later."""
_TURN: Final = "turn"


def lay_out(folder: Path, places: int) -> None:
    """Create this many places in `folder`, all of them free."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in _numbered(folder):
        old.unlink()
    for name in (_TURN, *map(str, range(places))):
        (folder / name).touch()


class TaskPlaces:
    """The places of one query with `wanted` tasks at a time; if there are fewer in total, it takes them all."""

    def __init__(self, folder: Path, wanted: int) -> None:
        every = _numbered(folder)
        self._turn = folder / _TURN
        self._every = every
        self._wanted = min(wanted, len(every))
        self._waits: int | None = None
        self._held: dict[Path, int] = {}

    @property
    def held(self) -> bool:
        """True if its batch may start."""
        return len(self._held) == self._wanted

    def take(self) -> bool:
        """Take the free places; return True if they suffice. The first query keeps what it has until they do."""
        if self.held:
            return True
        if self._waits is None:
            self._waits = _locked(self._turn)
        if self._waits is None:
            return False
        for place in self._every:
            found = None if self.held or place in self._held else _locked(place)
            if found is not None:
                self._held[place] = found
        if self.held:
            os.close(self._waits)
            self._waits = None
        return self.held

    def wait(
        self,
        over: Callable[[], bool],
        monotonic: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Wait for enough places and take them. Raises `NoPlaceForTasks` after PATIENCE_S, or once `over` is true."""
        until = monotonic() + PATIENCE_S
        while not self.take():
            if over() or monotonic() >= until:
                self.give_back()
                raise NoPlaceForTasks
            pause(LOOK_S)

    def give_back(self) -> None:
        """Hold no places, and wait for none."""
        for each in (*self._held.values(), *(() if self._waits is None else (self._waits,))):
            os.close(each)
        self._held, self._waits = {}, None


def _numbered(folder: Path) -> list[Path]:
    """Return the places in `folder`; files with other names are not ours."""
    return sorted(each for each in folder.iterdir() if each.name.isascii() and each.name.isdigit())


def _locked(file: Path) -> int | None:
    """Return `file`, opened and locked; None while another process holds it."""
    found = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(found)
        return None
    return found
