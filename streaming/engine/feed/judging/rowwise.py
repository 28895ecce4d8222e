"""The clock of a lane row by row, with temporal.LaneClock: edges, and CTIs that follow arrivals (T9, T11).

About ten microseconds a row, so only where columns cannot say it: which edge an end closes hangs on all rows before,
and a CTI that follows each arrival hangs on the one that the row before has left.
"""

from collections.abc import Iterator
from dataclasses import dataclass
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
from streaming.temporal.events import Cti, EdgeKind, Event
from streaming.temporal.outcomes import Outcome, Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.arrived import Arrived, RowKind
from streaming.wire.rows import Element, MalformedRow

_EDGE: Final = {
    int(RowKind.INSERT): None,
    int(RowKind.EDGE_START): EdgeKind.START,
    int(RowKind.EDGE_END): EdgeKind.END,
}
_FLAG: Final = {None: WHOLE, EdgeKind.START: OPEN, EdgeKind.END: CLOSE}
_MOVED: Final = frozenset({Outcome.ADJUSTED, Outcome.SHIFTED})


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One row of a chunk: its index, its place in its lane, and its arrival, None where that is not known."""

    index: int
    position: int
    element: Element
    arrival: Tick | None


def rows_of(arrived: Arrived, *, payloads: bool) -> Iterator[ChunkRow]:
    """The rows of a chunk one by one; without `payloads` every event has an empty one."""
    values = arrived.payload.to_pylist() if payloads else None
    arrivals = [NO_CTI] * len(arrived.kind) if arrived.arrival is None else arrived.arrival.tolist()
    columns = (arrived.kind.tolist(), arrived.start.tolist(), arrived.end.tolist(), arrived.positions.tolist())
    for index, (kind, start, end, position) in enumerate(zip(*columns, strict=True)):
        element: Element
        if kind == RowKind.CTI:
            element = Cti(Tick(start))
        elif kind == RowKind.MALFORMED:
            element = MalformedRow(arrived.malformed[index])
        else:
            element = Event(Tick(start), Tick(end), values[index] if values else {}, _EDGE[kind])
        yield ChunkRow(index, position, element, None if arrivals[index] == NO_CTI else Tick(arrivals[index]))


class JudgementBuilder:
    """What clocks say of the rows of one chunk, one by one, on the way to a `Judgement`; `horizon` as there."""

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
        self._after_end: list[int] = []
        self._steps: list[tuple[int, int]] = []
        self.horizon: int = NO_CTI

    def step(self, after_row: int, cti: int) -> None:
        """A CTI moved, after the row with the index `after_row`, -1 before the first."""
        self._steps.append((after_row, cti))

    def seen(self, clock: LaneClock) -> None:
        """Look at what `clock` has seen: the largest finite time of all (T4)."""
        finite = clock.cti if clock.cti != INFINITY else NO_CTI
        self.horizon = max(self.horizon, clock.largest_sync, finite)

    def cti_row(self, index: int, met: int) -> None:
        """Row `index` is a CTI, which met the CTI `met`."""
        self._met[index] = met

    def judged(self, row: ChunkRow, judged: JudgedElement) -> None:
        """What became of an event or of a malformed row."""
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

    def judgement(self) -> Judgement:
        """All of it."""
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
    if clock.take_arrival(row.arrival):
        into.step(row.index - 1, clock.cti)
    judged = clock.take(element, row.arrival, row.position)
    into.judged(row, judged)
    if judged.emitted is not None:
        into.step(row.index, judged.emitted)


def judge_rows(clock: LaneClock, arrived: Arrived, *, edges: bool) -> Judgement:
    """Judge the rows of one chunk of a lane of any shape in arrival order; `edges`: payloads say which edge is which.

    `clock` moves on. Cutting a lane's rows into chunks anywhere changes no entry.
    """
    into = JudgementBuilder(arrived)
    for row in rows_of(arrived, payloads=edges):
        take_row(clock, row, into)
        into.seen(clock)
    return into.judgement()
