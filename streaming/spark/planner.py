"""What the next batch does: commands taken, lanes moved on, inputs ended; a function of the offset and the world."""

import time
from collections.abc import Callable
from dataclasses import replace

from streaming.spark.adapter_queries import AdapterQueries
from streaming.spark.layout import HOLD, CarrierFolder
from streaming.spark.manifests import failed_in, rows_read_in
from streaming.spark.next_offset import NextOffset
from streaming.spark.offset import Offset
from streaming.spark.token_bucket import TICKS_PER_S, Allowance, read_rate


def wall_clock() -> int:
    """Now, in ticks."""
    return time.time_ns() // 1_000


class Planner:
    """Plans the batches of one carrier in the driver's planner process; a restart misses nothing that it remembers."""

    def __init__(self, carrier: CarrierFolder, now: Callable[[], int] = wall_clock) -> None:
        self._carrier = carrier
        self._now = now
        self._seen: int | None = None
        self._time = 0
        self._planned_at = 0
        self._ended: tuple[int, int] | None = None
        self._asked: tuple[int, int | None] = (-1, None)
        self._more_waits = True
        self._read_in: tuple[int, int | None] | None = None
        self._inquiries = AdapterQueries(carrier.settings.read_deadline_s)

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there is nothing to do."""
        tick = self._look_at_the_clock(start)
        rested = self._rested(start, tick)
        newest = max(self._carrier.control.newest(), start.control)
        if self._carrier.folder.read(HOLD) is not None:
            return start
        allowance = self._allowance(start, tick)
        if newest == start.control and not (self._more_waits or rested >= self._pause(start)):
            return start
        self._inquiries.begin()
        draft = NextOffset.after(self._carrier, start, tick, self._inquiries)
        for key in failed_in(self._carrier.folder, start.n):
            draft.set_aside(key)
        draft.refuse_other_routing()
        for entry in range(start.control + 1, newest + 1):
            if draft.busy_with(entry):
                newest = entry - 1
                break
            draft.obey(entry)
        draft.read_on(allowance)
        draft.beat(int(self._carrier.settings.heartbeat_s * TICKS_PER_S))
        self._more_waits = draft.more_waits
        if newest == start.control and not draft.turns and not draft.moved:
            return start
        self._planned_at = self._time
        after = Offset(draft.batch, tick, newest, draft.carried, draft.parked, tuple(draft.turns))
        return after if allowance is None else replace(after, spare=allowance.without(after.planned_rows))

    def _look_at_the_clock(self, start: Offset) -> int:
        """The tick of a batch that is planned now; it notes how much time has passed, also where a clock was set back.

        Without this, nothing would be read until a clock that was set back has come again to the newest tick.
        """
        now = self._now()
        self._time += max(0, now - (now if self._seen is None else self._seen))
        self._seen = now
        return max(now, start.tick + 1)

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
        passed = max(self._time - self._planned_at, tick - start.tick)
        return Allowance.at(per_second, start.spare + more * TICKS_PER_S, passed)

    def _rested(self, start: Offset, tick: int) -> int:
        """How long no batch has run, in ticks: since this was first asked for one after `start`.

        A new process has not seen the batch before end, and counts from its planning.
        """
        if self._ended is None:
            self._ended = (start.n, self._time - (tick - start.tick))
        elif self._ended[0] != start.n:
            self._ended = (start.n, self._time)
        return self._time - self._ended[1]

    def _pause(self, start: Offset) -> int:
        """How long the carrier rests between two batches, in ticks: as long as its most impatient binding lets it."""
        if self._asked[0] != start.n:
            specs = [self._carrier.control.added(item.entry).spec for item in start.carried.values()]
            asked = [spec.freshness for spec in specs if spec.freshness is not None]
            self._asked = (start.n, min(asked, default=None))
        most = int(self._carrier.settings.min_interval_s * TICKS_PER_S)
        return most if self._asked[1] is None else min(most, self._asked[1])
