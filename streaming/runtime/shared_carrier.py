"""The shared carrier of a pool, and what each organisation sees of it: its own bindings, and nothing of others.

Manifests are read once and divided. The query is the pool's: it is started when any organisation needs it, tried again
as that of any carrier is, and its failure is told to each.
"""

import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from streaming.runtime.carriers import FleetMember, PooledCarrierLike
from streaming.spark.errors import RunFailure
from streaming.spark.manifests import MANIFESTS_KEPT, Manifest, RunChange
from streaming.spark.memory import WorkerDeath
from streaming.wire.binding_homes import OF, name_in_pool, organisation_in
from streaming.wire.messages import RunSpec

Said = TypeVar("Said")
log = logging.getLogger(__name__)

OTHERS: Final = "a run of another organisation was to be carried"


@dataclass(frozen=True)
class QueryStanding:
    """How far the query is, as it was asked last: asking Spark costs, and every organisation wants to know."""

    running: bool = False
    ready: bool = False
    planned: bool = False


class SharedCarrier:
    """The carrier `name` of a pool; `turn` is for its main loop, the shares are for the threads of organisations."""

    def __init__(
        self, name: str, carrier: PooledCarrierLike, monotonic: Callable[[], float], *, rests: bool = False
    ) -> None:
        """`rests`: its query is closed while nobody has asked for it."""
        self.name = name
        self.rests = rests
        self.carrier = carrier
        self.standing = QueryStanding()
        self.writing = threading.Lock()
        self._monotonic = monotonic
        self._member = FleetMember(name, carrier, rests=False)
        self._lock = threading.Lock()
        self._shares: dict[str, OrganisationShare] = {}
        self._parts: dict[str, deque[Manifest]] = defaultdict(lambda: deque(maxlen=MANIFESTS_KEPT))
        self._runs: dict[str, dict[str, RunChange]] = {}
        self._learn()

    def share(self, organisation: str) -> "OrganisationShare":
        """What `organisation` sees of it, from now on."""
        share = OrganisationShare(self, organisation)
        with self._lock:
            self._shares[organisation] = share
        return share

    def give_back(self, organisation: str) -> None:
        """`organisation` looks no more."""
        with self._lock:
            self._shares.pop(organisation, None)

    def parts_of(self, organisation: str, batch: int) -> list[Manifest]:
        """What batches after `batch` did for `organisation`."""
        with self._lock:
            return [each for each in self._parts.get(organisation, ()) if each.batch > batch]

    def runs_of(self, organisation: str) -> Mapping[str, RunChange]:
        """The last change of each of its runs."""
        with self._lock:
            return self._runs.get(organisation, {})

    def strangers(self, served: Collection[str]) -> dict[str, set[str]]:
        """The bindings that are commanded, or kept, of organisations that are not `served`, by organisation."""
        found: dict[str, set[str]] = {}
        for name in {*self.carrier.commanded(), *self.carrier.known()}:
            if organisation_in(name) not in served:
                found.setdefault(organisation_in(name), set()).add(name)
        return found

    def turn(self) -> None:
        """Divide what was committed, start the query if it is needed, tell of its failure, tidy a little."""
        now = self._monotonic()
        self._learn()
        failure = self._member.failed(now)
        asked = any(share.asked for share in self._all_shares())
        if failure is None and asked and not self.carrier.running and now >= self._member.not_before:
            failure = self._member.start(now)
            self._tell_deaths(self.carrier.deaths())
        before, self.standing = self.standing, self._asked_how_far()
        if failure is not None:
            log.error("the query of %s stopped: %s", self.name, failure.message, extra={"detail": failure.detail})
            self._learn()
        stopped = before.running and not self.standing.running
        for share in self._all_shares():
            share.hear(failure, stopped=stopped)
        if self.rests and self.standing.running and not any(share.asked for share in self._all_shares()):
            self.carrier.close()
        try:
            self.carrier.tidy()
        except OSError:
            log.exception("old batches could not be merged; they are read as they are")

    def _tell_deaths(self, deaths: Mapping[str, WorkerDeath] | None) -> None:
        if deaths is not None:
            for share in self._all_shares():
                share.hear_deaths(deaths)

    def close(self) -> None:
        """Let the batch in flight end, then stop the query."""
        self.carrier.close()

    def _all_shares(self) -> list["OrganisationShare"]:
        with self._lock:
            return list(self._shares.values())

    def _asked_how_far(self) -> QueryStanding:
        return QueryStanding(self.carrier.running, self.carrier.ready, self.carrier.planned)

    def _learn(self) -> None:
        for manifest in self._member.manifests():
            divided, runs = divide(manifest)
            with self._lock:
                for organisation, part in divided.items():
                    self._parts[organisation].append(part)
                self._runs = runs


class OrganisationShare:
    """What one organisation sees of the pool's carrier (`CarrierLike`)."""

    def __init__(self, shared: SharedCarrier, organisation: str) -> None:
        self._shared = shared
        self._organisation = organisation
        self._failure: RunFailure | None = None
        self._deaths: Mapping[str, WorkerDeath] | None = None
        self.asked = False

    @property
    def running(self) -> bool:
        """Whether the query runs, or is to be started; one that rests runs for who has asked for it."""
        unasked = self._shared.standing.running and not self._shared.rests
        return self._failure is None and (self.asked or unasked)

    @property
    def ready(self) -> bool:
        """Whether it plans batches."""
        return self._failure is None and self._shared.standing.ready

    @property
    def planned(self) -> bool:
        """Whether it has been through a batch since it was started."""
        return self._failure is None and self._shared.standing.planned

    def start(self) -> None:
        """Have the query started."""
        self.asked = True

    def close(self) -> None:
        """The query goes on for others; what it failed of is known."""
        self._failure = None
        self.asked = False

    def failure(self) -> RunFailure | None:
        """Why the query stopped for good; its trace is in the pool's log, for it may speak of others."""
        return self._failure

    def hear(self, failure: RunFailure | None, *, stopped: bool) -> None:
        """The query has `stopped`; with `failure` nobody tries it again unless a run is started again."""
        if failure is not None:
            self._failure = replace(failure, detail="", final=True)
        if stopped or failure is not None:
            self.asked = False

    def hear_deaths(self, deaths: Mapping[str, WorkerDeath]) -> None:
        """Workers died, at the work of somebody in the pool; whose, no other organisation hears."""
        self._deaths = self._own(deaths)

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        """At whose work of the organisation; nothing: at others', None: none has died since it was asked last."""
        found, self._deaths = self._deaths, None
        return found

    def add(self, spec: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        """Carry a binding."""
        if spec.organisation != self._organisation:
            raise PermissionError(OTHERS)
        self._shared.carrier.add(spec, from_savepoint=from_savepoint, moving=moving)

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Carry it no longer; with `discard` its state is thrown away."""
        self._shared.carrier.stop(self._name(binding), flush=flush, discard=discard)

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Give the rows of a repair with the next batch of a run."""
        self._shared.carrier.repair(self._name(binding), run, repair)

    def forget(self, binding: str) -> None:
        """Keep nothing of it."""
        self._shared.carrier.forget(self._name(binding))

    def known(self) -> Collection[str]:
        """The bindings of which something may be kept, and perhaps some more."""
        return self._own({name: name for name in self._shared.carrier.known()}).keys()

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Write what a stopped binding has kept; its path."""
        return self._shared.carrier.savepoint(self._name(binding), moving=moving)

    def saved(self, path: str) -> bool:
        """Whether the savepoint is there. Raises `PunctualError` when it was refused."""
        return self._shared.carrier.saved(path, self._organisation)

    def tidy(self) -> None:
        """The pool does it for all."""

    def limit(self, events_per_second: int | None) -> None:
        """Let all bindings of the organisation together read no more than this."""
        with self._shared.writing:
            self._shared.carrier.limit(events_per_second, self._organisation)

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Look at its bindings as often as they want it now."""
        with self._shared.writing:
            self._shared.carrier.freshen(wanted, self._organisation)

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        """What was committed."""
        return self._shared.parts_of(self._organisation, batch)

    def last_runs(self) -> Mapping[str, RunChange]:
        """The last change of each run."""
        return self._shared.runs_of(self._organisation)

    def commanded(self) -> dict[str, str]:
        """Binding to run by the control log."""
        return self._own(self._shared.carrier.commanded())

    def _name(self, binding: str) -> str:
        return name_in_pool(self._organisation, binding)

    def _own(self, by_name: Mapping[str, Said]) -> dict[str, Said]:
        prefix = self._name("")
        return {name.removeprefix(prefix): said for name, said in by_name.items() if name.startswith(prefix)}


def divide(manifest: Manifest) -> tuple[dict[str, Manifest], dict[str, dict[str, RunChange]]]:
    """What a batch did for each organisation, and the last change of each of its runs; bindings by their own ids."""
    owner = {totals.run: organisation_in(totals.binding) for totals in manifest.bindings.values()}
    changes: dict[str, list[RunChange]] = defaultdict(list)
    for change in manifest.changes:
        changes[organisation_in(change.binding)].append(_own(change))
    reports = defaultdict(list)
    for report in manifest.reports:
        reports[owner[report["run"]]].append(report)
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
