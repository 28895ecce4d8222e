"""The rows that a row sees, and when no further row can be among them (T44, T46)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streaming.planning.columns import RowColumn, RowFrame
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.row import Row
from streaming.temporal.ticks import INFINITY, Tick, Ticks


@dataclass(frozen=True)
class RowView:
    """The row at the place `at` of the known `rows` of its group; rows `reach` or more away are not seen."""

    rows: Sequence[Row]
    at: int
    reach: Ticks | None

    @property
    def row(self) -> Row:
        """Return the row itself."""
        return self.rows[self.at]

    @property
    def before(self) -> list[Row]:
        """Return the visible rows before the row, the nearest first."""
        return [row for row in reversed(self.rows[: self.at]) if self._sees(row)]

    @property
    def after(self) -> list[Row]:
        """Return the visible rows after the row, the nearest first."""
        return [row for row in self.rows[self.at + 1 :] if self._sees(row)]

    def frame(self, frame: RowFrame) -> list[Row]:
        """Return the rows of the frame, in order; the row itself is always among them."""
        if frame.rows:
            first = 0 if frame.preceding is None else max(0, self.at - frame.preceding)
            near = self.rows[first : self.at + frame.following + 1]
        else:
            near = [row for row in self.rows if _in_range(row.start - self.row.start, frame)]
        return [row for row in near if self._sees(row)]

    def decided(self, column: RowColumn, known_until: Tick) -> bool:
        """Return whether rows that start at `known_until` or later can't change the value of `column` (T46)."""
        start = self.row.start
        if known_until == INFINITY or (self.reach is not None and known_until >= start + self.reach):
            return True
        if known_until < start + column.ticks_ahead:
            return False
        after = self.after
        if len(after) < len(self.rows) - self.at - 1:
            return True  # a known row is out of reach, and so is every later one
        counted = after if not column.ignore_nulls or column.function != "lead" else not_null(after, column)
        return len(counted) >= column.rows_ahead

    def _sees(self, row: Row) -> bool:
        return self.reach is None or abs(row.start - self.row.start) < self.reach


def _in_range(distance: int, frame: RowFrame) -> bool:
    """Return whether a row `distance` ticks after the row is in its range; peers always are."""
    if distance <= 0:
        return distance == 0 or frame.preceding is None or -distance < frame.preceding
    return distance < frame.following


def value_of(row: Row, column: RowColumn) -> Any:
    """Return the value of `of` on a row; failures were counted when the row came."""
    return None if column.value.of is None else evaluate(column.value.of, row.payload, lambda _: None)


def not_null(rows: Sequence[Row], column: RowColumn) -> list[Row]:
    """Return the rows on which `of` is not null."""
    return [row for row in rows if value_of(row, column) is not None]
