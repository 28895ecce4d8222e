"""`punctual-serve check`: everything that an installation needs, and every problem in one go.

The settings have been loaded before, so the forms of all variables are right.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import redis
from django.conf import settings
from django.core import checks
from django.db import Error, connection
from redis.exceptions import NoPermissionError

from webapp.core.database.checks import migrated
from webapp.runs.runners.redis_users import RunnerUsersRefused, require_runner_users

OLDEST_REDIS: Final = (6, 2)
ANSWERS_S: Final = 5.0


@dataclass(frozen=True)
class Finding:
    """One fact: `problem` is None, or says what is wrong and what to do."""

    subject: str
    problem: str | None = None


def report(write: Callable[[str], object]) -> int:
    """Write a line for each finding; return 1 if one is a problem."""
    findings = [*_data_folder(settings.PUNCTUAL_DATA), *_database(), *_redis(settings.REDIS_URL), *_pages()]
    findings += [*_django()]
    for finding in findings:
        write(f"{'ok     ' if finding.problem is None else 'PROBLEM'} {finding.subject}")
        write(f": {finding.problem}\n" if finding.problem is not None else "\n")
    return 1 if any(finding.problem for finding in findings) else 0


def _data_folder(folder: Path) -> Iterator[Finding]:
    found = folder.stat()
    problem = None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        problem = (
            f"this user (id {os.geteuid()}) may not write into it. Give it the folder: chown {os.geteuid()} {folder}."
        )
    elif found.st_mode & stat.S_IRWXO:
        problem = f"every user of this machine may enter it, and it holds tenants' data. Close it: chmod o= {folder}."
    yield Finding(f"data folder {folder}", problem)


def _database() -> Iterator[Finding]:
    subject = f"database ({connection.vendor})"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        up_to_date = migrated(connection)
    except Error as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        yield Finding(subject, f"it can't be used ({reason}). Check DATABASE_URL, and that the server runs.")
        return
    yield Finding(subject)
    pending = "migrations are pending. Run punctual-serve migrate with the address of the tables' owner."
    yield Finding("migrations", None if up_to_date else pending)


def _redis(url: str) -> Iterator[Finding]:
    options = {"socket_timeout": ANSWERS_S, "socket_connect_timeout": ANSWERS_S}
    try:
        with redis.Redis.from_url(url, **options) as client:
            information = client.info("server")
            yield _version(information)
            yield _users(client)
    except redis.AuthenticationError as error:
        yield Finding("Redis", f"it refuses the sign-in ({error}). Check user and password in REDIS_URL.")
    except NoPermissionError as error:
        yield Finding("Redis", f"the user of REDIS_URL lacks a right ({error}). Allow it INFO and PING.")
    except redis.RedisError as error:
        yield Finding("Redis", f"it does not answer ({error}). Check REDIS_URL, and that the server runs.")


def _version(information: dict[str, object]) -> Finding:
    name = "Valkey" if information.get("server_name") == "valkey" else "Redis"
    text = str(information.get("valkey_version") or information["redis_version"])
    number = tuple(int(part) for part in str(information["redis_version"]).split(".")[:2])
    problem = None if number >= OLDEST_REDIS else "it is too old. Use Redis 6.2 or newer, or Valkey."
    return Finding(f"{name} {text}", problem)


def _users(client: "redis.Redis") -> Finding:
    subject = "Redis users, which separate runners (ACL)"
    try:
        require_runner_users(client)
    except RunnerUsersRefused as error:
        return Finding(subject, str(error))
    return Finding(subject)


def _pages() -> Iterator[Finding]:
    there = (settings.FRONTEND / "index.html").exists()
    yield Finding(
        "built pages", None if there else f"{settings.FRONTEND} has none. Run make up once, or build a wheel."
    )


def _django() -> Iterator[Finding]:
    """Yield the start-up checks of the application; those of a deployment only for one."""
    serious = [
        each
        for each in checks.run_checks(include_deployment_checks=not settings.OWN_MACHINE)
        if each.level >= checks.WARNING and not each.is_silenced()
    ]
    yield Finding("start-up checks", " ".join(_sentence(each) for each in serious) or None)


def _sentence(message: checks.CheckMessage) -> str:
    return f"{message.msg} {message.hint or ''}".strip() + f" ({message.id})"
