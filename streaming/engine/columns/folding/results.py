"""From partials to the rows of closed windows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streaming.definition.payload.types import DecimalOf
from streaming.engine.columns import spans
from streaming.engine.columns.folding import moments, picks
from streaming.engine.columns.folding.fold import COUNT, FIRST, LAST, Fold
from streaming.engine.columns.folding.measures import Measure, column_of, restored, stored_moments, stored_picks
from streaming.engine.columns.folding.sums import double_sums, spread_sums
from streaming.engine.columns.grouping import combine
from streaming.engine.columns.masks import rows_where
from streaming.engine.columns.numbers import Numbers, integers, longs
from streaming.engine.columns.ordering import OPERATIONS, identity_of, ordered
from streaming.planning.columns import AggregateColumn
from streaming.wire.rows.arrived import Int64s
from streaming.wire.rows.arrow_types import arrow_type

_EXACT_IN_DOUBLE: Final = 2**53


Mask = npt.NDArray[np.bool_]
Failed = Mapping[str, Mask]
"""By the name of an aggregate the rows on which it has failed."""


@dataclass(frozen=True, slots=True)
class WindowRows:
    """Result rows in order of their windows: window indices, payload columns in the window's order, numbers of events.

    `failed` lists for an aggregate the rows on which it has failed; others have not failed.
    """

    index: Int64s
    columns: list[pa.Array]
    count: Int64s
    failed: Failed


def close(fold: Fold, partials: pa.Table) -> WindowRows:
    """Return one row for each group and each window that the `partials` cover.

    A window has a row only if it has an event, even if the aggregates' filters exclude all of them.
    """
    if not partials.num_rows:
        return WindowRows(np.empty(0, np.int64), _no_rows(fold), np.empty(0, np.int64), {})
    first, last = column_of(partials, FIRST).to_numpy(), column_of(partials, LAST).to_numpy()
    if np.array_equal(first, last):
        merged = fold.merge(partials)
        count = column_of(merged, COUNT).to_numpy()
        columns, failed = _finished(fold, merged)
        return WindowRows(column_of(merged, FIRST).to_numpy(), columns, count, failed)
    group = combine(list(fold.group_codes(partials)), partials.num_rows).codes
    cells = spans.cut(group, first, last)
    spread, index = _spread(fold, partials, cells)
    order = _by_window(index)
    found, failed = _finished(fold, spread)
    columns = [column.take(pa.array(order)) for column in found]
    failed = {name: mask[order] for name, mask in failed.items()}
    return WindowRows(index[order], columns, column_of(spread, COUNT).to_numpy()[order], failed)


def _no_rows(fold: Fold) -> list[pa.Array]:
    return [pa.array([], arrow_type(of)) for of in fold.spec.fields.values()]


def _by_window(index: Int64s) -> Int64s:
    """A stable order by window; 16-bit keys are sorted by radix, in linear time."""
    low, high = int(index.min()), int(index.max())
    keys = (index - low).astype(np.uint16) if high - low < 2**16 else index
    return np.argsort(keys, kind="stable")


def _spread(fold: Fold, partials: pa.Table, cells: spans.SpanCells) -> tuple[pa.Table, Int64s]:
    """The state of every (window, group) that has an event, and the windows."""
    events = spans.sums(cells, column_of(partials, COUNT).to_numpy())
    used = rows_where(events)
    width = cells.width[used]
    at = np.repeat(used, width)
    index = np.repeat(cells.first_window[used] - np.cumsum(width) + width, width) + np.arange(len(at))
    representative = spans.holders(cells)
    columns = {COUNT: pa.array(events[at])}
    for key in fold.keys:
        columns[key] = column_of(partials, key).take(pa.array(representative[at]))
    for measure in fold.measures:
        columns |= spread_measure(measure, partials, cells, at)
    return pa.table(columns), index


def spread_measure(measure: Measure, partials: pa.Table, cells: spans.SpanCells, at: Int64s) -> dict[str, pa.Array]:
    """Return the columns of `measure` for each of the cells `at`, which may repeat.

    Of moments only the result's parts.
    """
    count = spans.sums(cells, column_of(partials, measure.count).to_numpy())
    columns = {measure.count: pa.array(count[at])}
    if measure.sums:
        sums = spread_sums([column_of(partials, name) for name in measure.sums], cells, at)
        columns |= zip(measure.sums, sums, strict=True)
    for need, name in measure.extremes:
        column = column_of(partials, name)
        valid = rows_where(column.is_valid().to_numpy(zero_copy_only=False))
        values = ordered(column.drop_null())
        best = spans.spread(cells.of(valid), OPERATIONS[need], values.numbers, identity_of(need, values.numbers))
        columns[name] = restored(best[at], count[at] > 0, values, column.type)
    if measure.moments is not None:
        rows, _, stored = stored_moments(measure, measure.moments, partials)
        columns[measure.moments[-1]] = pa.array(moments.spread(cells.of(rows), stored).deviation[at])
    for need, name, starts in measure.picks:
        rows, column, start = stored_picks(name, starts, partials)
        chosen = picks.spread(need, start, column, cells.of(rows))[at]
        columns[name] = column.take(pa.array(chosen, mask=chosen < 0))
    return columns


def _finished(fold: Fold, states: pa.Table) -> tuple[list[pa.Array], Failed]:
    """Return the payload columns: the group's fields, then the aggregates; and the rows on which these have failed."""
    columns = [column_of(states, key) for key in fold.keys]
    failed: dict[str, Mask] = {}
    for aggregate, place in zip(fold.spec.aggregates, fold.places, strict=True):
        columns.append(finished(aggregate, fold.measures[place], states))
        failed |= failed_in(aggregate, columns[-1], fold.measures[place], states)
    return columns, failed


def failed_in(aggregate: AggregateColumn, result: pa.Array, measure: Measure, states: pa.Table) -> Failed:
    """Return the rows where `result` of `aggregate` is null though it has values: it does not fit its type."""
    enough = FOLDED[aggregate.function].fails_from
    if not result.null_count or enough is None:
        return {}
    failed = result.is_null().to_numpy(zero_copy_only=False) & (column_of(states, measure.count).to_numpy() >= enough)
    return {aggregate.name: failed} if failed.any() else {}


def finished(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    """The result of `aggregate` in each row of `states`, which have the columns of `measure`."""
    return FOLDED[aggregate.function].finish(aggregate, measure, states)


def _count(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    del aggregate
    return column_of(states, measure.count)


def _sum(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    """Return the sums; null over no values, and if a total does not fit its type."""
    columns = [column_of(states, name) for name in measure.sums]
    count = column_of(states, measure.count).to_numpy()
    doubles = double_sums(columns)
    if doubles is not None:
        return nullable_doubles(doubles.rounded(), count == 0)
    sums = [column.to_numpy() for column in columns]
    if isinstance(aggregate.of_type, DecimalOf):
        return decimals_of(aggregate.of_type, aggregate.type, integers(sums), np.minimum(count, 1).tolist())
    totals, fits = longs(sums)
    return pa.array(totals, mask=~fits | (count == 0))


def _avg(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    """Return the exact sum divided by the count; a decimal rounded half up at the scale of its type."""
    columns = [column_of(states, name) for name in measure.sums]
    count = column_of(states, measure.count).to_numpy()
    divisor = np.maximum(count, 1)
    doubles = double_sums(columns)
    if doubles is not None:
        return nullable_doubles(doubles.means(divisor), count == 0)
    sums = [column.to_numpy() for column in columns]
    if isinstance(aggregate.of_type, DecimalOf):
        return decimals_of(aggregate.of_type, aggregate.type, integers(sums), count.tolist())
    totals, fits = longs(sums)
    means = totals / divisor
    large = rows_where(~fits | (np.abs(totals) > _EXACT_IN_DOUBLE) | (totals == -(2**63)))
    for place, total in zip(large.tolist(), integers([limb[large] for limb in sums]), strict=True):
        means[place] = total / int(divisor[place])
    return nullable_doubles(means, count == 0)


def nullable_doubles(values: Numbers, nothing: Mask) -> pa.Array:
    """Return `values`, null where `nothing` is true and where one is outside the range of doubles."""
    return pa.array(values, mask=nothing | ~np.isfinite(values))


def decimals_of(of: DecimalOf, to: object, totals: list[int], divisors: list[int]) -> pa.Array:
    """Return `totals` (unscaled, with the scale of `of`) by `divisors` as decimals of type `to`.

    Null over no values.
    """
    if not isinstance(to, DecimalOf):
        raise TypeError(f"{to} is not a decimal type")
    raised = 10 ** (to.scale - of.scale)
    limit = 10**to.precision
    values = []
    for total, divisor in zip(totals, divisors, strict=True):
        unscaled = half_up(Fraction(total * raised, divisor)) if divisor else None
        fits = unscaled is not None and abs(unscaled) < limit
        values.append(_unscaled_decimal(unscaled, to.scale) if fits and unscaled is not None else None)
    return pa.array(values, arrow_type(to))


def half_up(value: Fraction) -> int:
    """The nearest whole number, halves away from zero."""
    rounded = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return rounded if value >= 0 else -rounded


def _unscaled_decimal(unscaled: int, scale: int) -> Decimal:
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def _extreme(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    name = dict(measure.extremes)[aggregate.function]
    return column_of(states, name)


def _spread_out(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    """Return variances and standard deviations.

    A sample's are null below two values, and all if a double cannot hold them.
    """
    count = column_of(states, measure.count).to_numpy()
    if measure.moments is None:
        raise TypeError(f"{aggregate.name!r} has no moments")
    deviation = column_of(states, measure.moments[-1]).to_numpy()
    if isinstance(aggregate.of_type, DecimalOf):
        deviation = deviation / 10.0**aggregate.of_type.scale
    square = aggregate.function.startswith("variance")
    population = aggregate.function.endswith("_pop")
    with np.errstate(over="ignore"):
        found = deviation * deviation if square else deviation
        if not population:
            share = count / np.maximum(count - 1, 1)
            found = found * (share if square else np.sqrt(share))
    return pa.array(found, mask=(count < (1 if population else 2)) | ~np.isfinite(found))


def _pick(aggregate: AggregateColumn, measure: Measure, states: pa.Table) -> pa.Array:
    return column_of(states, f"{aggregate.function}{measure.index}")


@dataclass(frozen=True, slots=True)
class FoldedKernel:
    """The conversion of partials to a result. A null result with at least `fails_from` values does not fit its type."""

    finish: Callable[[AggregateColumn, Measure, pa.Table], pa.Array]
    fails_from: int | None = None


FOLDED: Final[Mapping[str, FoldedKernel]] = {
    "count": FoldedKernel(_count),
    "sum": FoldedKernel(_sum, 1),
    "avg": FoldedKernel(_avg, 1),
    "min": FoldedKernel(_extreme),
    "max": FoldedKernel(_extreme),
    "variance": FoldedKernel(_spread_out, 2),
    "variance_pop": FoldedKernel(_spread_out, 1),
    "stddev": FoldedKernel(_spread_out, 2),
    "stddev_pop": FoldedKernel(_spread_out, 1),
    "first": FoldedKernel(_pick),
    "last": FoldedKernel(_pick),
}
