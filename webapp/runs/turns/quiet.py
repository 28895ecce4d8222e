"""Organisations that need no turn of the reconciler, because nothing has changed since the last one.

A turn that leaves nothing to do notes a digest of the runners' reports. While the digest stays the same, and for
QUIET_S at most, the beat makes no turn; every change requests a turn anyway.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

import redis

from streaming.wire import keys
from streaming.wire.messages import read_lease
from webapp.runs.models import Run
from webapp.runs.states import Desired, Observed

QUIET_S: Final = 15
"""A quiet organisation has a turn this often, because disks and databases report no changes."""
AT_ONCE: Final = 100


def report_digests(connection: "redis.Redis", organisations: Sequence[UUID]) -> list[str]:
    """Return, for each of `organisations`, a digest of all that its runners have reported."""
    with connection.pipeline(transaction=False) as together:
        for organisation in map(str, organisations):
            together.get(keys.lease(organisation))
            for key in (keys.observed, keys.progress, keys.delivered):
                together.hgetall(key(organisation))
            together.xlen(keys.incidents(organisation))
        answers = iter(together.execute())
    return [_digest(next(answers), [next(answers) for _ in range(3)], next(answers)) for _ in organisations]


def note_quiet(connection: "redis.Redis", organisation: UUID, digest: str | None) -> None:
    """Note that a turn with the reports `digest` left nothing to do; None: something is left to do."""
    if digest is None:
        connection.delete(_key(organisation))
    else:
        connection.set(_key(organisation), digest, ex=QUIET_S)


def unquiet(connection: "redis.Redis", organisations: Sequence[UUID]) -> Iterator[UUID]:
    """Yield those of `organisations` that need a turn, in their order."""
    for begin in range(0, len(organisations), AT_ONCE):
        part = organisations[begin : begin + AT_ONCE]
        noted = {
            organisation: digest if isinstance(digest, str) else digest.decode()
            for organisation, digest in zip(part, connection.mget([_key(each) for each in part]), strict=True)
            if digest is not None
        }
        now = dict(zip(noted, report_digests(connection, list(noted)), strict=True)) if noted else {}
        yield from (each for each in part if each not in noted or noted[each] != now[each])


def as_it_should_be(runs: Iterable[Run]) -> bool:
    """Return whether `runs`, which were open when the turn started, run as desired, and no message is to be shown."""
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
    """Return the holder of the lease, without the time of its last heartbeat."""
    held = None if lease is None else read_lease(lease)
    return None if held is None else (held.token, held.session_at)
