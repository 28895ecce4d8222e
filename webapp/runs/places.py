"""Places for runners: an installation has as many as its machine has memory for (PUNCTUAL_MOST_RUNNERS)."""

from datetime import datetime

import redis
from django.conf import settings

from streaming.wire import keys
from webapp.core.context import current_organisation, installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.launching import START_MAY_TAKE, LaunchedRunner, Launcher
from webapp.runs.models import RunnerLaunch


def no_place() -> str:
    """Return the sentence for a run that waits for a place."""
    return (
        f"All places for runners of this installation ({settings.MOST_RUNNERS:,}) are taken by other organisations. "
        "The run waits, and starts by itself when one of them has stopped its runs; whoever runs this installation can "
        "set PUNCTUAL_MOST_RUNNERS higher."
    )


def has_place(connection: "redis.Redis", launcher: Launcher, now: datetime) -> bool:
    """Whether the organisation in context may have a runner beside those that live or are just being started.

    Whoever asks, and then launches one, holds the lock `punctual:runners` meanwhile.
    """
    most = settings.MOST_RUNNERS
    if not most:
        return True
    mine = current_organisation()
    with installation_context("how many runners there are"):
        launches: list[RunnerLaunch] = list(TenantQuerySet(RunnerLaunch).exclude(organisation=mine))
    return sum(_takes_a_place(each, connection, launcher, now) for each in launches) < most


def _takes_a_place(launch: RunnerLaunch, connection: "redis.Redis", launcher: Launcher, now: datetime) -> bool:
    """Whether a process has its memory: it may live without a lease while it waits for one, hangs, or still ends."""
    organisation, launched = launch.organisation_id, LaunchedRunner(launch.host, launch.pid)
    if connection.exists(keys.lease(str(organisation))) or launcher.lives(organisation, launched):
        return True
    begins = launch.attempts > 0 and now - launch.launched_at < START_MAY_TAKE
    return begins and launcher.alive(organisation, launched)
