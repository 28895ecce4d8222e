"""Which organisations need no turn of the reconciler, because it would find what it has found before.

A turn that finds all as it should be notes a digest of what it has heard. While the same is heard, and for QUIET_S at
most, the beat makes no turn; whoever changes anything asks for one all the same.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

import redis
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from webapp.runs.models import Run
from webapp.runs.states import Desired, Observed

QUIET_S: Final = 15
"""So often an organisation has a turn however quiet it is: disks and databases are not heard."""
AT_ONCE: Final = 100


def heard(connection: "redis.Redis", organisations: Sequence[UUID]) -> list[str]:
    """Return a digest of all that the runners of `organisations` have said, of each."""
    with connection.pipeline(transaction=False) as together:
        for organisation in map(str, organisations):
            together.get(keys.lease(organisation))
            for key in (keys.observed, keys.progress, keys.delivered):
                together.hgetall(key(organisation))
            together.xlen(keys.incidents(organisation))
        answers = iter(together.execute())
    return [_digest(next(answers), [next(answers) for _ in range(3)], next(answers)) for _ in organisations]


def note_quiet(connection: "redis.Redis", organisation: UUID, digest: str | None) -> None:
    """Note that a turn which began when `digest` was heard left nothing to do; None: something is to be done."""
    if digest is None:
        connection.delete(_key(organisation))
    else:
        connection.set(_key(organisation), digest, ex=QUIET_S)


def unquiet(connection: "redis.Redis", organisations: Sequence[UUID]) -> Iterator[UUID]:
    """Yield those of `organisations` that need a turn, in their order."""
    for begin in range(0, len(organisations), AT_ONCE):
        part = organisations[begin : begin + AT_ONCE]
        noted = {
            organisation: said if isinstance(said, str) else said.decode()
            for organisation, said in zip(part, connection.mget([_key(each) for each in part]), strict=True)
            if said is not None
        }
        now = dict(zip(noted, heard(connection, list(noted)), strict=True)) if noted else {}
        yield from (each for each in part if each not in noted or noted[each] != now[each])


def as_it_should_be(runs: Iterable[Run]) -> bool:
    """Return whether `runs`, which were open when the turn began, run as they are to, and nothing is to be told."""
    return all(
        (run.observed, run.desired, run.message) == (Observed.RUNNING, Desired.RUNNING, None) and run.ended_at is None
        for run in runs
    )


def _key(organisation: UUID) -> str:
    return f"punctual:{organisation}:quiet"


def _digest(lease: bytes | None, hashes: Sequence[dict[bytes, bytes]], incidents: int) -> str:
    found = hashlib.sha256(repr((_who(lease), incidents)).encode())
    for each in hashes:
        found.update(repr(sorted(each.items())).encode())
    return found.hexdigest()


def _who(lease: bytes | None) -> tuple[str, int | None] | None:
    """Whoever holds the lease; not when it renewed it last."""
    try:
        held = None if lease is None else RunnerLease.model_validate_json(lease)
    except ValidationError:
        return None
    return None if held is None else (held.token, held.session_at)
