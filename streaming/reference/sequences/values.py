"""Values of DEFINE and MEASURES over the rows of a path (T30, T31)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.definition.expressions.tree import Expression
from streaming.definition.sequences.row_calls import (
    VARIABLE,
    FoldedValue,
    MatchNumber,
    PickedValue,
    RowCall,
    RowsExpression,
)
from streaming.planning.columns import AggregateColumn
from streaming.planning.sequences import SequenceSpec
from streaming.reference.aggregates.result_column import folded, without_sign_of_zero
from streaming.reference.aggregates.values import LivedValue
from streaming.reference.expressions.evaluation import Failed, evaluate
from streaming.reference.sequences.path import MatchScope, NotKnownError, Path, SequenceRow
from streaming.temporal.events import Payload
from streaming.temporal.ticks import INFINITY, ONE_TICK, Tick


@dataclass(frozen=True)
class SequenceValues:
    """Evaluates expressions over the known `rows` of one group; `at` is the CTI, less the grace.

    At infinity, or with `ended` for rows as if no more came, a NEXT after the last row is null.
    """

    spec: SequenceSpec
    rows: Sequence[SequenceRow]
    at: Tick
    ended: bool = False

    @property
    def complete(self) -> bool:
        """Return whether no further row will come."""
        return self.ended or self.at == INFINITY

    def value(self, expression: RowsExpression, scope: MatchScope, failed: Failed) -> Any:
        """Return the value of `expression`; `failed` receives the reasons of failures. Raises `NotKnownError`."""
        values = _CallValues(lambda call: self._call(call, scope, failed), expression.calls)
        return evaluate(expression.scalar, values, failed)  # type: ignore[arg-type] # it reads single fields only

    def _call(self, call: RowCall, scope: MatchScope, failed: Failed) -> Any:
        match call:
            case MatchNumber():
                return scope.number
            case FoldedValue():
                return self._folded(call, scope.whole if call.final else scope.path, failed)
            case PickedValue():
                return self._picked(call, scope.whole if call.final else scope.path, scope.whole, failed)

    def _picked(self, call: PickedValue, path: Path, whole: Path, failed: Failed) -> Any:
        index = self._index(call, path)
        if index is not None and call.move:
            index = self._moved(index, call.move)
        return None if index is None else self._on_row(call.of, index, whole, failed)

    def _index(self, call: PickedValue, path: Path) -> int | None:
        """Return the row that the call picks among those of its variable."""
        members = None if call.variable is None else self.spec.members[call.variable]
        steps = path.backwards() if call.from_end else iter(path.prefixes())
        offset = call.offset
        for step in steps:
            if members is None or step.variable in members:
                if offset == 0:
                    return step.last
                offset -= 1
        return None

    def _moved(self, index: int, move: int) -> int | None:
        """Return the row `move` rows further, None without one within reach. Raises `NotKnownError` (T31)."""
        start, reach = self.rows[index].start, self.spec.reach
        to = index + move
        if to < 0:
            return None
        if to >= len(self.rows):
            if self.complete or (reach is not None and self.at >= start + reach):
                return None
            raise NotKnownError
        return to if reach is None or abs(self.rows[to].start - start) < reach else None

    def _on_row(self, of: Expression, index: int, path: Path, failed: Failed) -> Any:
        return evaluate(of, _RowScope(self.rows[index].payload, index, path), failed)  # type: ignore[arg-type]

    def _folded(self, call: FoldedValue, path: Path, failed: Failed) -> Any:
        members = None if call.variable is None else self.spec.members[call.variable]
        steps = [step for step in path.prefixes() if members is None or step.variable in members]
        taken = []
        for place, step in enumerate(steps):
            row = self.rows[step.last]
            scope = _RowScope(row.payload, step.last, step)
            value = True if call.of is None else evaluate(call.of, scope, failed)  # type: ignore[arg-type]
            if value is not None:
                # collect gives values in order of time; here that is the order of rows
                taken.append(
                    LivedValue(without_sign_of_zero(value), Tick(place), (row.start, Tick(row.start + ONE_TICK)))
                )
        return folded(_column(call), taken, failed)


def _column(call: FoldedValue) -> AggregateColumn:
    of_type = None if call.of is None else call.of.type
    return AggregateColumn(call.function, call.function, call.of, None, of_type, call.type, call.k, call.fraction)


@dataclass(frozen=True, slots=True)
class _RowScope:
    """The fields of the row at `index`, and the variable with which `path` took it; null for a row that it did not."""

    payload: Payload
    index: int
    path: Path

    def __getitem__(self, name: str) -> Any:
        if name != VARIABLE:
            return self.payload[name]
        return next((step.variable for step in self.path.backwards() if step.last == self.index), None)


class _CallValues:
    """The values of calls by their index as text, computed when an expression reads them."""

    def __init__(self, compute: Callable[[RowCall], Any], calls: Sequence[RowCall]) -> None:
        self._compute = compute
        self._calls = calls

    def __getitem__(self, name: str) -> Any:
        return self._compute(self._calls[int(name)])
