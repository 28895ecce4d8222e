"""A window node whose rows the feed has folded: takes partials, and gives the rows of the windows that a CTI closes."""

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.folding.results import close
from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL, WindowIndices
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.windows.emission import PaneEmission, PaneTable
from streaming.engine.operators.windows.empties import filling_of
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.window_pieces import WindowPieces, clipped
from streaming.planning.plan import WindowSpec
from streaming.temporal.windows import HoppingWindows

_CLOSED: Final = "closed"


class FoldedWindowKernel:
    """tumbling, hopping and time_interval windows over `partials` (`Fold.schema`, windows by index).

    State: in the head `closed`, the last window that is closed, and the pieces of partials of the others. The feed has
    judged which windows are open for a late_kept row (T19), and has refused rows in too many (T24). Windows only gain
    events here, so a window has changed when it has more of them than before.
    """

    def __init__(self, spec: WindowSpec) -> None:
        if not isinstance(spec.panes, HoppingWindows):
            raise TypeError(f"the windows of {spec.node!r} have no fixed places, so the feed cannot fold for them")
        self._spec = spec
        self._fold = Fold(spec)
        self._panes = WindowIndices.of(spec.panes)
        self._emission = PaneEmission(spec)
        self._filling = filling_of(spec)

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take the partials of the port, and release the rows of windows that its CTI closes or completes."""
        port = ports[0]
        fold, spec = self._fold, self._spec
        closed = int(state.head.get(_CLOSED, BEFORE_ALL))
        closing = max(closed, self._panes.closed_at(port.cti, spec.grace))
        fresh = clipped(fold.join(port.partials), closed)
        pieces = WindowPieces(state, self._merged)
        due = fold.join(pieces.close(fresh, closed, closing))
        state.head[_CLOSED] = closing
        table = self._table(due)
        ctis = self._panes.output_ctis(port.ctis, spec.grace, closed)
        if self._filling is not None:
            first, last = fresh.column(0).to_numpy(), fresh.column(1).to_numpy()
            entered = self._filling.spans(self._groups(fresh), first, last)
            filled = self._filling.turn(state, entered, None, port.ctis, closing)
            table, ctis = self._filling.with_empty(table, filled.windows), filled.ctis
        known = self._known(pieces, port, closing, boundary=turn.boundary)
        rows = self._emission.released(state, port.cti, table, known, turn.report.failures)
        return NodeOutput(rows, ctis, port.horizon)

    def _groups(self, partials: pa.Table) -> list[pa.Array]:
        return [partials.column(key).combine_chunks() for key in self._fold.keys]

    def _merged(self, tables: list[pa.Table]) -> pa.Table:
        return self._fold.merge(self._fold.join(tables))

    def _known(self, pieces: WindowPieces, port: PortInput, closing: int, *, boundary: bool) -> PaneTable | None:
        """The windows that are open, as far as rows may have to tell of them now."""
        match self._spec.emit:
            case "running" if boundary:
                until = AFTER_ALL
            case "on_complete" if port.ctis:
                until = self._panes.closed_at(port.cti, 0)
            case _:
                return None
        return self._table(self._fold.join(list(pieces.open(closing, until))))

    def _table(self, partials: pa.Table) -> PaneTable:
        rows = close(self._fold, partials)
        start = self._panes.starts(rows.index)
        return PaneTable(start, start + self._panes.size, rows.columns, None, rows.count, rows.failed)
