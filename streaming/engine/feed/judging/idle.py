"""The idle rule of one input in a feed: finds silent units, and decides their effect (T16)."""

from collections.abc import Collection, Mapping
from typing import Any

from streaming.temporal.clock import saturated
from streaming.temporal.idleness import Silence
from streaming.temporal.settings import AdvanceTime, Idle
from streaming.temporal.ticks import NO_CTI, NO_TICKS, Tick
from streaming.wire.rows.arrived import Int64s


class IdleRule:
    """The last arrival of each unit (a lane, or a key of a lane), and the effect of heartbeats on them."""

    def __init__(self, settings: AdvanceTime, state: Mapping[str, Any] | None = None) -> None:
        self._settings = settings
        self._on = settings.idle_after is not None
        self._silence = Silence(settings.idle_after)
        if state:
            self._silence = Silence.restored(settings.idle_after, state["now"], state["heard_at"], state["idle"])

    @property
    def on(self) -> bool:
        """Return true if the input has the rule."""
        return self._on

    @property
    def left_out(self) -> frozenset[str]:
        """Return the units that do not count for the CTI of the input."""
        return frozenset(map(str, self._silence.idle)) if self._settings.idle is Idle.LEAVE_OUT else frozenset()

    def is_idle(self, unit: str) -> bool:
        """Return true if the last heartbeat found `unit` idle and it has had no element since."""
        return self._on and self._silence.is_idle(unit)

    def hear(self, unit: str, arrival: Tick | None) -> bool:
        """Record an element of `unit`, at the last heartbeat if `arrival` is not known.

        Return true if the unit was idle.
        """
        return self._on and self._silence.hear(unit, arrival)

    def hear_all(self, unit: str, arrivals: Int64s | None) -> bool:
        """Record elements of `unit` at `arrivals` (NO_CTI, and None for all: not known).

        Return true if the unit was idle.
        """
        if arrivals is None:
            return self.hear(unit, None)
        known = arrivals[arrivals != NO_CTI]
        unknown = len(known) < len(arrivals)
        returns = unknown and self.hear(unit, None)
        return (bool(len(known)) and self.hear(unit, Tick(int(known.max())))) or returns

    def beat(self, now: int, units: Collection[str]) -> dict[str, Tick]:
        """Judge `units` at a heartbeat; with `advance`, return the CTI to which it moves each idle unit."""
        if not self._on:
            return {}
        self._silence.beat(Tick(now), units)
        if self._settings.idle is not Idle.ADVANCE:
            return {}
        generate = self._settings.generate
        delay = NO_TICKS if generate is None else generate.delay
        idle = self._silence.idle
        return {unit: saturated(now - delay) for unit in units if unit in idle}

    def due(self, units: Collection[str]) -> int | None:
        """Return the time from which a heartbeat has an effect on `units`; None: never.

        It has an effect if it finds one idle, or moves one. A unit without an element needs the next heartbeat; its
        silence counts from there.
        """
        wait = self._settings.idle_after
        if wait is None:
            return None
        heard_at, idle = self._silence.heard_at, self._silence.idle
        moved = self._settings.idle is Idle.ADVANCE
        waiting = [heard_at[unit] + wait if unit in heard_at else 0 for unit in units if unit not in idle]
        return 0 if moved and any(unit in idle for unit in units) else min(waiting, default=None)

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        heard_at = {str(unit): at for unit, at in self._silence.heard_at.items()}
        return {"now": self._silence.now, "heard_at": heard_at, "idle": sorted(map(str, self._silence.idle))}
