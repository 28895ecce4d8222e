"""The planner of the next batch: commands to apply, lanes to advance, inputs to end."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from streaming.spark.planning.adapter_queries import AdapterQueries
from streaming.spark.planning.batch_plan_builder import BatchPlanBuilder
from streaming.spark.planning.poll_schedule import SOON, PollSchedule, TimesOfBindings, WatchedBinding, read_freshness
from streaming.spark.planning.token_bucket import TokenBucket, read_rates
from streaming.spark.query.layout import CarrierFolder
from streaming.spark.query.manifests import ManifestHead, read_head
from streaming.spark.query.offset import Offset
from streaming.temporal.ticks import TICKS_PER_S


def wall_clock() -> int:
    """Return the current time in ticks."""
    return time.time_ns() // 1_000


class Planner:
    """Plans the batches of one carrier in the driver's planner process. Its memory may be lost at a restart."""

    def __init__(self, carrier: CarrierFolder, now: Callable[[], int] = wall_clock) -> None:
        self._carrier = carrier
        self._now = now
        self._seen: int | None = None
        self._time = 0
        self._planned_at = 0
        self._before = ManifestHead()
        self._looks = PollSchedule(int(carrier.settings.eager_s * TICKS_PER_S))
        self._quiet: dict[WatchedBinding, int] = {}
        self._wanted: dict[WatchedBinding, int] = {}
        self._inquiries = AdapterQueries(carrier.settings.read_deadline_s, carrier.settings.patience_s)

    def plan(self, start: Offset) -> Offset:
        """Return the offset of the batch after `start`; `start` itself when there is nothing to do."""
        tick = self._read_clock(start)
        newest = max(self._carrier.control.newest(), start.control)
        if self._carrier.held:
            return start
        if self._before.n != start.n:
            self._before = read_head(self._carrier.folder, start.n)
        self._wanted = self._freshness(start)
        due = self._looks.due(self._wanted, self._time)
        if newest == start.control and not due:
            return start
        allowances = self._allowances(start, tick)
        draft, newest = self._draft(start, tick, newest)
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
        """Seconds of its clock until a binding is due, after `plan` had nothing to do; None: no binding is ever due."""
        at = self._looks.next_at(self._wanted)
        return None if at is None else max(0, at - self._time) / TICKS_PER_S

    def _draft(self, start: Offset, tick: int, newest: int) -> tuple[BatchPlanBuilder, int]:
        """Return the draft of the batch with its commands, and the last entry that it applies."""
        self._inquiries.begin()
        draft = BatchPlanBuilder.after(self._carrier, start, tick, self._inquiries)
        for key in self._before.failed:
            draft.set_aside(key)
        for key in self._before.failed_after:
            draft.park(key)
        draft.refuse_other_routing()
        for entry in range(start.control + 1, newest + 1):
            if draft.busy_with(entry):
                return draft, entry - 1
            draft.apply_command(entry)
        draft.drop_outdated()
        return draft, newest

    def _read(
        self, draft: BatchPlanBuilder, due: Collection[WatchedBinding], allowances: Mapping[str, TokenBucket]
    ) -> None:
        """Read the waiting rows of due bindings; if that makes a batch, also those of bindings that are due soon.

        Under a row limit all are polled at once, so that the limit is shared evenly.
        """
        new = {WatchedBinding.of(item) for item in draft.carried.values()} - self._wanted.keys()
        first = {*due, *new}
        along = self._looks.along(self._wanted, self._time) - first
        times = TimesOfBindings(self._before.dues, self._quiet)
        limited = allowances or self._carrier.settings.batch_rows is not None
        for who in (first | along,) if limited else (first, along):
            names = {each.binding for each in who}
            draft.read_on(names, allowances)
            draft.advance_time(names, int(self._carrier.settings.heartbeat_s * TICKS_PER_S), times)
            if not draft.has_work:
                return

    def _remember(self, draft: BatchPlanBuilder, *, planned: bool) -> None:
        """Record which bindings were polled, which had nothing to read, and which to poll again."""
        carried = {name: WatchedBinding.of(item) for name, item in draft.carried.items()}
        asked = {carried[name] for name in draft.polled & carried.keys()}
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

    def _unanswered(self, draft: BatchPlanBuilder) -> set[str]:
        """Return the bindings whose adapters have not answered."""
        open_ = self._inquiries.unanswered
        return {name for name, item in draft.carried.items() if open_ & {name, item.key}}

    def _freshness(self, start: Offset) -> dict[WatchedBinding, int]:
        """Return the poll interval of each carried binding: the driver's, else that of its run, else the default."""
        chosen = read_freshness(self._carrier.folder)
        usual = int(self._carrier.settings.min_interval_s * TICKS_PER_S)
        found = {}
        for item in start.carried.values():
            if item.key in self._before.failed or item.key in self._before.failed_after:
                continue  # the next batch sets it aside
            found[WatchedBinding.of(item)] = chosen.get(item.binding, self._own_freshness(item.entry, usual))
        return found

    def _own_freshness(self, entry: int, usual: int) -> int:
        try:
            own = self._carrier.control.added(entry).spec.freshness
        except (LookupError, ValueError):
            return usual  # the next batch fails the binding for that
        return usual if own is None else own

    def _read_clock(self, start: Offset) -> int:
        """Return the tick of a batch planned now, and record the time that has passed, even if the clock was set back.

        Otherwise nothing would be read until a clock that was set back reaches the newest tick again.
        """
        now = self._now()
        self._time += max(0, now - (now if self._seen is None else self._seen))
        self._seen = now
        return max(now, start.tick + 1)

    def _allowances(self, start: Offset, tick: int) -> dict[str, TokenBucket]:
        """Return the rows that may be read now, for each organisation with a limit.

        The previous batch is charged by its rows, not its positions, because a position may hold many rows.
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
            found[name] = TokenBucket.at(per_second, spare, 0 if spare is None else passed)
        return found
