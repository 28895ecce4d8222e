"""Admission of rows to windows: late rows that their lane's CTI excludes, gaps, and too many windows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streaming.engine.columns.rows import Rows
from streaming.engine.columns.window_indices import WindowIndices
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT
from streaming.wire.rows.arrived import Int64s

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AdmittedRows:
    """The `rows` that a window takes, each in the windows `first..last`; and the chunk's rows that it refused."""

    rows: Rows
    first: Int64s
    last: Int64s
    closed: Indices
    too_many: Indices


NONE = np.empty(0, np.int64)
_LONGEST = 2**60
"""A grace above this counts as unbounded."""


def assign(panes: WindowIndices, rows: Rows, late_at: Int64s | None, *, points: bool, grace: int = 0) -> AdmittedRows:
    """Assign `rows` to their windows.

    `late_at` has an entry for each row of the chunk: the CTI of the lane if the row was late_kept, NO_CTI otherwise
    (None: no row was). Such a row enters only windows that end, `grace` ticks later, after it (T19). `points`: every
    row is one tick long.
    """
    first, last = panes.of_points(rows.start) if points else (panes.first(rows.start), panes.last(rows.end))
    reached = first
    if late_at is not None:
        met = late_at[rows.sources()]
        settled = np.maximum(np.maximum(met, rows.start) - min(grace, _LONGEST), rows.start)
        first = np.maximum(first, panes.first(settled))
    if first is last or (points and late_at is None and 0 < panes.most <= MAX_WINDOWS_PER_EVENT):
        return AdmittedRows(rows, first, last, NONE, NONE)
    span = last - first
    fits = (span >= 0) & (span < MAX_WINDOWS_PER_EVENT)
    if fits.all():
        return AdmittedRows(rows, first, last, NONE, NONE)
    sources = rows.sources()
    closed = sources[(span < 0) & (reached <= last)]
    too_many = sources[span >= MAX_WINDOWS_PER_EVENT]
    return AdmittedRows(rows.pick(fits), first[fits], last[fits], closed, too_many)
