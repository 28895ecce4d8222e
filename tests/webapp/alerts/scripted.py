"""A scripted binding: its run, its reports in the rollups, its runner's lease, and the turns that decide its alerts."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
import redis

from streaming.wire import keys
from tests.webapp.conftest import Clock, Person
from tests.webapp.scene import Scene
from webapp.alerts.models import AlertState, OutboxEntry, Transition
from webapp.alerts.turns.turn import turn
from webapp.core.context import organisation_context
from webapp.monitoring.models import RollupCursor, RunRollup
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

SECOND = 1_000_000
MINUTE = 60 * SECOND


@dataclass
class Scripted:
    """A run that is known from `born` on, and turns every ten seconds of its clock."""

    scene: Scene
    born: int
    received: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    known: list[list[int]] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return self.scene.clock

    @property
    def person(self) -> Person:
        return self.scene.person

    @property
    def connection(self) -> "redis.Redis":
        return self.scene.connection

    def inside(self) -> Any:
        return organisation_context(self.person.organisation.pk)

    def turn(self) -> bool:
        with self.inside():
            return turn(self.connection, self.clock())

    def turns(self, count: int, *, alive: bool = True) -> None:
        """Make turns, one each ten seconds; while the runner is alive, it is known until then."""
        for _ in range(count):
            self.clock.pass_by(10)
            if alive:
                self.lives()
            self.turn()

    def lives(self, *, known: bool = True) -> None:
        """Renew the lease; `known`: everything until now is rolled up."""
        self.scene.lease(started_at=self.born)
        if known:
            self.know_until(self.clock.ticks)

    def know_until(self, tick: int) -> None:
        if not self.known:
            self.known = [[self.born, tick]]
        self.known[-1][1] = tick
        self._store_known()

    def know_again(self) -> None:
        """Begin another known span now: what was before stays unknown."""
        self.known.append([self.clock.ticks, self.clock.ticks])
        self._store_known()

    def _store_known(self) -> None:
        values = {"entry": "1-0", "reading": {"entry": "1-0", "known": self.known, "until": None, "base": None}}
        with self.inside():
            RollupCursor.objects.update_or_create(run_id=self.scene.run_id, defaults=values)

    def report(self, rows: int, **outcomes: int) -> None:
        """Report `rows`, with `outcomes` of those not in time, in a batch that ends now."""
        self.received += rows
        for name, count in outcomes.items():
            self.outcomes[name] = self.outcomes.get(name, 0) + count
        at = self.clock.ticks
        other = sum(self.outcomes.values())
        sample = {
            "at": at,
            "batch": at // SECOND,
            "batch_s": 0.5,
            "inputs": {
                "cars": {
                    "received": self.received,
                    "outcomes": {"on_time": self.received - other, **self.outcomes},
                    "cti": at - 6 * SECOND,
                    "ended": False,
                    "largest_start": at - SECOND,
                }
            },
            "output_ctis": {"out": at - 6 * SECOND},
            "results": 0,
            "quarantined": 0,
        }
        with self.inside():
            RunRollup.objects.update_or_create(
                run_id=self.scene.run_id,
                seconds=60,
                at=at - at % MINUTE,
                defaults={"reported_at": at, "sample": sample},
            )

    def minutes(self, count: int, rows: int = 1_000, **outcomes: int) -> None:
        """Pass so many minutes, each with a report in its middle, and turns every ten seconds."""
        for _ in range(count):
            self.turns(3)
            self.report(rows, **outcomes)
            self.turns(3)

    def run(self, **changed: Any) -> None:
        """Change the run's row."""
        with self.inside():
            Run.objects.filter(pk=self.scene.run_id).update(**changed)

    def transitions(self) -> list[tuple[str, str, str]]:
        """Return rule, phase and level of each transition, oldest first."""
        with self.inside():
            rows = Transition.objects.order_by("at", "rule")
            return [(row.rule, row.after, row.level) for row in rows]

    def states(self) -> dict[str, tuple[str, str]]:
        with self.inside():
            return {row.rule: (row.phase, row.level) for row in AlertState.objects.all()}

    def outbox(self) -> list[dict[str, Any]]:
        """Return the notifications in the outbox, oldest first."""
        with self.inside():
            return list(OutboxEntry.objects.order_by("created_at", "pk").values_list("notification", flat=True))

    def channel(self, name: str = "hook", level: str = "warn", kind: str = "email", **options: Any) -> str:
        """Make a channel through the API; its id."""
        body = {"name": name, "kind": kind, "level": level, "options": options or {"to": "ops@acme.example"}}
        answered = self.person.post("alerts/channels/", body)
        assert answered.status_code == 201, answered.content
        return str(answered.json()["id"])


def lease_key(scripted: Scripted) -> str:
    return keys.lease(scripted.scene.organisation)


def scripted_from(scene: Scene, at: datetime) -> Scripted:
    """Return the scripted binding of `scene`, which runs since `at`."""
    found = Scripted(scene, ticks_of(at))
    found.run(created_at=at, changed_at=at, observed="running", observed_at=1)
    found.lives()
    found.turn()
    return found


@pytest.fixture
def scripted(scene: Scene) -> Scripted:
    return scripted_from(scene, scene.clock())
