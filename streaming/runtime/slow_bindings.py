"""Which bindings of an organisation its pool carries apart, because they held everybody up, and when each comes back.

Kept in memory alone: after a restart who is at home in the second carrier stays there for the shortest time again, and
who hangs in the shared one is sent away again. No result depends on it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FIRST_S: Final = 600.0
"""So long a binding is carried apart without a fault before it may come back, if nothing else is said."""
LONGEST_S: Final = 86_400.0


@dataclass
class _TimeApart:
    times: int
    since: float
    there: bool = True


class SlowBindings:
    """Times are those of `monotonic`, a clock that only rises, in seconds.

    `first_s`: so long a binding stays the first time, and after each further one twice as long.
    """

    def __init__(self, monotonic: Callable[[], float], first_s: float = FIRST_S) -> None:
        self._monotonic = monotonic
        self._first_s = first_s
        self._known: dict[str, _TimeApart] = {}

    def __contains__(self, binding: str) -> bool:
        """Whether `binding` is to be carried apart."""
        known = self._known.get(binding)
        return known is not None and known.there

    def send(self, binding: str) -> None:
        """It has held everybody up."""
        known = self._known.get(binding)
        self._known[binding] = _TimeApart(1 if known is None else known.times + 1, self._monotonic())

    def begin_again(self, binding: str) -> None:
        """It is started, or has failed, where it is carried apart: its time there begins anew."""
        if binding in self:
            self._known[binding].since = self._monotonic()

    def come_back(self, binding: str) -> None:
        """It is carried with all others again, and remembered."""
        self._known[binding].there = False

    def due(self) -> list[str]:
        """Who has behaved for long enough."""
        now = self._monotonic()
        return sorted(
            binding
            for binding, known in self._known.items()
            if known.there and now - known.since >= min(self._first_s * 2.0 ** (known.times - 1), LONGEST_S)
        )
