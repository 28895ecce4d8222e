"""A fake carrier, and a runner with all its surroundings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import redis

from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.carriers.locations import MAIN
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.lease import LeaseHeartbeat
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.runner import Runner
from streaming.spark.errors import PunctualError, RunFailure
from streaming.spark.query.manifests import Manifest, RunChange
from streaming.spark.session.memory import WorkerDeath
from streaming.wire import keys
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import RunObserved, RunSpec
from tests.delivery.targets import Shelf, ShelfAdapter
from tests.wire.reports import counts, report

ORGANISATION = "o1"


@dataclass
class PaperCarrier:
    """A fake carrier that records its commands; the test writes its manifests."""

    running: bool = False
    ready: bool = False
    has_planned: bool = True
    quiet: bool = True
    commands: list[str] = field(default_factory=list)
    manifests: list[Manifest] = field(default_factory=list)
    limits: list[int | None] = field(default_factory=list)
    fresh: list[Mapping[str, int]] = field(default_factory=list)
    stopped_by: RunFailure | None = None
    refuses: Exception | None = None
    compacted: int = 0
    starts: int = 0
    cannot_compact: bool = False
    died: Mapping[str, WorkerDeath] | None = None
    asked: dict[str, str] = field(default_factory=dict)
    there: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    nothing_kept: set[str] = field(default_factory=set)

    @property
    def planned(self) -> bool:
        return self.ready and self.has_planned

    def start(self) -> None:
        self.starts += 1
        if self.refuses is not None:
            raise self.refuses
        self.running, self.stopped_by = True, None

    def close(self) -> None:
        self.running, self.stopped_by = False, None

    def failure(self) -> RunFailure | None:
        return self.stopped_by

    def deaths(self) -> Mapping[str, WorkerDeath] | None:
        found, self.died = self.died, None
        return found

    def add(self, wanted: RunSpec, *, from_savepoint: str | None = None, moving: bool = False) -> None:
        self.commands.append(f"add {wanted.run}" + (f" from {from_savepoint}" if moving else ""))
        self.asked[wanted.carried_as] = wanted.run

    def stop(self, binding: str, *, flush: bool, discard: bool = False) -> None:
        self.commands.append(f"stop {binding} flush={flush}" + (" discard" if discard else ""))
        self.asked.pop(binding, None)

    def forget(self, binding: str) -> None:
        self.commands.append(f"forget {binding}")
        self.kept.discard(binding)

    def list_bindings(self) -> set[str]:
        return {*self.asked, *self.kept}

    def savepoint(self, binding: str, *, moving: bool = False) -> str:
        self.commands.append(f"save {binding}" + (" to move" if moving else ""))
        self.asked.pop(binding, None)
        return f"{binding}.arrow"

    def saved(self, path: str) -> bool:
        if path in self.nothing_kept:
            raise PunctualError("Nothing is kept of this run.", domain="user")
        return path in self.there

    def compact(self) -> None:
        if self.cannot_compact:
            raise OSError("No space left on device")
        self.compacted += 1

    def limit(self, events_per_second: int | None) -> None:
        self.limits.append(events_per_second)

    def freshen(self, wanted: Mapping[str, int]) -> None:
        self.fresh.append(wanted)

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        return [manifest for manifest in self.manifests if manifest.batch > batch]

    def last_runs(self) -> Mapping[str, RunChange]:
        return {change.run: change for manifest in self.manifests for change in manifest.changes}

    def commanded(self) -> dict[str, str]:
        return dict(self.asked)

    def commit(
        self,
        state: Literal["running", "stopped", "completed", "failed"] | None,
        *,
        received: int = 0,
        message: str | None = None,
        held_back: int | None = None,
        run: str = "a-1",
        batch: int = 0,
        slow: bool = False,
    ) -> None:
        """Commit a batch of one run."""
        batch = batch or len(self.manifests) + 1
        changes = () if state is None else (RunChange(run.partition("-")[0], run, state, None, message, slow=slow),)
        inputs = {"readings": counts(received=received)}
        reports = (report(run, batch, inputs=inputs, held_back=held_back),)
        self.manifests.append(Manifest(batch, changes=changes, reports=reports))


class Papers(dict[str, PaperCarrier]):
    """Carriers by name; a lookup creates one, with the file that every carrier has."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.shelf = Shelf()

    def target(self, wanted: DeliveryTarget) -> ShelfAdapter:
        """Return the adapter that delivers to the only shelf."""
        return ShelfAdapter(self.shelf)

    def __missing__(self, name: str) -> PaperCarrier:
        file = self.folder / "carriers" / name / "carrier.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
        self[name] = PaperCarrier()
        return self[name]


@dataclass
class Desk:
    """A runner with fake carriers, its lease and its clock."""

    connection: "redis.Redis"
    carriers: Papers
    heart: LeaseHeartbeat
    runner: Runner
    clock: list[float]
    pool: str | None = None

    @classmethod
    def laid(cls, connection: "redis.Redis", folder: Path, pool: str | None = None) -> "Desk":
        """Return a desk whose runner has its lease; with `pool` it is the organisation's seat there."""
        heart, carriers, clock = LeaseHeartbeat(Mailbox(connection, ORGANISATION), "mine"), Papers(folder), [0.0]
        assert heart.take()
        desk = cls(connection, carriers, heart, runner_of(connection, carriers, heart, clock, pool), clock, pool)
        desk.runner.resume()
        return desk

    @property
    def carrier(self) -> PaperCarrier:
        """The shared carrier."""
        return self.carriers[MAIN]

    def restart(self) -> None:
        """Start another runner over the same carriers, without any running query."""
        for carrier in self.carriers.values():
            carrier.running = carrier.ready = False
        self.runner = runner_of(self.connection, self.carriers, self.heart, self.clock, self.pool)
        self.runner.resume()

    def desire(self, *specs: RunSpec) -> None:
        self.connection.delete(keys.desired(ORGANISATION))
        for each in specs:
            self.connection.hset(keys.desired(ORGANISATION), each.carried_as, each.model_dump_json())

    def observed(self, run: str = "a-1") -> RunObserved:
        return RunObserved.model_validate_json(str(self.connection.hget(keys.observed(ORGANISATION), run)))


def runner_of(
    connection: "redis.Redis", carriers: Papers, heart: LeaseHeartbeat, clock: list[float], pool: str | None
) -> Runner:
    """Return a runner over `carriers`; `clock` holds its seconds."""
    fleet = Fleet(carriers.__getitem__, carriers.folder, lambda: clock[0], pool)
    mailbox = Mailbox(connection, ORGANISATION)
    deliveries = Deliveries(carriers.folder, carriers.target)
    return Runner(mailbox, heart, fleet, deliveries, idle_exit_s=60.0, monotonic=lambda: clock[0])
