"""The open edges of a node that waits for their ends, in segments by start; a turn reads those that it may close."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, Flows, Mask, concat_flows
from streaming.engine.columns.steps import vanishing
from streaming.engine.operators.lifetimes.watched_rows import by_source, report_waiting
from streaming.engine.operators.outcome_report import ALSO, OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.segments import Segment, Segments
from streaming.temporal.ticks import INFINITY
from streaming.wire.rows.arrived import Int64s

_SEGMENT_ROWS: Final = 8192


@dataclass(frozen=True, slots=True)
class EdgeTurn:
    """The effect of a turn on the edges of a node.

    `opened` and `closing` are matching starts and ends, row by row; `oldest` is the smallest bound (`held_to`) of a
    waiting edge, INFINITY if no edge waits.
    """

    opened: Flows
    closing: Flows
    oldest: int

    @property
    def lasting(self) -> Flows:
        """Return the lifetimes of the pairs, made by both rows, late_kept if the start was.

        Without edges that vanished.
        """
        live = ~vanishing(self.closing.flags, self.closing.start, self.closing.end)
        source = _both(self.opened.source, self.closing.source)
        whole = replace(self.opened, end=self.closing.end, flag=None, id=None, source=source)
        return whole.where(live)


class EdgesAwaitingEnds:
    """The edges on `state` whose ends have not come, in segments by start. The bound of a segment: its largest CTI."""

    def __init__(self, state: NodeState) -> None:
        self._segments = Segments(state, "edges")

    def turn(self, arrived: Flows) -> EdgeTurn:
        """Store the edge starts among `arrived` and pair them, and stored ones, with the ends among them.

        Raises LookupError for an end whose start never came.
        """
        opens = arrived.where(_opens(arrived))
        ends = arrived.where(arrived.flags == CLOSE)
        near = [segment for segment in self._segments if _meets(segment, ends.start)]
        parts = [opens, *(Flows.of_table(self._segments.read(segment)) for segment in near)]
        pool = concat_flows(parts)
        places = _places(pool, ends)
        held = np.ones(len(pool), np.bool_)
        held[places] = False
        far = (segment.bound for segment in self._segments if segment not in near)
        oldest = min(int(held_to(pool)[held].min(initial=INFINITY)), min(far, default=INFINITY))
        paired = EdgeTurn(pool.take(places), ends, oldest)
        self._put_back(parts, held, near)
        return paired

    def never_closed(self) -> Flows | None:
        """At infinity, remove and return all waiting edges, now ENDLESS; None if no edge waits."""
        parts = [Flows.of_table(rows) for rows in self._segments.take_out(self._segments)]
        if not parts:
            return None
        edges = concat_flows(parts)
        return replace(edges, flag=np.full(len(edges), ENDLESS, np.int8))

    def _put_back(self, parts: Sequence[Flows], held: Mask, near: Sequence[Segment]) -> None:
        """Write the new starts, and the remaining rows of segments in which an end matched a start."""
        at = len(parts[0])
        left = [parts[0].where(held[:at])]
        for segment, rows in zip(near, parts[1:], strict=True):
            still = held[at : at + len(rows)]
            at += len(rows)
            if not still.all():
                left.append(rows.where(still))
                self._segments.drop([segment])
        self._write(concat_flows(left))
        crowded = self._segments.crowded()
        if crowded:
            self._write(concat_flows([Flows.of_table(rows) for rows in self._segments.take_out(crowded)]))

    def _write(self, rows: Flows) -> None:
        for mask, watched in by_source(rows):
            part = rows.where(mask)
            part = part.take(np.argsort(part.start, kind="stable"))
            table, held = part.to_table(), held_to(part)
            for at in range(0, len(part), _SEGMENT_ROWS):
                start = part.start[at : at + _SEGMENT_ROWS]
                holds = int(held[at : at + _SEGMENT_ROWS].min())
                span = int(start[0]), int(start[-1])
                self._segments.add(table.slice(at, len(start)), span, holds, watched=watched)

    def save(self, report: OutcomeReport) -> None:
        """Write the list of segments, and report to `report` which edges wait. The last call of a turn."""
        report_waiting(self._segments, report)
        self._segments.save()


def held_to(opened: Flows) -> Int64s:
    """Return the CTI that each open edge lets pass: its start, for a late_kept one the CTI that it met.

    No window before that CTI takes a late_kept event (T19), so it may leave after it (law 5).
    """
    return np.maximum(opened.start, opened.lates)


def whole(flows: Flows) -> Flows:
    """Return the events that are not edges."""
    return flows.where(~_opens(flows) & (flows.flags != CLOSE)) if flows.flag is not None else flows


def _opens(flows: Flows) -> Mask:
    flags = flows.flags
    found: Mask = (flags == OPEN) | (flags == ENDLESS)
    return found


def _meets(segment: Segment, starts: Int64s) -> bool:
    return bool(((starts >= segment.first) & (starts <= segment.last)).any())


def _places(pool: Flows, ends: Flows) -> Int64s:
    """Return the row in `pool` of the start of each end."""
    if not len(ends):
        return np.empty(0, np.int64)
    found = pc.index_in(ends.ids, value_set=pool.ids)
    if found.null_count:
        raise LookupError("an edge ends, but its start never came")
    places: Int64s = found.to_numpy().astype(np.int64)
    return places


def _both(opened: pa.Array | None, closing: pa.Array | None) -> pa.Array | None:
    if opened is None or closing is None:
        return closing if opened is None else opened
    return pc.coalesce(pc.binary_join_element_wise(opened, closing, ALSO), opened, closing)
