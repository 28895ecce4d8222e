"""Fair shares of the limited processes of this server process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from webapp.core.context import current_actor
from webapp.core.limited.fair import Claim, FairPlaces, Share
from webapp.core.limited.jobs import Limits

PLACES: Final = FairPlaces(Share(places=6, reserved=2, organisation=4, person=3, waiting=16, waits_s=3.0))
"""The last two are for organisations, and people, that hold none."""


@contextmanager
def place(organisation: UUID | None, limits: Limits) -> Iterator[int]:
    """Work in a place of `organisation` inside the block; yields how many others it holds.

    Raises `Busy` if none becomes free in time. Typing and reading have separate places, so that a slow sample does not
    block the completion.
    """
    claim = Claim(organisation, current_actor().id, limits.wall_s, limits.at_once)
    with PLACES.place(claim) as beside:
        yield beside
