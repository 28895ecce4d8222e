"""Detection of lanes that have been silent for too long, by the wall clock of their input's heartbeats (T16)."""

from collections.abc import Hashable, Iterable, Mapping

from streaming.temporal.ticks import Tick, Ticks


class Silence:
    """The last arrival of each lane, and the idle lanes; with `idle_after` None the rule never fires.

    The rule is judged only at heartbeats, so that a replay of the same rows and heartbeats repeats it. It fires at `>=
    idle_after` since the last element of the lane, or, before its first, since the first heartbeat.
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
        """Return a rule after the heartbeat `now`, with the last arrivals `heard_at` and the `idle` lanes."""
        silence = cls(idle_after)
        silence._now = now
        silence._heard_at = dict(heard_at)
        silence._idle = set(idle)
        return silence

    @property
    def now(self) -> Tick | None:
        """Return the last heartbeat; None before the first."""
        return self._now

    @property
    def heard_at(self) -> Mapping[Hashable, Tick]:
        """Return the last arrival of each lane, or the time from which its silence counts."""
        return dict(self._heard_at)

    @property
    def idle(self) -> frozenset[Hashable]:
        """Return the lanes that the last heartbeat found idle and that have had no element since."""
        return frozenset(self._idle)

    def is_idle(self, lane: Hashable) -> bool:
        """Return true if `lane` is one of them."""
        return lane in self._idle

    def hear(self, lane: Hashable, arrival: Tick | None) -> bool:
        """Record an element of `lane`, at the last heartbeat if `arrival` is not known.

        Return true if the lane was idle.
        """
        at = self._now if arrival is None else arrival
        if at is not None:
            self._heard_at[lane] = max(self._heard_at.get(lane, at), at)
        returns = lane in self._idle
        self._idle.discard(lane)
        return returns

    def beat(self, now: Tick, lanes: Iterable[Hashable]) -> None:
        """Judge `lanes` at the wall clock `now`; a lower `now` than before counts as the previous one."""
        now = self._now = now if self._now is None else max(self._now, now)
        if self._idle_after is None:
            return
        for lane in lanes:
            if now - self._heard_at.setdefault(lane, now) >= self._idle_after:
                self._idle.add(lane)
