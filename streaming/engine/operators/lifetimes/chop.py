"""chop: cuts lifetimes at `offset + k * period` (T40); open edges wait here for the CTI to pass their next cut."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, WHOLE, Flows, Mask, concat_flows
from streaming.engine.columns.window_indices import window_indices
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.planning.plan import ChopSpec
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT
from streaming.wire.rows.arrived import Int64s

_EDGES: Final = "edges"
_ID: Final = "@id"
_KEPT: Final = {
    "@start": pa.int64(),
    _ID: pa.string(),
    "@late_at": pa.int64(),
    "@stamp": pa.int64(),
    "@source": pa.string(),
    "@piece": pa.int64(),
}
"""The columns of stored edges in addition to their payload; `@piece` is the start of the open piece."""


@dataclass(frozen=True, slots=True)
class _UncutEdges:
    """Open edges, and the start of the open piece of each."""

    flows: Flows
    piece: Int64s

    def where(self, mask: Mask) -> "_UncutEdges":
        return _UncutEdges(self.flows.where(mask), self.piece[mask])

    @classmethod
    def of_table(cls, table: pa.Table) -> "_UncutEdges":
        end = pa.array(np.full(len(table), INFINITY))
        flows = Flows.of_table(table.drop_columns(["@piece"]).append_column("@end", end))
        return cls(flows, table.column("@piece").to_numpy())

    def to_table(self) -> pa.Table:
        flows = self.flows
        sources = pa.nulls(len(flows), pa.string()) if flows.source is None else flows.source
        kept = (flows.start, flows.ids, flows.lates, flows.stamps, sources, self.piece)
        return pa.table({**dict(zip(_KEPT, kept, strict=True)), **flows.columns})


class ChopKernel:
    """One chop node. CTIs pass; pieces of whole lifetimes leave at once, those of edges once they are certain."""

    def __init__(self, spec: ChopSpec) -> None:
        self._grid = window_indices(spec.pieces)

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Return the pieces that have become certain."""
        (port,) = ports
        flows = replace(port.flows, pane=None)
        parts = [self._whole(flows.where(flows.flags == WHOLE), turn.report)]
        if flows.flag is not None or state.head.get(_EDGES):
            parts += self._edges(flows, port, state, turn.report)
        return NodeOutput(concat_flows(parts), port.ctis, port.horizon)

    def _whole(self, flows: Flows, report: OutcomeReport) -> Flows:
        first, last = self._grid.first(flows.start), self._grid.last(flows.end)
        many = (last - first >= MAX_WINDOWS_PER_EVENT) | (flows.end == INFINITY)
        if many.any():
            if flows.source is not None:
                report.refused(flows.source.filter(pa.array(many)), Reason.TOO_MANY_WINDOWS)
            flows, first, last = flows.where(~many), first[~many], last[~many]
        if (first == last).all():
            return replace(flows, flag=None)
        rows, index = _repeated(first, last)
        start, end = self._grid.bounds(index)
        pieces = flows.take(rows)
        return _late_before_start(
            replace(pieces.lasting(np.maximum(start, pieces.start), np.minimum(end, pieces.end)), flag=None)
        )

    def _edges(self, flows: Flows, port: PortInput, state: NodeState, report: OutcomeReport) -> list[Flows]:
        """Store, cut and end edges; return their pieces."""
        flags = flows.flags
        opening = flows.where((flags == OPEN) | (flags == ENDLESS))
        ends = flows.where(flags == CLOSE)
        until = _until(port)
        fresh = _UncutEdges(replace(opening, flag=None), opening.start)
        fields = {name: column.type for name, column in flows.columns.items()}
        stored = RowsByKey(state, _EDGES, [_ID], pa.schema({**_KEPT, **fields}))
        slots = np.concatenate([stored.slots_of([ends.ids], len(ends)), stored.due_slots(until - 1)])
        kept = _UncutEdges.of_table(stored.read(slots))
        edges = _UncutEdges(concat_flows([kept.flows, fresh.flows]), np.concatenate([kept.piece, fresh.piece]))
        report.opens_here(opening.source)
        closing = pc.index_in(edges.flows.ids, value_set=ends.ids)
        ended = closing.is_valid().to_numpy(zero_copy_only=False)
        at = closing.drop_null().to_numpy().astype(np.int64)
        left, cut = self._cut(edges.where(~ended), np.full(int((~ended).sum()), until), report)
        closed = self._end(edges.where(ended), ends.take(at), report)
        table = left.to_table()
        was = np.arange(len(edges.piece))[~ended] < len(kept.piece)
        is_stored = pc.is_in(left.flows.ids, value_set=edges.flows.ids.take(pa.array(np.flatnonzero(~ended)[was])))
        due = self._next_cut(left)
        stored.rewrite(slots, table.filter(is_stored), due[is_stored.to_numpy(zero_copy_only=False)])
        new = pc.invert(is_stored)
        stored.append(table.filter(new), due[new.to_numpy(zero_copy_only=False)])
        state.head[_EDGES] = bool(stored.rows)
        return [self._opened(fresh), *cut, *closed]

    def _cut(self, edges: _UncutEdges, until: Int64s, report: OutcomeReport) -> tuple[_UncutEdges, list[Flows]]:
        """Cut the open pieces at all cuts before `until`; return the edges that stay open, and the pieces.

        An edge with too many pieces ends with the last one that it may have (T24), and is malformed.
        """
        flows = edges.flows
        allowed = self._grid.first(flows.start) + (MAX_WINDOWS_PER_EVENT - 1)
        first = self._grid.first(edges.piece)
        last = np.maximum(np.where(until == NO_CTI, first, self._grid.last(until)), first)
        many = last > allowed
        if many.any():
            report.cuts(None if flows.source is None else flows.source.filter(pa.array(many)))
        rows, index = _repeated(first, np.minimum(last, allowed + 1) - 1)
        start, end = self._grid.bounds(index)
        start = np.maximum(start, edges.piece[rows])
        closed = _closing(_UncutEdges(flows.take(rows), start), end)
        goes_on = index < allowed[rows]
        opened = _UncutEdges(flows.take(rows[goes_on]), end[goes_on])
        piece = np.where(last > first, self._grid.starts(last), edges.piece)
        return _UncutEdges(flows, piece).where(~many), [closed, self._opened(opened)]

    def _end(self, edges: _UncutEdges, ends: Flows, report: OutcomeReport) -> list[Flows]:
        """Return the last pieces of `edges`, which `ends` close, row by row.

        Pieces before the last cut that its lane's CTI had passed are final, so a late_kept end leaves them whole.
        """
        if not len(ends):
            return []
        late = ends.lates != NO_CTI
        passed = self._grid.starts(self._grid.last(np.where(late, ends.lates, ends.end)))
        last = np.where(late, np.maximum(ends.end, np.maximum(passed, edges.flows.start)), ends.end)
        whole, pieces = self._cut(edges, last, report)
        there = pc.is_in(edges.flows.ids, value_set=whole.flows.ids).to_numpy(zero_copy_only=False)
        report.ends(edges.flows.source)
        final = ends.where(there)
        closed = _closing(whole, last[there])
        lates = None if final.late_at is None else final.late_at
        return [*pieces, replace(closed, source=final.source, late_at=lates, stamp=final.stamps)]

    def _opened(self, edges: _UncutEdges) -> Flows:
        flows = edges.flows
        opened = flows.lasting(edges.piece, np.full(len(flows), INFINITY))
        return _late_before_start(
            replace(opened, flag=np.full(len(flows), OPEN, np.int8), id=_piece_ids(flows, edges.piece))
        )

    def _next_cut(self, edges: _UncutEdges) -> Int64s:
        return self._grid.bounds(self._grid.first(edges.piece))[1]


def _until(port: PortInput) -> int:
    """Return the tick up to which open edges are cut: the CTI, at infinity the horizon (T4)."""
    if port.cti != INFINITY:
        return port.cti
    return NO_CTI if port.horizon == NO_CTI else port.horizon + 1


def _closing(edges: _UncutEdges, end: Int64s) -> Flows:
    """Return the ends at `end` of the open pieces of `edges`, as the edges themselves bring them at a cut."""
    flows = edges.flows
    flag = np.full(len(flows), CLOSE, np.int8)
    closed = replace(flows.lasting(edges.piece, end), flag=flag, id=_piece_ids(flows, edges.piece))
    if flows.late_at is None:
        return closed
    return replace(closed, late_at=np.where(end < flows.late_at, flows.late_at, NO_CTI))


def _late_before_start(pieces: Flows) -> Flows:
    """Return the pieces, late_kept only if they start before the CTI that their event met."""
    if pieces.late_at is None:
        return pieces
    return replace(pieces, late_at=np.where(pieces.start < pieces.late_at, pieces.late_at, NO_CTI))


def _piece_ids(flows: Flows, start: Int64s) -> pa.Array:
    return pc.binary_join_element_wise(flows.ids, pa.array(start).cast(pa.string()), "|")


def _repeated(first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
    """Return each row with each index from `first` to `last`; no index if the first is above the last."""
    count = np.maximum(last - first + 1, 0)
    rows = np.repeat(np.arange(len(first)), count)
    return rows, first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
