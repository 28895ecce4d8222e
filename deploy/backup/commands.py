"""`punctual-serve backup` and `punctual-serve restore`: their settings, and their exit codes."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import redis

from deploy.backup.holding import RunnerHosts
from deploy.backup.restoring import RestoreTarget, restore
from deploy.backup.taking import Installation, take
from streaming.storage.archive import BackupRefused
from streaming.wire import keys
from streaming.wire.messages import read_lease
from webapp.variables.reading import Environment

FAILED: Final = 1
INVALID: Final = 2
ANSWERS_S: Final = 5.0
NO_REDIS: Final = (
    "Redis doesn't answer ({why}), so nobody knows which runners live. Check REDIS_URL, and that the server runs. "
    "Nothing was done."
)
NO_DATA: Final = "PUNCTUAL_DATA must be set to the folder of all files, for example /srv/punctual."


def back_up(options: argparse.Namespace) -> int:
    """Take a backup of the installation of this environment; Django's settings are loaded."""
    from django.conf import settings

    installation = Installation(
        data=settings.PUNCTUAL_DATA,
        database_url=Environment(os.environ).text("DATABASE_URL"),
        secret_key=settings.SECRET_KEY,
        secrets_keys=settings.SECRETS_KEYS,
        hosts=hosts_at(settings.REDIS_URL),
    )
    try:
        take(installation, options.file.absolute(), with_keys=options.keys, wait_s=options.wait, tell=_tell)
    except BackupRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return FAILED
    return 0


def restore_here(options: argparse.Namespace, environment: Environment) -> int:
    """Restore an installation; Django's settings, which would generate keys, are not loaded."""
    problems = list(environment.problems)
    if not environment.text("PUNCTUAL_DATA"):
        problems.append(NO_DATA)
    if problems:
        sys.stderr.writelines(f"{problem}\n" for problem in problems)
        return INVALID
    target = RestoreTarget(
        data=Path(environment.text("PUNCTUAL_DATA")).absolute(),
        database_url=environment.text("DATABASE_URL"),
        secret_key=environment.text("PUNCTUAL_SECRET_KEY"),
        secrets_keys=environment.parts("PUNCTUAL_SECRETS_KEYS"),
        hosts=hosts_at(environment.text("REDIS_URL")),
    )
    try:
        restored = options.results_restored
        restore(target, options.file.absolute(), resume=options.resume, results_restored=restored, tell=_tell)
    except BackupRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return FAILED
    return 0


def hosts_at(url: str) -> RunnerHosts:
    """Return the function that reads the hosts of live runners from the Redis at `url`. It raises `BackupRefused`."""

    def hosts(places: Sequence[str]) -> Mapping[str, str]:
        if not places:
            return {}
        try:
            with redis.Redis.from_url(url, socket_timeout=ANSWERS_S, socket_connect_timeout=ANSWERS_S) as connection:
                contents = connection.mget([keys.lease(place) for place in places])
        except redis.RedisError as error:
            raise BackupRefused(NO_REDIS.format(why=error)) from None
        leases = {place: read_lease(content) for place, content in zip(places, contents, strict=True) if content}
        return {place: lease.host for place, lease in leases.items()}

    return hosts


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
