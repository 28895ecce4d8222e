"""Which lanes of an input have been silent for too long, by the wall clock of its heartbeats (T16)."""

from collections.abc import Hashable, Iterable

from streaming.temporal.ticks import Tick, Ticks


class Silence:
    """When each lane was last heard, and which are idle; None for `idle_after` is a rule that never fires.

    The rule is judged at heartbeats alone, so that a replay of the same rows and heartbeats repeats it. It fires at
    `>= idle_after` since the last element of the lane, or, before its first, since the first heartbeat.
    """

    def __init__(self, idle_after: Ticks | None) -> None:
        self._idle_after = idle_after
        self._now: Tick | None = None
        self._heard_at: dict[Hashable, Tick] = {}
        self._idle: set[Hashable] = set()

    @property
    def idle(self) -> frozenset[Hashable]:
        """The lanes that the last heartbeat found idle and that have not been heard since."""
        return frozenset(self._idle)

    def hear(self, lane: Hashable, arrival: Tick | None) -> bool:
        """An element of `lane` arrived, at the last heartbeat if `arrival` is not known; whether the lane was idle."""
        at = self._now if arrival is None else arrival
        if at is not None:
            self._heard_at[lane] = max(self._heard_at.get(lane, at), at)
        returns = lane in self._idle
        self._idle.discard(lane)
        return returns

    def beat(self, now: Tick, lanes: Iterable[Hashable]) -> None:
        """The wall clock reached `now`: judge `lanes`. A lower `now` than before is taken for the one before."""
        now = self._now = now if self._now is None else max(self._now, now)
        if self._idle_after is None:
            return
        for lane in lanes:
            if now - self._heard_at.setdefault(lane, now) >= self._idle_after:
                self._idle.add(lane)
