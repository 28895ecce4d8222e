"""Places for runners: an installation has as many as its machine has memory for (PUNCTUAL_MOST_RUNNERS)."""

from datetime import datetime
from typing import Final
from uuid import UUID

import redis
from django.conf import settings

from streaming.definition.counts import counted
from streaming.wire import keys
from webapp.core.context import installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote, PooledRunner, RunnerLaunch
from webapp.runs.runners.launching import START_MAY_TAKE, LaunchedRunner, Launcher
from webapp.runs.runners.standbys import QUIET
from webapp.runs.states import Observed

WAITS: Final = ("All places for runners of this installation", "All pooled runners of this installation")
"""The openings of the messages of runs that wait for room in other runners."""


def no_place() -> str:
    """Return the message for a run that waits for a place."""
    return (
        f"{WAITS[0]} ({settings.MOST_RUNNERS:,}) are taken by other organisations. "
        "The run waits and starts automatically when one of them has stopped its runs. Your administrator can raise "
        "PUNCTUAL_MOST_RUNNERS."
    )


def no_room() -> str:
    """Return the message for a run that waits for room in a pooled runner."""
    return (
        f"{WAITS[1]} ({settings.POOLS:,}) are full ({counted(settings.POOL_ORGANISATIONS, 'organisation')} each). "
        "The run waits and starts automatically when one of these organisations has stopped its runs. Your "
        "administrator can raise PUNCTUAL_POOL_ORGANISATIONS or PUNCTUAL_POOLS."
    )


def has_place(connection: "redis.Redis", launcher: Launcher, now: datetime, whose: UUID | str) -> bool:
    """Return whether an organisation, or a pool, may have a runner in addition to those that live or are starting.

    A caller that launches a runner next holds the lock `punctual:runners` from the call to the launch.
    """
    most = settings.MOST_RUNNERS
    return not most or _places_taken(connection, launcher, now, whose) < most


def standbys_wanted(connection: "redis.Redis", launcher: Launcher, now: datetime) -> int:
    """Return how many standbys there may be: as many as are wanted, in free places only.

    An organisation that needs a place never waits for a standby: it takes the standby, or the standby is ended.
    """
    wanted: int = settings.STANDBY_RUNNERS
    if not wanted or not settings.MOST_RUNNERS:
        return wanted
    return max(0, min(wanted, settings.MOST_RUNNERS - _places_taken(connection, launcher, now)))


def nobody_waits(now: datetime) -> bool:
    """Return whether no runner is being started or about to be started."""
    with installation_context("checking for runs that wait for a runner"):
        waiting = TenantQuerySet(Run).filter(ended_at=None, observed__in=[Observed.REQUESTED, Observed.LOST]).exists()
        launches: list[LaunchNote] = [*TenantQuerySet(RunnerLaunch).all(), *PooledRunner.objects.exclude(host="")]
    return not waiting and not any(abs(now - each.launched_at) < QUIET for each in launches)


def _places_taken(
    connection: "redis.Redis", launcher: Launcher, now: datetime, but_of: UUID | str | None = None
) -> int:
    with installation_context("counting runners"):
        own: list[RunnerLaunch] = list(TenantQuerySet(RunnerLaunch).all())
        launches: list[tuple[UUID | str, LaunchNote]] = [(each.organisation_id, each) for each in own]
        launches += [(keys.pool_name(each.number), each) for each in PooledRunner.objects.exclude(host="")]
    others = [each for each in launches if each[0] != but_of]
    return sum(_takes_a_place(*each, connection, launcher, now) for each in others)


def _takes_a_place(
    whose: UUID | str, launch: LaunchNote, connection: "redis.Redis", launcher: Launcher, now: datetime
) -> bool:
    """Return whether a process uses its memory: it may live without a lease while it waits for one, hangs, or ends."""
    launched = LaunchedRunner(launch.host, launch.pid)
    if connection.exists(keys.lease(str(whose))) or launcher.lives(whose, launched):
        return True
    begins = launch.attempts > 0 and now - launch.launched_at < START_MAY_TAKE
    return begins and launcher.alive(whose, launched)
