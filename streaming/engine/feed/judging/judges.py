"""The clock of one lane in the form that its rows need: over columns, or row by row."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from streaming.engine.feed.judging.clock import Judgement, judge
from streaming.engine.feed.judging.rowwise import judge_rows, judge_version_rows
from streaming.engine.feed.judging.stored_edges import StoredEdges, entries_of
from streaming.engine.feed.judging.tally import clock_of_json, clock_to_json
from streaming.engine.state.container import Blob
from streaming.engine.state.texts_by_key import TextsByKey, many
from streaming.temporal.clock import LaneClock, LaneClockState
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.tables import TableLane, Versions, clock_settings
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.arrived import Arrived


class LaneJudge:
    """Judges the chunks of one lane of a stream of `shape`, from `state` on; `horizon` is the largest time seen (T4).

    Edges, and CTIs that follow arrivals, are judged row by row; all else in columns. `edges` are the open edges if they
    are too many for the state.
    """

    def __init__(
        self,
        shape: Shape,
        settings: AdvanceTime,
        state: LaneClockState,
        horizon: int = NO_CTI,
        edges: TextsByKey | None = None,
    ) -> None:
        self._late = settings.late
        self._settings = clock_settings(settings) if shape is Shape.TABLE else settings
        self._edges = shape is Shape.EDGE
        self._state = state
        self._clock: LaneClock | None = None
        if self._edges or shape is Shape.TABLE or settings.late_arrival is not None:
            self._clock = LaneClock(self._settings, state, None if edges is None else StoredEdges(edges))
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

    def judge_versions(
        self, arrived: Arrived, lane: str, versions: Versions, since: Callable[[int], Tick]
    ) -> Judgement:
        """Judge one chunk of a table; `since` gives the CTI of the input for one of the lane."""
        if self._clock is None:
            raise AssertionError("tables are judged row by row")
        judged = judge_version_rows(TableLane(lane, self._clock, self._late), arrived, versions, since)
        self.horizon = max(self.horizon, judged.horizon)
        return judged

    def raise_to(self, cti: int) -> bool:
        """Move to a CTI from outside the lane, if it is above its own; return true if it moved (T16, T17, T26)."""
        before, at = self.cti, Tick(cti)
        if self._clock is not None:
            self._clock.raise_to(at)
        else:
            state = self._state
            self._state = replace(state, cti=max(state.cti, at), fixed_cti=max(state.fixed_cti, at))
        self.horizon = max(self.horizon, finite(self.cti))
        return self.cti > before

    @classmethod
    def of_json(
        cls, shape: Shape, settings: AdvanceTime, read: Mapping[str, Any], blobs: Mapping[str, Blob]
    ) -> "LaneJudge":
        """Restore a judge from the result of `to_json`."""
        edges = TextsByKey(read["edges"], blobs) if "edges" in read else None
        return cls(shape, settings, clock_of_json(read["clock"]), read["horizon"], edges)

    def to_json(self, blobs: dict[str, Blob]) -> dict[str, Any]:
        """Return the state as JSON values; larger parts go into `blobs`."""
        stored = {"clock": clock_to_json(self.state()), "horizon": self.horizon}
        edges = self.edges()
        return stored if edges is None else {**stored, "edges": edges.write(blobs)}

    def state(self) -> LaneClockState:
        """Return the state of the clock, without the open edges if they are many."""
        if self._clock is None:
            return self._state
        return self._clock.without_edges() if many(len(self._clock.edges)) else self._clock.state()

    def edges(self) -> TextsByKey | None:
        """Return the open edges if they are many."""
        return None if self._clock is None else entries_of(self._clock.edges)


def finite(cti: int) -> int:
    """Return a CTI as a time that has been seen (T4): NO_CTI for INFINITY."""
    return cti if cti != INFINITY else NO_CTI
