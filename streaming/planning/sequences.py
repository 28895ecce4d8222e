"""The typed form of a match_recognize node (TEMPORAL.md section 9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from streaming.definition.expressions.tree import fields_used
from streaming.definition.payload.types import Fields
from streaming.definition.sequences.pattern import MatchRows, Pattern, absences, variables
from streaming.definition.sequences.row_calls import (
    VARIABLE,
    PickedValue,
    RowsExpression,
)
from streaming.planning.columns import RowOrderBy
from streaming.temporal.ticks import Ticks


@dataclass(frozen=True)
class SkipTarget:
    """The row of `variable` at which the search continues: its first or its last."""

    variable: str
    from_end: bool


AfterMatch = Literal["past_last_row", "next_row"] | SkipTarget


@dataclass(frozen=True)
class SequenceSpec:
    """A match_recognize node. `reads` are the fields of its rows, `fields` those that leave.

    `members` holds for each subset its variables, and each variable under its own name. `define` has the conditions of
    the variables that have one. `reach` is None without a bound (T31). `span`: a match lives from its first row on.
    """

    node: str
    group_by: tuple[str, ...]
    order_by: tuple[RowOrderBy, ...]
    pattern: Pattern
    members: Mapping[str, frozenset[str]]
    define: Mapping[str, RowsExpression]
    measures: Mapping[str, RowsExpression]
    rows: MatchRows
    after_match: AfterMatch
    within: Ticks | None
    reach: Ticks | None
    grace: Ticks
    span: bool
    running: bool
    max_rows: int
    reads: Fields
    fields: Fields

    @cached_property
    def exact_hold(self) -> bool:
        """Return whether the output CTI is held to the earliest result that known rows can give (T34)."""
        passes = self.rows == "one" and not self.span and not isinstance(self.after_match, SkipTarget)
        return passes and not any(each.looks_ahead for each in self.define.values())

    @cached_property
    def alone(self) -> frozenset[str]:
        """The variables whose condition depends on the candidate and its neighbours, not on the path before it."""
        every = variables(self.pattern)
        return frozenset(name for name in every if name not in self.define or self._is_alone(name, self.define[name]))

    def _is_alone(self, variable: str, condition: RowsExpression) -> bool:
        return all(isinstance(call, PickedValue) and self._picks_candidate(variable, call) for call in condition.calls)

    def _picks_candidate(self, variable: str, call: PickedValue) -> bool:
        own = call.variable is None or variable in self.members[call.variable]
        taken = bool(call.move) and VARIABLE in fields_used(call.of)
        return own and call.from_end and call.offset == 0 and not taken

    @cached_property
    def path_matters(self) -> bool:
        """Return whether some condition depends on the path before the candidate."""
        return len(self.alone) < len(variables(self.pattern))

    @cached_property
    def numbers_matches(self) -> bool:
        """Return whether some measure is the number of the match."""
        return any(each.numbers_matches for each in self.measures.values())

    @cached_property
    def furthest_before(self) -> int:
        """The largest number of rows that an expression reads back."""
        return max((each.furthest_before for each in (*self.define.values(), *self.measures.values())), default=0)

    @cached_property
    def absences(self) -> frozenset[Ticks]:
        """The durations of all absences."""
        return frozenset(each.duration for each in absences(self.pattern))

    @cached_property
    def looks_ahead(self) -> bool:
        """Return whether some expression contains NEXT."""
        return any(each.looks_ahead for each in (*self.define.values(), *self.measures.values()))
