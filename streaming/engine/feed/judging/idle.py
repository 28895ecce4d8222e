"""The idle rule of one input as feeds remember it: which units have fallen silent, and what becomes of these (T16)."""

from collections.abc import Collection, Mapping
from typing import Any

from streaming.temporal.clock import saturated
from streaming.temporal.idleness import Silence
from streaming.temporal.settings import AdvanceTime, Idle
from streaming.temporal.ticks import NO_CTI, NO_TICKS, Tick
from streaming.wire.arrived import Int64s


class IdleRule:
    """When each unit (a lane, or a key of a lane) was heard, and what heartbeats make of it."""

    def __init__(self, settings: AdvanceTime, state: Mapping[str, Any] | None = None) -> None:
        self._settings = settings
        self._on = settings.idle_after is not None
        self._silence = Silence(settings.idle_after)
        if state:
            self._silence = Silence.restored(settings.idle_after, state["now"], state["heard_at"], state["idle"])

    @property
    def on(self) -> bool:
        """Whether there is one."""
        return self._on

    @property
    def left_out(self) -> frozenset[str]:
        """The units that do not count for the CTI of the input."""
        return frozenset(map(str, self._silence.idle)) if self._settings.idle is Idle.LEAVE_OUT else frozenset()

    def hear(self, unit: str, arrival: Tick | None) -> bool:
        """An element of `unit` arrived, at the last heartbeat if `arrival` is not known; whether it returns so."""
        return self._on and self._silence.hear(unit, arrival)

    def hear_all(self, unit: str, arrivals: Int64s | None) -> bool:
        """Elements of `unit` arrived at `arrivals` (NO_CTI, and None for all: not known); whether it returns so."""
        if arrivals is None:
            return self.hear(unit, None)
        known = arrivals[arrivals != NO_CTI]
        unknown = len(known) < len(arrivals)
        returns = unknown and self.hear(unit, None)
        return (bool(len(known)) and self.hear(unit, Tick(int(known.max())))) or returns

    def beat(self, now: int, units: Collection[str]) -> dict[str, Tick]:
        """Judge `units` at a heartbeat; under `advance`, to which CTI it moves each that is idle."""
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
        """From when on a heartbeat changes anything for `units`: it finds one idle, or moves one that is; None: never.

        One of which nothing was heard needs the next heartbeat, from which its silence counts.
        """
        wait = self._settings.idle_after
        if wait is None:
            return None
        heard_at, idle = self._silence.heard_at, self._silence.idle
        moved = self._settings.idle is Idle.ADVANCE
        waiting = [heard_at[unit] + wait if unit in heard_at else 0 for unit in units if unit not in idle]
        return 0 if moved and any(unit in idle for unit in units) else min(waiting, default=None)

    def state(self) -> dict[str, Any]:
        """What it remembers, as JSON values."""
        heard_at = {str(unit): at for unit, at in self._silence.heard_at.items()}
        return {"now": self._silence.now, "heard_at": heard_at, "idle": sorted(map(str, self._silence.idle))}
