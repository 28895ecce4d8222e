"""Conversion of partials to the columns of another fold, for windows whose aggregates were added or removed.

An added aggregate has not seen the rows before it, though it may use the values of an older one. While windows with
such rows are open, it has a separate measure (`Fold.apart`), even a separate count. Afterwards the two agree and are
merged.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from streaming.engine.columns.folding.fold import COUNT, FIRST, LAST, Fold
from streaming.engine.columns.folding.measures import Measure, measure_fields


def refolded(partials: pa.Table, before: Fold, after: Fold) -> pa.Table:
    """Convert `partials` of `before` to those of `after`: the same aggregates, but others are apart."""
    return _recast(partials, before, after, after.measures)


def widened(partials: pa.Table, before: Fold, after: Fold) -> pa.Table:
    """Convert `partials` of `before` to those of `after`, which has other aggregates.

    Those that are apart start empty.
    """
    return _recast(partials, before, after, [measure for measure in after.measures if not measure.apart])


def _recast(partials: pa.Table, before: Fold, after: Fold, kept: Sequence[Measure]) -> pa.Table:
    columns = {name: partials.column(name) for name in (FIRST, LAST, COUNT, *after.keys)}
    for measure in after.measures:
        if measure in kept:
            columns |= {own: partials.column(theirs) for own, theirs in _equal_columns(measure, before)}
        else:
            columns |= {each.name: _nothing(measure, each, partials.num_rows) for each in measure_fields(measure)}
    return pa.table({name: columns[name] for name in after.schema.names})


def _equal_columns(measure: Measure, before: Fold) -> Iterator[tuple[str, str]]:
    """Yield the columns of `measure`, each with the equivalent column of `before`."""
    if measure.of is None and measure.where is None:
        yield measure.count, COUNT
        return
    same = [each for each in before.measures if (each.of, each.where) == (measure.of, measure.where)]
    yield measure.count, same[0].count
    for need in measure.needs:
        theirs = next(each for each in same if need in each.needs)
        yield from zip(_of_need(measure, need), _of_need(theirs, need), strict=True)


def _of_need(measure: Measure, need: str) -> list[str]:
    """Return the columns of `measure` that `need` uses."""
    found = list(measure.sums) if need == "sum" else []
    found += [name for each, name in measure.extremes if each == need]
    found += list(measure.moments or ()) if need == "moments" else []
    for each, *names in measure.picks:
        found += names if each == need else []
    return found


def _nothing(measure: Measure, field: pa.Field, rows: int) -> pa.Array:
    """Return the column of a fold of no values: no values, sums of zero, nothing picked."""
    zeros = {measure.count, *measure.sums, *(measure.moments or ())[1:]}
    if field.name in zeros and field.type != pa.binary():
        return pa.array(np.zeros(rows, field.type.to_pandas_dtype()))
    return pa.nulls(rows, field.type)
