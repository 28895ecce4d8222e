"""Places for the tasks of some queries of a session, so that those that wait in theirs take none from the others.

Spark gives its tasks out first in, first out: a query whose reading hangs waits in as many of them as it has
partitions, and whoever comes next has fewer. So the session of a pool has places beside those of its shared carriers,
and a dedicated query has its share of these before one of its batches begins, until that is over. A place is a lock on
a file: it is free again when the planner that holds it has ended, however that came.
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
"""A batch that Spark repeats waits so long for its places; then its query ends, and is tried again later."""
_TURN: Final = "turn"


def lay_out(folder: Path, places: int) -> None:
    """Let there be so many places in `folder`; nobody holds any."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name in (_TURN, *map(str, range(places))):
        (folder / name).touch()


class TaskPlaces:
    """Those of one query, which has `wanted` tasks at a time; where there are fewer in all, it takes all of them."""

    def __init__(self, folder: Path, wanted: int) -> None:
        every = sorted(each for each in folder.iterdir() if each.name != _TURN)
        self._turn = folder / _TURN
        self._every = every
        self._wanted = min(wanted, len(every))
        self._waits: int | None = None
        self._held: dict[Path, int] = {}

    @property
    def held(self) -> bool:
        """Whether its batch may begin."""
        return len(self._held) == self._wanted

    def take(self) -> bool:
        """Take what is free; whether that is enough. Who was here first keeps what it has until it has enough."""
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
        """Take them, as soon as there are enough. Raises `NoPlaceForTasks` after PATIENCE_S, and once it is `over`."""
        until = monotonic() + PATIENCE_S
        while not self.take():
            if over() or monotonic() >= until:
                self.give_back()
                raise NoPlaceForTasks
            pause(LOOK_S)

    def give_back(self) -> None:
        """Hold none, and wait for none."""
        for each in (*self._held.values(), *(() if self._waits is None else (self._waits,))):
            os.close(each)
        self._held, self._waits = {}, None


def _locked(file: Path) -> int | None:
    """`file`, opened and locked; None while another holds it."""
    found = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(found)
        return None
    return found
