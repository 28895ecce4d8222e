"""The CTI of an input: the minimum over its lanes, or over its substreams (T14, T15, T16)."""

from collections.abc import Hashable, Iterable, Mapping

from streaming.temporal.ticks import INFINITY, NO_CTI, Tick


class Frontier:
    """The smallest CTI over the lanes of an input; it never decreases (T4).

    The lanes in `listed` exist from the start and keep the frontier at NO_CTI until each has a CTI. A lane that is
    first seen later starts at the frontier. To restore one, call `Frontier.restored(frontier.lanes, frontier.at)`, then
    call `leave_out` again.
    """

    def __init__(self, listed: Iterable[Hashable] = ()) -> None:
        self._lanes: dict[Hashable, Tick] = dict.fromkeys(listed, NO_CTI)
        self._left_out: frozenset[Hashable] = frozenset()
        self._at = NO_CTI

    @classmethod
    def restored(cls, lanes: Mapping[Hashable, Tick], at: Tick) -> "Frontier":
        """Return a frontier with these `lanes`, at `at`."""
        frontier = cls()
        frontier._lanes = dict(lanes)
        frontier._at = at
        return frontier

    @property
    def at(self) -> Tick:
        """Return the CTI of the input; NO_CTI while it has none."""
        return self._at

    @property
    def lanes(self) -> Mapping[Hashable, Tick]:
        """Return the CTI of every known lane."""
        return dict(self._lanes)

    def join(self, lane: Hashable) -> Tick:
        """Add `lane` if it is new, and return its CTI: a new lane's clock has to start there."""
        return self._lanes.setdefault(lane, self._at)

    def advance(self, lane: Hashable, cti: Tick) -> bool:
        """Move `lane` to `cti` (a lower one has no effect) and return true if the frontier moved."""
        self._lanes[lane] = max(self.join(lane), cti)
        return self._move()

    def leave_out(self, lanes: Iterable[Hashable]) -> bool:
        """Take the minimum without `lanes`, and with all others again; return true if the frontier moved (T16).

        Lanes at INFINITY have ended and do not count as active: if all others are left out, nothing moves.
        """
        self._left_out = frozenset(lanes)
        return self._move()

    def _move(self) -> bool:
        before = self._at
        going = {lane: cti for lane, cti in self._lanes.items() if cti != INFINITY}
        heard = [cti for lane, cti in going.items() if lane not in self._left_out]
        if heard:
            self._at = max(before, min(heard))
        elif self._lanes and not going:
            self._at = INFINITY
        return self._at > before
