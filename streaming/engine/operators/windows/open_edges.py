"""Edges without an end in fixed windows: they are in each window that closes, until their end comes (T4, T24)."""

from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.columns.flows import CLOSE, ENDLESS, OPEN, Flows, Mask
from streaming.engine.columns.window_indices import AFTER_ALL, WindowIndices
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.in_windows import InWindows, without_outcome
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.rows_by_key import RowsByKey
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT
from streaming.wire.rows.arrived import Int64s

_EDGES: Final = "edges"
_FIRST: Final = "@first"
_ID: Final = "@id"
_KEPT: Final = {"@start": pa.int64(), _ID: pa.string(), "@stamp": pa.int64(), "@source": pa.string()}


class WindowOpenEdges:
    """The open edges of a node, during one turn: first `take`, then the queries, `clear` at the end of all time.

    In the state, `edges`: each with the first window that takes it, by its id. A turn reads those that end in it; if
    windows close or are reported, it reads all.
    """

    def __init__(self, state: NodeState, panes: WindowIndices, grace: int, report: OutcomeReport) -> None:
        self._state = state
        self._panes = panes
        self._grace = grace
        self._report = report

    def take(self, flows: Flows, closed: int) -> list[InWindows]:
        """Store and close edges of `flows`; return the ended ones, in their windows after `closed`."""
        flags = flows.flags
        opening = (flags == OPEN) | (flags == ENDLESS)
        if opening.any():
            self._add(flows.where(opening))
        ending = flags == CLOSE
        return self._end(flows.where(ending), closed) if ending.any() else []

    def closing(self, flows: Flows, closed: int, closing: int, horizon: int) -> list[InWindows]:
        """Return the edges in the windows after `closed` up to `closing`; at infinity up to the one with `horizon`."""
        if not self._any or closing <= closed or (closing == AFTER_ALL and horizon == NO_CTI):
            return []
        until = int(self._panes.last(np.array([horizon + 1]))[0]) if closing == AFTER_ALL else closing
        rows, first = _opened(self._stored(flows).read(None))
        last = np.full(len(rows), until)
        self._refuse(rows, first, last, closed)
        return _inside(rows, first, last, first, closed)

    def certain_members(self, flows: Flows, cti: int, closing: int, until: int) -> list[InWindows]:
        """Return the edges with the windows after `closing` up to `until` that certainly contain them.

        They count as if they ended at `cti`.
        """
        if not self._any or closing == AFTER_ALL:
            return []
        rows, first = _opened(self._stored(flows).read(None))
        last = np.minimum(self._panes.last(np.maximum(rows.start + 1, cti)), until)
        return _inside(rows, first, last, first, closing)

    def clear(self, flows: Flows) -> None:
        """Remove all edges."""
        if self._any:
            stored = self._stored(flows)
            self._report.ends(stored.read(None).column("@source").combine_chunks())
            stored.rewrite(None, stored.schema.empty_table(), np.empty(0, np.int64))
            self._state.drop([_EDGES])
            del self._state.head[_EDGES]

    @property
    def _any(self) -> bool:
        return _EDGES in self._state.head

    def _stored(self, flows: Flows) -> RowsByKey:
        """Return the stored edges; `flows` are some events of the node."""
        fields = {**_KEPT, _FIRST: pa.int64(), **{name: column.type for name, column in flows.columns.items()}}
        return RowsByKey(self._state, _EDGES, [_ID], pa.schema(fields))

    def _add(self, opening: Flows) -> None:
        first = self._panes.first_open(self._panes.first(opening.start), opening.late_at, self._grace)
        self._report.opens(opening.source)
        sources = pa.nulls(len(opening), pa.string()) if opening.source is None else opening.source
        kept = (opening.start, opening.ids, opening.stamps, sources)
        columns = {**dict(zip(_KEPT, kept, strict=True)), _FIRST: first, **opening.columns}
        self._stored(opening).append(pa.table(columns), np.full(len(opening), INFINITY))
        self._state.head[_EDGES] = True

    def _end(self, ends: Flows, closed: int) -> list[InWindows]:
        """Add the edges that `ends` close to their windows.

        A late_kept end changes only windows that are open at its lane's CTI; the edge stays in earlier ones (T19).
        """
        edges, first = self._removed(ends)
        blind = self._panes.first_open(first, ends.late_at, self._grace)
        lasting = np.maximum(blind - 1, self._panes.last(ends.end))
        last = np.where(ends.end <= ends.start, blind - 1, lasting)
        self._refuse(edges, first, last, closed)
        self._report.ends(edges.source)
        if ends.source is not None:
            rest = np.minimum(last, _last_allowed(first)) >= np.maximum(first, closed + 1)
            self._report.took(ends.source.filter(pa.array(rest)))
        before = _inside(edges, first, np.minimum(last, blind - 1), first, closed)
        return [*before, *_inside(replace(edges, end=ends.end), np.maximum(blind, first), last, first, closed)]

    def _removed(self, ends: Flows) -> tuple[Flows, Int64s]:
        """Remove and return the edges that `ends` close, in that order, with their first windows.

        Raises LookupError for an end whose edge is not open.
        """
        if not self._any:
            raise LookupError("an edge end arrived, but its edge is not open")
        stored = self._stored(ends)
        slots = stored.slots_of([ends.ids], len(ends))
        found = stored.read(slots)
        ids = found.column(_ID).combine_chunks()
        places = pc.index_in(ends.ids, ids)
        if places.null_count:
            raise LookupError("an edge end arrived, but its edge is not open")
        left = found.filter(pc.invert(pc.is_in(ids, ends.ids)))
        stored.rewrite(slots, left, np.full(left.num_rows, INFINITY))
        return _opened(found.take(places))

    def _refuse(self, edges: Flows, first: Int64s, last: Int64s, closed: int) -> None:
        """Report that the windows up to `last` are too many for edges, unless they already were up to `closed`."""
        allowed = _last_allowed(first)
        beyond = (allowed < last) & (allowed >= closed)
        if edges.source is not None and beyond.any():
            self._report.cuts(edges.source.filter(pa.array(beyond)))


def _opened(table: pa.Table) -> tuple[Flows, Int64s]:
    """Return stored edges as open ones, and their first windows."""
    flows = Flows.of_table(table.drop_columns([_FIRST]).append_column("@end", pa.array(np.full(len(table), INFINITY))))
    return flows, table.column(_FIRST).to_numpy()


def _last_allowed(first: Int64s) -> Int64s:
    """Return the last window that takes an edge that starts in the windows `first` (T24)."""
    return first + (MAX_WINDOWS_PER_EVENT - 1)


def _inside(edges: Flows, first: Int64s, last: Int64s, started_in: Int64s, closed: int) -> list[InWindows]:
    """Return edges that started in the windows `started_in`, in their windows `first..last`.

    Closed windows and windows above the limit are left out.
    """
    first, last = np.maximum(first, closed + 1), np.minimum(last, _last_allowed(started_in))
    there: Mask = first <= last
    return [InWindows(without_outcome(edges), first, last).where(there)] if there.any() else []
