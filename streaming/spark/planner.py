"""What the next batch does: commands taken, lanes moved on, inputs ended; a function of the offset and the world."""

import time
from collections.abc import Callable

from streaming.spark.draft import Draft
from streaming.spark.layout import HOLD, CarrierFolder
from streaming.spark.manifests import failed_in
from streaming.spark.offset import Offset

TICKS_PER_S = 1_000_000


def wall_clock() -> int:
    """Now, in ticks."""
    return time.time_ns() // 1_000


class Planner:
    """Plans the batches of one carrier in the driver's planner process; a restart misses nothing that it remembers."""

    def __init__(self, carrier: CarrierFolder, now: Callable[[], int] = wall_clock) -> None:
        self._carrier = carrier
        self._now = now
        self._planned_at = 0
        self._more_waits = True

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there is nothing to do."""
        tick = max(self._now(), start.tick + 1)
        newest = max(self._carrier.control.newest(), start.control)
        if self._carrier.folder.read(HOLD) is not None or (newest == start.control and not self._due(tick)):
            return start
        draft = Draft.after(self._carrier, start, tick)
        for key in failed_in(self._carrier.folder, start.n):
            draft.set_aside(key)
        for entry in range(start.control + 1, newest + 1):
            draft.obey(entry)
        draft.read_on()
        self._more_waits = draft.more_waits
        if newest == start.control and not draft.turns and not draft.moved:
            return start
        self._planned_at = tick
        return Offset(start.n + 1, tick, newest, draft.carried, draft.parked, tuple(draft.turns))

    def _due(self, tick: int) -> bool:
        interval = int(self._carrier.settings.min_interval_s * TICKS_PER_S)
        return self._more_waits or tick - self._planned_at >= interval
