"""One result column of a window: its aggregate over the payloads of one group."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.tree import Expression
from streaming.planning.columns import AggregateColumn
from streaming.reference.aggregates.collected import LISTS
from streaming.reference.aggregates.counted import COUNTS
from streaming.reference.aggregates.picked import PICKED
from streaming.reference.aggregates.spread import SPREAD
from streaming.reference.aggregates.totals import TOTALS
from streaming.reference.aggregates.values import Fold, LivedValue, PaneValues
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure, in_length
from streaming.reference.flow import Flow, TraceRecorder
from streaming.temporal.ticks import Tick

FUNCTIONS: Final[Mapping[str, Fold]] = {**COUNTS, **LISTS, **TOTALS, **SPREAD, **PICKED}


def aggregate_value(
    column: AggregateColumn, flows: Sequence[Flow], pane: tuple[Tick, Tick], node: str, witness: TraceRecorder
) -> Any:
    """Return the value of `column` over the payloads of `flows`, which all overlap `[start, end)` of `pane`.

    Null over no values, but 0 for counts and an empty list for lists. Also null if the result does not fit its type;
    the witness then records why. The order of `flows` makes no difference.
    """
    taken = [lived for flow in flows if (lived := lived_value(column, flow, pane)) is not None]
    return folded(column, taken, lambda failure: witness.failed(node, flows[0], column.name, failure))


def lived_value(column: AggregateColumn, flow: Flow, pane: tuple[Tick, Tick]) -> LivedValue | None:
    """Return the value of `column` for one flow; None if its filter excludes the flow or the value is null."""
    if column.where is not None and _value(column.where, flow) is not True:
        return None
    value = True if column.of is None else _value(column.of, flow)
    return None if value is None else LivedValue(without_sign_of_zero(value), flow.start, within(flow, pane))


def folded(column: AggregateColumn, taken: Sequence[LivedValue], failed: Callable[[OperationFailure], None]) -> Any:
    """Return the value of `column` over all values of a pane.

    `failed` receives the reason if a result does not fit its type.
    """
    if column.of is None:
        return len(taken)
    over_nothing = AGGREGATES[column.function].over_nothing
    if not taken and over_nothing == "null":
        return None
    try:
        value = FUNCTIONS[column.function](PaneValues(taken, column.type, column.k, column.fraction))
        return in_length(value) if over_nothing == "list" else value
    except OperationFailure as failure:
        failed(failure)
        return None


def look_for_failures(column: AggregateColumn, flow: Flow, node: str, witness: TraceRecorder) -> None:
    """Report once to the witness if `of` or `where` fails on `flow`, however many panes it is in."""

    def failed(why: OperationFailure) -> None:
        witness.failed(node, flow, column.name, why)

    chosen = column.where is None or evaluate(column.where, flow.payload, failed) is True
    if chosen and column.of is not None:
        evaluate(column.of, flow.payload, failed)


def _value(expression: Expression, flow: Flow) -> Any:
    return evaluate(expression, flow.payload, lambda _: None)


def without_sign_of_zero(value: Any) -> Any:
    """Replace -0.0 by 0.0: the two are equal, and the result must not depend on their order."""
    return value + 0.0 if isinstance(value, float) else value


def within(flow: Flow, pane: tuple[Tick, Tick]) -> tuple[Tick, Tick]:
    """Return the lifetime of `flow` clipped to the pane."""
    return max(flow.start, pane[0]), min(flow.end, pane[1])
