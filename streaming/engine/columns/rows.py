"""Rows in columns on their way through steps; nothing is copied before it is needed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from streaming.definition.expressions.tree import Expression, Field, fields_used
from streaming.definition.payload.types import Type
from streaming.engine.columns.expressions.by_value import ROWS
from streaming.engine.columns.expressions.evaluation import evaluate
from streaming.engine.columns.expressions.failure_listener import FailureListener
from streaming.engine.columns.grouping import Codes, encode
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type


@dataclass(frozen=True)
class Rows:
    """Rows `picked` (None: all) of `columns`. `source` is the index of each picked row in its chunk.

    `start` and `end` have one entry for each picked row already; `columns` are still whole.
    """

    columns: dict[str, pa.Array]
    picked: npt.NDArray[np.int64] | None
    start: Int64s
    end: Int64s
    source: npt.NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.start)

    def pick(self, mask: npt.NDArray[np.bool_]) -> "Rows":
        """The rows where `mask`, one entry for each picked row, is true."""
        if mask.all():
            return self
        chosen = np.flatnonzero(mask)
        return replace(
            self,
            picked=chosen if self.picked is None else self.picked[chosen],
            start=self.start[chosen],
            end=self.end[chosen],
            source=chosen if self.source is None else self.source[chosen],
        )

    def sources(self) -> npt.NDArray[np.int64]:
        """The index in the chunk of each picked row."""
        return np.arange(len(self)) if self.source is None else self.source

    def field(self, name: str) -> pa.Array:
        """One field of the picked rows."""
        column = self.columns[name]
        return column if self.picked is None else column.take(pa.array(self.picked))

    def codes(self, name: str) -> Codes:
        """Return one field of the picked rows as codes: text is encoded before picking, so it is never copied."""
        if self.picked is not None and 4 * len(self.picked) < len(self.columns[name]):
            return encode(self.field(name))
        return encode(self.columns[name]).at(self.picked)

    def values(self, expression: Expression, of: Type, listener: FailureListener | None = None) -> pa.Array:
        """Return `expression` over the picked rows as Arrow values of type `of`.

        `listener` receives the rows on which it failed.
        """
        if not len(self):
            return pa.array([], arrow_type(of))
        if isinstance(expression, Field) and len(expression.path) == 1:
            return self.field(expression.path[0])
        return to_arrow(self._evaluate(expression, listener), arrow_type(of))

    def truth(self, expression: Expression, listener: FailureListener | None = None) -> npt.NDArray[np.bool_]:
        """Return where `expression` is true; null is not true. `listener` receives the rows on which it failed."""
        return self._evaluate(expression, listener).fill_null(value=False).to_numpy()

    def _evaluate(self, expression: Expression, listener: FailureListener | None) -> pl.Series:
        columns = [pl.Series(name, self.field(name)) for name in sorted(fields_used(expression))]
        frame = pl.DataFrame([pl.repeat(value=False, n=len(self), eager=True).alias(ROWS), *columns])
        value, failing = evaluate(expression, frame, find_failures=listener is not None)
        if listener is not None and failing:
            listener.hear(expression, failing, frame, self.sources())
        return value


def to_arrow(series: pl.Series, kind: pa.DataType) -> pa.Array:
    """A Polars column as one Arrow array of exactly `kind`."""
    array = series.to_arrow(compat_level=pl.CompatLevel.oldest())
    return array if array.type == kind else array.cast(kind)


def payload(rows: Rows, names: Sequence[str]) -> list[pa.Array]:
    """The picked values of the fields `names`."""
    return [rows.field(name) for name in names]
