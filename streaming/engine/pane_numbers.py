"""Numbers for the panes of fixed windows: one for each group and window, as aggregates over panes want them."""

import numpy as np

from streaming.engine import spans
from streaming.engine.grouping import Codes, combine, encode, group
from streaming.engine.in_windows import InWindows
from streaming.engine.pane_source import Members
from streaming.engine.panes import Panes
from streaming.wire.arrived import Int64s

_LARGEST = 2**62


def numbered(members: InWindows, panes: Panes, group_by: tuple[str, ...]) -> Members:
    """The members in panes of their groups."""
    first, last = members.first, members.last
    rows = len(first)
    codes = combine([encode(members.flows.columns[name]) for name in group_by], rows)
    if not rows:
        return Members(members.flows, first, last, lambda numbers: (numbers, numbers))
    low, width = int(first.min()), int(last.max()) - int(first.min()) + 1
    if codes.size * width > _LARGEST:
        codes = _dense(codes)
    if codes.size * width > _LARGEST:
        return _sparse(members, panes, codes)
    base = codes.codes * width - low

    def bounds(numbers: Int64s) -> tuple[Int64s, Int64s]:
        start = panes.starts(numbers % width + low)
        return start, start + panes.size

    return Members(members.flows, base + first, base + last, bounds)


def _dense(codes: Codes) -> Codes:
    grouped = group(codes)
    return Codes(grouped.ids, grouped.slots)


def _sparse(members: InWindows, panes: Panes, codes: Codes) -> Members:
    """Numbers for windows that some member is in alone: without this, groups times windows would overflow."""
    cells = spans.cut(codes.codes, members.first, members.last)
    full = spans.sums(cells, np.ones(len(members), np.int64)) > 0
    width = np.where(full, cells.width, 0)
    begin = np.cumsum(width) - width

    def bounds(numbers: Int64s) -> tuple[Int64s, Int64s]:
        # of cells that begin with the same number all but the last are empty
        cell = np.searchsorted(begin, numbers, side="right") - 1
        start = panes.starts(cells.first_window[cell] + (numbers - begin[cell]))
        return start, start + panes.size

    span = members.last - members.first
    return Members(members.flows, begin[cells.first_cell], begin[cells.first_cell] + span, bounds)
