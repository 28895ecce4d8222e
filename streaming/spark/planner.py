"""What the next batch does: commands taken, lanes moved on, inputs ended; a function of the offset and the world."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from streaming.spark.adapter_queries import AdapterQueries
from streaming.spark.layout import HOLD, CarrierFolder
from streaming.spark.looks import SOON, LookTimes, TimesOfBindings, WatchedBinding, read_freshness
from streaming.spark.manifests import ManifestHead, read_head
from streaming.spark.next_offset import NextOffset
from streaming.spark.offset import Offset
from streaming.spark.token_bucket import TICKS_PER_S, Allowance, read_rates


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
        self._before = ManifestHead()
        self._looks = LookTimes(int(carrier.settings.eager_s * TICKS_PER_S))
        self._quiet: dict[WatchedBinding, int] = {}
        self._wanted: dict[WatchedBinding, int] = {}
        self._inquiries = AdapterQueries(carrier.settings.read_deadline_s, carrier.settings.patience_s)

    def plan(self, start: Offset) -> Offset:
        """The offset of the batch after `start`; `start` itself when there is nothing to do."""
        tick = self._look_at_the_clock(start)
        newest = max(self._carrier.control.newest(), start.control)
        if self._carrier.folder.read(HOLD) is not None:
            return start
        if self._before.n != start.n:
            self._before = read_head(self._carrier.folder, start.n)
        self._wanted = self._freshness(start)
        due = self._looks.due(self._wanted, self._time)
        if newest == start.control and not due:
            return start
        allowances = self._allowances(start, tick)
        draft, newest = self._drafted(start, tick, newest)
        self._read(draft, due, allowances)
        planned = newest != start.control or draft.has_work
        self._remember(draft, planned=planned)
        if not planned:
            return start
        self._planned_at = self._time
        after = Offset(draft.batch, tick, newest, draft.carried, draft.parked, tuple(draft.turns))
        if not allowances:
            return after
        rows = after.planned_rows(self._carrier.organisation_of)
        spares = {name: each.without(rows.get(name, 0)) for name, each in allowances.items()}
        return replace(after, spare=spares.pop("", None), spares=spares)

    @property
    def next_look_s(self) -> float | None:
        """In how many seconds of its clock somebody is due, after `plan` had nothing to do; None: nobody ever is."""
        at = self._looks.next_at(self._wanted)
        return None if at is None else max(0, at - self._time) / TICKS_PER_S

    def _drafted(self, start: Offset, tick: int, newest: int) -> tuple[NextOffset, int]:
        """The batch with its commands, and the last of these that it takes."""
        self._inquiries.begin()
        draft = NextOffset.after(self._carrier, start, tick, self._inquiries)
        for key in self._before.failed:
            draft.set_aside(key)
        draft.refuse_other_routing()
        for entry in range(start.control + 1, newest + 1):
            if draft.busy_with(entry):
                return draft, entry - 1
            draft.obey(entry)
        draft.leave_outdated()
        return draft, newest

    def _read(self, draft: NextOffset, due: Collection[WatchedBinding], allowances: Mapping[str, Allowance]) -> None:
        """Read what waits for those that are due, and then, if there is a batch, for those that go along with it.

        Under a limit all are asked at once, so that it is shared evenly.
        """
        new = {WatchedBinding.of(item) for item in draft.carried.values()} - self._wanted.keys()
        first = {*due, *new}
        along = self._looks.along(self._wanted, self._time) - first
        times = TimesOfBindings(self._before.dues, self._quiet)
        limited = allowances or self._carrier.settings.batch_rows is not None
        for who in (first | along,) if limited else (first, along):
            names = {each.binding for each in who}
            draft.read_on(names, allowances)
            draft.beat(names, int(self._carrier.settings.heartbeat_s * TICKS_PER_S), times)
            if not draft.has_work:
                return

    def _remember(self, draft: NextOffset, *, planned: bool) -> None:
        """When who was looked at, who had nothing, and whom to ask again."""
        carried = {name: WatchedBinding.of(item) for name, item in draft.carried.items()}
        asked = {carried[name] for name in draft.looked & carried.keys()}
        self._looks.looked(asked, self._time)
        unread = {carried[name] for name in draft.again & carried.keys()}
        silent = {carried[name] for name in self._unanswered(draft)}
        self._looks.again(unread, self._time if planned else self._time + SOON)
        self._looks.again(silent, self._time + SOON)
        self._looks.keep(carried.values())
        waiting = {carried[name] for name, item in draft.carried.items() if item.before is None}
        quiet = asked & waiting - unread - silent
        known = {who: tick for who, tick in self._quiet.items() if who in waiting}
        self._quiet = known | dict.fromkeys(quiet, draft.tick)

    def _unanswered(self, draft: NextOffset) -> set[str]:
        """The bindings whose adapters have not answered."""
        open_ = self._inquiries.unanswered
        return {name for name, item in draft.carried.items() if open_ & {name, item.key}}

    def _freshness(self, start: Offset) -> dict[WatchedBinding, int]:
        """How long each carried binding may wait between two looks: as was said last, as its run says, as is usual."""
        said = read_freshness(self._carrier.folder)
        usual = int(self._carrier.settings.min_interval_s * TICKS_PER_S)
        found = {}
        for item in start.carried.values():
            if item.key in self._before.failed:
                continue  # the next batch sets it aside
            own = self._carrier.control.added(item.entry).spec.freshness
            found[WatchedBinding.of(item)] = said.get(item.binding, usual if own is None else own)
        return found

    def _look_at_the_clock(self, start: Offset) -> int:
        """The tick of a batch that is planned now; it notes how much time has passed, also where a clock was set back.

        Without this, nothing would be read until a clock that was set back has come again to the newest tick.
        """
        now = self._now()
        self._time += max(0, now - (now if self._seen is None else self._seen))
        self._seen = now
        return max(now, start.tick + 1)

    def _allowances(self, start: Offset, tick: int) -> dict[str, Allowance]:
        """What may be read now, of the organisations that have a limit.

        The batch before is charged by the rows that it read, for some positions hold many.
        """
        rates = read_rates(self._carrier.folder)
        if not rates:
            return {}
        read = self._before.read
        planned = {} if read is None else start.planned_rows(self._carrier.organisation_of)
        passed = max(self._time - self._planned_at, tick - start.tick)
        spares = start.spares if start.spare is None else {**start.spares, "": start.spare}
        found = {}
        for name, per_second in rates.items():
            more = 0 if read is None else planned.get(name, 0) - read.get(name, 0)
            spare = spares[name] + more * TICKS_PER_S if name in spares else None
            found[name] = Allowance.at(per_second, spare, 0 if spare is None else passed)
        return found
