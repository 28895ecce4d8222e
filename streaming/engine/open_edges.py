"""Edges without an end under fixed windows: they are in each window that closes, until their end comes (T4, T24)."""

from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streaming.engine.flows import CLOSE, ENDLESS, OPEN, Flows, Mask, together
from streaming.engine.in_windows import InWindows, without_outcome
from streaming.engine.panes import AFTER_ALL, Panes
from streaming.engine.report import Report
from streaming.engine.shelf import Shelf
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import NO_CTI
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT
from streaming.wire.arrived import Int64s

_EDGES: Final = "edges"
_FIRST: Final = "@first"
_CUT: Final = "@cut"


class OpenEdges:
    """The open edges of a node, during one turn: first `take`, then the questions, `keep` last.

    On the shelf, table `edges`: each with the first window that takes it, and whether it was already refused because
    they became too many. It is read only in turns that need it.
    """

    def __init__(self, shelf: Shelf, panes: Panes, grace: int, report: Report) -> None:
        self._shelf = shelf
        self._panes = panes
        self._grace = grace
        self._report = report
        self._changed = False
        self._read = False
        self._rows: Flows | None = None
        self._first = np.empty(0, np.int64)
        self._cut = np.empty(0, np.bool_)

    def take(self, flows: Flows, closed: int) -> list[InWindows]:
        """Take the edges that `flows` open and close; those that ended, in their windows after `closed`."""
        flags = flows.flags
        opening = (flags == OPEN) | (flags == ENDLESS)
        if opening.any():
            self._add(flows.where(opening))
        ending = flags == CLOSE
        return self._end(flows.where(ending), closed) if ending.any() else []

    def closing(self, closed: int, closing: int, horizon: int) -> list[InWindows]:
        """The edges in the windows after `closed` up to `closing`; at infinity up to the one with `horizon`."""
        if closing <= closed or (closing == AFTER_ALL and horizon == NO_CTI):
            return []
        until = int(self._panes.last(np.array([horizon + 1]))[0]) if closing == AFTER_ALL else closing
        rows = self._all()
        if rows is None:
            return []
        last = np.full(len(rows), until)
        self._refuse(self._last_allowed < last)
        return self._inside(np.arange(len(rows)), rows, self._first, last, closed)

    def known(self, cti: int, closing: int, until: int) -> list[InWindows]:
        """The edges in the windows after `closing` up to `until` that they are in for certain if they end at `cti`."""
        rows = None if closing == AFTER_ALL else self._all()
        if rows is None:
            return []
        last = np.minimum(self._panes.last(np.maximum(rows.start + 1, cti)), until)
        return self._inside(np.arange(len(rows)), rows, self._first, last, closing)

    def keep(self, *, ended: bool) -> None:
        """Store what has changed; nothing is left of it when all time is `ended`."""
        stored = _EDGES in self._shelf.head
        if ended or (self._changed and not len(self._first)):
            if stored:
                self._shelf.drop([_EDGES])
                del self._shelf.head[_EDGES]
        elif self._changed and self._rows is not None:
            table = self._rows.to_table()
            table = table.append_column(_FIRST, pa.array(self._first)).append_column(_CUT, pa.array(self._cut))
            self._shelf.put(_EDGES, table)
            self._shelf.head[_EDGES] = True

    @property
    def _last_allowed(self) -> Int64s:
        """The last window that takes each edge (T24)."""
        return self._first + (MAX_WINDOWS_PER_EVENT - 1)

    def _all(self) -> Flows | None:
        """The open edges; None if there are none."""
        if not self._read:
            self._read = True
            if _EDGES in self._shelf.head:
                table = self._shelf.get(_EDGES)
                self._first = table.column(_FIRST).to_numpy()
                self._cut = table.column(_CUT).to_numpy()
                self._rows = Flows.of_table(table.drop_columns([_FIRST, _CUT]))
        return self._rows

    def _add(self, opening: Flows) -> None:
        rows = self._all()
        first = self._panes.first_open(self._panes.first(opening.start), opening.late_at, self._grace)
        self._report.took(opening.source)
        kept = replace(without_outcome(opening), source=_if_any(opening.source))
        self._rows = kept if rows is None else together([rows, kept])
        self._first = np.concatenate((self._first, first))
        self._cut = np.concatenate((self._cut, np.zeros(len(first), np.bool_)))
        self._changed = True

    def _end(self, ends: Flows, closed: int) -> list[InWindows]:
        """Put the edges that `ends` close into their windows.

        A late_kept end changes only windows that are open at its lane's CTI; the edge stays in those before (T19).
        """
        rows = self._all()
        places = None if rows is None else pc.index_in(ends.ids, rows.ids)
        if rows is None or places is None or places.null_count:
            raise LookupError("an edge end came whose edge is not open")
        at: Int64s = places.to_numpy().astype(np.int64)
        first = self._first[at]
        blind = self._panes.first_open(first, ends.late_at, self._grace)
        lasting = np.maximum(blind - 1, self._panes.last(ends.end))
        last = np.where(ends.end <= ends.start, blind - 1, lasting)
        beyond = np.zeros(len(rows), np.bool_)
        beyond[at] = self._last_allowed[at] < last
        self._refuse(beyond)
        before = self._inside(at, rows, first, np.minimum(last, blind - 1), closed)
        ended = replace(rows.take(at), end=ends.end)
        after = self._inside(np.arange(len(at)), ended, np.maximum(blind, first), last, closed, self._last_allowed[at])
        if ends.source is not None:
            rest = np.minimum(last, self._last_allowed[at]) >= np.maximum(first, closed + 1)
            self._report.took(ends.source.filter(pa.array(rest)))
        self._remove(at, rows)
        return [*before, *after]

    def _inside(
        self,
        at: Int64s,
        rows: Flows,
        first: Int64s,
        last: Int64s,
        closed: int,
        allowed: Int64s | None = None,
    ) -> list[InWindows]:
        """The `rows` at `at` in the windows `first..last`, as far as these are not closed and not too many."""
        first = np.maximum(first, closed + 1)
        last = np.minimum(last, self._last_allowed[at] if allowed is None else allowed)
        there = np.flatnonzero(first <= last)
        return [InWindows(without_outcome(rows.take(at[there])), first[there], last[there])] if len(there) else []

    def _refuse(self, beyond: Mask) -> None:
        """Say once of each edge that it is in too many windows."""
        found = beyond & ~self._cut
        if self._rows is not None and found.any():
            if self._rows.source is not None:
                self._report.refused(self._rows.source.filter(pa.array(found)), Reason.TOO_MANY_WINDOWS)
            self._cut = self._cut | found
            self._changed = True

    def _remove(self, at: Int64s, rows: Flows) -> None:
        stays = np.ones(len(rows), np.bool_)
        stays[at] = False
        left = np.flatnonzero(stays)
        self._rows = rows.take(left) if len(left) else None
        self._first, self._cut = self._first[left], self._cut[left]
        self._changed = True


def _if_any(sources: pa.Array | None) -> pa.Array | None:
    return None if sources is None or sources.null_count == len(sources) else sources
