"""The slow bindings of an organisation that its pool carries apart, in a second carrier, and their return.

They are in memory only: after a restart, a binding in the second carrier stays there for the shortest time again, and
one that hangs in the shared carrier is sent away again. No result depends on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FIRST_S: Final = 600.0
"""The default time that a binding has to run apart without an error before it returns."""
LONGEST_S: Final = 86_400.0


@dataclass
class _TimeApart:
    times: int
    since: float
    there: bool = True


class SlowBindings:
    """Times are seconds of the monotonic clock `monotonic`.

    A binding stays for `first_s` the first time, and twice as long each further time.
    """

    def __init__(self, monotonic: Callable[[], float], first_s: float = FIRST_S) -> None:
        self._monotonic = monotonic
        self._first_s = first_s
        self._known: dict[str, _TimeApart] = {}

    def __contains__(self, binding: str) -> bool:
        """Return whether `binding` is carried apart."""
        known = self._known.get(binding)
        return known is not None and known.there

    def send(self, binding: str) -> None:
        """Carry `binding` apart from now on: it delayed all others."""
        known = self._known.get(binding)
        self._known[binding] = _TimeApart(1 if known is None else known.times + 1, self._monotonic())

    def begin_again(self, binding: str) -> None:
        """Restart the time of `binding` apart: it has started, or failed, there."""
        if binding in self:
            self._known[binding].since = self._monotonic()

    def come_back(self, binding: str) -> None:
        """Carry `binding` with all others again; its number of times apart stays."""
        self._known[binding].there = False

    def due(self) -> list[str]:
        """Return the bindings that ran apart for long enough without an error."""
        now = self._monotonic()
        return sorted(
            binding
            for binding, known in self._known.items()
            if known.there and now - known.since >= min(self._first_s * 2.0 ** (known.times - 1), LONGEST_S)
        )
