"""Fair shares of the web process: few requests of one organisation or person are answered at the same time.

Python runs one thread at a time, so each concurrent request makes all others slower. A request that waits for a limited
process gives its place back until that process has answered.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from webapp.core.context import current_actor
from webapp.core.limited.fair import Claim, FairPlaces, Share

BUSY: Final = "Too many requests of yours are being answered at the same time. Wait for their answers, then try again."
REQUESTS: Final = FairPlaces(Share(places=24, reserved=8, organisation=6, person=3, waiting=16, waits_s=4.0), BUSY)
"""More would answer nobody sooner, because Python runs one thread; a page's other requests wait for a moment."""


@dataclass
class _Admission:
    claim: Claim | None = None


_admission: ContextVar[_Admission | None] = ContextVar("admission", default=None)


@contextmanager
def admission() -> Iterator[None]:
    """Answer a request inside the block; a place that `admit` took is given back after it."""
    mine = _Admission()
    token = _admission.set(mine)
    try:
        yield
    finally:
        _admission.reset(token)
        if mine.claim is not None:
            REQUESTS.leave(mine.claim)


def admit(organisation: UUID) -> None:
    """Take a place for the present request and the actor in context. Raises `Busy` if none becomes free in time."""
    mine = _admission.get()
    assert mine is not None  # nosec B101 # a programming error, found by the first test
    claim = Claim(organisation, current_actor().id)
    REQUESTS.enter(claim)
    mine.claim = claim


@contextmanager
def set_aside() -> Iterator[None]:
    """Give the place of the present request back inside the block, while another process computes."""
    mine = _admission.get()
    if mine is None or mine.claim is None:
        yield
        return
    with REQUESTS.set_aside(mine.claim):
        yield
