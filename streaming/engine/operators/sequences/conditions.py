"""Conditions on the candidate row alone, evaluated for all rows at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.expressions.failures import may_fail
from streaming.definition.expressions.tree import Expression, Field, children, fields_used, with_children
from streaming.definition.rows import ROW_START
from streaming.definition.sequences.pattern import (
    Absent,
    Branches,
    Pattern,
    Permute,
    Repeat,
    Take,
    may_be_empty,
    parts_of,
    variables,
)
from streaming.definition.sequences.row_calls import VARIABLE, PickedValue, RowsExpression
from streaming.engine.columns.flows import Flows
from streaming.planning.sequences import SequenceSpec

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RowConditions:
    """The conditions of a pattern that need neither the path nor other rows, and cannot fail."""

    spec: SequenceSpec

    @cached_property
    def plain(self) -> Mapping[str, Expression | None]:
        """Return the conditions over the fields of one row, by variable; None for a variable that takes any row."""
        found: dict[str, Expression | None] = {}
        for name in variables(self.spec.pattern):
            condition = self.spec.define.get(name)
            plain = None if condition is None else self._on_row(name, condition)
            if condition is None or plain is not None:
                found[name] = plain
        return found

    def _on_row(self, variable: str, condition: RowsExpression) -> Expression | None:
        """Return the condition over the fields of the candidate; None if it reads anything else, or may fail."""
        inner: list[Expression] = []
        for call in condition.calls:
            if not isinstance(call, PickedValue) or variable not in self.spec.alone or call.move:
                return None
            if VARIABLE in fields_used(call.of):
                return None
            inner.append(call.of)
        whole = _inlined(condition.scalar, inner)
        return None if may_fail(whole) else whole

    def of(self, flows: Flows) -> dict[str, Mask]:
        """Return for each plain condition the rows for which it is true."""
        rows = replace(flows, columns={**flows.columns, ROW_START: pa.array(flows.start)}).rows
        every = np.ones(len(flows), np.bool_)
        return {name: every if of is None else rows.truth(of) for name, of in self.plain.items()}

    @cached_property
    def first(self) -> Sequence[str] | None:
        """Return the variables that may take the first row of a match; None if a match may begin at any row."""
        if self.spec.rows == "all_with_unmatched" or may_be_empty(self.spec.pattern):
            return None
        names = _first(self.spec.pattern)
        return sorted(names) if names <= self.plain.keys() else None


def _inlined(node: Expression, inner: Sequence[Expression]) -> Expression:
    """Return `node` with the expressions `inner` instead of the fields that stand for them."""
    if isinstance(node, Field):
        return inner[int(node.path[0])]
    return with_children(node, [_inlined(child, inner) for child in children(node)])


def _first(pattern: Pattern) -> set[str]:
    """Return the variables that may take the first row of a path through `pattern`."""
    match pattern:
        case Take():
            return {pattern.variable}
        case Absent():
            return set()
        case Branches() | Permute() | Repeat():
            return set().union(*map(_first, parts_of(pattern)))
        case _:
            found: set[str] = set()
            for part in pattern.parts:
                found |= _first(part)
                if not may_be_empty(part):
                    break
            return found
