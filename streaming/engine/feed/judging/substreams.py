"""The clocks of an input with substreams: one for each key of each lane, and its CTI over all keys (T15, T16)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from streaming.definition.expressions.tree import Expression
from streaming.definition.streams.stream import Rowtime
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.rows import Rows
from streaming.engine.feed.judging.idle import IdleRule
from streaming.engine.feed.judging.judges import finite
from streaming.engine.feed.judging.lane_keys import LaneKeys, silences
from streaming.engine.feed.judging.lanes import JudgedChunk, waiting_lanes, waiting_state
from streaming.engine.feed.judging.lowest import LowestCti
from streaming.engine.feed.judging.rowwise import ChunkRow, JudgementBuilder, rows_of, take_row
from streaming.engine.feed.judging.stored_table import StoredTable
from streaming.engine.feed.judging.tally import clock_of_json, clock_to_json
from streaming.engine.state.container import Blob
from streaming.engine.state.texts_by_key import many
from streaming.planning.plan import InputPlan
from streaming.temporal.clock import LaneClock, LaneClockState, started_at
from streaming.temporal.events import Cti, Event, OverlapRow, Shape
from streaming.temporal.open_edges import payload_key
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Arrived, RowKind

_SCALARS: Final = (str, int, float, bool, type(None))
_OTHERS: Final = "*"
"""In place of a key (whose text is a JSON object): all keys of a lane that are not live."""


class KeyClocks:
    """A clock for each lane, and one for each key of it, made when its first event comes.

    Events use the clock of their key, CTIs and malformed rows that of their lane. A CTI of a lane moves all its keys,
    and later keys start there or at the input's CTI. The input's CTI is the minimum over the keys; lanes count only
    while there is no key. Clocks that no row needs stay serialised; those of one lane count as one unit.
    """

    def __init__(
        self, plan: InputPlan, listed: Iterable[str], state: Mapping[str, Any] | None, blobs: Mapping[str, Blob]
    ) -> None:
        if plan.over is None:
            raise ValueError(f"the input {plan.node!r} has no substreams")
        self._plan = plan
        self._over: Expression = plan.over
        self.failures = FailureTally()
        self.table: StoredTable | None = None
        known: Mapping[str, Any] = state or {"at": NO_CTI, "horizon": NO_CTI, "lanes": {}, "keys": {}, "silence": None}
        each = plan.advance.idle_after is not None
        self._keys: dict[str, LaneKeys] = defaultdict(lambda: LaneKeys(plan.advance, each=each))
        for lane, keys in known["keys"].items():
            self._keys[lane] = LaneKeys.of_few(plan.advance, keys, each=each)
        for lane, stored in known.get("many", {}).items():
            self._keys[lane] = LaneKeys.of_many(plan.advance, stored, blobs, each=each)
        self._any_key = any(map(len, self._keys.values()))
        self._rule = IdleRule(plan.advance, self._silence(known["silence"]))
        self._horizon: int = known["horizon"]
        self._lanes: dict[str, LaneClock] = {
            lane: LaneClock(plan.advance, clock_of_json(clock)) for lane, clock in known["lanes"].items()
        }
        self._lowest = LowestCti(known["at"])
        self._waiting: set[str] = set()
        for lane in listed:
            self._lane(lane)
        self._waiting = waiting_lanes(plan, self._lanes, state)
        self._rebuild()

    @property
    def at(self) -> int:
        """The CTI of the input."""
        return self._lowest.at

    @property
    def horizon(self) -> int:
        """The largest finite time seen."""
        return self._horizon

    @property
    def lanes(self) -> list[str]:
        """The lanes that are known."""
        return list(self._lanes)

    def judge(self, lane: str, arrived: Arrived) -> JudgedChunk:
        """Judge one chunk row by row; see `ClockSet`."""
        into = JudgementBuilder(arrived)
        steps: list[tuple[int, int]] = []
        keys = _key_texts(self._over, arrived, FailureListener(self.failures, self._plan.node, ("over",)))
        own, unit = self._lane(lane), _unit(lane)
        for row in rows_of(arrived, payloads=self._plan.shape is Shape.EDGE):
            if not isinstance(row.element, OverlapRow):
                self._begin_lane(lane, own)
                self._heard(unit, own, row, counts=not self._any_key)
            if isinstance(row.element, Event):
                self._event(lane, keys[row.index], row, into, steps)
            elif isinstance(row.element, Cti):
                self._cti(lane, row.element)
            else:
                take_row(own, row, into)
            self._step(steps, row.index)
        self._horizon = max(self._horizon, into.horizon)
        moved = np.array(steps, np.int64).reshape(-1, 2)
        return JudgedChunk(into.judgement(), moved[:, 0], moved[:, 1])

    def raise_all(self, cti: int) -> int | None:
        """Raise every clock; see `ClockSet`."""
        self._raise(cti)
        self._rebuild()
        return self._lowest.settle()

    def beat(self, now: int) -> int | None:
        """Process the wall clock; see `ClockSet`."""
        if self._plan.stream.rowtime is Rowtime.IMPLICIT:
            self._raise(now)
        lanes = {_unit(lane): clock for lane, clock in self._lanes.items()}
        for unit, cti in self._rule.beat(now, self._ctis()).items():
            key, _, lane = unit.partition("\n")
            clock = lanes[unit] if unit in lanes else self._clock(lane, key)
            if clock is not None:
                clock.raise_to(cti)
                self._horizon = max(self._horizon, finite(clock.cti))
        self._rebuild()
        return self._lowest.settle()

    def count_only(self, lanes: Iterable[str]) -> int | None:
        """Let only `lanes` count; see `ClockSet`."""
        for lane in self._waiting.intersection(lanes):
            self._lanes[lane].raise_to(Tick(self.at))
        self._waiting = set(self._lanes).difference(lanes)
        self._rebuild()
        return self._lowest.settle()

    def _begin_lane(self, lane: str, own: LaneClock) -> None:
        """Let a lane of history count from its first element on (T56)."""
        if lane in self._waiting:
            self._waiting.remove(lane)
            own.raise_to(Tick(self.at))
            if not self._any_key:
                self._lowest.put(_unit(lane), own.cti)

    def due(self) -> int | None:
        """Return the time of the next relevant heartbeat; see `ClockSet`."""
        going_on = [unit for unit, cti in self._ctis().items() if cti != INFINITY]
        return 0 if going_on and self._plan.stream.rowtime is Rowtime.IMPLICIT else self._rule.due(going_on)

    def seen(self, lane: str) -> LaneClockState:
        """Return the state of a lane; see `ClockSet`."""
        own, keys = self._lanes[lane], self._keys[lane]
        largest, suppressed = max(own.largest_start, keys.largest), own.cti_suppressed + keys.suppressed
        ctis = [*keys.ctis().values(), *([] if keys.lowest is None else [keys.lowest])]
        return LaneClockState(cti=Tick(min(ctis, default=own.cti)), largest_start=largest, cti_suppressed=suppressed)

    def is_idle(self, lane: str) -> bool:
        """Return true if all keys of the lane are silent, or it has none and is silent; see `ClockSet`."""
        if self._rule.on and len(self._keys[lane]):
            return all(self._rule.is_idle(_unit(lane, key)) for key in self._keys[lane].ctis())
        return self._rule.is_idle(_unit(lane))

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state; see `ClockSet`."""
        lanes = {lane: clock_to_json(clock.state()) for lane, clock in self._lanes.items()}
        stored = {"at": self.at, "horizon": self._horizon, "lanes": lanes, "silence": self._rule.state()}
        stored |= waiting_state(self._waiting)
        filled = {lane: keys for lane, keys in self._keys.items() if len(keys)}
        if not many(sum(map(len, filled.values()))) and not any(keys.many for keys in filled.values()):
            return {**stored, "keys": {lane: keys.few() for lane, keys in filled.items()}}
        silence = self._rule.state()
        known: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
        for unit, each in silences(silence["heard_at"], silence["idle"]).items():
            key, _, lane = unit.partition("\n")
            known[lane][key] = each
        own = {_unit(lane) for lane in self._lanes}
        silence["heard_at"] = {unit: at for unit, at in silence["heard_at"].items() if unit in own}
        silence["idle"] = [unit for unit in silence["idle"] if unit in own]
        entries = {lane: keys.write(blobs, known[lane]) for lane, keys in filled.items()}
        return {**stored, "keys": {}, "many": entries, "silence": silence}

    def _silence(self, stored: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return the stored state of the idle rule, with the parts that were written with the keys."""
        if not stored:
            return None
        heard_at, idle = dict(stored["heard_at"]), list(stored["idle"])
        for lane, keys in self._keys.items():
            heard, silent = keys.silence()
            heard_at.update({_unit(lane, key): at for key, at in heard.items()})
            idle += [_unit(lane, key) for key in silent]
        return {"now": stored["now"], "heard_at": heard_at, "idle": idle}

    def _event(self, lane: str, key: str, row: ChunkRow, into: JudgementBuilder, steps: list[tuple[int, int]]) -> None:
        unit = _unit(lane, key)
        clock = self._clock(lane, key) or self._begin(lane, key)
        self._heard(unit, clock, row, counts=True)
        before, suppressed = clock.cti, clock.cti_suppressed
        if clock.take_arrival(row.arrival):
            self._lowest.put(unit, clock.cti)
            self._step(steps, row.index - 1)
        take_row(clock, row, into)
        into.seen(clock)
        keys = self._keys[lane]
        keys.largest = max(keys.largest, clock.largest_start)
        keys.suppressed += clock.cti_suppressed - suppressed
        if clock.cti != before:
            self._lowest.put(unit, clock.cti)

    def _cti(self, lane: str, cti: Cti) -> None:
        """Apply an explicit CTI of `lane` to it and all its keys; it does not end their idleness."""
        own = self._lanes[lane]
        own.take_cti(cti)
        self._horizon = max(self._horizon, finite(own.cti))
        for key in self._keys[lane].raise_to(cti.at):
            self._lowest.move(_unit(lane, key), cti.at)
        self._move_others(lane)
        if not self._any_key:
            self._lowest.move(_unit(lane), own.cti)

    def _heard(self, unit: str, clock: LaneClock, row: ChunkRow, *, counts: bool) -> None:
        """Record an element of `unit`; a unit that returns from idleness takes the CTI of the input (T16)."""
        if self._rule.hear(unit, row.arrival):
            clock.raise_to(Tick(self.at))
            if counts:
                self._lowest.put(unit, clock.cti)

    def _step(self, steps: list[tuple[int, int]], after_row: int) -> None:
        moved = self._lowest.settle()
        if moved is not None:
            steps.append((after_row, moved))

    def _lane(self, lane: str) -> LaneClock:
        """Return the clock of `lane`, which starts at the CTI of the input if it is new (T14)."""
        if lane not in self._lanes:
            self._lanes[lane] = LaneClock(self._plan.advance, started_at(Tick(self.at)))
            if not self._any_key:
                self._lowest.put(_unit(lane), self.at)
        return self._lanes[lane]

    def _begin(self, lane: str, key: str) -> LaneClock:
        """Start a key at the CTI of its lane or of the input; with the first key lanes no longer count."""
        cti = max(self.at, self._lanes[lane].cti)
        if not self._any_key:
            self._lowest = LowestCti(self.at)
        self._any_key = True
        self._lowest.put(_unit(lane, key), cti)
        return self._keys[lane].begin(key, started_at(Tick(cti)))

    def _clock(self, lane: str, key: str) -> LaneClock | None:
        """Return the clock of a key, which counts separately from now on; None if the lane has no such key."""
        keys = self._keys[lane]
        if key not in keys.live:
            clock = keys.wake(key)
            if clock is None:
                return None
            self._lowest.move(_unit(lane, key), clock.cti)
            self._move_others(lane)
        return keys.live[key]

    def _move_others(self, lane: str) -> None:
        """Set the keys of `lane` that count as one unit to their lowest CTI."""
        lowest = self._keys[lane].lowest
        if lowest is None:
            self._lowest.forget(_unit(lane, _OTHERS))
        else:
            self._lowest.move(_unit(lane, _OTHERS), lowest)

    def _ctis(self) -> dict[str, int]:
        """The CTIs of all units that count."""
        if not self._any_key:
            return {_unit(lane): clock.cti for lane, clock in self._lanes.items()}
        found = {}
        for lane, keys in self._keys.items():
            found.update({_unit(lane, key): cti for key, cti in keys.ctis().items()})
            if keys.lowest is not None:
                found[_unit(lane, _OTHERS)] = keys.lowest
        return found

    def _raise(self, cti: int) -> None:
        for clock in self._lanes.values():
            clock.raise_to(Tick(cti))
            self._horizon = max(self._horizon, finite(clock.cti))
        for keys in self._keys.values():
            lowest = keys.lowest
            if keys.raise_to(Tick(cti)) or (lowest is not None and lowest < cti):
                self._horizon = max(self._horizon, finite(cti))

    def _rebuild(self) -> None:
        units = self._ctis()
        waiting = {unit for unit in units if unit.partition("\n")[2] in self._waiting}
        self._lowest = LowestCti(self.at, units, self._rule.left_out | waiting)


def _unit(lane: str, key: str = "") -> str:
    """Return the owner of a clock: a lane, or a key of it, whose text is JSON and so has no line break."""
    return f"{key}\n{lane}"


def _key_texts(over: Expression, arrived: Arrived, listener: FailureListener) -> Sequence[str]:
    """Return for each row a text that is equal for equal keys; for rows that are not events it has no meaning."""
    columns = dict(zip(arrived.payload.schema.names, arrived.payload.columns, strict=True))
    known: dict[Any, str] = {}
    found = []
    events = np.isin(arrived.kind, (RowKind.CTI, RowKind.MALFORMED, RowKind.OVERLAP), invert=True)
    heard = replace(listener, counts=lambda at: events[at])
    for value in Rows(columns, None, arrived.start, arrived.end, None).values(over, over.type, heard).to_pylist():
        if not isinstance(value, _SCALARS):
            found.append(payload_key({"k": value}))
            continue
        if value not in known:
            known[value] = payload_key({"k": value})
        found.append(known[value])
    return found
