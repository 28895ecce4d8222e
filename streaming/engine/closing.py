"""A window node inside the operators: takes partials, and gives the rows of the windows that a CTI closes."""

import numpy as np
import pyarrow as pa

from streaming.engine.fold import FIRST, LAST, Fold
from streaming.engine.ledger import Ledger, Piece, WindowState, clipped
from streaming.engine.measures import column_of
from streaming.engine.panes import AFTER_ALL
from streaming.engine.results import WindowRows, close


def advance(fold: Fold, ledger: Ledger, arrived: list[pa.Table], closing: int) -> WindowRows:
    """The rows of all windows up to `closing` that were not closed before; the rest is kept.

    `arrived` are new partials; windows already closed take nothing more from them.
    """
    state = ledger.window(fold.spec.node)
    fresh = clipped(fold.join(arrived), state.closed) if arrived else fold.schema.empty_table()
    if closing <= state.closed:
        ledger.add(state, fresh)
        ledger.compact(state, fold)
        return close(fold, fold.schema.empty_table())
    due, kept = _split(fresh, closing)
    tables = [due]
    later = [kept]
    for piece in [piece for piece in state.pieces if piece.first <= closing]:
        due, rest = _from_piece(ledger, state, piece, closing)
        tables.append(due)
        later.append(rest)
    state.closed = closing
    rows = close(fold, fold.join(tables))
    for table in later:
        ledger.add(state, table)
    ledger.compact(state, fold)
    return rows


def _from_piece(ledger: Ledger, state: WindowState, piece: Piece, closing: int) -> tuple[pa.Table, pa.Table]:
    """What a piece gives to the windows up to `closing`, and what must be written again.

    A piece of which every row is open already (hopping windows) stays as it is until its last window closes: it is
    read for each closing and never written again. One with windows still to come is cut anew.
    """
    partials = clipped(ledger.read(piece), state.closed)
    due, rest = _split(partials, closing)
    if piece.last <= closing:
        ledger.drop(state, piece)
    elif piece.latest_first > closing:
        ledger.drop(state, piece)
        return due, rest
    return due, rest.slice(0, 0)


def _split(partials: pa.Table, closing: int) -> tuple[pa.Table, pa.Table]:
    """The part of each partial in the windows up to `closing`, and the part after them."""
    if closing == AFTER_ALL:
        return partials, partials.slice(0, 0)
    first, last = column_of(partials, FIRST).to_numpy(), column_of(partials, LAST).to_numpy()
    begun = np.flatnonzero(first <= closing)
    due = partials if len(begun) == len(first) else partials.take(pa.array(begun))
    if int(last.max(initial=closing)) > closing:
        due = due.set_column(1, LAST, pa.array(np.minimum(last[begun], closing)))
    return due, clipped(partials, closing)
