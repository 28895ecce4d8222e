"""The carriers of an organisation: the shared one, common to all organisations of a pool, and dedicated ones.

A pool has a second shared one, for bindings that delayed all others in the first one (`slow_bindings`).

A run that needs another carrier than the one with its binding's state waits for a move: a savepoint in the old carrier,
then a start with it in the new one. State that doesn't fit is discarded with a message
(streaming.spark.planning.batch_plan_builder).
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from streaming.runtime.carriers.carrier import BindingMove, BrokenCarrier, CarrierLike, FleetMember
from streaming.runtime.carriers.incidents import FleetIncidents
from streaming.runtime.carriers.leaving import PoolLeave
from streaming.runtime.carriers.locations import MAIN, NOWHERE, BindingLocations
from streaming.runtime.carriers.rate_split import CarrierNeed, shares
from streaming.runtime.carriers.recorded_columns import RecordedColumns
from streaming.runtime.carriers.slow_bindings import FIRST_S, SlowBindings
from streaming.spark.errors import DamagedCheckpoint, PunctualError
from streaming.spark.query.binding import needs_second_stage
from streaming.spark.query.layout import SETTINGS_FILE, is_aside
from streaming.spark.query.manifests import Manifest, RunChange
from streaming.storage.result_location import result_folder
from streaming.storage.results import committed_batches
from streaming.wire.binding_homes import CARRIERS, apart_in
from streaming.wire.keys import OWN
from streaming.wire.messages import BESIDE, RunSpec

log = logging.getLogger(__name__)

TWO_STAGES: Final = ".2"
"""The suffix of the carrier's name for a dedicated binding whose plan needs a second stage."""
START_MAY_TAKE_S: Final = 60.0
"""The next query starts after this time at the latest, even if the previous one doesn't plan yet."""
DIVIDED_EVERY_S: Final = 5.0
"""The interval for dividing the limit again while the same carriers run."""


class Fleet:
    """Opens carriers on demand, in `folder` of the organisation; no method waits for a batch."""

    def __init__(
        self,
        opening: Callable[[str], CarrierLike],
        folder: Path,
        monotonic: Callable[[], float],
        pool: str | None = None,
        apart_s: float = FIRST_S,
    ) -> None:
        """`opening` opens a carrier by name: a shared one, or that of a dedicated binding (`carrier_of`).

        In the runner of `pool` the shared carrier has the name `pool`, the second one `binding_homes.apart_in`. There,
        `main` is the old shared carrier of the organisation's own runner, if it had one: it carries no run any more,
        and bindings move from it. `apart_s`: `SlowBindings.first_s`.
        """
        self._shared = MAIN if pool is None else pool
        self._common = (MAIN,) if pool is None else (pool, apart_in(pool))
        self._slow = SlowBindings(monotonic, apart_s)
        self._desired: Mapping[str, RunSpec] = {}
        self._stops: dict[str, tuple[bool, bool]] = {}
        self._opening = opening
        self._folder = folder
        self._monotonic = monotonic
        self._homes = BindingLocations(folder / CARRIERS)
        self._members: dict[str, FleetMember] = {}
        self._placed: dict[str, str] = {}
        self.incidents = FleetIncidents(self._members, self._placed)
        self._unanswered: dict[str, tuple[str, str]] = {}
        self._moves: dict[str, BindingMove] = {}
        self._repairs: dict[str, tuple[str, str | None]] = {}
        self._leaves: dict[str, PoolLeave] = {}
        self._wanted: dict[str, tuple[RunSpec, str]] = {}
        self._divided: tuple[float, int | None, frozenset[tuple[str, int]]] | None = None
        self._columns = RecordedColumns(folder)

    def carrier_of(self, spec: RunSpec) -> str:
        """Return the carrier for `spec`. A carrier's number of stages is fixed, so a binding may have two carriers."""
        if not spec.dedicated:
            return self._common[-1 if spec.binding in self._slow else 0]
        known = self._wanted.get(spec.binding)
        if known is None or known[0] != spec:
            known = spec, spec.binding + (TWO_STAGES if needs_second_stage(spec) else "")
            self._wanted[spec.binding] = known
        return known[1]

    def resume(self) -> dict[str, str]:
        """Open all existing carriers; return binding to run, as in their control logs."""
        existing = (path.parent.name for path in (self._folder / CARRIERS).glob(f"*/{SETTINGS_FILE}"))
        carried: dict[str, str] = {}
        for name in sorted({*self._common, *(each for each in existing if not is_aside(each))}):
            member = self._member(name)
            try:
                self._resume(member, carried)
            except DamagedCheckpoint as damage:
                member.break_down(damage)
        for binding in self._homes.at(self._common[-1]) if self.pooled else ():
            self._slow.send(binding)
        return carried

    def _resume(self, member: FleetMember, carried: dict[str, str]) -> None:
        """Add the runs of `member` to `carried`."""
        name, answered = member.name, member.carrier.last_runs()
        for manifest in member.carrier.manifests_after(0):
            self._note(member, manifest)
        for binding, run in member.carrier.commanded().items():
            last = answered.get(run)
            if last is not None and self._was_slow(name, last):
                self._slow.send(binding)
                continue
            if last is None or (last.state != "failed" and self._homes.enters(binding, name)):
                self._unanswered[binding] = (name, run)
            if name == MAIN != self._shared:
                member.carrier.stop(binding, flush=False)
                continue
            carried[binding] = run
            self._placed[binding] = name

    def last_runs(self) -> dict[str, RunChange]:
        """Return the last change of each run in its binding's home carrier, without runs that continue apart."""
        changes: dict[str, RunChange] = {}
        for name, member in self._members.items():
            for run, change in member.carrier.last_runs().items():
                if run not in changes or self._homes.of(change.binding) == name:
                    changes[run] = change
                if self._was_slow(name, change) and changes[run] is change:
                    del changes[run]
        return changes

    def plans(self, binding: str) -> bool:
        """Return whether the query that carries `binding` plans batches."""
        name = self._placed.get(binding)
        return name is not None and self._members[name].carrier.ready

    def planned_runs(self) -> Iterator[Mapping[str, RunChange]]:
        """Yield the last changes of runs of each carrier that has planned since its start."""
        for member in self._members.values():
            if member.carrier.planned:
                yield member.carrier.last_runs()

    def restarted(self) -> set[str]:
        """Return the bindings whose query ended and hasn't planned again since: it will be, or was, started again."""
        again = {
            name for name, member in self._members.items() if (member.tried or member.died) and not member.carrier.ready
        }
        return {binding for binding, name in self._placed.items() if name in again}

    def manifests(self) -> Iterator[tuple[str, Manifest]]:
        """Yield the manifests since the last call, each with its carrier."""
        for name, member in list(self._members.items()):
            for manifest in member.manifests():
                self._note(member, manifest)
                yield name, manifest
        try:
            self._homes.keep()
        except OSError:
            log.exception("the carriers of bindings could not be recorded; for a while the manifests contain them too")

    def continues_elsewhere(self, name: str, change: RunChange) -> bool:
        """Return whether a run that failed in carrier `name`, because it was slow, continues in another carrier."""
        spec, slow = self._desired.get(change.binding), self._was_slow(name, change)
        move = self._moves.get(change.binding)
        if move is not None and not slow and move.ends_with(name, change):
            del self._moves[change.binding]  # it can't be moved at all
        if not slow or spec is None or (spec.run, spec.desired) != (change.run, "running"):
            return slow and spec is None
        log.warning(
            "run %s continues in the second carrier of its pool: %s",
            change.run,
            (change.message or "").partition(". ")[0],
        )
        self._slow.send(change.binding)
        self._bring_over(spec, name)
        return True

    def _was_slow(self, name: str, change: RunChange) -> bool:
        two = change.binding.endswith(BESIDE) or f"{change.binding}{BESIDE}" in self._placed  # they stay together
        return self.pooled and name == self._shared and change.state == "failed" and change.slow and not two

    def add(self, spec: RunSpec) -> None:
        """Carry `spec` in its carrier; move its binding's state there first."""
        self._leaves.clear()  # a started leave is cancelled: its savepoints are outdated
        self._columns.record(spec)
        self._slow.begin_again(spec.binding)
        self._stops.pop(spec.binding, None)
        if spec.beside:
            self._begin(spec)
            return
        binding, wanted = spec.binding, self.carrier_of(spec)
        unanswered, home = self._unanswered.get(binding), self._homes.home(binding)
        if unanswered is None and home.savepoint is not None:
            self._begin(spec, home.savepoint)
            return
        there = home.name if unanswered is None else unanswered[0]
        fresh = unanswered is None and not committed_batches(result_folder(self._folder).within(spec.results))
        if fresh or there in (wanted, NOWHERE):
            self._begin(spec)
            return
        self._bring_over(spec, there)

    def _bring_over(self, spec: RunSpec, there: str) -> None:
        log.info("binding %s moves from carrier %s to %s", spec.binding, there, self.carrier_of(spec))
        live = self._placed.pop(spec.binding, None) == there
        self._moves[spec.binding] = BindingMove(spec, there, live=live)

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> bool:
        """Stop carrying `binding`; return whether a manifest will report the stop: not if it wasn't carried yet.

        With `discard` its state is discarded where it is carried; the next run ignores state elsewhere.
        """
        move = self._moves.get(binding)
        if move is not None and move.live:
            self._stops[binding] = (flush, discard)  # in its new carrier, so that its state is flushed or discarded
            return True
        if self._moves.pop(binding, None) is not None:
            return False
        if binding in self._placed and binding.endswith(BESIDE):
            self._members[self._placed[binding]].carrier.forget(binding)  # the change of version is cancelled
        elif binding in self._placed:
            self._members[self._placed[binding]].carrier.stop(binding, flush=flush, discard=discard)
        return True

    def freshen(self, desired: Mapping[str, RunSpec]) -> None:
        """Set the desired freshness of all carried bindings."""
        self._desired = desired
        self._columns.record_all(desired)
        for name, member in self._members.items():
            mine = {binding: spec for binding, spec in desired.items() if self._placed.get(binding) == name}
            member.freshen({each: spec.freshness for each, spec in mine.items() if spec.freshness is not None})

    def repair(self, desired: Mapping[str, RunSpec]) -> None:
        """Let carried runs emit the rows of their desired repairs."""
        for binding, spec in desired.items():
            wanted = (spec.run, spec.repair)
            if spec.repair is None or spec.desired != "running" or self._repairs.get(binding) == wanted:
                continue
            if binding in self._placed:
                self._members[self._placed[binding]].carrier.repair(binding, spec.run, spec.repair)
                self._repairs[binding] = wanted

    def limit(self, events_per_second: int | None, needs: Mapping[str, CarrierNeed]) -> None:
        """Divide the organisation's limit over the carriers with runs; None: no limit."""
        now, who = self._monotonic(), frozenset((name, need.bindings) for name, need in needs.items())
        if self._divided is not None:
            divided, limit, same = self._divided
            if (limit, same) == (events_per_second, who) and now - divided < DIVIDED_EVERY_S:
                return
        self._divided = (now, events_per_second, who)
        if events_per_second is None:
            for member in self._members.values():
                member.limit(None)
        for name, part in shares(events_per_second or 0, needs or {self._shared: CarrierNeed(1)}).items():
            self._member(name).limit(None if events_per_second is None else part)

    def uphold(self, active: Collection[str]) -> list[BrokenCarrier]:
        """Continue moves, start the queries that `active` bindings need, one at a time, and close unneeded ones.

        Returns carriers whose query stopped and is closed; the caller reads their last manifests, then calls `left_by`.
        """
        now = self._monotonic()
        self._bring_back(active)
        for move in list(self._moves.values()):
            self._continue_move(move)
        self._stop_arrived()
        needed = {self._placed[binding] for binding in active if binding in self._placed}
        needed |= {move.source for move in self._moves.values()} | self._leaves.keys()
        broken = []
        for member in list(self._members.values()):
            failure = member.failed(now)
            if failure is not None:
                broken.append(BrokenCarrier(member.name, failure))
            member.rest(now, needed=member.name in needed)
        down = {each.name for each in broken}
        waiting = [each for each in self._members.values() if each.name in needed - down and not each.carrier.running]
        may_start = not any(each.starting and now - each.started < START_MAY_TAKE_S for each in self._members.values())
        for member in [each for each in waiting if each.not_before <= now][: int(may_start)]:
            failure = member.start(now)
            if failure is not None:
                broken.append(BrokenCarrier(member.name, failure))
        return broken

    def left_by(self, broken: BrokenCarrier) -> set[str]:
        """Return the bindings in that carrier, or waiting for it; drop commands that it hasn't answered by now."""
        waited = {binding for binding, move in self._moves.items() if move.source == broken.name}
        for binding in waited:
            del self._moves[binding]
        for binding, (name, _) in list(self._unanswered.items()):
            if name == broken.name:
                del self._unanswered[binding]
        return waited | {binding for binding, name in self._placed.items() if name == broken.name}

    @property
    def place(self) -> str:
        """The name of this runner among those that may carry the organisation's runs (`keys.place`)."""
        return self._shared if self.pooled else OWN

    @property
    def pooled(self) -> bool:
        """True if the shared carrier is that of a pool."""
        return self._shared != MAIN

    def leave(self) -> bool:
        """Move all state out of the pool's carriers, for the next runner; return whether that is done.

        No run is desired any more. It may be called any number of times, also by a successor. Raises `OSError`.
        """
        if not self.pooled:
            return True
        waits = {binding for binding, (name, _) in self._unanswered.items() if name in self._common}
        return not [name for name in self._common if not self._leave_carrier(name, waits)]

    def _leave_carrier(self, name: str, waits: Set[str]) -> bool:
        carrier = self._member(name).carrier
        if name != self._shared and not carrier.list_bindings() and not self._homes.at(name):
            return True  # its query isn't needed
        leave = self._leaves.setdefault(name, PoolLeave(self._folder, name, self._homes))
        return leave.turn(carrier, waits)

    @property
    def quiet(self) -> bool:
        """True if no batch of its own carriers is in flight."""
        return all(member.carrier.quiet for member in self._members.values())

    def compact(self) -> None:
        """Merge or delete some old batches. Raises `OSError`."""
        for member in self._members.values():
            member.carrier.compact()

    def close(self) -> None:
        """Finish all current batches, then stop all queries."""
        with ThreadPoolExecutor(max_workers=max(1, len(self._members))) as together:
            list(together.map(lambda member: member.carrier.close(), self._members.values()))

    def _member(self, name: str) -> FleetMember:
        if name not in self._members:
            rests = name != self._shared
            self._members[name] = FleetMember(name, self._opening(name), rests=rests, needed=self._monotonic())
        return self._members[name]

    def _begin(self, spec: RunSpec, path: str | None = None) -> None:
        name = self.carrier_of(spec)
        if spec.beside:
            name = self._placed.get(spec.binding, name)
        member = self._member(name)
        if self.pooled and name in self._common and not spec.beside:
            self._homes.enter(spec.binding, name, path)  # before any command: from now on no other runner may start it
        if path is None:
            member.carrier.add(spec)
        else:
            member.carrier.add(spec, from_savepoint=path, moving=True)
            self.incidents.carried(spec.run, name, self._common)
        self._placed[spec.carried_as] = name
        self._repairs.pop(spec.carried_as, None)  # an earlier command may have arrived while it wasn't carried
        self._unanswered[spec.carried_as] = (name, spec.run)

    def _bring_back(self, active: Collection[str]) -> None:
        for binding in self._slow.due():  # they ran apart for long enough without an error
            here = self._placed.get(binding) == self._common[-1] and binding not in self._unanswered
            wanted = self._desired.get(binding)
            here = here and f"{binding}{BESIDE}" not in self._placed
            if here and binding in active and wanted is not None and wanted.desired == "running":
                self._slow.come_back(binding)
                self._bring_over(wanted, self._common[-1])

    def _stop_arrived(self) -> None:
        for binding in self._stops.keys() - self._moves.keys() - self._unanswered.keys():
            flush, discard = self._stops.pop(binding)
            self._members[self._placed[binding]].carrier.stop(binding, flush=flush, discard=discard)

    def _continue_move(self, move: BindingMove) -> None:
        binding = move.spec.binding
        waits_for, _ = self._unanswered.get(binding, (None, None))
        if waits_for == move.source:
            return  # its last command has to take effect first
        source = self._member(move.source).carrier
        if move.path is None:
            move.path = source.savepoint(binding, moving=True)
        try:
            if not source.saved(move.path):
                return
        except PunctualError:  # it has no state there
            home = self._homes.of(binding)
            if home not in (move.source, self.carrier_of(move.spec)):
                move.source, move.path = home, None
                return
            move.path = self._homes.home(binding).savepoint  # that carrier hasn't loaded its savepoint
        del self._moves[binding]
        self._begin(move.spec, move.path)

    def _note(self, member: FleetMember, manifest: Manifest) -> None:
        for change in manifest.changes:
            if self._unanswered.get(change.binding) == (member.name, change.run):
                del self._unanswered[change.binding]
            if change.state != "failed" and not change.binding.endswith(BESIDE):
                self._homes.note(change.binding, member.name, manifest.batch)
            else:
                self._slow.begin_again(change.binding)
