"""The clock of one lane in the form that its rows need: over columns, or row by row."""

from dataclasses import replace

from streaming.engine.judging.clock import Judgement, judge
from streaming.engine.judging.rowwise import judge_rows
from streaming.temporal.clock import LaneClock, LaneClockState
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.arrived import Arrived


class LaneJudge:
    """Judges the chunks of one lane of a stream of `shape`, from `state` on; `horizon` is the largest time seen (T4).

    Edges, and CTIs that follow arrivals, are judged row by row; all else in columns.
    """

    def __init__(self, shape: Shape, settings: AdvanceTime, state: LaneClockState, horizon: int = NO_CTI) -> None:
        self._settings = settings
        self._edges = shape is Shape.EDGE
        self._state = state
        self._clock = LaneClock(settings, state) if self._edges or settings.late_arrival is not None else None
        self.horizon = max(horizon, finite(state.cti), state.largest_sync)

    @property
    def cti(self) -> int:
        """The CTI of the lane."""
        return self._state.cti if self._clock is None else self._clock.cti

    def judge(self, arrived: Arrived) -> Judgement:
        """Judge one chunk."""
        if self._clock is None:
            columns = (arrived.kind, arrived.start, arrived.end, arrived.arrival)
            judged, self._state = judge(self._settings, self._state, *columns)
        else:
            judged = judge_rows(self._clock, arrived, edges=self._edges)
        self.horizon = max(self.horizon, judged.horizon)
        return judged

    def raise_to(self, cti: int) -> bool:
        """Move to a CTI that the lane did not say, if it is above its own; whether it was (T16, T17, T26)."""
        before, at = self.cti, Tick(cti)
        if self._clock is not None:
            self._clock.raise_to(at)
        else:
            state = self._state
            self._state = replace(state, cti=max(state.cti, at), fixed_cti=max(state.fixed_cti, at))
        self.horizon = max(self.horizon, finite(self.cti))
        return self.cti > before

    def state(self) -> LaneClockState:
        """What the clock remembers."""
        return self._state if self._clock is None else self._clock.state()


def finite(cti: int) -> int:
    """A CTI as a time that has been seen (T4): of INFINITY none."""
    return cti if cti != INFINITY else NO_CTI
