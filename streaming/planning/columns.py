"""Typed parts of nodes: the columns that they compute, and the order of the rows that they read."""

from dataclasses import dataclass
from fractions import Fraction

from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import Type


@dataclass(frozen=True)
class AggregateColumn:
    """One result column of a window: `function` over `of` (None: every row) of the rows where `where` is true.

    `of_type` is the type of `of`, `type` that of the result; `k` and `fraction` as in the definition.
    """

    name: str
    function: str
    of: Expression | None
    where: Expression | None
    of_type: Type | None
    type: Type
    k: int | None = None
    fraction: Fraction | None = None


@dataclass(frozen=True)
class RowOrderBy:
    """One ORDER BY expression of rows in order, typed; nulls are first when it rises and last when it falls (T27)."""

    of: Expression
    type: Type
    descending: bool = False


@dataclass(frozen=True)
class RowFrame:
    """The rows around a row that a function sees (T44): by count if `rows`, else by the distance of starts in ticks.

    `preceding` is None if it is unbounded.
    """

    rows: bool
    preceding: int | None
    following: int


@dataclass(frozen=True)
class RowColumn:
    """One column of an analytic node: `value` names it, its function, `of`, and the parameters of an aggregate.

    The other fields are as in the definition; `frame` is None for a function that takes none.
    """

    value: AggregateColumn
    frame: RowFrame | None
    offset: int = 1
    default: Expression | None = None
    ignore_nulls: bool = False
    least: int = 10
    target: float = 0.0
    drift: float = 0.0
    threshold: float = 0.0

    @property
    def name(self) -> str:
        """Return the name of the column."""
        return self.value.name

    @property
    def function(self) -> str:
        """Return the name of the function."""
        return self.value.function

    @property
    def rows_ahead(self) -> int:
        """Return how many rows after a row it needs."""
        if self.function == "lead":
            return self.offset
        return self.frame.following if self.frame is not None and self.frame.rows else 0

    @property
    def ticks_ahead(self) -> int:
        """Return from which distance after a row on it needs no more rows, by their starts."""
        return self.frame.following if self.frame is not None and not self.frame.rows else 0
