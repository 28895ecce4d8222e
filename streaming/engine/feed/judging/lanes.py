"""The clocks of an input that has one for each lane, and its CTI over all of them (T14, T16)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from streaming.definition.streams.stream import Rowtime
from streaming.definition.streams.tables import table_rules
from streaming.engine.feed.judging.clock import Judgement
from streaming.engine.feed.judging.idle import IdleRule
from streaming.engine.feed.judging.judges import LaneJudge
from streaming.engine.feed.judging.lowest import LowestCti
from streaming.engine.feed.judging.stored_table import StoredTable
from streaming.engine.state.container import Blob
from streaming.planning.plan import InputPlan
from streaming.temporal.clock import LaneClockState, started_at
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.failures import FailureTally
from streaming.wire.rows.arrived import Arrived, Int64s, RowKind


@dataclass(frozen=True, slots=True)
class JudgedChunk:
    """The effect of a chunk: its judgement, and the moves of the input's CTI, each step after its row."""

    judged: Judgement
    step_row: Int64s
    step_cti: Int64s


class ClockSet(Protocol):
    """All clocks of one input; `at` is its CTI, `horizon` the largest finite time that they have seen (T4).

    `failures`: where the expression that names substreams failed in this batch (T15). `table` has the versions if the
    input is a table.
    """

    failures: FailureTally
    table: StoredTable | None

    @property
    def at(self) -> int:
        """The CTI of the input."""

    @property
    def horizon(self) -> int:
        """The largest finite time seen."""

    @property
    def lanes(self) -> list[str]:
        """The lanes that are known."""

    def judge(self, lane: str, arrived: Arrived) -> JudgedChunk:
        """Judge one chunk of `lane`, which has rows; a new lane starts at the CTI of the input."""

    def raise_all(self, cti: int) -> int | None:
        """Raise every clock to at least `cti`; return the CTI of the input if that moved it (T17, T26)."""

    def beat(self, now: int) -> int | None:
        """Process the wall clock `now`: implicit rowtimes move all clocks there (T17), the idle rule is judged (T16).

        Returns the CTI of the input if that moved it.
        """

    def count_only(self, lanes: Iterable[str]) -> int | None:
        """Let only `lanes` count, from the CTI of the input on; return that CTI if this moved it (T56)."""

    def due(self) -> int | None:
        """Return the time from which a heartbeat may move anything, if no row comes before; None: none ever does."""

    def seen(self, lane: str) -> LaneClockState:
        """Return the combined state of the clocks of `lane`: its lowest CTI, largest start, and suppressed CTIs."""

    def is_idle(self, lane: str) -> bool:
        """Return true if the idle rule has found all clocks of `lane` silent (T16)."""

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state as JSON values; larger parts go into `blobs`."""


class LaneClocks:
    """One clock for each lane. `listed` lanes exist from the first batch on; without `state` it is the first."""

    def __init__(
        self, plan: InputPlan, listed: Iterable[str], state: Mapping[str, Any] | None, blobs: Mapping[str, Blob]
    ) -> None:
        self._plan = plan
        self.failures = FailureTally()
        self._rule = IdleRule(plan.advance, None if state is None else state["silence"])
        self._at: int = NO_CTI if state is None else state["at"]
        self.table: StoredTable | None = None
        if plan.shape is Shape.TABLE:
            stored = None if state is None else state["table"]
            watched = plan.node if plan.watch_longer is not None else None
            self.table = StoredTable(table_rules(plan.stream), plan.fields, stored, blobs, watched)
        self._lanes: dict[str, LaneJudge] = {}
        for lane, kept in ({} if state is None else state["lanes"]).items():
            self._lanes[lane] = LaneJudge.of_json(plan.shape, plan.advance, kept, blobs)
        for lane in listed:
            if lane not in self._lanes:
                self._begin(lane)
        self._waiting = waiting_lanes(plan, self._lanes, state)

    @property
    def at(self) -> int:
        """The CTI of the input."""
        return self._at

    @property
    def horizon(self) -> int:
        """The largest finite time seen."""
        return max((judge.horizon for judge in self._lanes.values()), default=NO_CTI)

    @property
    def lanes(self) -> list[str]:
        """The lanes that are known."""
        return list(self._lanes)

    def judge(self, lane: str, arrived: Arrived) -> JudgedChunk:
        """Judge one chunk; see `ClockSet`.

        Only the lane with a row moves the minimum, and only its first row ends its idleness.
        """
        if lane not in self._lanes:
            self._begin(lane)
        judge = self._lanes[lane]
        returns = False
        if not (arrived.kind == RowKind.OVERLAP).all():
            returns = self._rule.hear_all(lane, arrived.arrival) or lane in self._waiting
            self._waiting.discard(lane)
        if returns:
            judge.raise_to(self._at)
        before = judge.cti
        if self.table is None:
            judged = judge.judge(arrived)
        else:
            table = self.table
            judged = judge.judge_versions(arrived, lane, table, lambda cti: table.reach(self._reached(lane, cti)))
        row, cti = judged.step_row, judged.step_cti
        if returns:
            place = int(np.searchsorted(row, 0, side="right"))
            row = np.insert(row, place, 0)
            cti = np.insert(cti, place, cti[place - 1] if place else before)
        reached = np.maximum.accumulate(np.concatenate(([self._at], self._minimum(lane, cti))))
        moved = reached[1:] > reached[:-1]
        self._at = int(reached[-1])
        return JudgedChunk(judged, row[moved], reached[1:][moved])

    def raise_all(self, cti: int) -> int | None:
        """Raise every clock; see `ClockSet`."""
        for judge in self._lanes.values():
            judge.raise_to(cti)
        return self._settle()

    def beat(self, now: int) -> int | None:
        """Process the wall clock; see `ClockSet`."""
        if self._plan.stream.rowtime is Rowtime.IMPLICIT:
            for judge in self._lanes.values():
                judge.raise_to(now)
        for lane, cti in self._rule.beat(now, self._ctis()).items():
            self._lanes[lane].raise_to(cti)
        return self._settle()

    def count_only(self, lanes: Iterable[str]) -> int | None:
        """Let only `lanes` count; see `ClockSet`."""
        for lane in self._waiting.intersection(lanes):
            self._lanes[lane].raise_to(self._at)
        self._waiting = set(self._lanes).difference(lanes)
        return self._settle()

    def due(self) -> int | None:
        """Return the time of the next relevant heartbeat; see `ClockSet`."""
        going_on = [lane for lane, cti in self._ctis().items() if cti != INFINITY]
        return 0 if going_on and self._plan.stream.rowtime is Rowtime.IMPLICIT else self._rule.due(going_on)

    def seen(self, lane: str) -> LaneClockState:
        """Return the state of a lane; see `ClockSet`."""
        return self._lanes[lane].state()

    def is_idle(self, lane: str) -> bool:
        """Return true if the lane is silent; see `ClockSet`."""
        return self._rule.is_idle(lane)

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state; see `ClockSet`."""
        lanes = {lane: judge.to_json(blobs) for lane, judge in self._lanes.items()}
        stored = {"at": self._at, "lanes": lanes, "silence": self._rule.state(), **waiting_state(self._waiting)}
        return stored if self.table is None else {**stored, "table": self.table.to_json(blobs)}

    def _reached(self, lane: str, cti: int) -> Tick:
        """Return the CTI of the input when that of `lane` is `cti`."""
        return Tick(max(self._at, int(self._minimum(lane, np.array([cti]))[0])))

    def _begin(self, lane: str) -> None:
        self._lanes[lane] = LaneJudge(self._plan.shape, self._plan.advance, started_at(Tick(self._at)))

    def _ctis(self) -> dict[str, int]:
        return {lane: judge.cti for lane, judge in self._lanes.items()}

    def _minimum(self, lane: str, ctis: Int64s) -> Int64s:
        """Return the minimum over all active lanes while `lane` takes the `ctis` one after another.

        A lane at INFINITY has ended and does not count. If no other lane is active but some have not ended, nothing
        moves.
        """
        others = {other: cti for other, cti in self._ctis().items() if other != lane and cti != INFINITY}
        out = self._rule.left_out | self._waiting
        speaking = [cti for other, cti in others.items() if other not in out]
        lowest = np.minimum(ctis, min(speaking, default=INFINITY))
        return np.where(lowest == INFINITY, NO_CTI, lowest) if others else lowest

    def _settle(self) -> int | None:
        lowest = LowestCti(self._at, self._ctis(), self._rule.left_out | self._waiting)
        moved = lowest.settle()
        self._at = lowest.at
        return moved


def waiting_lanes(plan: InputPlan, lanes: Iterable[str], state: Mapping[str, Any] | None) -> set[str]:
    """Return the lanes of an input with history that do not count yet, or no longer (T56)."""
    if plan.stream.history is None:
        return set()
    return set(lanes) if state is None else set(state.get("waiting", ()))


def waiting_state(waiting: set[str]) -> dict[str, Any]:
    """Return waiting lanes as JSON values; nothing for inputs without history, in which no lane waits."""
    return {"waiting": sorted(waiting)} if waiting else {}
