"""A Redis user for each runner: it may touch the keys of its organisation, and no others.

One of a pool: those of the organisations that it serves now, which is said anew at each of its turns.
"""

import logging
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

import redis
from django.conf import settings
from django.utils.crypto import salted_hmac

logger = logging.getLogger(__name__)

COMMANDS: Final = (
    "+get +set +del +hget +hset +hgetall +hvals +xadd +blpop +lrange +eval +multi +exec +discard +ping"
    " +select +auth +hello +client|setinfo +client|setname"
)


def user_of(organisation: UUID | str) -> str:
    """Return the name of the user that the runner of `organisation`, or a pool, is to Redis."""
    return f"punctual-runner-{organisation}"


def admit_runner(connection: "redis.Redis", organisation: UUID | str, serves: Iterable[UUID] = ()) -> bool:
    """Make the user, or see that it is as it must be: a Redis that was started anew has forgotten it.

    `organisation` may be a pool, which `serves` others. False where Redis lets this installation make none.
    """
    reaches = [f"~punctual:{each}:*" for each in (organisation, *serves)]
    rules = ["on", f">{_password(organisation)}", "resetkeys", *reaches, "-@all"]
    try:
        run: Any = connection.execute_command  # `acl_setuser` knows no subcommands
        run("ACL", "SETUSER", user_of(organisation), *rules, *COMMANDS.split())
    except redis.ResponseError as error:
        logger.debug("no user can be made for the runner of organisation %s: %s", organisation, error)
        return False
    return True


def dismiss_runner(connection: "redis.Redis", organisation: UUID) -> None:
    """Remove the user of an organisation that is deleted."""
    try:
        connection.acl_deluser(user_of(organisation))
    except redis.ResponseError as error:
        logger.debug("the user of organisation %s was not removed: %s", organisation, error)


def address_for(organisation: UUID | str, serves: Iterable[UUID] = ()) -> str:
    """Return where the runner of `organisation`, or a pool that `serves` some, finds Redis: as a user of its own."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        admitted = admit_runner(connection, organisation, serves)
    if not admitted:
        logger.warning(
            "The user of REDIS_URL may not make others (ACL SETUSER), so the runner of organisation %s gets REDIS_URL "
            "itself and could read what is of other organisations. Give that user the right.",
            organisation,
        )
        return str(settings.REDIS_URL)
    parts = urlsplit(settings.REDIS_URL)
    place = f"{user_of(organisation)}:{_password(organisation)}@{parts.netloc.rpartition('@')[2]}"
    options = urlencode([each for each in parse_qsl(parts.query) if each[0] not in {"username", "password"}])
    return urlunsplit((parts.scheme, place, parts.path, options, ""))


def _password(organisation: UUID | str) -> str:
    return salted_hmac(__name__, str(organisation), algorithm="sha256").hexdigest()
