"""Places for runners: an installation has as many as its machine has memory for (PUNCTUAL_MOST_RUNNERS)."""

from datetime import datetime
from typing import Final
from uuid import UUID

import redis
from django.conf import settings

from streaming.wire import keys
from webapp.core.context import installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.models import Run
from webapp.runs.runner_models import LaunchNote, PooledRunner, RunnerLaunch
from webapp.runs.runners.launching import START_MAY_TAKE, LaunchedRunner, Launcher
from webapp.runs.runners.standbys import QUIET
from webapp.runs.states import Observed

WAITS: Final = ("All places for runners of this installation", "All pooled runners of this installation")
"""How the sentences begin of runs that wait for somebody else to make room."""


def no_place() -> str:
    """Return the sentence for a run that waits for a place."""
    return (
        f"{WAITS[0]} ({settings.MOST_RUNNERS:,}) are taken by other organisations. "
        "The run waits, and starts by itself when one of them has stopped its runs; whoever runs this installation can "
        "set PUNCTUAL_MOST_RUNNERS higher."
    )


def no_room() -> str:
    """Return the sentence for a run that waits for a pooled runner to have room."""
    return (
        f"{WAITS[1]} ({settings.POOLS:,}) have as many organisations as they may "
        f"({settings.POOL_ORGANISATIONS:,} each). The run waits, and starts by itself when one of them has stopped its "
        "runs; whoever runs this installation can set PUNCTUAL_POOL_ORGANISATIONS or PUNCTUAL_POOLS higher."
    )


def has_place(connection: "redis.Redis", launcher: Launcher, now: datetime, whose: UUID | str) -> bool:
    """Whether an organisation, or a pool, may have a runner beside those that live or are just being started.

    Whoever asks, and then launches one, holds the lock `punctual:runners` meanwhile.
    """
    most = settings.MOST_RUNNERS
    return not most or _places_taken(connection, launcher, now, whose) < most


def standbys_wanted(connection: "redis.Redis", launcher: Launcher, now: datetime) -> int:
    """Return how many runners may stand by: those that are wanted, in places that nobody has.

    An organisation that needs a place never waits for one that stands by: it takes that, or that one is ended.
    """
    wanted: int = settings.STANDBY_RUNNERS
    if not wanted or not settings.MOST_RUNNERS:
        return wanted
    return max(0, min(wanted, settings.MOST_RUNNERS - _places_taken(connection, launcher, now)))


def nobody_waits(now: datetime) -> bool:
    """Whether no runner of anybody is being started, or is about to be."""
    with installation_context("whether somebody waits for a runner"):
        waiting = TenantQuerySet(Run).filter(ended_at=None, observed__in=[Observed.REQUESTED, Observed.LOST]).exists()
        launches: list[LaunchNote] = [*TenantQuerySet(RunnerLaunch).all(), *PooledRunner.objects.exclude(host="")]
    return not waiting and not any(abs(now - each.launched_at) < QUIET for each in launches)


def _places_taken(
    connection: "redis.Redis", launcher: Launcher, now: datetime, but_of: UUID | str | None = None
) -> int:
    with installation_context("how many runners there are"):
        own: list[RunnerLaunch] = list(TenantQuerySet(RunnerLaunch).all())
        launches: list[tuple[UUID | str, LaunchNote]] = [(each.organisation_id, each) for each in own]
        launches += [(keys.pool_name(each.number), each) for each in PooledRunner.objects.exclude(host="")]
    others = [each for each in launches if each[0] != but_of]
    return sum(_takes_a_place(*each, connection, launcher, now) for each in others)


def _takes_a_place(
    whose: UUID | str, launch: LaunchNote, connection: "redis.Redis", launcher: Launcher, now: datetime
) -> bool:
    """Whether a process has its memory: it may live without a lease while it waits for one, hangs, or still ends."""
    launched = LaunchedRunner(launch.host, launch.pid)
    if connection.exists(keys.lease(str(whose))) or launcher.lives(whose, launched):
        return True
    begins = launch.attempts > 0 and now - launch.launched_at < START_MAY_TAKE
    return begins and launcher.alive(whose, launched)
