"""Typing of DEFINE and MEASURES (T30, T31): scalar expressions over calls that read the rows of a path.

`typed_over_rows` takes every such call out of the tree. What remains is a plain expression over the fields `0`, `1`,
..., the values of the calls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.counts import counted
from streaming.definition.expressions.parse import parse_over_rows
from streaming.definition.expressions.problems import ExpressionError, ExpressionFault, bad_expression
from streaming.definition.expressions.tree import Call, Expression, Field, Literal, children, with_children
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import FaultCode
from streaming.definition.payload.types import LONG, STRING, Fields
from streaming.definition.rows import row_fields
from streaming.definition.sequences.row_calls import (
    VARIABLE,
    FoldedValue,
    MatchNumber,
    PickedValue,
    RowCall,
    RowsExpression,
)

MOST_COUNTED: Final = 10_000
"""The largest count of rows in FIRST, LAST, PREV and NEXT."""
NOT_OVER_ROWS: Final = frozenset({"first", "last", "time_weighted_avg", "time_weighted_sum"})
"""Aggregates of windows that a sequence does not have; FIRST and LAST pick rows there."""
_MOVES: Final = {"prev": -1, "next": 1}
_PICKS: Final = ("first", "last")


@dataclass(frozen=True)
class PatternNames:
    """The names that expressions of a pattern may use: its variables, its subsets, and the fields of its rows."""

    variables: Sequence[str]
    subsets: Mapping[str, Sequence[str]]
    fields: Fields

    def is_variable(self, name: str) -> bool:
        """Return whether `name` is a variable or a subset."""
        return name in self.variables or name in self.subsets

    @property
    def row(self) -> Fields:
        """The fields of one row of a path."""
        return {**row_fields(self.fields), VARIABLE: STRING}


def typed_over_rows(
    text: str, names: PatternNames, *, in_measure: bool
) -> RowsExpression | tuple[ExpressionFault, ...]:
    """Return the typed expression of `text`, or all its faults."""
    try:
        lifting = _Lifting(names, in_measure)
        lifted = lifting.outer(parse_over_rows(text))
    except ExpressionError as wrong:
        return (wrong.fault,)
    if lifting.faults:
        return tuple(lifting.faults)
    fields = {str(number): call.type for number, call in enumerate(lifting.calls)}
    scalar = typed(lifted, fields)
    return RowsExpression(scalar.expression, tuple(lifting.calls)) if isinstance(scalar, TypedExpression) else scalar


@dataclass
class _Lifting:
    """Takes the calls out of one tree. Raises `ExpressionError` for calls at wrong places."""

    names: PatternNames
    in_measure: bool
    calls: list[RowCall] = field(default_factory=list)
    faults: list[ExpressionFault] = field(default_factory=list)

    def outer(self, node: Expression) -> Expression:
        if isinstance(node, Field):
            return self.lift(self.picked(node, node), node)
        if isinstance(node, Call):
            call = self.call(node)
            if call is not None:
                return call
        return with_children(node, [self.outer(child) for child in children(node)])

    def lift(self, call: RowCall | None, node: Expression) -> Expression:
        """Return the field with the value of `call`; a literal null after a fault, which is recorded."""
        if call is None:
            return Literal(None, at=node.at)
        if call not in self.calls:
            self.calls.append(call)
        return Field((str(self.calls.index(call)),), at=node.at)

    def call(self, node: Call) -> Expression | None:
        name = node.function
        if name in ("final", "running"):
            return self.whole(node)
        if name == "match_number":
            return self.match_number(node)
        if name == "classifier" or name in _PICKS or name in _MOVES:
            return self.lift(self.picked(node, node), node)
        return self.lift(self.folded(node), node) if name in AGGREGATES else None

    def whole(self, node: Call) -> Expression:
        """Return FINAL or RUNNING before FIRST, LAST, CLASSIFIER or an aggregate."""
        (inner,) = node.arguments
        final = node.function == "final"
        if final and not self.in_measure:
            raise bad_expression("FINAL is allowed in MEASURES only", "remove FINAL", node.at)
        if not isinstance(inner, Call) or not _takes_final(inner.function):
            word = node.function.upper()
            raise bad_expression(
                f"{word} is allowed before FIRST, LAST, CLASSIFIER or an aggregate only", f"remove {word}", node.at
            )
        call = self.folded(inner) if inner.function in AGGREGATES and inner.function not in _PICKS else None
        picked = call or (self.picked(inner, inner) if inner.function in ("classifier", *_PICKS) else None)
        return self.lift(None if picked is None else replace(picked, final=final), node)

    def match_number(self, node: Call) -> Expression:
        if node.arguments:
            raise bad_expression("MATCH_NUMBER takes no argument", "write MATCH_NUMBER()", node.at)
        if not self.in_measure:
            message = "MATCH_NUMBER() is allowed in MEASURES only: in DEFINE, all earlier rows would decide a match"
            raise ExpressionError(ExpressionFault(FaultCode.BAD_PATTERN, message, "remove it from DEFINE", node.at))
        return self.lift(MatchNumber(), node)

    # One row

    def picked(self, node: Expression, whole: Expression) -> PickedValue | None:
        """Return the value on one row: a field, or a call of FIRST, LAST, PREV, NEXT or CLASSIFIER."""
        move = None
        if isinstance(node, Call) and node.function in _MOVES:
            argument, count = self.counted(node, 1)
            move, node = _MOVES[node.function] * count, argument
        final = isinstance(node, Call) and node.function == "final"
        if isinstance(node, Call) and node.function in ("final", "running"):
            if final and not self.in_measure:
                raise bad_expression("FINAL is allowed in MEASURES only", "remove FINAL", node.at)
            (node,) = node.arguments
        from_end, offset = True, 0
        if isinstance(node, Call) and node.function in _PICKS:
            from_end = node.function == "last"
            node, offset = self.counted(node, 0)
        variable, inner = self.inner(node, whole)
        of = self.type(inner)
        return None if of is None else PickedValue(variable, from_end, offset, move, of, final)

    def counted(self, node: Call, otherwise: int) -> tuple[Expression, int]:
        """Return the argument of a call that counts rows, and the count."""
        name = node.function.upper()
        if not 1 <= len(node.arguments) <= 2:
            message = f"{name} cannot be called with {counted(len(node.arguments), 'argument')}"
            raise bad_expression(message, f"write {name}(A.field) or {name}(A.field, {otherwise + 1})", node.at)
        if len(node.arguments) == 1:
            return node.arguments[0], otherwise
        count = node.arguments[1]
        whole = isinstance(count, Literal) and isinstance(count.value, int) and not isinstance(count.value, bool)
        if not whole or not 0 <= int(str(count.value)) <= MOST_COUNTED:  # type: ignore[union-attr]
            message = f"The second argument of {name} is a number of rows"
            raise bad_expression(message, f"write a whole number from 0 to {MOST_COUNTED:,}", count.at)
        return node.arguments[0], int(str(count.value))  # type: ignore[union-attr]

    def inner(self, node: Expression, whole: Expression) -> tuple[str | None, Expression]:
        """Return the only variable of an expression on one row, None for all rows, and the expression over its fields.

        Raises for a second variable: the rows of `whole` would not be those of one.
        """
        found: dict[str | None, Expression] = {}
        inner = self.on_row(node, found)
        if len(found) > 1:
            names = " and ".join(name or f"{_text(at)} of all rows" for name, at in found.items())
            message = f"One call refers to the rows of {names}"
            remedy = "write a call for each of them, such as SUM(A.x) + SUM(B.x)"
            raise bad_expression(message, remedy, whole.at)
        return next(iter(found), None), inner

    def on_row(self, node: Expression, found: dict[str | None, Expression]) -> Expression:
        if isinstance(node, Field):
            if len(node.path) > 1 and self.names.is_variable(node.path[0]):
                found.setdefault(node.path[0], node)
                return replace(node, path=node.path[1:])
            found.setdefault(None, node)
            return node
        if isinstance(node, Call) and node.function == "classifier":
            self.classified(node, found)
            return Field((VARIABLE,), at=node.at)
        if isinstance(node, Call) and (_is_row_call(node.function) or node.function in ("final", "running")):
            remedy = "write the calls next to each other; only PREV and NEXT take FIRST or LAST"
            raise bad_expression(f"{node.function.upper()} is not allowed inside this call", remedy, node.at)
        return with_children(node, [self.on_row(child, found) for child in children(node)])

    def classified(self, node: Call, found: dict[str | None, Expression]) -> None:
        if not node.arguments:
            return
        (name,) = node.arguments if len(node.arguments) == 1 else (None,)
        if not isinstance(name, Field) or len(name.path) > 1 or not self.names.is_variable(name.path[0]):
            remedy = "write CLASSIFIER(), or CLASSIFIER(U) with a variable or subset of the pattern"
            raise bad_expression("CLASSIFIER takes the name of a variable or subset", remedy, node.at)
        found.setdefault(name.path[0], name)

    def type(self, inner: Expression) -> Expression | None:
        """Return the typed expression on one row; None, and recorded faults, if it has any."""
        result = typed(inner, self.names.row)
        if isinstance(result, TypedExpression):
            return result.expression
        hidden = f", {VARIABLE}"
        self.faults.extend(replace(fault, remedy=fault.remedy.replace(hidden, "")) for fault in result)
        return None

    # Many rows

    def folded(self, node: Call) -> FoldedValue | None:
        entry = AGGREGATES[node.function]
        if node.function in NOT_OVER_ROWS:
            message = f"{node.function} is not available in a sequence"
            raise bad_expression(message, "use another aggregate, such as AVG", node.at)
        if not node.arguments:
            if not entry.bare:
                raise bad_expression(f"{node.function.upper()} needs the values to aggregate", "write A.field", node.at)
            return FoldedValue(None, node.function, None, LONG)
        star = node.arguments[0]
        if entry.bare and isinstance(star, Field) and star.path[-1] == "*" and len(node.arguments) == 1:
            if not self.names.is_variable(star.path[0]):
                message = f"There is no variable '{star.path[0]}' in the pattern"
                raise bad_expression(message, "write COUNT(A.*) with a variable of the pattern", star.at)
            return FoldedValue(star.path[0], node.function, None, LONG)
        variable, inner = self.inner(star, node)
        k, fraction = self.parameter(node)
        of = self.type(inner)
        return None if of is None else self.fold(node, variable, of, (k, fraction))

    def fold(
        self, node: Call, variable: str | None, of: Expression, parameters: tuple[int | None, Fraction | None]
    ) -> FoldedValue | None:
        result = aggregate_type(node.function, of.type)
        if result is None:
            entry = AGGREGATES[node.function]
            message = f"{entry.name} does not take values of type {of.type}"
            remedy = entry.values.remedy[:1].lower() + entry.values.remedy[1:].rstrip(".")
            self.faults.append(ExpressionFault(FaultCode.TYPE_MISMATCH, message, remedy, node.at))
            return None
        return FoldedValue(variable, node.function, of, result, *parameters)

    def parameter(self, node: Call) -> tuple[int | None, Fraction | None]:
        """Return `k` and `fraction` of a call of an aggregate."""
        entry = AGGREGATES[node.function]
        given = node.arguments[1:]
        if len(given) != (entry.parameter is not None):
            message = f"{entry.name} cannot be called with {counted(len(node.arguments), 'argument')}"
            raise bad_expression(message, f"write {entry.signature}", node.at)
        if not given:
            return None, None
        value = given[0].value if isinstance(given[0], Literal) else None
        number = None if value is None or isinstance(value, bool | str) else Fraction(str(value))
        if entry.parameter == "k" and number is not None and number.denominator == 1 and 0 < number <= MOST_COUNTED:
            return int(number), None
        if entry.parameter == "fraction" and number is not None and 0 <= number <= 1:
            return None, number
        wanted = f"a whole number from 1 to {MOST_COUNTED:,}" if entry.parameter == "k" else "a number from 0 to 1"
        raise bad_expression(f"The second argument of {entry.name} is {wanted}", f"write {wanted}", given[0].at)


def _is_row_call(name: str) -> bool:
    return name in _PICKS or name in _MOVES or name in AGGREGATES or name == "match_number"


def _takes_final(name: str) -> bool:
    return name == "classifier" or name in AGGREGATES


def _text(node: Expression) -> str:
    return ".".join(node.path) if isinstance(node, Field) else "values"
