"""Where the runs of an organisation belong: in a runner of its own or in a pooled one, and never in two.

What is written down beside the organisation's data (`wire.binding_homes`) comes first: a pool that keeps something of
it is the only one that may carry it, until that pool has let it go.
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
from pydantic import ValidationError

from streaming.wire import keys
from streaming.wire.binding_homes import pools_of
from streaming.wire.messages import RunnerLease
from streaming.wire.result_location import settle_location
from webapp.accounts.models import Organisation
from webapp.core.context import current_organisation, installation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.kept_folders import own_folder
from webapp.runs.lifecycle.starting import RunnerLaunched, launch_told
from webapp.runs.models import VersionChange
from webapp.runs.runner_models import OwnRunner, PooledRunner, RunnerLaunch, SeatInPool

UNKNOWN: Final = (
    "It cannot be read which runner keeps what the organisation's runs have written, so none is started. Whoever runs "
    "this installation finds why in the log of the worker."
)
MOVES_AFTER: Final = timedelta(minutes=30)
"""A move waits so long for another version that catches up; one that has not by then may never."""
Carrier = int | str | None
"""Who holds an organisation's lease: a pool by its number, its own runner (`keys.OWN`), or nobody."""


class HomesUnknown(Exception):
    """It cannot be read which pools keep something of an organisation."""


@dataclass(frozen=True)
class PoolStanding:
    """What is known of an organisation when it is decided where it belongs.

    `own`: it is to have a runner of its own; `active`: it has something to do; `kept`: the pools that keep something of
    it; `seat`: the pool that serves it so far; `carrier`: who holds its lease.
    """

    own: bool
    active: bool
    kept: frozenset[int]
    seat: int | None
    carrier: Carrier


@dataclass(frozen=True)
class Belonging:
    """Where an organisation belongs: `place` as `keys.place` has it, None: that is not said; `seat`: the pool that is
    to serve it, also to let it go; `full`: no pool has room, it waits; `leaves`: it is to leave its pool, and stays
    there until a runner of its own is up.
    """

    place: str | None
    seat: int | None
    full: bool = False
    leaves: bool = False

    @property
    def own(self) -> bool:
        """Whether a runner of its own may be launched: no pool serves it, or keeps anything of it."""
        return self.place == keys.OWN and self.seat is None


def decide(
    known: PoolStanding,
    pools: int,
    room: Callable[[], int | None],
    ready: Callable[[int], bool],
    prepared: Callable[[], bool],
) -> Belonging:
    """Return where the organisation belongs.

    `room` gives a pool that has room, None where none has; `ready` whether a pool may carry it at once, `prepared`
    whether a runner of its own may, or does not come up. An organisation that its own runner carries stays there until
    the pool is ready, and one that its pool carries until its own runner is, so that nothing rests meanwhile.
    """
    home = min(known.kept, default=None)
    if known.own or not pools:
        return _own(known, home, prepared if pools else lambda: True)
    if not known.active:
        return Belonging(None, None)
    target = next((each for each in (home, known.seat) if each is not None and each <= pools), None) or room()
    if home is not None and home != target:
        return Belonging(keys.OWN if target is None else keys.pool_name(target), home)
    if target is None:
        alone = known.carrier == keys.OWN
        return Belonging(keys.OWN if alone else None, None, full=not alone)
    if known.carrier == keys.OWN and home is None and not ready(target):
        return Belonging(keys.OWN, target)
    return Belonging(keys.pool_name(target), target)


def _own(known: PoolStanding, home: int | None, prepared: Callable[[], bool]) -> Belonging:
    """Return where one belongs that is to have a runner of its own, and of which pool `home` keeps something."""
    if home is not None and known.active and known.carrier == home and not prepared():
        return Belonging(keys.pool_name(home), home, leaves=True)
    return Belonging(keys.OWN, home)


def has_own_runner() -> bool:
    """Return whether the organisation in context is to have a runner of its own."""
    return not settings.POOLS or OwnRunner.objects.exists()


def belonging(
    connection: "redis.Redis", lease: RunnerLease | None, *, active: bool, prepared: Callable[[], bool]
) -> Belonging:
    """Return where the organisation in context belongs now; `prepared` as in `decide`. Raises `HomesUnknown`.

    One that is to be deleted leaves its pool once nothing of it runs any more. While another version catches up beside
    one of its runs it stays where it is carried: that version could not go along.
    """
    served, settled = seat_of(), partial(_settled, timezone.now())
    gone = not active and Organisation.objects.filter(pk=current_organisation(), delete_after__isnull=False).exists()
    known = PoolStanding(
        own=gone or has_own_runner(),
        active=active,
        kept=frozenset(_kept(own_folder())),
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
    """Return the changes of version for which a move of the organisation in context waits: a move would end them."""
    return VersionChange.objects.filter(ended_at__isnull=True, created_at__gt=now - MOVES_AFTER)


def _settled(now: datetime) -> bool:
    return not changing_now(now).exists()


def seat_of() -> int | None:
    """Return the pool in which the organisation in context has a seat."""
    return SeatInPool.objects.values_list("pool", flat=True).first()


def carrier_of(connection: "redis.Redis", lease: RunnerLease | None, seat: int | None) -> Carrier:
    """Return who holds the `lease` of the organisation in context, which has a seat in pool `seat`."""
    if lease is None:
        return None
    if seat is None:
        return keys.OWN
    held = pool_lease(connection, seat)
    if held is not None and held.token == lease.token:
        return seat
    return keys.OWN if RunnerLaunch.objects.exists() else seat


def pool_lease(connection: "redis.Redis", pool: int) -> RunnerLease | None:
    """Return the lease of a pooled runner that was heard of within LEASE_TTL_S; one that cannot be read is none."""
    content = connection.get(keys.lease(keys.pool_name(pool)))
    try:
        return None if content is None else RunnerLease.model_validate_json(content)
    except ValidationError:
        return None


def take_seat(wanted: int | None, carrier: Carrier) -> set[int]:
    """Note which pool serves the organisation in context, None: none; return the pools for which that is news.

    A pool that still holds the lease keeps its seat until it has given it back, whoever comes next: it could not tell
    its last words without its rights.
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
    """Return the launch of the pool of the organisation in context; None once it was heard of."""
    seat = SeatInPool.objects.first()
    if seat is None:
        return None
    return launch_told(PooledRunner.objects.exclude(attempts=0).filter(number=seat.pool).first())


def _kept(folder: Path) -> set[int]:
    try:
        return {int(each.removeprefix(keys.POOL)) for each in pools_of(folder)}
    except (OSError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise HomesUnknown from error


def _with_room() -> int | None:
    """Return the first pool with room for the organisation in context, so that few pools are filled before others."""
    with installation_context("which pool has room"):
        others: TenantQuerySet[SeatInPool] = TenantQuerySet(SeatInPool).exclude(organisation=current_organisation())
        taken: list[int] = list(others.values_list("pool", flat=True))
    free = (each for each in range(1, settings.POOLS + 1) if taken.count(each) < settings.POOL_ORGANISATIONS)
    return next(free, None)


def _ready(connection: "redis.Redis", pool: int) -> bool:
    lease = pool_lease(connection, pool)
    return lease is not None and lease.session_at is not None
