"""Conditions on the candidate row and on those before it, evaluated for all rows at once."""

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
from streaming.engine.operators.sequences.ordered_rows import OrderedRows
from streaming.planning.sequences import SequenceSpec

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RowConditions:
    """The conditions of a pattern that need neither the path nor rows after the candidate, and cannot fail."""

    spec: SequenceSpec

    @cached_property
    def plain(self) -> Mapping[str, Expression | None]:
        """Return the conditions over the fields of one row, by variable; None for a variable that takes any row.

        The values of PREV are fields of their own.
        """
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
        for at, call in enumerate(condition.calls):
            if not isinstance(call, PickedValue) or variable not in self.spec.alone or (call.move or 0) > 0:
                return None
            if VARIABLE in fields_used(call.of) or may_fail(call.of):
                return None
            inner.append(Field((_previous(variable, at),), call.type) if call.move else call.of)
        whole = _inlined(condition.scalar, inner)
        return None if may_fail(whole) else whole

    def of(self, ordered: OrderedRows) -> dict[str, Mask]:
        """Return for each plain condition the rows for which it is true."""
        flows = ordered.flows
        flows = replace(flows, columns={**flows.columns, ROW_START: pa.array(flows.start)})
        columns = {
            _previous(name, at): self._moved(call, flows, ordered.bounds)
            for name, of in self.plain.items()
            for at, call in enumerate(self.spec.define[name].calls if of is not None else ())
            if isinstance(call, PickedValue) and call.move
        }
        rows = replace(flows, columns={**flows.columns, **columns}).rows
        every = np.ones(len(flows), np.bool_)
        return {name: every if of is None else rows.truth(of) for name, of in self.plain.items()}

    def _moved(self, call: PickedValue, flows: Flows, bounds: Sequence[int]) -> pa.Array:
        """Return the values of a PREV: null without such a row of the group within reach (T31)."""
        at = np.arange(len(flows)) + (call.move or 0)
        there = at >= np.repeat(bounds[:-1], np.diff(bounds))
        if self.spec.reach is not None:
            there &= flows.start - flows.start[np.maximum(at, 0)] < self.spec.reach
        return flows.rows.values(call.of, call.type).take(pa.array(at, mask=~there))

    @cached_property
    def first(self) -> Sequence[str] | None:
        """Return the variables that may take the first row of a match; None if a match may begin at any row."""
        if self.spec.rows == "all_with_unmatched" or may_be_empty(self.spec.pattern):
            return None
        names = _first(self.spec.pattern)
        return sorted(names) if names <= self.plain.keys() else None


def _previous(variable: str, at: int) -> str:
    """Return the field of the value of a call in the condition of a variable."""
    return f"@{variable}.{at}"


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
