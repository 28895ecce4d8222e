"""A planner that blocks until there is work, so that Spark does not have to poll again and again.

Each call from Spark costs its JVM time, a process border and a full check. Here a check of a few file names is enough,
until a command comes or a binding is due.
"""

import time
from collections.abc import Callable, Hashable
from math import inf
from pathlib import Path
from typing import Final, Protocol

from streaming.spark.planning.poll_schedule import FRESHNESS
from streaming.spark.planning.token_bucket import RATE
from streaming.spark.query.layout import HOLD, CarrierFolder
from streaming.spark.query.offset import Offset
from streaming.spark.session.task_places import TaskPlaces
from streaming.storage.backup_hold import hold_file

AT_MOST_S: Final = 10.0
"""After this time the planner answers that there is nothing to do, and Spark asks again."""
LOOK_S: Final = 0.1
QUIET_LOOK_S: Final = 0.25
SHORTEST_S: Final = 0.02
REMOTE_LOOK_S: Final = 0.5
"""The intervals between checks for commands of the driver: while there is work, after AT_MOST_S without work, the
shortest one, and the one on an object store, where each check costs two requests."""


class BatchPlanner(Protocol):
    """The planner of batches (streaming.spark.planning.planner)."""

    def plan(self, start: Offset) -> Offset:
        """Return the offset of the batch after `start`; `start` itself when there is nothing to do."""

    @property
    def next_look_s(self) -> float | None:
        """Seconds until a binding is due, after `plan` had nothing to do; None: no binding is ever due."""


class BlockingPlanner:
    """Calls `planner` when there may be work. The first call returns at once, so that Spark finishes its start.

    A planned batch is returned when there are `places` for its tasks; the next call means that the batch has finished.
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
        """Return the offset of the batch after `start`; `start` itself if there was nothing to do for some seconds."""
        until = self._monotonic() + (AT_MOST_S if self._asked else 0)
        self._asked = True
        if self._planned is not None and self._planned[0] == start.n:
            return self._await_places(start, self._planned[1], until)
        if self._places is not None:
            self._places.give_back()
        while True:
            seen = self._driver_state()
            after = self._planner.plan(start)
            if after is not start or self._carrier.held:
                self._quiet = False
                return self._await_places(start, after, until)
            if not self._rest(seen, until):
                self._quiet = True
                return start

    def _await_places(self, start: Offset, after: Offset, until: float) -> Offset:
        """Return `after` once its tasks have places; `start` if no places are free by `until`, or nothing may start."""
        if self._places is None or after is start:
            return after
        self._planned = start.n, after
        while (held := self._carrier.held) or not self._places.take():
            if held or self._monotonic() >= until:
                return start
            self._wait(LOOK_S)
        self._planned = None
        return after

    def _rest(self, seen: Hashable, until: float) -> bool:
        """Wait until a binding is due or the driver writes something; return False if neither happens by `until`."""
        in_s = self._planner.next_look_s
        due = inf if in_s is None else self._monotonic() + in_s
        look_s = max(self._look_s, QUIET_LOOK_S) if self._quiet else self._look_s
        while (now := self._monotonic()) < until:
            self._wait(max(SHORTEST_S, min(look_s, until - now, due - now)))
            if self._monotonic() >= due or self._driver_state() != seen:
                return True
        return False

    def _driver_state(self) -> Hashable:
        """Return a value that changes as soon as the driver writes anything into the carrier's folder."""
        here, newest = self._carrier.local, self._carrier.control.newest()
        if here is None:
            return newest, tuple(sorted(self._carrier.folder.tags("").items()))
        files = (*(here / name for name in (HOLD, RATE, FRESHNESS)), hold_file(self._carrier.root))
        return newest, *map(_file_state, files)


def _file_state(file: Path) -> tuple[int, int] | None:
    """Return a value that distinguishes a file from the previous one (files are replaced whole); None: no file."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
