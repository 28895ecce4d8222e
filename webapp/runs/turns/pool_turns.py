"""Turns of a pooled runner: the organisations that it serves, its rights, and its launch while it serves any.

Level-triggered like turns of organisations: the list is read from the database, and written whole.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import redis
from django.utils import timezone

from streaming.definition.counts import counted
from streaming.wire import keys
from webapp.core.context import installation_context
from webapp.core.secrets import sealed_for_pool
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.runner_models import PooledRunner, SeatInPool
from webapp.runs.runners.launching import LaunchedRunner, Launcher, may_launch, note_launch, runner_log
from webapp.runs.runners.places import has_place, no_place
from webapp.runs.runners.pooling import pool_lease
from webapp.runs.runners.redis_users import admit_runner
from webapp.runs.turns.alone import LOCK_S, alone

logger = logging.getLogger(__name__)

LAUNCHES_IN_VAIN: Final = 3
"""After so many launches without a lease, the runs get a message."""


def in_vain_sentence(times: int) -> str:
    """Return the message for runs whose runner ended so many times before it took its lease."""
    return (
        f"The runner ended {counted(times, 'time')} before it could report. Your administrator can find the reason "
        "at the end of the runner's log."
    )


def pools_in_use() -> set[int]:
    """Return the pools that serve an organisation, or have done so."""
    with installation_context("listing pools"):
        seats: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool)
        return {
            *seats.values_list("pool", flat=True).distinct(),
            *PooledRunner.objects.values_list("number", flat=True),
        }


@dataclass(frozen=True)
class PoolReconciler:
    """One pool's reconciler; time, Redis and the launcher are injected."""

    number: int
    connection: "redis.Redis"
    launcher: Launcher
    now: Callable[[], datetime] = timezone.now

    @property
    def name(self) -> str:
        """The name of the pool, used where own runners have the id of their organisation."""
        return keys.pool_name(self.number)

    def turn(self) -> None:
        """Set its rights, send it the organisations that it serves, and launch it if it serves any and has no lease."""
        with alone(self.connection, self.name) as mine:
            if not mine:
                return
            with installation_context("listing the organisations of a pool"):
                seats: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool).filter(pool=self.number)
                ours = seats.order_by("organisation_id").values_list("organisation_id", "served")
                served_by: dict[UUID, bool] = dict(ours)
            everybody = list(served_by)
            admit_runner(self.connection, self.name, everybody)
            self._write_served([organisation for organisation, served in served_by.items() if served])
            launch = PooledRunner.objects.filter(number=self.number).first()
            if pool_lease(self.connection, self.number) is not None:
                self._was_heard(launch)
            elif any(served_by.values()):
                self._launch(launch, everybody)

    def _write_served(self, served: Sequence[UUID]) -> None:
        key = keys.seated(self.name)
        sealed = {str(organisation): sealed_for_pool(self.name, organisation) for organisation in served}
        with self.connection.pipeline(transaction=True) as together:
            together.delete(key)
            if sealed:
                together.hset(key, mapping=sealed)  # type: ignore[arg-type]
            together.execute()

    def _was_heard(self, launch: PooledRunner | None) -> None:
        if launch is not None and (launch.attempts, launch.message) != (0, None):
            launch.attempts, launch.domain, launch.message = 0, None, None
            launch.save(update_fields=["attempts", "domain", "message"])

    def _launch(self, launch: PooledRunner | None, serves: Sequence[UUID]) -> None:
        now = self.now()
        launch = launch or PooledRunner(number=self.number, host="", pid=0, launched_at=now)
        alive = self.launcher.alive(self.name, LaunchedRunner(launch.host, launch.pid))
        if not may_launch(launch, now, alive=alive):
            return
        with self.connection.lock("punctual:runners", timeout=LOCK_S):  # count places and take one under one lock
            if not has_place(self.connection, self.launcher, now, self.name):
                launch.domain, launch.message = "external", no_place()
                launch.save()
                return
            in_vain = note_launch(launch, self.launcher.launch_pool(self.number, serves), now)
            launch.domain, launch.message = None, None
            if in_vain >= LAUNCHES_IN_VAIN:
                launch.domain, launch.message = "internal", in_vain_sentence(in_vain)
                logger.error("%s: %s It is %s.", self.name, launch.message, runner_log(self.name))
            launch.save()
