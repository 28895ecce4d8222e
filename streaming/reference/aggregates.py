"""One result column of a window: its aggregate over the payloads of one group."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.tree import Expression
from streaming.planning.plan import AggregateColumn
from streaming.reference.aggregate_values import Fold, LivedValue, PaneValues
from streaming.reference.collected import LISTS
from streaming.reference.counted import COUNTS
from streaming.reference.expressions import evaluate
from streaming.reference.flow import Flow, Witness
from streaming.reference.numbers import OperationFailure, in_length
from streaming.reference.picked import PICKED
from streaming.reference.spread import SPREAD
from streaming.reference.totals import TOTALS
from streaming.temporal.ticks import Tick

FUNCTIONS: Final[Mapping[str, Fold]] = {**COUNTS, **LISTS, **TOTALS, **SPREAD, **PICKED}


def aggregate_value(
    column: AggregateColumn, flows: Sequence[Flow], pane: tuple[Tick, Tick], node: str, witness: Witness
) -> Any:
    """The value of `column` over the payloads of `flows`, which all live somewhere in `[start, end)` of `pane`.

    Null over no values, but 0 for counts and an empty list for lists; null, and the witness hears why, where the
    result does not fit its type. The order of `flows` makes no difference.
    """
    taken = [lived for flow in flows if (lived := lived_value(column, flow, pane)) is not None]
    return folded(column, taken, lambda failure: witness.failed(node, flows[0], column.name, failure))


def lived_value(column: AggregateColumn, flow: Flow, pane: tuple[Tick, Tick]) -> LivedValue | None:
    """What `column` takes of one flow; None where it takes nothing: by its filter, or for its value is null."""
    if column.where is not None and _value(column.where, flow) is not True:
        return None
    value = True if column.of is None else _value(column.of, flow)
    return None if value is None else LivedValue(_without_sign_of_zero(value), flow.start, within(flow, pane))


def folded(column: AggregateColumn, taken: Sequence[LivedValue], failed: Callable[[OperationFailure], None]) -> Any:
    """The value of `column` over all that it takes of a pane; `failed` hears why a result does not fit its type."""
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


def look_for_failures(column: AggregateColumn, flow: Flow, node: str, witness: Witness) -> None:
    """Let the witness hear where `of` or `where` fails on `flow`, once, in however many panes it will be."""

    def failed(why: OperationFailure) -> None:
        witness.failed(node, flow, column.name, why)

    chosen = column.where is None or evaluate(column.where, flow.payload, failed) is True
    if chosen and column.of is not None:
        evaluate(column.of, flow.payload, failed)


def _value(expression: Expression, flow: Flow) -> Any:
    return evaluate(expression, flow.payload, lambda _: None)


def _without_sign_of_zero(value: Any) -> Any:
    """0.0 for -0.0: the two are equal, and which of them came first must not show."""
    return value + 0.0 if isinstance(value, float) else value


def within(flow: Flow, pane: tuple[Tick, Tick]) -> tuple[Tick, Tick]:
    """The lifetime of `flow` clipped to the pane."""
    return max(flow.start, pane[0]), min(flow.end, pane[1])
