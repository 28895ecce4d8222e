"""What the runner needs of a carrier, and one carrier with what the runner remembers of it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from streaming.spark.errors import RunFailure, explain_query, passes
from streaming.spark.manifests import Manifest, RunChange
from streaming.spark.memory import WorkerDeath
from streaming.wire.messages import RunSpec

TRIES: Final = 4
"""So often a query is started that ends before it plans, because a worker did not answer; then its runs fail."""
DEATHS: Final = 10
"""So often a query whose worker died at work is started again without a batch in between: each binding that is to blame
costs two of them (streaming.spark.memory)."""
FIRST_PAUSE_S: Final = 2.0
REST_AFTER_S: Final = 30.0
"""A dedicated query that nobody has needed for so long is closed; it goes on from its checkpoint."""


class CarrierLike(Protocol):
    """What the runner needs of a carrier (streaming.spark.carrier)."""

    @property
    def running(self) -> bool:
        """Whether the streaming query runs."""

    @property
    def ready(self) -> bool:
        """Whether it plans batches."""

    @property
    def planned(self) -> bool:
        """Whether it has been through a batch, or seen that there is none, since it was started."""

    def start(self) -> None:
        """Start the query, or go on."""

    def close(self) -> None:
        """Stop the query."""

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        """At whose work a worker died before a start of the query, by binding; None: at nobody's, or it was told."""

    def failure(self) -> RunFailure | None:
        """Why the query stopped by itself."""

    def add(self, spec: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        """Carry a binding."""

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        """Carry it no longer; with `discard` its state is thrown away."""

    def repair(self, binding: str, run: str, repair: str) -> None:
        """Give the rows of a repair with the next batch of a run."""

    def forget(self, binding: str) -> None:
        """Keep nothing of it."""

    def known(self) -> Collection[str]:
        """The bindings of which something may be kept, and perhaps some more."""

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        """Write what a stopped binding has kept; its path."""

    def saved(self, path: str) -> bool:
        """Whether the savepoint is there. Raises `PunctualError` when it was refused."""

    def tidy(self) -> None:
        """Merge or delete some of what is old."""

    def limit(self, events_per_second: int | None) -> None:
        """Let all bindings together read no more than this."""

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Look at these bindings as often as they want it now, in ticks."""

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        """What was committed."""

    def last_runs(self) -> Mapping[str, RunChange]:
        """The last change of each run."""

    def commanded(self) -> dict[str, str]:
        """Binding to run by the control log."""


class PooledCarrierLike(CarrierLike, Protocol):
    """What a pool needs of its carriers: as of any, with what holds for the bindings of one organisation alone."""

    def saved(self, path: str, organisation: str = "") -> bool:
        """Whether the savepoint of `organisation` is there. Raises `PunctualError` when it was refused."""

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        """Let all bindings of `organisation` together read no more than this."""

    def freshen(self, wanted: Mapping[str, int], organisation: str = "") -> None:
        """Look at these bindings of `organisation` as often as they want it now, in ticks."""


@dataclass
class FleetMember:
    """A carrier of the organisation. Times are those of a clock that only rises, in seconds.

    `rests`: its query is closed while nobody needs it.
    `batch` is the last one whose manifest was read. `died`: how often a worker of it did since then.
    `tried`: how often its query was started since it last planned;
    `not_before`: when that may be tried again. `limits`: the limit that it was given last, as the only element;
    `fresh`: how fresh the results of its bindings were last said to be.
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
        """Whether its query was started and does not plan yet."""
        return self.carrier.running and not self.carrier.ready

    def manifests(self) -> Iterator[Manifest]:
        """What was committed since it was asked last."""
        for manifest in self.carrier.manifests_after(self.batch):
            self.batch = manifest.batch
            self.tried = self.died = 0
            yield manifest

    def limit(self, events_per_second: int | None) -> None:
        """Let it read no more than this."""
        if self.limits != (events_per_second,):
            self.carrier.limit(events_per_second)
            self.limits = (events_per_second,)

    def freshen(self, wanted: Mapping[str, int]) -> None:
        """Look at its bindings as often as they want it."""
        if wanted != self.fresh:
            self.carrier.freshen(wanted)
            self.fresh = wanted

    def failed(self, now: float) -> RunFailure | None:
        """Why its query stopped, which is closed then; None while it runs, and where it is to be started again."""
        failure = self.carrier.failure()
        if self.carrier.ready:
            self.tried = 0
        return None if failure is None else self._judged(failure, now)

    def start(self, now: float) -> RunFailure | None:
        """Start its query; why it does not start, unless it is to be tried again."""
        self.started = now
        self.tried += 1
        try:
            self.carrier.start()
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
        if passes(failure):
            self.died += self.tried == 0  # it had planned batches
            if self.tried < TRIES and self.died < DEATHS:
                # Who died at work is known by its mark, and left out: nobody is to wait for that.
                self.not_before = now + (FIRST_PAUSE_S * 2 ** (self.tried - 1) if self.tried else 0.0)
                return None
        self.tried = self.died = 0
        return failure


@dataclass
class BindingMove:
    """A run that waits for what its binding has kept in carrier `source`; `path`: the savepoint that was asked for.

    `live`: the run itself was under way there.
    """

    spec: RunSpec
    source: str
    path: str | None = None
    live: bool = False

    def ends_with(self, name: str, change: RunChange) -> bool:
        """Whether `change` in carrier `name` says that the run failed there, so that it goes nowhere."""
        return (name, change.run, change.state) == (self.source, self.spec.run, "failed")


@dataclass(frozen=True)
class BrokenCarrier:
    """A carrier whose query has stopped by itself, or does not start."""

    name: str
    failure: RunFailure
