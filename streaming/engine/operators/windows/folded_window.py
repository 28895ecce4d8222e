"""A window node whose rows the feed has folded: takes partials, and returns the rows of windows that a CTI closes."""

from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa

from streaming.definition.windows import FixedPanes
from streaming.engine.columns.folding.fold import Fold
from streaming.engine.columns.folding.results import close
from streaming.engine.columns.folding.widening import refolded, widened
from streaming.engine.columns.window_indices import AFTER_ALL, BEFORE_ALL, window_indices
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.windows.emission import PaneEmission, PaneTable
from streaming.engine.operators.windows.empties import filling_of
from streaming.engine.state.node_state import NodeState
from streaming.engine.state.window_pieces import WindowPieces, clipped
from streaming.planning.plan import WindowSpec

_CLOSED: Final = "closed"
_APART: Final = "apart"


class FoldedWindowKernel:
    """Fixed windows over `partials` (`Fold.schema`, windows by index).

    State: in the head `closed`, the last window that is closed, and the pieces of partials of the others. The feed has
    judged which windows are open for a late_kept row (T19), and has refused rows in too many (T24). Windows only gain
    events here, so a window has changed when it has more of them than before.

    After a change of version that added aggregates (`widen`) the head has `apart`: the ones that started empty, and the
    last window in which they lack rows. Until that window is closed, these aggregates have separate partials.
    """

    def __init__(self, spec: WindowSpec) -> None:
        if not isinstance(spec.panes, FixedPanes):
            raise TypeError(f"the windows of {spec.node!r} are not at fixed times, so the feed cannot fold for them")
        self._spec = spec
        self._folds = {frozenset[str](): Fold(spec)}
        self._panes = window_indices(spec.panes)
        self._emission = PaneEmission(spec)
        self._filling = filling_of(spec)

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take the partials of the port, and release the rows of windows that its CTI closes or completes."""
        port, spec = ports[0], self._spec
        arriving, fold = self._fold_of(()), self._fold_in(state)
        closed = int(state.head.get(_CLOSED, BEFORE_ALL))
        closing = max(closed, self._panes.closed_at(port.cti, spec.grace))
        came = arriving.join(port.partials)
        fresh = clipped(came if fold is arriving else refolded(came, arriving, fold), closed)
        pieces = _pieces(state, fold)
        due = fold.join(pieces.close(fresh, closed, closing))
        state.head[_CLOSED] = closing
        table = self._table(fold, due)
        ctis = self._panes.output_ctis(port.ctis, spec.grace, closed)
        if self._filling is not None:
            first, last = fresh.column(0).to_numpy(), fresh.column(1).to_numpy()
            entered = self._filling.spans(_groups(fold, fresh), first, last)
            filled = self._filling.turn(state, entered, None, port.ctis, closing)
            table, ctis = self._filling.with_empty(table, filled.windows), filled.ctis
        known = self._open_panes(fold, pieces, port, closing, boundary=turn.boundary)
        if fold is not arriving and closing >= state.head[_APART][1]:
            pieces.rewrite(lambda table: refolded(table, fold, arriving))
            del state.head[_APART]
        rows = self._emission.released(state, port.cti, table, known, turn.report.failures)
        return NodeOutput(rows, ctis, port.horizon)

    def widen(self, before: WindowSpec, begin_empty: Iterable[str], state: NodeState) -> None:
        """Convert the state of a kernel of `before` to the form of this one; `begin_empty` are new here.

        The windows and their input are the same. This kernel runs all later turns.
        """
        left = Fold(before, _apart_in(state))
        names = {each.name for each in self._spec.aggregates}
        apart = sorted({*begin_empty, *left.apart} & names)
        fold = self._fold_of(apart)
        until = _pieces(state, left).rewrite(lambda table: widened(table, left, fold))
        state.head.pop(_APART, None)
        if apart and until is not None:
            state.head[_APART] = [apart, until]

    def _fold_in(self, state: NodeState) -> Fold:
        """Return the fold of the partials in the state."""
        return self._fold_of(_apart_in(state))

    def _fold_of(self, apart: Iterable[str]) -> Fold:
        """Return the fold while some aggregates are apart."""
        names = frozenset(apart)
        if names not in self._folds:
            self._folds[names] = Fold(self._spec, names)
        return self._folds[names]

    def _open_panes(
        self, fold: Fold, pieces: WindowPieces, port: PortInput, closing: int, *, boundary: bool
    ) -> PaneTable | None:
        """Return the open windows that rows may be due for now."""
        match self._spec.emit:
            case "running" if boundary:
                until = AFTER_ALL
            case "on_complete" if port.ctis:
                until = self._panes.closed_at(port.cti, 0)
            case _:
                return None
        return self._table(fold, fold.join(list(pieces.open(closing, until))))

    def _table(self, fold: Fold, partials: pa.Table) -> PaneTable:
        rows = close(fold, partials)
        start, end = self._panes.bounds(rows.index)
        return PaneTable(start, end, rows.columns, None, rows.count, rows.failed)


def _apart_in(state: NodeState) -> frozenset[str]:
    names, _ = state.head.get(_APART, ((), None))
    return frozenset(names)


def _pieces(state: NodeState, fold: Fold) -> WindowPieces:
    return WindowPieces(state, lambda tables: fold.merge(fold.join(tables)))


def _groups(fold: Fold, partials: pa.Table) -> list[pa.Array]:
    return [partials.column(key).combine_chunks() for key in fold.keys]
