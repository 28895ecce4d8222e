"""Detection of the rows on which an expression fails, at no cost if it fails on none (T5).

A strict operation is null, unless it fails, exactly if an operand is null. So an expression is cut into segments of
strict operations without repeated computation. A segment without more nulls than its leaves has not failed. Only the
rows of other segments are evaluated again, operation by operation, along the branches that are taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from streaming.definition.expressions.failures import FailureKind, is_null_if_failed, is_strict, kind_of
from streaming.definition.expressions.tree import (
    Binary,
    Call,
    CaseWhen,
    Expression,
    Field,
    Literal,
    children,
    with_children,
)
from streaming.engine.columns.expressions.compiler import compile_expression
from streaming.functions.registry import MAYBE_NULL, fails

Mask = npt.NDArray[np.bool_]
_AT_ONCE: Final = 1 << 16
"""So many rows are evaluated again at once, because the values of all operations are in memory at that time."""
_REMEMBERED: Final = 20_000
"""More than the number of expressions of a carrier's bindings.

With one expression more, evaluated in turns, no lookup would ever hit.
"""


@dataclass(frozen=True, slots=True)
class StrictSegment:
    """Strict operations as one column `name`; if it is null and none of `leaves` is, one of them failed."""

    name: str
    value: pl.Expr
    leaves: tuple[str, ...]
    may_fail: bool


@dataclass(frozen=True, slots=True)
class FailedRows:
    """The rows, by index and rising, on which an expression failed with `kind`."""

    kind: FailureKind
    rows: npt.NDArray[np.int64]


@lru_cache(_REMEMBERED)
def segments_of(expression: Expression) -> tuple[StrictSegment, ...]:
    """Return the segments of `expression`, each after those that it reads; the last one is its value."""
    cutting = _SegmentCutter()
    fails = cutting.region_fails(expression)
    cutting.add(cutting.strict(expression) if fails else cutting.loose(expression), may_fail=fails)
    return tuple(cutting.found)


def evaluate(expression: Expression, frame: pl.DataFrame, *, find_failures: bool) -> tuple[pl.Series, list[FailedRows]]:
    """Return the value over the rows of `frame`, which has the fields and the column ROWS.

    Also return the rows on which it failed, if `find_failures` is set.
    """
    suspects: pl.Series | None = None
    *inner, last = segments_of(expression)
    computed = frame
    for each in inner:
        computed = computed.with_columns(_column(computed, each.value).alias(each.name))
    value = _column(computed, last.value)
    if find_failures:
        for each in inner:
            suspects = _added(suspects, _suspects(computed, computed.get_column(each.name), each))
        suspects = _added(suspects, _suspects(computed, value, last))
    return value, [] if suspects is None else _evaluate_again(expression, frame, suspects)


def _column(frame: pl.DataFrame, value: pl.Expr) -> pl.Series:
    """Return `value` over `frame`; some functions reduce constants to one row."""
    found = frame.select(value).to_series()
    return found if len(found) == len(frame) else found.new_from_index(0, len(frame))


def _added(one: pl.Series | None, other: pl.Series | None) -> pl.Series | None:
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _suspects(frame: pl.DataFrame, value: pl.Series, segment: StrictSegment) -> pl.Series | None:
    """Return the rows where `value`, the column of `segment`, is null though its inputs are not.

    None if no such rows exist.
    """
    nulls = value.null_count() if segment.may_fail else 0
    if not nulls:
        return None
    leaves = [frame.get_column(name) for name in segment.leaves]
    leaves = [leaf for leaf in leaves if leaf.null_count()]
    if len(leaves) == 1 and leaves[0].null_count() == nulls:
        return None
    found = value.is_null()
    for leaf in leaves:
        found = found & leaf.is_not_null()
    return found if found.any() else None


class _SegmentCutter:
    """Cuts one expression; `found` are its segments, each after those that it reads."""

    def __init__(self) -> None:
        self.found: list[StrictSegment] = []

    def region_fails(self, node: Expression) -> bool:
        """Return true if `node` is strict, and it, or a strict operation that it reads directly, may fail."""
        return is_strict(node) and (kind_of(node) is not None or any(map(self.region_fails, children(node))))

    def strict(self, node: Expression) -> Expression:
        """Return `node` as a part of strict operations: every other operation becomes a separate column.

        So does an operand that may fail and reads less than the whole: a null elsewhere would hide its failure.
        """
        if not is_strict(node):
            return self.add(self.loose(node), may_fail=False)
        read = _read_by(node)
        return with_children(node, [self._operand(each, read) for each in children(node)])

    def _operand(self, node: Expression, read: frozenset[Expression]) -> Expression:
        if self.region_fails(node) and _read_by(node) != read:
            return self.add(self.strict(node), may_fail=True)
        return self.strict(node)

    def loose(self, node: Expression) -> Expression:
        """Return `node` with each region of strict operations that may fail as a separate column.

        So is an operation that takes nulls and may fail.
        """
        parts = [
            self.add(self.strict(each), may_fail=True) if self.region_fails(each) else self.loose(each)
            for each in children(node)
        ]
        whole = with_children(node, parts)
        return self.add(whole, may_fail=True) if is_null_if_failed(node) else whole

    def add(self, node: Expression, *, may_fail: bool) -> Field:
        """The column of `node`, which reads fields and columns alone."""
        leaves = () if is_null_if_failed(node) else tuple(sorted({each.path[0] for each in fields_in(node)}))
        segment = StrictSegment(f"@{len(self.found)}", compile_expression(node), leaves, may_fail)
        self.found.append(segment)
        return Field((segment.name,), node.type)


def _read_by(node: Expression) -> frozenset[Expression]:
    """Return the inputs of the strict operations from `node` on: fields, and operations that are not strict."""
    if isinstance(node, Field) or not is_strict(node):
        return frozenset((node,))
    return frozenset().union(*map(_read_by, children(node)))


def fields_in(node: Expression) -> Iterator[Field]:
    """Each mention of a field in `node`."""
    pending = [node]
    for part in pending:
        if isinstance(part, Field):
            yield part
        pending.extend(children(part))


def _evaluate_again(expression: Expression, frame: pl.DataFrame, suspects: pl.Series) -> list[FailedRows]:
    rows = np.flatnonzero(suspects.to_numpy())
    parts: dict[FailureKind, list[npt.NDArray[np.int64]]] = {}
    for begin in range(0, len(rows), _AT_ONCE):
        some = rows[begin : begin + _AT_ONCE]
        stepwise = _StepwiseEvaluation(frame[some])
        stepwise.walk(expression, np.ones(len(some), np.bool_))
        for kind, mask in stepwise.found.items():
            parts.setdefault(kind, []).append(some[mask])
    found = ((kind, np.concatenate(each)) for kind, each in parts.items())
    return [FailedRows(kind, each) for kind, each in found if len(each)]


@dataclass
class _StepwiseEvaluation:
    """One expression over few rows, operation by operation. `found`: the rows on which an operation failed, by kind."""

    frame: pl.DataFrame
    found: dict[FailureKind, Mask] = field(default_factory=dict)
    _values: dict[int, pl.Series] = field(default_factory=dict)

    def value(self, node: Expression) -> pl.Series:
        """The value of `node`."""
        known = self._values.get(id(node))
        if known is None:
            known = self._values[id(node)] = self._computed(node)
        return known

    def _computed(self, node: Expression) -> pl.Series:
        parts: list[Expression] = []
        columns = []
        for number, each in enumerate(children(node)):
            if isinstance(each, Literal):
                parts.append(each)
                continue
            columns.append(self.value(each).alias(f"@{number}"))
            parts.append(Field((f"@{number}",), each.type))
        value = compile_expression(with_children(node, parts))
        return _column(self.frame.with_columns(columns), value)

    def walk(self, node: Expression, reached: Mask) -> None:
        """Record the failures of `node` on the rows `reached`, as far as its operands are evaluated."""
        if not reached.any():
            return
        for each, where in self._ways(node, reached):
            self.walk(each, where)
        kind = kind_of(node)
        if kind is None:
            return
        failed = reached & self.value(node).is_null().to_numpy()
        for each in () if is_null_if_failed(node) else children(node):
            failed = failed & self.value(each).is_not_null().to_numpy()
        for failed_here, where in self._kinds(node, kind, failed):
            if where.any():
                self.found[failed_here] = self.found[failed_here] | where if failed_here in self.found else where

    def _ways(self, node: Expression, reached: Mask) -> Iterator[tuple[Expression, Mask]]:
        match node:
            case Binary(operator="and" | "or"):
                yield node.left, reached
                decisive = self.value(node.left).eq_missing(node.operator == "or").to_numpy()
                yield node.right, reached & ~decisive
            case CaseWhen():
                yield from self._branches(node.branches, node.otherwise, reached)
            case Call(function="if"):
                condition, then, otherwise = node.arguments
                yield from self._branches(((condition, then),), otherwise, reached)
            case _:
                for each in children(node):
                    yield each, reached

    def _branches(
        self, branches: Sequence[tuple[Expression, Expression]], otherwise: Expression, reached: Mask
    ) -> Iterator[tuple[Expression, Mask]]:
        for condition, value in branches:
            yield condition, reached
            true = self.value(condition).fill_null(value=False).to_numpy()
            yield value, reached & true
            reached = reached & ~true
        yield otherwise, reached

    def _kinds(self, node: Expression, kind: FailureKind, failed: Mask) -> Iterator[tuple[FailureKind, Mask]]:
        if not failed.any():
            return
        if isinstance(node, Binary) and kind == "division_by_zero":
            zero = (self.value(node.right) == 0).fill_null(value=False).to_numpy()
            yield "division_by_zero", failed & zero
            yield "overflow", failed & ~zero
        elif isinstance(node, Call) and node.function == "pow":
            base, exponent = (self.value(each).fill_null(1.0).to_numpy() for each in node.arguments)
            none = ((base == 0) & (exponent < 0)) | ((base < 0) & (exponent != np.floor(exponent)))
            yield "argument", failed & none
            yield "overflow", failed & ~none
        elif isinstance(node, Call) and node.function in MAYBE_NULL:
            rows = zip(*(self.value(each).to_list() for each in node.arguments), strict=True)
            yield kind, failed & np.array([fails(node.function, values) for values in rows])
        else:
            yield kind, failed
