"""Waiting for something to do inside the planner, so that Spark does not have to ask again and again.

Each question of Spark costs its JVM, a process border and a look at everything; here a look at a few files' names is
enough, until a command comes or somebody's time has.
"""

import time
from collections.abc import Callable, Hashable
from math import inf
from pathlib import Path
from typing import Final, Protocol

from streaming.spark.layout import HOLD, CarrierFolder
from streaming.spark.looks import FRESHNESS
from streaming.spark.offset import Offset
from streaming.spark.task_places import TaskPlaces
from streaming.spark.token_bucket import RATE

AT_MOST_S: Final = 10.0
"""After so long Spark is told that there is nothing to do, and asks again."""
LOOK_S: Final = 0.1
QUIET_LOOK_S: Final = 0.25
SHORTEST_S: Final = 0.02
REMOTE_LOOK_S: Final = 0.5
"""How often it is seen whether the driver has said anything: while there is work, when there was none for AT_MOST_S,
and on an object store, where each time costs two requests; and how soon at most."""


class BatchPlanner(Protocol):
    """Who plans batches (streaming.spark.planner)."""

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there is nothing to do."""

    @property
    def next_look_s(self) -> float | None:
        """In how many seconds somebody is due, after `plan` had nothing to do; None: nobody ever is."""


class PatientPlanner:
    """Asks `planner` when it may have something to do. The first time it answers at once: Spark has come so far.

    What was planned is answered once there are `places` for its tasks; when it is asked again, that batch is over.
    """

    def __init__(
        self,
        carrier: CarrierFolder,
        planner: BatchPlanner,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        places: TaskPlaces | None = None,
    ) -> None:
        self._carrier = carrier
        self._planner = planner
        self._monotonic = monotonic
        self._wait = wait
        self._look_s = REMOTE_LOOK_S if carrier.local is None else LOOK_S
        self._asked = False
        self._quiet = False
        self._places = places
        self._planned: tuple[int, Offset] | None = None

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there was nothing to do for some seconds."""
        until = self._monotonic() + (AT_MOST_S if self._asked else 0)
        self._asked = True
        if self._planned is not None and self._planned[0] == start.n:
            return self._placed(start, self._planned[1], until)
        if self._places is not None:
            self._places.give_back()
        while True:
            heard = self._heard()
            after = self._planner.plan(start)
            if after is not start or self._carrier.folder.read(HOLD) is not None:
                self._quiet = False
                return self._placed(start, after, until)
            if not self._rest(heard, until):
                self._quiet = True
                return start

    def _placed(self, start: Offset, after: Offset, until: float) -> Offset:
        """`after` once there are places for its tasks; `start` where there are none by `until`, or it is to stop."""
        if self._places is None or after is start:
            return after
        self._planned = start.n, after
        while not self._places.take():
            held = self._carrier.folder.read(HOLD) is not None
            if held or self._monotonic() >= until:
                return start
            self._wait(LOOK_S)
        self._planned = None
        return after

    def _rest(self, heard: Hashable, until: float) -> bool:
        """Wait until somebody is due or the driver says something; False if neither came by `until`."""
        in_s = self._planner.next_look_s
        due = inf if in_s is None else self._monotonic() + in_s
        look_s = max(self._look_s, QUIET_LOOK_S) if self._quiet else self._look_s
        while (now := self._monotonic()) < until:
            self._wait(max(SHORTEST_S, min(look_s, until - now, due - now)))
            if self._monotonic() >= due or self._heard() != heard:
                return True
        return False

    def _heard(self) -> Hashable:
        """Something else as soon as the driver has written anything into the carrier's folder."""
        here, newest = self._carrier.local, self._carrier.control.newest()
        if here is None:
            return newest, tuple(sorted(self._carrier.folder.tags("").items()))
        return newest, *(_written(here / name) for name in (HOLD, RATE, FRESHNESS))


def _written(file: Path) -> tuple[int, int] | None:
    """What tells a file from the one before, each of which is put in its place whole; None where there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
