"""What the next batch does: commands taken, lanes moved on, inputs ended; a function of the offset and the world."""

import time
from collections.abc import Callable
from dataclasses import replace

from streaming.spark.draft import Draft
from streaming.spark.layout import HOLD, CarrierFolder
from streaming.spark.manifests import failed_in, rows_read_in
from streaming.spark.offset import Offset
from streaming.spark.rate import TICKS_PER_S, Allowance, read_rate


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
        self._read_in: tuple[int, int | None] | None = None

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there is nothing to do."""
        tick = max(self._now(), start.tick + 1)
        newest = max(self._carrier.control.newest(), start.control)
        if self._carrier.folder.read(HOLD) is not None:
            return start
        allowance = self._allowance(start, tick)
        if newest == start.control and not self._due(tick, allowance):
            return start
        draft = Draft.after(self._carrier, start, tick)
        for key in failed_in(self._carrier.folder, start.n):
            draft.set_aside(key)
        for entry in range(start.control + 1, newest + 1):
            draft.obey(entry)
        draft.read_on(allowance)
        self._more_waits = draft.more_waits
        if newest == start.control and not draft.turns and not draft.moved:
            return start
        self._planned_at = tick
        after = Offset(start.n + 1, tick, newest, draft.carried, draft.parked, tuple(draft.turns))
        return after if allowance is None else replace(after, spare=allowance.without(after.planned_rows))

    def _allowance(self, start: Offset, tick: int) -> Allowance | None:
        """What may be read now; the batch before is charged by the rows that it read, for some positions hold many."""
        per_second = read_rate(self._carrier.folder)
        if per_second is None:
            return None
        if start.spare is None:
            return Allowance.at(per_second, None, 0)
        if self._read_in is None or self._read_in[0] != start.n:
            self._read_in = (start.n, rows_read_in(self._carrier.folder, start.n))
        read = self._read_in[1]
        more = 0 if read is None else start.planned_rows - read
        return Allowance.at(per_second, start.spare + more * TICKS_PER_S, tick - start.tick)

    def _due(self, tick: int, allowance: Allowance | None) -> bool:
        if allowance is not None and not allowance.worth_reading:
            return False
        interval = int(self._carrier.settings.min_interval_s * TICKS_PER_S)
        return self._more_waits or tick - self._planned_at >= interval
