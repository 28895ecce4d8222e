"""Aggregates over the payloads of one group in one window. Nulls count for nothing but `count(*)`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import Any, Final

from streaming.definition.expressions import Expression
from streaming.definition.types import Type
from streaming.reference.expressions import evaluate, in_type
from streaming.reference.flow import Flow, Witness, sort_key
from streaming.reference.numbers import EXACT, Failure
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class AggregateColumn:
    """One result column: `function` over `of` (None: count all rows), of the payloads where `where` is true."""

    name: str
    function: str
    of: Expression | None
    where: Expression | None
    type: Type

    def over(self, flows: Sequence[Flow], pane: tuple[Tick, Tick], node: str, witness: Witness) -> Any:
        """The value over the payloads of `flows`, all of them alive in `[start, end)` of `pane`; null over no values.

        Over no values a count is 0. The result does not depend on the order of `flows`.
        """
        del pane
        chosen = [flow for flow in flows if self.where is None or self._value(self.where, flow, node, witness) is True]
        if self.of is None:
            return len(chosen)
        values = [value for flow in chosen if (value := self._value(self.of, flow, node, witness)) is not None]
        if self.function == "count":
            return len(values)
        if not values:
            return None
        try:
            return FUNCTIONS[self.function](values, self.type)
        except Failure as failure:
            witness.failed(node, flows[0], self.name, str(failure))
            return None

    def _value(self, expression: Expression, flow: Flow, node: str, witness: Witness) -> Any:
        return evaluate(expression, flow.payload, lambda why: witness.failed(node, flow, self.name, why))


def _sum(values: Sequence[Any], of: Type) -> Any:
    """Longs and decimals exactly; doubles with one rounding at the end."""
    return in_type(_total(values), of)


def _avg(values: Sequence[Any], of: Type) -> Any:
    """The exact mean of decimals, rounded half up to the scale of the result; a double for all others."""
    total = _total(values)
    if isinstance(total, Decimal):
        return in_type(EXACT.divide(total, Decimal(len(values))), of)
    return in_type(total / len(values), of)


def _total(values: Sequence[Any]) -> Any:
    if isinstance(values[0], Decimal):
        return reduce(EXACT.add, values)
    if isinstance(values[0], float):
        return _float_total(values)
    return sum(values)


def _float_total(values: Sequence[float]) -> float:
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def _min(values: Sequence[Any], of: Type) -> Any:
    del of
    return min(values, key=sort_key)


def _max(values: Sequence[Any], of: Type) -> Any:
    del of
    return max(values, key=sort_key)


FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Any], Type], Any]]] = {
    "sum": _sum,
    "avg": _avg,
    "min": _min,
    "max": _max,
}
