"""The runner's interface to a carrier, and a carrier with the runner's bookkeeping."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from streaming.spark.errors import DamagedCheckpoint, EngineGone, RunFailure, explain_query, passes
from streaming.spark.query.manifests import Manifest, RunChange
from streaming.spark.session.memory import WorkerDeath
from streaming.wire.messages import RunSpec

log = logging.getLogger(__name__)

TRIES: Final = 4
"""The attempts to start a query that ends before it plans because a worker did not answer; then its runs fail."""
DEATHS: Final = 10
"""The restarts, without a batch in between, of a query whose worker died at work: each binding to blame costs two of
them (streaming.spark.session.memory).
"""
FIRST_PAUSE_S: Final = 2.0
REST_AFTER_S: Final = 30.0
"""A dedicated query that isn't needed for this time is closed; it later resumes from its checkpoint."""


class CarrierLike(Protocol):
    """The runner's interface to a carrier (streaming.spark.carrier)."""

    @property
    def running(self) -> bool:
        """True if the streaming query runs."""

    @property
    def ready(self) -> bool:
        """True if the query plans batches."""

    @property
    def planned(self) -> bool:
        """True if the query has finished a batch, or found no new rows, since its start."""

    @property
    def quiet(self) -> bool:
        """True if no batch is in flight."""

    def start(self) -> None:
        """Start or resume the query."""

    def close(self) -> None:
        """Stop the query."""

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        """Return worker deaths before the last start of the query, by binding; None: none since the last call."""

    def failure(self) -> RunFailure | None:
        """Return why the query stopped without a command."""

    def add(self, spec: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        """Carry a binding."""

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Stop carrying a binding; with `discard` its state is discarded."""

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Emit the rows of a repair with the next batch of a run."""

    def forget(self, binding: str) -> None:
        """Delete all state of a binding."""

    def list_bindings(self) -> Collection[str]:
        """Return the bindings that may have state here."""

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Request a savepoint of a stopped binding; return its path."""

    def saved(self, path: str) -> bool:
        """Return whether the savepoint exists. Raises `PunctualError` if it was refused."""

    def compact(self) -> None:
        """Merge or delete some old batches."""

    def limit(self, events_per_second: int | None) -> None:
        """Limit the events per second of all bindings together; None: no limit."""

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Set the freshness of these bindings, in ticks."""

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        """Return the manifests of batches after `batch`."""

    def last_runs(self) -> Mapping[str, RunChange]:
        """Return the last change of each run."""

    def commanded(self) -> dict[str, str]:
        """Return binding to run, as in the control log."""


class PooledCarrierLike(CarrierLike, Protocol):
    """A pool's interface to its carriers: some methods apply to the bindings of one organisation only."""

    def saved(self, path: str, organisation: str = "") -> bool:
        """Return whether the savepoint of `organisation` exists. Raises `PunctualError` if it was refused."""

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        """Limit the events per second of all bindings of `organisation` together."""

    def freshen(self, wanted: Mapping[str, int], organisation: str = "") -> None:
        """Set the freshness of these bindings of `organisation`, in ticks."""


class DamagedCarrier:
    """Replaces a carrier whose files are damaged: a start raises the error, and nothing is written."""

    running = ready = planned = False
    quiet = True

    def __init__(self, damage: DamagedCheckpoint) -> None:
        self._damage = damage

    def start(self) -> None:
        """Raise `DamagedCheckpoint`."""
        raise self._damage

    def close(self) -> None:
        """Do nothing: no query runs."""

    def failure(self) -> RunFailure | None:
        """Return None: no query has run."""

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        """Return None: no worker has run."""

    def add(self, spec: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        """Command nothing; the start that follows raises."""

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Command nothing."""

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Command nothing."""

    def forget(self, binding: str) -> None:
        """Delete nothing, because the state is unreadable."""

    def list_bindings(self) -> Collection[str]:
        """Return no binding."""
        return ()

    def savepoint(self, binding: str, *, moving: bool = False) -> str:  # noqa: ARG002
        """Return a path where no savepoint will appear."""
        return f"{binding}.damaged"

    def saved(self, path: str, organisation: str = "") -> bool:  # noqa: ARG002
        """Return False; a run that waits for the savepoint fails with the damage."""
        return False

    def compact(self) -> None:
        """Do nothing."""

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        """Do nothing."""

    def freshen(self, wanted: Mapping[str, int], organisation: str = "") -> None:
        """Do nothing."""

    def manifests_after(self, batch: int) -> Sequence[Manifest]:  # noqa: ARG002
        """Return no manifest."""
        return ()

    def last_runs(self) -> Mapping[str, RunChange]:
        """Return no run."""
        return {}

    def commanded(self) -> dict[str, str]:
        """Return no run."""
        return {}


@dataclass
class FleetMember:
    """A carrier of the organisation. Times are seconds of a monotonic clock.

    `rests`: its query is closed while nobody needs it. `batch` is the last one whose manifest was read. `died` counts
    deaths of its workers since then. `tried` counts starts of its query since it last planned; the next start is
    `not_before` that time. `limits` holds its last limit as the only element; `fresh` the last freshness of its
    bindings.
    """

    name: str
    carrier: CarrierLike
    rests: bool = True
    batch: int = 0
    tried: int = 0
    died: int = 0
    started: float = 0.0
    not_before: float = 0.0
    needed: float = 0.0
    limits: tuple[int | None, ...] = ()
    fresh: Mapping[str, int] | None = None

    @property
    def starting(self) -> bool:
        """True if its query was started and doesn't plan yet."""
        return self.carrier.running and not self.carrier.ready

    def manifests(self) -> Iterator[Manifest]:
        """Yield the manifests since the last call; none if the carrier turns out to be damaged."""
        try:
            manifests = self.carrier.manifests_after(self.batch)
        except DamagedCheckpoint as damage:
            self.break_down(damage)
            return
        for manifest in manifests:
            self.batch = manifest.batch
            self.tried = self.died = 0
            yield manifest

    def break_down(self, damage: DamagedCheckpoint) -> None:
        """Replace the carrier, so that its next start fails its runs."""
        log.error("carrier %s: %s", self.name, damage)
        self.carrier.close()
        self.carrier = DamagedCarrier(damage)

    def limit(self, events_per_second: int | None) -> None:
        """Limit the events per second of the carrier."""
        if self.limits != (events_per_second,):
            self.carrier.limit(events_per_second)
            self.limits = (events_per_second,)

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Set the freshness of its bindings, in ticks."""
        if wanted != self.fresh:
            self.carrier.freshen(wanted)
            self.fresh = wanted

    def failed(self, now: float) -> RunFailure | None:
        """Close a stopped query and return why it stopped; None while it runs, and if it is started again."""
        failure = self.carrier.failure()
        if self.carrier.ready:
            self.tried = 0
        return None if failure is None else self._judged(failure, now)

    def start(self, now: float) -> RunFailure | None:
        """Start its query. Return why it doesn't start, unless the start is retried. Raises `EngineGone`."""
        self.started = now
        self.tried += 1
        try:
            self.carrier.start()
        except EngineGone:
            raise
        except Exception as error:  # noqa: BLE001 - the border to Spark: its runs fail, the runner lives
            return self._judged(explain_query(error), now)
        return None

    def rest(self, now: float, *, needed: bool) -> None:
        """Close the query of a dedicated carrier that nobody has needed for a while."""
        if needed or not self.rests:
            self.needed = now
        elif self.carrier.running and now - self.needed >= REST_AFTER_S:
            self.carrier.close()

    def _judged(self, failure: RunFailure, now: float) -> RunFailure | None:
        self.carrier.close()
        if failure.again:
            log.warning(
                "carrier %s repeats its batch: %s", self.name, failure.message, extra={"detail": failure.detail}
            )
            self.not_before = now
            return None
        if passes(failure):
            self.died += self.tried == 0  # it had planned batches
            if self.tried < TRIES and self.died < DEATHS:
                # A death at work leaves a mark of its binding, which is then left out: no pause is needed.
                self.not_before = now + (FIRST_PAUSE_S * 2 ** (self.tried - 1) if self.tried else 0.0)
                return None
        self.tried = self.died = 0
        return failure


@dataclass
class BindingMove:
    """A run that waits for its binding's state in carrier `source`; `path` is the requested savepoint.

    `live`: the run itself was running there.
    """

    spec: RunSpec
    source: str
    path: str | None = None
    live: bool = False

    def ends_with(self, name: str, change: RunChange) -> bool:
        """Return whether `change` in carrier `name` reports that the run failed there, which ends the move."""
        return (name, change.run, change.state) == (self.source, self.spec.run, "failed")


@dataclass(frozen=True)
class BrokenCarrier:
    """A carrier whose query has stopped without a command, or doesn't start."""

    name: str
    failure: RunFailure
