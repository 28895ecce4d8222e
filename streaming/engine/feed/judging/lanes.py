"""The clocks of an input that has one for each lane, and its CTI over all of them (T14, T16)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from streaming.definition.streams import Rowtime
from streaming.engine.feed.judging.clock import Judgement
from streaming.engine.feed.judging.idle import IdleRule
from streaming.engine.feed.judging.judges import LaneJudge
from streaming.engine.feed.judging.lowest import LowestCti
from streaming.engine.state.container import Blob
from streaming.planning.plan import InputPlan
from streaming.temporal.clock import LaneClockState, started_at
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.arrived import Arrived, Int64s
from streaming.wire.failures import FailureTally


@dataclass(frozen=True, slots=True)
class JudgedChunk:
    """What a chunk did: its judgement, and how it moved the CTI of the input, each step after its row."""

    judged: Judgement
    step_row: Int64s
    step_cti: Int64s


class ClockSet(Protocol):
    """All clocks of one input; `at` is its CTI, `horizon` the largest finite time that they have seen (T4).

    `failures`: where the expression that names substreams failed in this batch (T15).
    """

    failures: FailureTally

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
        """Judge one chunk of `lane`, which has rows; a lane not seen before begins at the CTI of the input."""

    def raise_all(self, cti: int) -> int | None:
        """Every clock is at least at `cti`; the CTI of the input if that moved it (T17, T26)."""

    def beat(self, now: int) -> int | None:
        """The wall clock reached `now`: implicit rowtimes move all clocks there (T17), the idle rule is judged (T16).

        Returns the CTI of the input if that moved it.
        """

    def due(self) -> int | None:
        """From when on a heartbeat may move anything, if no row comes before; None: none ever does."""

    def seen(self, lane: str) -> LaneClockState:
        """What the clocks of `lane` say together of its largest start and its suppressed CTIs."""

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """What they remember, as JSON values; what is too much for them goes into `blobs`."""


class LaneClocks:
    """One clock for each lane. `listed` lanes exist from the first batch on; without `state` it is the first."""

    def __init__(
        self, plan: InputPlan, listed: Iterable[str], state: Mapping[str, Any] | None, blobs: Mapping[str, Blob]
    ) -> None:
        self._plan = plan
        self.failures = FailureTally()
        self._rule = IdleRule(plan.advance, None if state is None else state["silence"])
        self._at: int = NO_CTI if state is None else state["at"]
        self._lanes: dict[str, LaneJudge] = {}
        for lane, kept in ({} if state is None else state["lanes"]).items():
            self._lanes[lane] = LaneJudge.of_json(plan.shape, plan.advance, kept, blobs)
        for lane in listed:
            if lane not in self._lanes:
                self._begin(lane)

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
        """As `ClockSet` says. Only the lane that speaks moves the minimum, and only its first row brings it back."""
        if lane not in self._lanes:
            self._begin(lane)
        judge = self._lanes[lane]
        returns = self._rule.hear_all(lane, arrived.arrival)
        if returns:
            judge.raise_to(self._at)
        before = judge.cti
        judged = judge.judge(arrived)
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
        """As `ClockSet` says."""
        for judge in self._lanes.values():
            judge.raise_to(cti)
        return self._settle()

    def beat(self, now: int) -> int | None:
        """As `ClockSet` says."""
        if self._plan.stream.rowtime is Rowtime.IMPLICIT:
            for judge in self._lanes.values():
                judge.raise_to(now)
        for lane, cti in self._rule.beat(now, self._ctis()).items():
            self._lanes[lane].raise_to(cti)
        return self._settle()

    def due(self) -> int | None:
        """As `ClockSet` says."""
        going_on = [lane for lane, cti in self._ctis().items() if cti != INFINITY]
        return 0 if going_on and self._plan.stream.rowtime is Rowtime.IMPLICIT else self._rule.due(going_on)

    def seen(self, lane: str) -> LaneClockState:
        """As `ClockSet` says."""
        return self._lanes[lane].state()

    def state(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """As `ClockSet` says."""
        lanes = {lane: judge.to_json(blobs) for lane, judge in self._lanes.items()}
        return {"at": self._at, "lanes": lanes, "silence": self._rule.state()}

    def _begin(self, lane: str) -> None:
        self._lanes[lane] = LaneJudge(self._plan.shape, self._plan.advance, started_at(Tick(self._at)))

    def _ctis(self) -> dict[str, int]:
        return {lane: judge.cti for lane, judge in self._lanes.items()}

    def _minimum(self, lane: str, ctis: Int64s) -> Int64s:
        """The minimum over all lanes that are heard while `lane` takes the `ctis` one after another.

        A lane at INFINITY has ended and does not count; where no other is heard but some go on, nothing moves then.
        """
        others = {other: cti for other, cti in self._ctis().items() if other != lane and cti != INFINITY}
        speaking = [cti for other, cti in others.items() if other not in self._rule.left_out]
        lowest = np.minimum(ctis, min(speaking, default=INFINITY))
        return np.where(lowest == INFINITY, NO_CTI, lowest) if others else lowest

    def _settle(self) -> int | None:
        lowest = LowestCti(self._at, self._ctis(), self._rule.left_out)
        moved = lowest.settle()
        self._at = lowest.at
        return moved
