"""`manage.py stoprunners`: end the runner processes of this machine, as at a shutdown; desired states stay."""

import socket
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from django.core.management.base import BaseCommand

from streaming.wire import keys
from streaming.wire.messages import read_lease
from webapp.accounts.models import Organisation
from webapp.core.context import installation_context, organisation_context
from webapp.runs.runner_models import PooledRunner, RunnerLaunch
from webapp.runs.runners.launching import end_runner
from webapp.runs.runners.standby_processes import installed_standbys


class Command(BaseCommand):
    """Ends every runner that was launched on this machine; workers must be stopped, or they launch it again."""

    help = "End the runner processes of this machine. Stop the Celery worker first."

    def handle(self, *_: Any, **__: Any) -> None:
        """Ask each runner to end, and print its name."""
        with installation_context("the runners of every organisation end"):
            organisations = list(Organisation.objects.all())
        for organisation in organisations:
            with organisation_context(organisation.pk):
                pids = set(RunnerLaunch.objects.filter(host=socket.gethostname()).values_list("pid", flat=True))
            self._end(organisation.pk, f"the runner of {organisation.slug}", pids)
        for pool in PooledRunner.objects.all():
            self._end(keys.pool_name(pool.number), f"pooled runner {pool.number}", {pool.pid})
        for pid in installed_standbys().end_all():
            self.stdout.write(f"Asked a standby runner (process {pid}) to end.")

    def _end(self, whose: UUID | str, what: str, pids: set[int]) -> None:
        for pid in pids | _leased(str(whose)):
            if end_runner(whose, pid):
                self.stdout.write(f"Asked {what} (process {pid}) to end.")


def _leased(organisation: str) -> set[int]:
    try:
        with redis.Redis.from_url(settings.REDIS_URL) as connection:
            content = connection.get(keys.lease(organisation))
    except redis.exceptions.RedisError:
        return set()
    lease = None if content is None else read_lease(content)
    if lease is None:
        return set()
    return {lease.pid} if lease.host == socket.gethostname() else set()
