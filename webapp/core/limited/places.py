"""How many limited processes run at once: of one organisation, and in this server process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final
from uuid import UUID

from webapp.core.errors import Busy
from webapp.core.limited.jobs import Limits

AT_ONCE: Final = 6
"""Processes at work for all organisations together."""
WAITS_S: Final = 3.0
"""How long a request waits for a place before it is told to come again."""
MOST_WAITING: Final = 16
"""Requests of one organisation that wait for a place; the threads of the server are for everybody."""
_free: Final = Condition()
_taken: Final[Counter[object]] = Counter()
_waiting: Final[Counter[UUID | None]] = Counter()


@contextmanager
def place(organisation: UUID | None, limits: Limits) -> Iterator[None]:
    """Work in a place of `organisation` inside the block. Raises `Busy` when none is free within `WAITS_S`.

    Typing and reading have places of their own, so that a slow sample does not stop the completion.
    """
    kind = (organisation, limits.wall_s)

    def is_free() -> bool:
        return _taken[kind] < limits.at_once and _taken[None] < AT_ONCE

    with _free:
        if _waiting[organisation] >= MOST_WAITING:
            raise _busy()
        _waiting[organisation] += 1
        try:
            if not _free.wait_for(is_free, timeout=WAITS_S):
                raise _busy()
        finally:
            _waiting[organisation] -= 1
        _taken[kind] += 1
        _taken[None] += 1
    try:
        yield
    finally:
        with _free:
            _taken[kind] -= 1
            _taken[None] -= 1
            _free.notify_all()


def _busy() -> Busy:
    return Busy("As much of this as may be computed at once is being computed. Try again in a moment.")
