"""The shared carrier of a pool, and the share of it that each organisation sees: only its own bindings.

Manifests are read once and divided. The query belongs to the pool: it starts when any organisation needs it, is retried
like that of any carrier, and its failure is reported to every organisation.
"""

import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from streaming.runtime.carriers.carrier import FleetMember, PooledCarrierLike
from streaming.spark.errors import RunFailure
from streaming.spark.query.manifests import MANIFESTS_KEPT, Manifest, RunChange
from streaming.spark.session.memory import WorkerDeath
from streaming.wire.binding_homes import OF, name_in_pool, organisation_in
from streaming.wire.messages import RunSpec

T = TypeVar("T")
log = logging.getLogger(__name__)

OTHERS: Final = "the run belongs to another organisation"


@dataclass(frozen=True)
class QueryStanding:
    """The state of the query at the last turn, cached because asking Spark costs time."""

    running: bool = False
    ready: bool = False
    planned: bool = False


class SharedCarrier:
    """The carrier `name` of a pool; its main loop calls `turn`, the threads of organisations use the shares."""

    def __init__(
        self, name: str, carrier: PooledCarrierLike, monotonic: Callable[[], float], *, rests: bool = False
    ) -> None:
        """`rests`: its query is closed while no organisation needs it."""
        self.name = name
        self.rests = rests
        self.standing = QueryStanding()
        self.writing = threading.Lock()
        self._monotonic = monotonic
        self._member = FleetMember(name, carrier, rests=False)
        self._lock = threading.Lock()
        self._shares: dict[str, OrganisationShare] = {}
        self._parts: dict[str, deque[Manifest]] = defaultdict(lambda: deque(maxlen=MANIFESTS_KEPT))
        self._runs: dict[str, dict[str, RunChange]] = {}
        self._learn()

    @property
    def carrier(self) -> PooledCarrierLike:
        """The carrier, or its `DamagedCarrier` once it turned out to be damaged."""
        return cast(PooledCarrierLike, self._member.carrier)

    def share(self, organisation: str) -> "OrganisationShare":
        """Return a share of `organisation`, which replaces its previous one."""
        share = OrganisationShare(self, organisation)
        with self._lock:
            self._shares[organisation] = share
        return share

    def give_back(self, organisation: str) -> None:
        """Remove the share of `organisation`."""
        with self._lock:
            self._shares.pop(organisation, None)

    def parts_of(self, organisation: str, batch: int) -> list[Manifest]:
        """Return the parts of `organisation` in the manifests of batches after `batch`."""
        with self._lock:
            return [each for each in self._parts.get(organisation, ()) if each.batch > batch]

    def runs_of(self, organisation: str) -> Mapping[str, RunChange]:
        """Return the last change of each run of `organisation`."""
        with self._lock:
            return self._runs.get(organisation, {})

    def strangers(self, served: Collection[str]) -> dict[str, set[str]]:
        """Return by organisation the commanded or stored bindings of organisations that aren't `served`."""
        strangers: dict[str, set[str]] = {}
        for name in {*self.carrier.commanded(), *self.carrier.list_bindings()}:
            if organisation_in(name) not in served:
                strangers.setdefault(organisation_in(name), set()).add(name)
        return strangers

    def turn(self) -> None:
        """Divide committed manifests, start the query if needed, report its failure, and compact some old batches."""
        now = self._monotonic()
        self._learn()
        failure = self._member.failed(now)
        asked = any(share.asked for share in self._all_shares())
        if failure is None and asked and not self.carrier.running and now >= self._member.not_before:
            failure = self._member.start(now)
            self._report_deaths(self.carrier.deaths())
        before, self.standing = self.standing, self._query_standing()
        if failure is not None:
            log.error("the query of %s stopped: %s", self.name, failure.message, extra={"detail": failure.detail})
            self._learn()
        stopped = before.running and not self.standing.running
        for share in self._all_shares():
            share.note_end(failure, stopped=stopped)
        if self.rests and self.standing.running and not any(share.asked for share in self._all_shares()):
            self.carrier.close()
        try:
            self.carrier.compact()
        except OSError:
            log.exception("old batches could not be merged; they stay unmerged")

    def _report_deaths(self, deaths: Mapping[str, WorkerDeath] | None) -> None:
        if deaths is not None:
            for share in self._all_shares():
                share.note_deaths(deaths)

    def close(self) -> None:
        """Finish the current batch, then stop the query."""
        self.carrier.close()

    def _all_shares(self) -> list["OrganisationShare"]:
        with self._lock:
            return list(self._shares.values())

    def _query_standing(self) -> QueryStanding:
        return QueryStanding(self.carrier.running, self.carrier.ready, self.carrier.planned)

    def _learn(self) -> None:
        for manifest in self._member.manifests():
            divided, runs = divide(manifest)
            with self._lock:
                for organisation, part in divided.items():
                    self._parts[organisation].append(part)
                self._runs = runs


class OrganisationShare:
    """One organisation's view of the pool's carrier (`CarrierLike`)."""

    def __init__(self, shared: SharedCarrier, organisation: str) -> None:
        self._shared = shared
        self._organisation = organisation
        self._failure: RunFailure | None = None
        self._deaths: Mapping[str, WorkerDeath] | None = None
        self.asked = False

    quiet = True
    """The pool itself waits until the query has no batch in flight."""

    @property
    def running(self) -> bool:
        """True if the query runs or will start; a resting one counts as running only for shares that need it."""
        unasked = self._shared.standing.running and not self._shared.rests
        return self._failure is None and (self.asked or unasked)

    @property
    def ready(self) -> bool:
        """True if the query plans batches."""
        return self._failure is None and self._shared.standing.ready

    @property
    def planned(self) -> bool:
        """True if the query has finished a batch since its start."""
        return self._failure is None and self._shared.standing.planned

    def start(self) -> None:
        """Request the start of the query."""
        self.asked = True

    def close(self) -> None:
        """Stop needing the query, which continues for others, and clear its failure."""
        self._failure = None
        self.asked = False

    def failure(self) -> RunFailure | None:
        """Return why the query stopped for good; its trace is only in the pool's log, because it may name others."""
        return self._failure

    def note_end(self, failure: RunFailure | None, *, stopped: bool) -> None:
        """Note that the query has `stopped`; with `failure` it starts again only for a run that is started again."""
        if failure is not None:
            self._failure = replace(failure, detail="", final=True)
        if stopped or failure is not None:
            self.asked = False

    def note_deaths(self, deaths: Mapping[str, WorkerDeath]) -> None:
        """Note that workers of the pool died; bindings of other organisations are dropped from `deaths`."""
        self._deaths = self._own(deaths)

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        """Return the deaths at this organisation's work, empty if only at others'; None: none since the last call."""
        deaths, self._deaths = self._deaths, None
        return deaths

    def add(self, spec: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        """Carry a binding."""
        if spec.organisation != self._organisation:
            raise PermissionError(OTHERS)
        self._shared.carrier.add(spec, from_savepoint=from_savepoint, moving=moving)

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Stop carrying a binding; with `discard` its state is discarded."""
        self._shared.carrier.stop(self._name(binding), flush=flush, discard=discard)

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Emit the rows of a repair with the next batch of a run."""
        self._shared.carrier.repair(self._name(binding), run, repair)

    def forget(self, binding: str) -> None:
        """Delete all state of a binding."""
        self._shared.carrier.forget(self._name(binding))

    def list_bindings(self) -> Collection[str]:
        """Return the bindings that may have state here."""
        return self._own({name: name for name in self._shared.carrier.list_bindings()}).keys()

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Request a savepoint of a stopped binding; return its path."""
        return self._shared.carrier.savepoint(self._name(binding), moving=moving)

    def saved(self, path: str) -> bool:
        """Return whether the savepoint exists. Raises `PunctualError` if it was refused."""
        return self._shared.carrier.saved(path, self._organisation)

    def compact(self) -> None:
        """Do nothing: the pool compacts for all."""

    def limit(self, events_per_second: int | None) -> None:
        """Limit the events per second of all bindings of the organisation together."""
        with self._shared.writing:
            self._shared.carrier.limit(events_per_second, self._organisation)

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Set the freshness of the organisation's bindings, in ticks."""
        with self._shared.writing:
            self._shared.carrier.freshen(wanted, self._organisation)

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        """Return the organisation's parts of manifests after `batch`."""
        return self._shared.parts_of(self._organisation, batch)

    def last_runs(self) -> Mapping[str, RunChange]:
        """Return the last change of each run."""
        return self._shared.runs_of(self._organisation)

    def commanded(self) -> dict[str, str]:
        """Return binding to run, as in the control log."""
        return self._own(self._shared.carrier.commanded())

    def _name(self, binding: str) -> str:
        return name_in_pool(self._organisation, binding)

    def _own(self, by_name: Mapping[str, T]) -> dict[str, T]:
        prefix = self._name("")
        return {name.removeprefix(prefix): value for name, value in by_name.items() if name.startswith(prefix)}


def divide(manifest: Manifest) -> tuple[dict[str, Manifest], dict[str, dict[str, RunChange]]]:
    """Return each organisation's part of a manifest, and the last change of each of its runs; bindings by their ids."""
    owner = {totals.run: organisation_in(totals.binding) for totals in manifest.bindings.values()}
    changes: dict[str, list[RunChange]] = defaultdict(list)
    for change in manifest.changes:
        changes[organisation_in(change.binding)].append(_own(change))
    reports = defaultdict(list)
    for report in manifest.reports:
        reports[owner[report.run]].append(report)
    parts = {
        organisation: Manifest(
            manifest.batch, reports=tuple(reports[organisation]), changes=tuple(changes[organisation])
        )
        for organisation in {*changes, *reports}
    }
    runs: dict[str, dict[str, RunChange]] = defaultdict(dict)
    for run, change in manifest.runs.items():
        runs[organisation_in(change.binding)][run] = _own(change)
    return parts, dict(runs)


def _own(change: RunChange) -> RunChange:
    return replace(change, binding=change.binding.partition(OF)[2])
