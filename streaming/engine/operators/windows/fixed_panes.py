"""Fixed windows over events: the windows of each event, and the contents of closing ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa

from streaming.definition.graph import Emit
from streaming.definition.windows import FixedPanes
from streaming.engine.columns.flows import WHOLE, Flows
from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL, window_indices
from streaming.engine.operators.kernel import PortInput, TurnContext
from streaming.engine.operators.outcome_report import OutcomeReport
from streaming.engine.operators.windows.empties import WindowFilling, WindowSpans
from streaming.engine.operators.windows.in_windows import InWindows, without_outcome
from streaming.engine.operators.windows.open_edges import WindowOpenEdges
from streaming.engine.operators.windows.pane_source import PaneMembers, PaneTurn
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.window_pieces import WindowPieces, clipped
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT

_CLOSED: Final = "closed"


class FixedPaneSource:
    """The windows of a node at fixed times (T23, T25); a window is closed at its end + `grace`.

    An event is stored once, however many windows it is in. In the state: `closed`, the last window that is closed, the
    pieces of events in later ones, and the open edges. A pane's number is the index of its window. `known` is all that
    is open, for `on_complete` only what is complete. `filling` also finds the empty windows that are filled.
    """

    def __init__(
        self,
        node: str,
        windows: FixedPanes,
        grace: int,
        emit: Emit = "final",
        filling: WindowFilling | None = None,
    ) -> None:
        self._node = node
        self._panes = window_indices(windows)
        self._grace = grace
        self._emit = emit
        self._filling = filling

    def turn(self, port: PortInput, state: NodeState, turn: TurnContext, *, known: bool) -> PaneTurn:
        """Process a turn; see `PaneSource`."""
        closed = int(state.head.get(_CLOSED, BEFORE_ALL))
        closing = max(closed, self._panes.closed_at(port.cti, self._grace))
        nothing = InWindows.none(port.flows)
        edges = WindowOpenEdges(state, self._panes, self._grace, turn.report)
        entered = [
            self._whole(port.flows.where(port.flows.flags == WHOLE), turn.report),
            *edges.take(port.flows, closed),
        ]
        fresh = clipped(InWindows.joined([nothing, *entered]).to_table(), closed)
        pieces = WindowPieces(state, InWindows.compacted)
        due = [InWindows.of_table(table) for table in pieces.close(fresh, closed, closing)]
        open_edges = edges.closing(port.flows, closed, closing, port.horizon)
        state.head[_CLOSED] = closing
        found = PaneTurn(
            closing=self._members([nothing, *due, *open_edges]),
            known=self._members([nothing, *self._open_members(pieces, edges, port, closing)]) if known else None,
            ctis=self._panes.output_ctis(port.ctis, self._grace, closed),
            horizon=port.horizon,
        )
        if closing == AFTER_ALL:
            edges.clear(port.flows)
        if self._filling is None:
            return found
        sure = self._spans(self._filling, [InWindows.of_table(fresh)])
        less_sure = self._spans(self._filling, [nothing, *open_edges])
        filled = self._filling.turn(state, sure, less_sure, port.ctis, closing)
        return replace(found, filled=filled.windows, ctis=filled.ctis)

    def _whole(self, flows: Flows, report: OutcomeReport) -> InWindows:
        """Return whole lifetimes in their windows.

        A late_kept one only in those that are open for its lane (T14, T19).
        """
        first, last = self._panes.first(flows.start), self._panes.last(flows.end)
        allowed = self._panes.first_open(first, flows.late_at, self._grace)
        refused = (first <= last) & (allowed > last)
        many = (allowed <= last) & ((last - allowed >= MAX_WINDOWS_PER_EVENT) | (flows.end == INFINITY))
        taken = (allowed <= last) & ~many
        if flows.source is not None:
            report.refused(flows.source.filter(pa.array(refused)), Reason.WINDOW_CLOSED)
            report.refused(flows.source.filter(pa.array(many)), Reason.TOO_MANY_WINDOWS)
            report.took(flows.source.filter(pa.array(taken)))
        return InWindows(without_outcome(flows), allowed, last).where(taken)

    def _open_members(
        self, pieces: WindowPieces, edges: WindowOpenEdges, port: PortInput, closing: int
    ) -> list[InWindows]:
        until = self._panes.closed_at(port.cti, 0) if self._emit == "on_complete" else AFTER_ALL
        kept = [InWindows.of_table(table) for table in pieces.open(closing, until)]
        return [*kept, *edges.certain_members(port.flows, port.cti, closing, until)]

    def _members(self, parts: Sequence[InWindows]) -> PaneMembers:
        every = InWindows.joined(parts)
        return PaneMembers(every.flows, every.first, every.last, self._panes.bounds)

    def _spans(self, filling: WindowFilling, parts: Sequence[InWindows]) -> WindowSpans:
        every = InWindows.joined(parts)
        return filling.spans([every.flows.columns[name] for name in filling.group_by], every.first, every.last)
