"""The listener for failed expressions of a turn: by node, expression and kind a count and an example."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from streaming.definition.expressions.tree import Expression
from streaming.engine.columns.expressions.evaluation import FailedRows, fields_in
from streaming.wire.execution.failures import FailureCount, FailureTally, example_of

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class FailureListener:
    """Counts the rows on which `fields` of `node`, which share one expression, fail.

    `counts` selects the rows that count, by their index in the chunk (None: all): an edge counts once, with its start,
    and a retracted row does not count again.
    """

    tally: FailureTally
    node: str
    fields: tuple[str, ...] = ()
    counts: Callable[[npt.NDArray[np.int64]], Mask] | None = None

    def named(self, *fields: str) -> "FailureListener":
        """Return a listener for other expressions of the node."""
        return replace(self, fields=fields)

    def hear(
        self, expression: Expression, failing: Sequence[FailedRows], frame: pl.DataFrame, sources: npt.NDArray[np.int64]
    ) -> None:
        """Record that `expression` failed on rows of `frame`; `sources` maps each row to its index in the chunk."""
        for each in failing:
            rows = each.rows if self.counts is None else each.rows[self.counts(sources[each.rows])]
            if not len(rows):
                continue
            row = frame.row(int(rows[0]), named=True)
            example = example_of({".".join(one.path): (_at(row, one.path), one.type) for one in fields_in(expression)})
            for field in self.fields:
                self.tally.add(FailureCount(self.node, field, each.kind, len(rows), example))


def _at(row: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = row
    for step in path:
        value = None if value is None else value[step]
    return value
