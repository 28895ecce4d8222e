"""The shape of the events that begin at a column: points, intervals by a second time, edges by a column of kinds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from streaming.definition.streams import TimeColumn
from streaming.inference.columns import SampledColumn
from streaming.inference.field_types import ENOUGH
from streaming.inference.time_candidates import TimesFound, is_end_name
from streaming.temporal.events import Shape

KINDS: Final = frozenset({"start", "end"})
_EDGE_WORDS: Final = (
    frozenset({"open", "close"}),
    frozenset({"in", "out"}),
    frozenset({"begin", "end"}),
    frozenset({"on", "off"}),
)
"""Kinds of rows that mean the same and that no adapter reads."""


@dataclass(frozen=True)
class FoundShape:
    """The shape, the time that ends an event, the column of kinds, and why in words."""

    shape: Shape
    end: TimesFound | None = None
    edge: str | None = None
    reason: str = "one time says when an event happened"

    @property
    def end_column(self) -> TimeColumn | None:
        """The column of the end."""
        return None if self.end is None else self.end.column


def shape_of(start: TimesFound, times: Sequence[TimesFound], columns: Sequence[SampledColumn]) -> FoundShape:
    """The shape of events that begin at `start`; `times` are all columns that read as times, or that do in part."""
    others = [each for each in times if each.column.column != start.column.column]
    edge = next((column.path for column in columns if set(map(_text, column.known)) == KINDS), None)
    ends = [each for each in others if is_end_name(each.column.column)]
    if edge is not None:
        kinds = next(column for column in columns if column.path == edge)
        opens = np.array([_text(value) == "start" for value in kinds.values], dtype=np.bool_)
        closing = next((each for each in ends or others if _ends_after(start, each, ~opens)), None)
        if closing is not None:
            words = f"{edge!r} says of each row whether it starts or ends, {closing.column.column!r} when it ended"
            return FoundShape(Shape.EDGE, closing, edge, words)
    if is_end_name(start.column.column):
        return FoundShape(Shape.POINT)
    closing = next((each for each in ends if _ends_after(start, each, np.ones(len(start.bad), dtype=np.bool_))), None)
    if closing is None:
        return FoundShape(Shape.POINT)
    words = f"{closing.column.column!r} ends what {start.column.column!r} begins, in every row that has both"
    return FoundShape(Shape.INTERVAL, closing, None, words)


def edge_notes(columns: Sequence[SampledColumn]) -> list[str]:
    """A sentence on each column that says in other words which rows start and which end something."""
    return [
        f"The column {column.path!r} holds {' and '.join(sorted(words))}. Where it says which rows start and which end "
        "an event, write start and end there: then the events can be read as edges."
        for column in columns
        for words in _EDGE_WORDS
        if {_text(value).lower() for value in column.known[:1000]} == words
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _ends_after(start: TimesFound, end: TimesFound, rows: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> bool:
    """Whether of `rows` nearly all that have both times end after they begin, and nearly all have both."""
    both = rows & ~start.bad & ~end.bad
    if not rows.any() or both.sum() < ENOUGH * rows.sum():
        return False
    return bool((end.ticks[both] > start.ticks[both]).mean() >= ENOUGH)
