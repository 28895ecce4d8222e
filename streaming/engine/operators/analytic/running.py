"""Row numbers and cumulative sums, which continue from row to row (T45, T47)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.engine.columns.flows import Mask
from streaming.engine.operators.analytic.placed_rows import PlacedRows
from streaming.planning.columns import RowColumn
from streaming.wire.rows.arrived import Int64s

UNNUMBERED: Final = 0
"""The number of a row that is not known yet."""
Doubles = npt.NDArray[np.float64]


def opens_run(rows: PlacedRows) -> Mask:
    """Return which rows begin again: the first of each group, and those after a gap of the reach or more."""
    opens = np.ones(len(rows.start), np.bool_)
    opens[1:] = rows.group[1:] != rows.group[:-1]
    if rows.reach is not None:
        opens[1:] |= np.diff(rows.start) >= rows.reach
    return opens


def row_numbers(rows: PlacedRows, stored: Int64s) -> Int64s:
    """Return the number of each known row; `stored` are those of rows that were known before."""
    opens = opens_run(rows)
    place = np.arange(len(opens))
    begin = np.maximum.accumulate(np.where(opens, place, 0))
    base = np.where(stored[begin] == UNNUMBERED, 1, stored[begin])
    return np.where(rows.is_known, base + place - begin, UNNUMBERED)


@dataclass
class CumulativeSums:
    """The two sums of one column after each row, not yet reset by an alarm; NaN on rows that are not known."""

    column: RowColumn
    high: Doubles
    low: Doubles

    def run(self, rows: PlacedRows, of: pa.Array) -> None:
        """Compute the sums of the known rows that have none."""
        column, opens = self.column, opens_run(rows)
        values = [None if value is None else float(value) for value in of.to_pylist()]
        high = low = 0.0
        for place in np.flatnonzero(rows.is_known).tolist():
            if not np.isnan(self.high[place]):
                high, low = float(self.high[place]), float(self.low[place])
                continue
            if opens[place] or high > column.threshold or low > column.threshold:
                high = low = 0.0
            value = values[place]
            if value is not None:
                high = max(0.0, high + value - column.target - column.drift)
                low = max(0.0, low + column.target - column.drift - value)
            self.high[place], self.low[place] = high, low

    def values(self, at: Int64s) -> tuple[pa.Array, Mask]:
        """Return the column on the rows `at`, and where its sum is above the largest double."""
        high, low = self.high[at], self.low[at]
        if self.column.function == "cusum_alarm":
            alarms = np.where(high > self.column.threshold, 1, np.where(low > self.column.threshold, 2, 0))
            none = alarms == 0
            words = pa.array(["", "high", "low"]).take(pa.array(np.where(none, 0, alarms), mask=none))
            return words, np.zeros(len(at), np.bool_)
        found = high if self.column.function == "cusum_high" else low
        endless = np.isinf(found)
        return pa.array(np.where(endless, 0.0, found), mask=endless), endless
