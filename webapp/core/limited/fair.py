"""Fair shares of a limited number of places: round robin by organisation, then by person, with a reserve.

No organisation and no person holds every place, and the last places go to organisations that hold none. So a new
organisation is served, whatever the load of another.
"""

import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

from webapp.core.errors import Busy

BUSY = "Too many of these requests are running. Try again in a moment."


@dataclass(frozen=True)
class Share:
    """The numbers of places: in all, reserved for those that hold none, for one organisation, for one person.

    `waiting` is the number of requests of one organisation that may wait, `waits_s` for how long.
    """

    places: int
    reserved: int
    organisation: int
    person: int
    waiting: int
    waits_s: float


@dataclass(frozen=True)
class Claim:
    """The holder of a place; `kind` and `most_of_kind` limit how many of one kind an organisation has.

    A `person` of None is the program itself, to which no limit for persons applies.
    """

    organisation: UUID | None
    person: str | None = None
    kind: Hashable = None
    most_of_kind: int | None = None


@dataclass
class _Ticket:
    claim: Claim
    number: int
    granted: threading.Event = field(default_factory=threading.Event)


class FairPlaces:
    """The places of one server process."""

    def __init__(self, share: Share, busy: str = BUSY) -> None:
        self.share = share
        self._busy = busy
        self._lock = threading.Lock()
        self._held: Counter[Hashable] = Counter()
        self._total = 0
        self._waiting: list[_Ticket] = []
        self._served: dict[Hashable, int] = {}
        self._numbers = count(1)

    @contextmanager
    def place(self, claim: Claim) -> Iterator[int]:
        """Hold a place inside the block; yields how many others the organisation holds.

        Raises `Busy` if none becomes free within `waits_s`, or if too many of the organisation already wait.
        """
        beside = self.enter(claim)
        try:
            yield beside
        finally:
            self.leave(claim)

    def enter(self, claim: Claim) -> int:
        """Take a place and return how many others the organisation holds. Raises like `place`."""
        with self._lock:
            if sum(each.claim.organisation == claim.organisation for each in self._waiting) >= self.share.waiting:
                raise Busy(self._busy)
            ticket = _Ticket(claim, next(self._numbers))
            self._waiting.append(ticket)
            self._grant()
        ticket.granted.wait(self.share.waits_s)
        with self._lock:
            if not ticket.granted.is_set():
                self._waiting.remove(ticket)
                raise Busy(self._busy)
            return self._held[_organisation(claim)] - 1

    def leave(self, claim: Claim) -> None:
        """Give a place back, and pass it to the next in line."""
        with self._lock:
            self._count(claim, -1)
            self._grant()

    @contextmanager
    def set_aside(self, claim: Claim) -> Iterator[None]:
        """Give the place back inside the block, for work with limits of its own, and take it again after."""
        self.leave(claim)
        try:
            yield
        finally:
            with self._lock:
                self._count(claim, 1)  # above the limit for a moment, rather than failing after the work is done

    def _grant(self) -> None:
        """Give every free place to the claim whose organisation, then person, was served the longest time ago."""
        while free := [each for each in self._waiting if self._may(each.claim)]:
            chosen = min(free, key=self._turn)
            self._waiting.remove(chosen)
            self._count(chosen.claim, 1)
            turn = next(self._numbers)
            for key in (_organisation(chosen.claim), _person(chosen.claim)):
                self._served[key] = turn
            chosen.granted.set()

    def _turn(self, ticket: _Ticket) -> tuple[int, int, int]:
        claim = ticket.claim
        return (self._served.get(_organisation(claim), 0), self._served.get(_person(claim), 0), ticket.number)

    def _may(self, claim: Claim) -> bool:
        free = self.share.places - self._total
        mine, own = self._held[_organisation(claim)], self._held[_person(claim)] if claim.person else 0
        return (
            free > 0
            and mine < self.share.organisation
            and own < self.share.person
            and (free > self.share.reserved or not mine + own)
            and (claim.most_of_kind is None or self._held[_kind(claim)] < claim.most_of_kind)
        )

    def _count(self, claim: Claim, change: int) -> None:
        self._total += change
        for key in (_organisation(claim), _person(claim), _kind(claim)):
            self._held[key] += change
            if not self._held[key]:
                del self._held[key]
        if not self._total and not self._waiting:
            self._served.clear()  # turns count only while somebody waits


def _organisation(claim: Claim) -> Hashable:
    return ("organisation", claim.organisation)


def _person(claim: Claim) -> Hashable:
    return ("person", claim.person)


def _kind(claim: Claim) -> Hashable:
    return ("kind", claim.organisation, claim.kind)
