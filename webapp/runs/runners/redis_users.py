"""A Redis user for each runner, with rights to the keys of its organisation only.

The user of a pool has rights to those of the organisations that it serves now, set again at each of its turns.
Without such users every runner could read the data of all organisations, so no runner starts without one.
"""

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

import redis
from django.conf import settings
from django.utils.crypto import salted_hmac

logger = logging.getLogger(__name__)

COMMANDS: Final = (
    "+get +set +del +hget +hset +hgetall +hvals +xadd +blpop +lrange +eval +multi +exec +discard +ping"
    " +select +auth +hello +client|setname"
)
SETINFO: Final = "client|setinfo"
"""The client library calls it and ignores a refusal. Redis 7.0 does not know it, and refuses a user with it."""
_PROBE: Final = "punctual-probe"


class RunnerUsersRefused(Exception):
    """Redis refuses to create the user of a runner; the message has Redis's reason and what to do."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            f"Redis can't create the users of runners ({reason}). Without them each runner could read all "
            "organisations' data, so none starts. Use Redis 6.2 or newer, or Valkey, and allow the user of REDIS_URL "
            "the commands ACL SETUSER and ACL DELUSER."
        )


def user_of(organisation: UUID | str) -> str:
    """Return the name of the Redis user of the runner of `organisation`, or of a pool."""
    return f"punctual-runner-{organisation}"


def admit_runner(connection: "redis.Redis", organisation: UUID | str, serves: Iterable[UUID] = ()) -> None:
    """Create or update the user: a restarted Redis has forgotten it. Raises `RunnerUsersRefused`.

    `organisation` may be a pool, which `serves` others.
    """
    reaches = [f"~punctual:{each}:*" for each in (organisation, *serves)]
    _set_user(connection, user_of(organisation), ["on", f">{_password(organisation)}", "resetkeys", *reaches])


def require_runner_users(connection: "redis.Redis") -> None:
    """Raise `RunnerUsersRefused` if no users of runners can be created; leaves nothing behind."""
    try:
        _set_user(connection, _PROBE, ["off"])
        connection.acl_deluser(_PROBE)
    except redis.ResponseError as error:
        raise RunnerUsersRefused(error) from None


def _set_user(connection: "redis.Redis", name: str, rules: Sequence[str]) -> None:
    run: Any = connection.execute_command  # `acl_setuser` does not support subcommands
    words = ["ACL", "SETUSER", name, *rules, "-@all", *COMMANDS.split()]
    try:
        run(*words, f"+{SETINFO}")
    except redis.ResponseError as error:
        if SETINFO not in str(error):
            raise RunnerUsersRefused(error) from None
        try:
            run(*words)
        except redis.ResponseError as further:
            raise RunnerUsersRefused(further) from None


def dismiss_runner(connection: "redis.Redis", organisation: UUID) -> None:
    """Remove the user of an organisation that is deleted."""
    try:
        connection.acl_deluser(user_of(organisation))
    except redis.ResponseError as error:
        logger.debug("the user of organisation %s was not removed: %s", organisation, error)


def address_for(organisation: UUID | str, serves: Iterable[UUID] = ()) -> str:
    """Return the Redis address for the runner of `organisation`, or of a pool that `serves` some, as its own user.

    Raises `RunnerUsersRefused`: a runner never gets the installation's own address.
    """
    with redis.Redis.from_url(settings.REDIS_URL) as connection:
        admit_runner(connection, organisation, serves)
    parts = urlsplit(settings.REDIS_URL)
    place = f"{user_of(organisation)}:{_password(organisation)}@{parts.netloc.rpartition('@')[2]}"
    options = urlencode([each for each in parse_qsl(parts.query) if each[0] not in {"username", "password"}])
    return urlunsplit((parts.scheme, place, parts.path, options, ""))


def _password(organisation: UUID | str) -> str:
    return salted_hmac(__name__, str(organisation), algorithm="sha256").hexdigest()
