"""The clock of a lane row by row, with temporal.LaneClock: edges, and CTIs that follow arrivals (T9, T11).

It takes about ten microseconds a row, so it is used only where columns are impossible. All previous rows decide which
edge an end closes, and a CTI that follows each arrival depends on the CTI after the previous row.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from streaming.engine.columns.flows import CLOSE, OPEN, WHOLE
from streaming.engine.feed.judging.clock import (
    CODE,
    NO_REASON,
    NOT_AN_EVENT,
    REASON_CODE,
    Codes,
    Judgement,
    RowwiseDetails,
)
from streaming.temporal.clock import JudgedElement, LaneClock
from streaming.temporal.events import Cti, EdgeKind, Event, OverlapRow, Payload
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.tables import (
    MalformedVersion,
    Snapshot,
    TableLane,
    Version,
    Versions,
    as_point,
    as_version,
    judge_row,
)
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.rows.arrived import Arrived, RowKind
from streaming.wire.rows.row_json import Element, MalformedRow

_EDGE: Final = {
    int(RowKind.INSERT): None,
    int(RowKind.EDGE_START): EdgeKind.START,
    int(RowKind.EDGE_END): EdgeKind.END,
}
_FLAG: Final = {None: WHOLE, EdgeKind.START: OPEN, EdgeKind.END: CLOSE}
_MOVED: Final = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED})


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One row of a chunk: its index, its place in its lane, and its arrival, None if unknown."""

    index: int
    position: int
    element: Element
    arrival: Tick | None


def _version_of(arrived: Arrived, index: int, kind: int, start: int, payload: Payload) -> Element:
    """Return a row of a table."""
    if kind == RowKind.SNAPSHOT:
        return Snapshot(Tick(start), tuple(arrived.loads[index]))
    if kind == RowKind.REFUSED:
        return MalformedVersion(Tick(start), arrived.malformed[index])
    return Version(Tick(start), payload, kind == RowKind.DELETE)


def rows_of(arrived: Arrived, *, payloads: bool) -> Iterator[ChunkRow]:
    """Yield the rows of a chunk one by one; without `payloads` every event has an empty one."""
    values = arrived.payload.to_pylist() if payloads else None
    arrivals = [NO_CTI] * len(arrived.kind) if arrived.arrival is None else arrived.arrival.tolist()
    columns = (arrived.kind.tolist(), arrived.start.tolist(), arrived.end.tolist(), arrived.positions.tolist())
    for index, (kind, start, end, position) in enumerate(zip(*columns, strict=True)):
        element: Element
        if kind == RowKind.CTI:
            element = Cti(Tick(start))
        elif kind == RowKind.MALFORMED:
            element = MalformedRow(arrived.malformed[index])
        elif kind == RowKind.OVERLAP:
            element = OverlapRow(*((None, None) if start == NO_CTI else (Tick(start), Tick(end))))
        elif kind >= RowKind.VERSION:
            element = _version_of(arrived, index, kind, start, values[index] if values else {})
        else:
            element = Event(Tick(start), Tick(end), values[index] if values else {}, _EDGE[kind])
        yield ChunkRow(index, position, element, None if arrivals[index] == NO_CTI else Tick(arrivals[index]))


class JudgementBuilder:
    """Builds the `Judgement` of a chunk row by row; `horizon` as there."""

    def __init__(self, arrived: Arrived) -> None:
        rows = len(arrived.kind)
        self._outcome = np.full(rows, NOT_AN_EVENT, np.int8)
        self._met = np.full(rows, NO_CTI)
        self._start, self._end = arrived.start.copy(), arrived.end.copy()
        self._kept = np.zeros(rows, np.bool_)
        self._flag = np.zeros(rows, np.int8)
        self._opened = np.full(rows, -1)
        self._reason: Codes = np.full(rows, NO_REASON, np.int8)
        self._moved_by = np.zeros(rows, np.int64)
        self._late: list[tuple[int, int]] = []
        self._behind: list[int] = []
        self._after_end: list[int] = []
        self._steps: list[tuple[int, int]] = []
        self.horizon: int = NO_CTI

    def step(self, after_row: int, cti: int) -> None:
        """Add a CTI that moved after the row with the index `after_row`, -1 before the first."""
        self._steps.append((after_row, cti))

    def seen(self, clock: LaneClock) -> None:
        """Add the largest finite time that `clock` has seen (T4)."""
        finite = clock.cti if clock.cti != INFINITY else NO_CTI
        self.horizon = max(self.horizon, clock.largest_sync, finite)

    def counted(self, clock: LaneClock, event: Event) -> None:
        """Add an event that moved `clock`."""
        self._behind.append(clock.largest_sync - event.sync)

    def cti_row(self, index: int, met: int) -> None:
        """Add the CTI row `index`, which met the CTI `met`."""
        self._met[index] = met

    def judged(self, row: ChunkRow, judged: JudgedElement) -> None:
        """Add the judgement of an event or of a malformed row."""
        index = row.index
        self._outcome[index] = CODE[judged.outcome]
        self._met[index] = judged.cti_met
        if judged.reason is not None:
            self._reason[index] = REASON_CODE[judged.reason]
            if judged.reason is Reason.AFTER_END:
                self._after_end.append(index)
        if judged.lateness is not None:
            self._late.append((index, judged.lateness))
        if judged.event is not None and judged.original is not None:
            self._enqueued(row, judged, judged.event, judged.original)

    def _enqueued(self, row: ChunkRow, judged: JudgedElement, event: Event, original: Event) -> None:
        index = row.index
        self._kept[index] = True
        self._start[index], self._end[index] = event.start, event.end
        self._flag[index] = _FLAG[event.edge]
        if event.edge is EdgeKind.START:
            self._opened[index] = row.position
        elif judged.closed is not None and judged.closed.position is not None:
            self._opened[index] = judged.closed.position
        if judged.outcome in _MOVED:
            self._moved_by[index] = judged.moved_by or 0
        self.horizon = max(self.horizon, original.sync)

    def version(self, row: ChunkRow, judged: JudgedElement) -> None:
        """Add the judgement of a row of a table, which is not enqueued itself: its versions come with the CTIs.

        `kept` marks the rows that the table has taken.
        """
        self.judged(row, replace(judged, event=None))
        if judged.event is not None and judged.original is not None:
            self._kept[row.index] = True
            self._moved_by[row.index] = judged.moved_by or 0
            self.horizon = max(self.horizon, judged.original.sync)

    def judgement(self) -> Judgement:
        """Return the judgement of the chunk."""
        late = np.array(self._late, np.int64).reshape(-1, 2)
        steps = np.array(self._steps, np.int64).reshape(-1, 2)
        return Judgement(
            outcome=self._outcome,
            cti_met=self._met,
            start=self._start,
            end=self._end,
            kept=None if self._kept.all() else self._kept,
            violated=late[:, 0],
            lateness=late[:, 1],
            behind=np.array(self._behind, np.int64),
            after_end=np.array(self._after_end, np.int64),
            step_row=steps[:, 0],
            step_cti=steps[:, 1],
            horizon=self.horizon,
            rowwise=RowwiseDetails(self._flag, self._opened, self._reason, self._moved_by),
        )


def take_row(clock: LaneClock, row: ChunkRow, into: JudgementBuilder) -> None:
    """Let `clock` judge one row; its steps and its judgement go `into` those of the chunk."""
    element = row.element
    before = clock.cti
    if isinstance(element, Cti):
        into.cti_row(row.index, before)
        if clock.take_cti(element).moved:
            into.step(row.index, element.at)
        return
    if isinstance(element, MalformedRow):
        into.judged(row, clock.take_malformed(element.reason))
        return
    if isinstance(element, OverlapRow):
        into.judged(row, clock.take_overlap(element.event))
        return
    if not isinstance(element, Event):
        raise TypeError("rows of tables have their own judge")
    if clock.take_arrival(row.arrival):
        into.step(row.index - 1, clock.cti)
    judged = clock.take(element, row.arrival, row.position)
    into.judged(row, judged)
    _count(clock, row, element, judged, into)


def _count(clock: LaneClock, row: ChunkRow, event: Event, judged: JudgedElement, into: JudgementBuilder) -> None:
    counts = judged.reason is not Reason.AFTER_END and judged.outcome is not Outcome.MALFORMED
    if counts and not clock.is_early(event, row.arrival):
        into.counted(clock, event)
    if judged.emitted is not None:
        into.step(row.index, judged.emitted)


def judge_rows(clock: LaneClock, arrived: Arrived, *, edges: bool) -> Judgement:
    """Judge the rows of one chunk of a lane of any shape in arrival order; `edges`: payloads identify edges.

    `clock` moves on. Cutting a lane's rows into chunks anywhere changes no entry.
    """
    into = JudgementBuilder(arrived)
    for row in rows_of(arrived, payloads=edges):
        take_row(clock, row, into)
        into.seen(clock)
    return into.judgement()


def judge_version_rows(
    lane: TableLane, arrived: Arrived, versions: Versions, since: Callable[[int], Tick]
) -> Judgement:
    """Judge the rows of one chunk of a lane of a table, and add them to `versions`.

    `since` gives the CTI of the input for one of the lane.
    """
    into = JudgementBuilder(arrived)
    clock = lane.clock
    for row in rows_of(arrived, payloads=True):
        element = row.element
        if isinstance(element, Event):
            element = as_version(versions.rules, element)
        if isinstance(element, Version | Snapshot | MalformedVersion):
            if clock.take_arrival(row.arrival):
                into.step(row.index - 1, clock.cti)
            judged = judge_row(lane, versions, element, row.arrival, since(clock.cti), row.position)
            into.version(row, judged)
            _count(clock, row, as_point(element), judged, into)
        else:
            take_row(clock, row, into)
        into.seen(clock)
    return into.judgement()
