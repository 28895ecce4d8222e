"""Which lanes of an input have been silent for too long, by the wall clock of its heartbeats (T16)."""

from collections.abc import Hashable, Iterable, Mapping

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

    @classmethod
    def restored(
        cls,
        idle_after: Ticks | None,
        now: Tick | None,
        heard_at: Mapping[Hashable, Tick],
        idle: Iterable[Hashable],
    ) -> "Silence":
        """The rule that had seen the heartbeat `now`, had heard its lanes at `heard_at` and found these `idle`."""
        silence = cls(idle_after)
        silence._now = now
        silence._heard_at = dict(heard_at)
        silence._idle = set(idle)
        return silence

    @property
    def now(self) -> Tick | None:
        """The last heartbeat; None before the first."""
        return self._now

    @property
    def heard_at(self) -> Mapping[Hashable, Tick]:
        """When each lane was last heard, or from when on its silence counts."""
        return dict(self._heard_at)

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
