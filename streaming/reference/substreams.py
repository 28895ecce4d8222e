"""The clocks of one input: one for each lane, or one for each key of each lane, and the CTI over all of them."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from streaming.temporal.clock import LaneClock, saturated, started_at
from streaming.temporal.events import Cti, Event
from streaming.temporal.frontier import Frontier
from streaming.temporal.idleness import Silence
from streaming.temporal.settings import AdvanceTime, Idle
from streaming.temporal.ticks import NO_TICKS, Tick
from streaming.wire.rows.row_json import Element

Unit = tuple[str, Hashable]
"""The owner of a clock: a lane and a key of its substreams, or a lane and `WHOLE`."""
WHOLE = "the lane itself"


class SubstreamClocks:
    """Every clock of an input whose lanes are all listed; its CTI is the minimum over them, without idle ones.

    With substreams (`keyed`) events use the clock of their key, and CTIs and malformed rows that of their lane. A CTI
    of a lane moves all its keys, and later keys start there or at the input's CTI (T15). The input's CTI is then the
    minimum over the keys; lanes count only while there is no key. `waiting` lanes do not count, each until its first
    element or until its part of the input begins (T56).
    """

    def __init__(
        self, lanes: Sequence[str], settings: AdvanceTime, *, keyed: bool, waiting: Sequence[str] = ()
    ) -> None:
        self._settings = settings
        self._waiting = set(waiting)
        self._keyed = keyed
        self._lanes: dict[Unit, LaneClock] = {(lane, WHOLE): LaneClock(settings) for lane in lanes}
        self._keys: dict[Unit, LaneClock] = {}
        self._frontier = Frontier(self._lanes)
        self._silence = Silence(settings.idle_after)

    def __iter__(self) -> Iterator[LaneClock]:
        """Return all clocks, those of lanes first."""
        return iter((*self._lanes.values(), *self._keys.values()))

    @property
    def at(self) -> Tick:
        """Return the CTI of the input."""
        return self._frontier.at

    @property
    def ctis(self) -> Mapping[Unit, Tick]:
        """Return the CTI of every clock; a lane alone has `WHOLE` for its key."""
        return {unit: clock.cti for clocks in (self._lanes, self._keys) for unit, clock in clocks.items()}

    def hear(self, lane: str, key: Any, element: Element, arrival: Tick | None) -> LaneClock:
        """Return the clock that judges `element`, which has just arrived: that of `key` for an event of a substream.

        A lane or key that returns from idleness first takes the larger of its own and the input's CTI (T16).
        """
        clock = self._woken((lane, WHOLE), self._lanes[lane, WHOLE], arrival)
        if lane in self._waiting:
            self._waiting.remove(lane)
            clock.raise_to(self.at)
        if not self._keyed or not isinstance(element, Event):
            return clock
        unit = unit_of(lane, key)
        if unit not in self._keys:
            self._begin(unit, max(self.at, clock.cti))
        return self._woken(unit, self._keys[unit], arrival)

    def of_lane(self, lane: str) -> LaneClock:
        """Return the clock of a lane itself."""
        return self._lanes[lane, WHOLE]

    def count_only(self, lanes: Sequence[str]) -> None:
        """Let `lanes` count, those without an element from the input's CTI on, and no others (T56)."""
        for lane in self._waiting.intersection(lanes):
            self._lanes[lane, WHOLE].raise_to(self.at)
        self._waiting = {lane for lane, _ in self._lanes}.difference(lanes)

    def take_cti(self, lane: str, cti: Cti) -> None:
        """Apply an explicit CTI of `lane` to it and all its keys."""
        self._lanes[lane, WHOLE].take_cti(cti)
        for (of, _), clock in self._keys.items():
            if of == lane:
                clock.raise_to(cti.at)

    def raise_all(self, cti: Tick) -> None:
        """Raise every clock to at least `cti` (T17, T26)."""
        for clock in self:
            clock.raise_to(cti)

    def beat(self, now: Tick) -> None:
        """Judge the idle rule at a heartbeat; with `advance` it moves the idle clocks (T16)."""
        counted = self._counted()
        self._silence.beat(now, counted)
        if self._settings.idle is not Idle.ADVANCE:
            return
        generate = self._settings.generate
        delay = NO_TICKS if generate is None else generate.delay
        for unit, clock in counted.items():
            if unit in self._silence.idle:
                clock.raise_to(saturated(now - delay))

    def settle(self) -> Tick | None:
        """Take the minimum again; return the input's CTI if that moved it."""
        before = self.at
        idle = self._silence.idle if self._settings.idle is Idle.LEAVE_OUT else frozenset()
        self._frontier.leave_out({*idle, *(unit for unit in self._counted() if unit[0] in self._waiting)})
        for unit, clock in self._counted().items():
            self._frontier.advance(unit, clock.cti)
        return self.at if self.at > before else None

    def _counted(self) -> Mapping[Unit, LaneClock]:
        return self._keys or self._lanes

    def _begin(self, unit: Unit, cti: Tick) -> None:
        if not self._keys:
            self._frontier = Frontier.restored({}, self.at)
        self._keys[unit] = LaneClock(self._settings, started_at(cti))

    def _woken(self, unit: Unit, clock: LaneClock, arrival: Tick | None) -> LaneClock:
        if self._silence.hear(unit, arrival):
            clock.raise_to(self.at)
        return clock


def unit_of(lane: str, key: Any) -> Unit:
    """Return the owner of the clock of the substream `key` of `lane`."""
    return lane, _hashable(key)


def _hashable(value: Any) -> Hashable:
    """Return `value` in a form that can be compared and hashed: arrays and structs become tuples."""
    if isinstance(value, Mapping):
        return tuple((name, _hashable(inner)) for name, inner in value.items())
    if isinstance(value, list | tuple):
        return tuple(_hashable(inner) for inner in value)
    scalar: Hashable = value
    return scalar
