"""Calls of DEFINE and MEASURES that read the rows of a path (T30, T31), and expressions over their values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from streaming.definition.expressions.tree import Expression
from streaming.definition.payload.types import LONG, Type

VARIABLE: Final = "classifier()"
"""The field with the variable that took a row; no payload field can have this name."""


@dataclass(frozen=True, slots=True)
class PickedValue:
    """`of` on one row: the `offset`-th row of `variable` (None: of all) from the start or the end, moved by `move`.

    A negative `move` is PREV, a positive one NEXT, by that many rows of the group. `final`: over the whole match.
    """

    variable: str | None
    from_end: bool
    offset: int
    move: int | None
    of: Expression
    final: bool = False

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.of.type


@dataclass(frozen=True, slots=True)
class FoldedValue:
    """The aggregate `function` over `of` (None: every row) of the rows of `variable` (None: of all)."""

    variable: str | None
    function: str
    of: Expression | None
    type: Type
    k: int | None = None
    fraction: Fraction | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class MatchNumber:
    """The number of the match in its group, from 1."""

    type: Type = LONG


RowCall = PickedValue | FoldedValue | MatchNumber


@dataclass(frozen=True, slots=True)
class RowsExpression:
    """`scalar` over the values of `calls`, by their index as text."""

    scalar: Expression
    calls: tuple[RowCall, ...]

    @property
    def type(self) -> Type:
        """The type of its values."""
        return self.scalar.type

    @property
    def numbers_matches(self) -> bool:
        """Return whether it contains MATCH_NUMBER()."""
        return any(isinstance(each, MatchNumber) for each in self.calls)

    @property
    def furthest_before(self) -> int:
        """The largest number of rows that PREV reads back, 0 without PREV."""
        return max((-call.move for call in self._picked if call.move is not None and call.move < 0), default=0)

    @property
    def looks_ahead(self) -> bool:
        """Return whether it contains NEXT."""
        return any(call.move is not None and call.move > 0 for call in self._picked)

    @property
    def _picked(self) -> list[PickedValue]:
        return [each for each in self.calls if isinstance(each, PickedValue)]
