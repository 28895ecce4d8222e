"""The shape of the events that start at a column: points, intervals by a second time, edges by a column of kinds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from streaming.definition.streams.stream import TimeColumn
from streaming.inference.columns import SampledColumn
from streaming.inference.field_types import ENOUGH
from streaming.inference.time_candidates import TimeReading, is_end_name
from streaming.temporal.events import Shape

KINDS: Final = frozenset({"start", "end"})
_EDGE_WORDS: Final = (
    frozenset({"open", "close"}),
    frozenset({"in", "out"}),
    frozenset({"begin", "end"}),
    frozenset({"on", "off"}),
)
"""Kinds of rows with a clear meaning that no adapter reads."""


@dataclass(frozen=True)
class FoundShape:
    """The shape, the time that ends an event, the column of kinds, and the reason in words."""

    shape: Shape
    end: TimeReading | None = None
    edge: str | None = None
    reason: str = "one time is the time of an event"

    @property
    def end_column(self) -> TimeColumn | None:
        """Return the column of the end."""
        return None if self.end is None else self.end.column


def shape_of(start: TimeReading, times: Sequence[TimeReading], columns: Sequence[SampledColumn]) -> FoundShape:
    """Return the shape of events that start at `start`; `times` are all columns that read as times, also in part."""
    others = [each for each in times if each.column.column != start.column.column]
    edge = next((column.path for column in columns if set(map(_text, column.present_values)) == KINDS), None)
    alike = sorted(others, key=lambda each: each.column.pattern != start.column.pattern)
    ends = [each for each in alike if is_end_name(each.column.column)]
    if edge is not None:
        kinds = next(column for column in columns if column.path == edge)
        opens = np.array([_text(value) == "start" for value in kinds.values], dtype=np.bool_)
        closing = next((each for each in ends or others if _ends_after(start, each, ~opens)), None)
        if closing is not None:
            words = f"{edge!r} marks each row as start or end, {closing.column.column!r} is the time of the end"
            return FoundShape(Shape.EDGE, closing, edge, words)
    if is_end_name(start.column.column):
        return FoundShape(Shape.POINT)
    closing = next((each for each in ends if _ends_after(start, each, np.ones(len(start.bad), dtype=np.bool_))), None)
    if closing is None:
        return FoundShape(Shape.POINT)
    words = f"{closing.column.column!r} is the end of {start.column.column!r}, in every row that has both"
    return FoundShape(Shape.INTERVAL, closing, None, words)


def edge_notes(columns: Sequence[SampledColumn]) -> list[str]:
    """Yield a sentence on each column that marks starts and ends with other words."""
    return [
        f"The column {column.path!r} holds {' and '.join(sorted(words))}. If it marks the starts and ends of "
        "events, write start and end there. Then the events can be read as edges."
        for column in columns
        for words in _EDGE_WORDS
        if {_text(value).lower() for value in column.present_values[:1000]} == words
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _ends_after(start: TimeReading, end: TimeReading, rows: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> bool:
    """Return true if nearly all of `rows` have both times, and nearly all of these end after they start."""
    both = rows & ~start.bad & ~end.bad
    if not rows.any() or both.sum() < ENOUGH * rows.sum():
        return False
    return bool((end.ticks[both] > start.ticks[both]).mean() >= ENOUGH)
