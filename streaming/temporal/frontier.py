"""The CTI of an input: the minimum over its lanes (T14)."""

from collections.abc import Iterable, Mapping

from streaming.temporal.ticks import NO_CTI, Tick


class Frontier:
    """The smallest CTI over the lanes of an input; it never goes back (T4).

    The lanes in `listed` exist from the start and hold the frontier at NO_CTI until each has a CTI. A lane that is
    first seen later starts at the frontier. Restore one with `Frontier.restored(frontier.lanes, frontier.at)`.
    """

    def __init__(self, listed: Iterable[str] = ()) -> None:
        self._lanes: dict[str, Tick] = dict.fromkeys(listed, NO_CTI)
        self._at = NO_CTI

    @classmethod
    def restored(cls, lanes: Mapping[str, Tick], at: Tick) -> "Frontier":
        """The frontier that had these `lanes` and stood `at`."""
        frontier = cls()
        frontier._lanes = dict(lanes)
        frontier._at = at
        return frontier

    @property
    def at(self) -> Tick:
        """The CTI of the input; NO_CTI while it has none."""
        return self._at

    @property
    def lanes(self) -> Mapping[str, Tick]:
        """The CTI of every lane that is known."""
        return dict(self._lanes)

    def join(self, lane: str) -> Tick:
        """Make `lane` known and return its CTI: a new lane's clock has to start there."""
        return self._lanes.setdefault(lane, self._at)

    def advance(self, lane: str, cti: Tick) -> bool:
        """Move `lane` to `cti` (a lower one does nothing) and return whether the frontier moved."""
        self._lanes[lane] = max(self.join(lane), cti)
        before = self._at
        self._at = max(before, min(self._lanes.values()))
        return self._at > before
