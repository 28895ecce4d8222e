"""The minimum of many CTIs that move one at a time: as temporal.Frontier, without visiting all of them."""

import heapq
from collections.abc import Iterable, Mapping

from streaming.temporal.ticks import INFINITY


class LowestCti:
    """The CTI of an input over its `units` (lanes or keys of lanes); it never decreases (T4, T14, T16).

    Units in `left_out` do not count, nor those that have ended: if all others are left out, nothing moves; if all have
    ended, the input has. `settle` takes the minimum again.
    """

    def __init__(self, at: int, units: Mapping[str, int] | None = None, left_out: Iterable[str] = ()) -> None:
        self.at = at
        self._ctis: dict[str, int] = {}
        self._left_out: set[str] = set()
        self._ended = 0
        self._heap: list[tuple[int, str]] = []
        for unit, cti in (units or {}).items():
            self.put(unit, cti)
        self._left_out.update(left_out)

    def put(self, unit: str, cti: int) -> None:
        """Set `unit` to `cti` and make it active."""
        self._left_out.discard(unit)
        self.move(unit, cti)

    def move(self, unit: str, cti: int) -> None:
        """Set `unit` to `cti`; it stays left out if it was."""
        before = self._ctis.get(unit)
        self._ctis[unit] = cti
        if cti != INFINITY:
            heapq.heappush(self._heap, (cti, unit))
        elif before != INFINITY:
            self._ended += 1

    def forget(self, unit: str) -> None:
        """Remove `unit`."""
        if self._ctis.pop(unit, None) == INFINITY:
            self._ended -= 1

    def settle(self) -> int | None:
        """Return the CTI of the input if it moved."""
        before = self.at
        while self._heap and not self._counts(*self._heap[0]):
            heapq.heappop(self._heap)
        if self._heap:
            self.at = max(before, self._heap[0][0])
        elif self._ctis and self._ended == len(self._ctis):
            self.at = INFINITY
        return self.at if self.at > before else None

    def _counts(self, cti: int, unit: str) -> bool:
        return self._ctis.get(unit) == cti and unit not in self._left_out
