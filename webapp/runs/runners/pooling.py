"""The place of an organisation's runs: a runner of its own or a pooled one, and never two.

The record in the organisation's data (`wire.binding_homes`) comes first: a pool that keeps some of its state is the
only one that may carry it, until that pool has released it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import redis
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from streaming.storage.result_location import settle_location
from streaming.wire import keys
from streaming.wire.binding_homes import pools_of
from streaming.wire.messages import RunnerLease, read_lease
from webapp.accounts.models import Organisation
from webapp.core.context import current_organisation, installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.kept_folders import own_folder
from webapp.runs.lifecycle.starting import RunnerLaunched, launch_step
from webapp.runs.models import VersionChange
from webapp.runs.runner_models import OwnRunner, PooledRunner, RunnerLaunch, SeatInPool

UNKNOWN: Final = (
    "The record of where this organisation's state is kept can't be read, so no runner is started. Your "
    "administrator can find the reason in the worker's log."
)
MOVES_AFTER: Final = timedelta(minutes=30)
"""The longest wait of a move for another version that catches up; one that takes longer may never finish."""
Carrier = int | str | None
"""The holder of an organisation's lease: a pool by its number, its own runner (`keys.OWN`), or none."""


class HomesUnknown(Exception):
    """The record of the pools that keep state of an organisation can't be read."""


@dataclass(frozen=True)
class PoolStanding:
    """The facts that decide the place of an organisation.

    `own`: it is to have a runner of its own; `active`: it has something to do; `kept`: the pools that keep some of its
    state; `seat`: the pool that has served it so far; `carrier`: the holder of its lease.
    """

    own: bool
    active: bool
    kept: frozenset[int]
    seat: int | None
    carrier: Carrier


@dataclass(frozen=True)
class RunnerAssignment:
    """The place of an organisation.

    `place`: as in `keys.place`, None: undetermined; `seat`: the pool that serves it, or is releasing it; `full`: no
    pool has room, so it waits; `leaves`: it will leave its pool, but stays there until a runner of its own is up.
    """

    place: str | None
    seat: int | None
    full: bool = False
    leaves: bool = False

    @property
    def own(self) -> bool:
        """Return whether a runner of its own may be launched: no pool serves it or keeps any of its state."""
        return self.place == keys.OWN and self.seat is None


def decide(
    known: PoolStanding,
    pools: int,
    room: Callable[[], int | None],
    ready: Callable[[int], bool],
    prepared: Callable[[], bool],
) -> RunnerAssignment:
    """Return where the organisation belongs.

    `room` returns a pool with room, or None; `ready` whether a pool could carry it at once; `prepared` whether a runner
    of its own could, or fails to start. An organisation stays in its own runner until the pool is ready, and in its
    pool until its own runner is, so that its runs never pause.
    """
    home = min(known.kept, default=None)
    if known.own or not pools:
        return _own(known, home, prepared if pools else lambda: True)
    if not known.active:
        return RunnerAssignment(None, None)
    target = next((each for each in (home, known.seat) if each is not None and each <= pools), None) or room()
    if home is not None and home != target:
        return RunnerAssignment(keys.OWN if target is None else keys.pool_name(target), home)
    if target is None:
        alone = known.carrier == keys.OWN
        return RunnerAssignment(keys.OWN if alone else None, None, full=not alone)
    if known.carrier == keys.OWN and home is None and not ready(target):
        return RunnerAssignment(keys.OWN, target)
    return RunnerAssignment(keys.pool_name(target), target)


def _own(known: PoolStanding, home: int | None, prepared: Callable[[], bool]) -> RunnerAssignment:
    """Return the place of an organisation that is to have its own runner; pool `home` keeps some of its state."""
    if home is not None and known.active and known.carrier == home and not prepared():
        return RunnerAssignment(keys.pool_name(home), home, leaves=True)
    return RunnerAssignment(keys.OWN, home)


def has_own_runner() -> bool:
    """Return whether the organisation in context is to have a runner of its own."""
    return not settings.POOLS or OwnRunner.objects.exists()


def find_assignment(
    connection: "redis.Redis", lease: RunnerLease | None, *, active: bool, prepared: Callable[[], bool]
) -> RunnerAssignment:
    """Return where the organisation in context belongs now; `prepared` as in `decide`. Raises `HomesUnknown`.

    An organisation that is to be deleted leaves its pool once none of its runs is open. While another version catches
    up next to one of its runs it stays where it is: that version could not move with it.
    """
    served, settled = seat_of(), partial(_settled, timezone.now())
    gone = not active and Organisation.objects.filter(pk=current_organisation(), delete_after__isnull=False).exists()
    known = PoolStanding(
        own=gone or has_own_runner(),
        active=active,
        kept=frozenset(_pools_with_state(own_folder())),
        seat=served,
        carrier=carrier_of(connection, lease, served),
    )
    return decide(
        known,
        settings.POOLS,
        _with_room,
        lambda pool: settled() and _ready(connection, pool),
        lambda: settled() and prepared(),
    )


def changing_now(now: datetime) -> QuerySet[VersionChange]:
    """Return the version changes that delay a move of the organisation in context, because a move would end them."""
    return VersionChange.objects.filter(ended_at__isnull=True, created_at__gt=now - MOVES_AFTER)


def _settled(now: datetime) -> bool:
    return not changing_now(now).exists()


def seat_of() -> int | None:
    """Return the pool in which the organisation in context has a seat."""
    return SeatInPool.objects.values_list("pool", flat=True).first()


def carrier_of(connection: "redis.Redis", lease: RunnerLease | None, seat: int | None) -> Carrier:
    """Return the holder of the `lease` of the organisation in context, which has a seat in pool `seat`."""
    if lease is None:
        return None
    if seat is None:
        return keys.OWN
    held = pool_lease(connection, seat)
    if held is not None and held.token == lease.token:
        return seat
    return keys.OWN if RunnerLaunch.objects.exists() else seat


def pool_lease(connection: "redis.Redis", pool: int) -> RunnerLease | None:
    """Return the lease of a pool, or None once it has expired; an unreadable one belongs to a live pool."""
    content = connection.get(keys.lease(keys.pool_name(pool)))
    return None if content is None else read_lease(content)


def take_seat(wanted: int | None, carrier: Carrier) -> set[int]:
    """Store the pool that serves the organisation in context (None: no pool); return the pools for which that is new.

    A pool that still holds the lease keeps its seat until it has given the lease back, whatever comes next: without
    its Redis rights it could not write its last reports.
    """
    seat = SeatInPool.objects.first()
    if seat is None:
        if wanted is None:
            return set()
        settle_location(own_folder(), settings.RESULTS, str(current_organisation()))
        SeatInPool(pool=wanted).save()
        return {wanted}
    before = (seat.pool, seat.served)
    if wanted != seat.pool and carrier == seat.pool:
        seat.served = False
    elif wanted is None:
        seat.delete()
        return {before[0]}
    else:
        seat.pool, seat.served = wanted, True
    if (seat.pool, seat.served) == before:
        return set()
    seat.save(update_fields=["pool", "served"])
    return {before[0], seat.pool}


def pool_launched() -> RunnerLaunched | None:
    """Return the launch of the pool of the organisation in context; None once the pool has its lease."""
    seat = SeatInPool.objects.first()
    if seat is None:
        return None
    return launch_step(PooledRunner.objects.exclude(attempts=0).filter(number=seat.pool).first())


def _pools_with_state(folder: Path) -> set[int]:
    try:
        return {int(each.removeprefix(keys.POOL)) for each in pools_of(folder)}
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise HomesUnknown from error


def _with_room() -> int | None:
    """Return the first pool with room for the organisation in context, so that pools are filled one by one."""
    with installation_context("looking for a pool with room"):
        others: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool).exclude(organisation=current_organisation())
        taken: list[int] = list(others.values_list("pool", flat=True))
    free = (each for each in range(1, settings.POOLS + 1) if taken.count(each) < settings.POOL_ORGANISATIONS)
    return next(free, None)


def _ready(connection: "redis.Redis", pool: int) -> bool:
    lease = pool_lease(connection, pool)
    return lease is not None and lease.session_at is not None
