"""The values of analytic functions on one row (T45, T47)."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from streaming.planning.columns import RowColumn
from streaming.reference.aggregates.result_column import folded, lived_value
from streaming.reference.aggregates.values import double
from streaming.reference.analytic.frames import RowView, not_null, value_of
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.row import Row

Failed = Callable[[OperationFailure], None]


def column_value(column: RowColumn, view: RowView, failed: Failed) -> Any:
    """Return the value of `column` on the row of `view`; `failed` receives the reason if it does not fit its type."""
    rule = _RULES.get(column.function, _aggregate)
    try:
        return rule(column, view, failed)
    except OperationFailure as failure:
        failed(failure)
        return None


def _lag(column: RowColumn, view: RowView, failed: Failed) -> Any:
    del failed
    return _at_offset(column, view, view.before)


def _lead(column: RowColumn, view: RowView, failed: Failed) -> Any:
    del failed
    return _at_offset(column, view, view.after)


def _at_offset(column: RowColumn, view: RowView, rows: Sequence[Row]) -> Any:
    if column.offset == 0:
        return value_of(view.row, column)
    counted = not_null(rows, column) if column.ignore_nulls else rows
    if len(counted) >= column.offset:
        return value_of(counted[column.offset - 1], column)
    return None if column.default is None else evaluate(column.default, view.row.payload, lambda _: None)


def _first_value(column: RowColumn, view: RowView, failed: Failed) -> Any:
    del failed
    return _at_place(column, view, 0)


def _last_value(column: RowColumn, view: RowView, failed: Failed) -> Any:
    del failed
    return _at_place(column, view, -1)


def _nth_value(column: RowColumn, view: RowView, failed: Failed) -> Any:
    del failed
    return _at_place(column, view, column.offset - 1)


def _at_place(column: RowColumn, view: RowView, place: int) -> Any:
    rows = _frame(column, view)
    counted = not_null(rows, column) if column.ignore_nulls else rows
    return value_of(counted[place], column) if -len(counted) <= place < len(counted) else None


def _frame(column: RowColumn, view: RowView) -> list[Row]:
    if column.frame is None:
        raise TypeError(f"{column.name!r} has no frame")
    return view.frame(column.frame)


def _since_gap(view: RowView) -> Sequence[Row]:
    """Return the rows up to the row itself, since the last gap of reach or more."""
    first = view.at
    while first > 0:
        gap = view.rows[first].start - view.rows[first - 1].start
        if view.reach is not None and gap >= view.reach:
            break
        first -= 1
    return view.rows[first : view.at + 1]


def _row_number(column: RowColumn, view: RowView, failed: Failed) -> int:
    del column, failed
    return len(_since_gap(view))


def _aggregate(column: RowColumn, view: RowView, failed: Failed) -> Any:
    flows = [row.flow.with_payload(row.payload) for row in _frame(column, view)]
    lived = (lived_value(column.value, flow, (flow.start, flow.end)) for flow in flows)
    return folded(column.value, [each for each in lived if each is not None], failed)


def _robust_z(column: RowColumn, view: RowView, failed: Failed) -> float | None:
    """Return how far the value is from the median of the other values of the frame, exact and rounded once."""
    del failed
    own = value_of(view.row, column)
    others = [value_of(row, column) for row in _frame(column, view) if row is not view.row]
    values = [Fraction(value) for value in others if value is not None]
    if own is None or not values or len(values) < column.least:
        return None
    median = _median(values)
    deviation = _median([abs(value - median) for value in values])
    if deviation == 0:
        return 0.0 if own == median else None
    return double((Fraction(own) - median) / (Fraction(14826, 10000) * deviation))


def _median(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _cusum(column: RowColumn, view: RowView, failed: Failed) -> Any:
    """Return one of the cumulative sums, or the alarm that they give; both begin at 0 after an alarm (T47)."""
    del failed
    high = low = 0.0
    alarm = None
    for row in _since_gap(view):
        if alarm is not None:
            high = low = 0.0
        value = value_of(row, column)
        if value is not None:
            high = max(0.0, high + float(value) - column.target - column.drift)
            low = max(0.0, low + column.target - column.drift - float(value))
        alarm = "high" if high > column.threshold else "low" if low > column.threshold else None
    found = {"cusum_high": high, "cusum_low": low, "cusum_alarm": alarm}[column.function]
    if found == float("inf"):
        raise OperationFailure("the result is not a finite double")
    return found


_RULES: Final[Mapping[str, Callable[[RowColumn, RowView, Failed], Any]]] = {
    "lag": _lag,
    "lead": _lead,
    "first_value": _first_value,
    "last_value": _last_value,
    "nth_value": _nth_value,
    "row_number": _row_number,
    "robust_z": _robust_z,
    **dict.fromkeys(("cusum_high", "cusum_low", "cusum_alarm"), _cusum),
}
"""The rules of functions that are not aggregates."""
