"""Partials in the columns of another fold: of windows to which aggregates were added, or from which some were taken.

An aggregate that was added knows nothing of the rows before it, though it may take the values of one that was there.
While windows are open that have such rows, it has a measure of its own (`Fold.apart`), even its count; afterwards the
two say the same, and are one again.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from streaming.engine.columns.folding.fold import COUNT, FIRST, LAST, Fold
from streaming.engine.columns.folding.measures import Measure, measure_fields


def refolded(partials: pa.Table, before: Fold, after: Fold) -> pa.Table:
    """`partials` of `before` as those of `after`, for the same aggregates, of which other ones are apart."""
    return _recast(partials, before, after, after.measures)


def widened(partials: pa.Table, before: Fold, after: Fold) -> pa.Table:
    """`partials` of `before` as those of `after`, which has other aggregates: those that are apart begin empty."""
    return _recast(partials, before, after, [measure for measure in after.measures if not measure.apart])


def _recast(partials: pa.Table, before: Fold, after: Fold, kept: Sequence[Measure]) -> pa.Table:
    columns = {name: partials.column(name) for name in (FIRST, LAST, COUNT, *after.keys)}
    for measure in after.measures:
        if measure in kept:
            columns |= {own: partials.column(theirs) for own, theirs in _known(measure, before)}
        else:
            columns |= {each.name: _nothing(measure, each, partials.num_rows) for each in measure_fields(measure)}
    return pa.table({name: columns[name] for name in after.schema.names})


def _known(measure: Measure, before: Fold) -> Iterator[tuple[str, str]]:
    """The columns of `measure`, each with the one of `before` that says the same."""
    if measure.of is None and measure.where is None:
        yield measure.count, COUNT
        return
    same = [each for each in before.measures if (each.of, each.where) == (measure.of, measure.where)]
    yield measure.count, same[0].count
    for need in measure.needs:
        theirs = next(each for each in same if need in each.needs)
        yield from zip(_of_need(measure, need), _of_need(theirs, need), strict=True)


def _of_need(measure: Measure, need: str) -> list[str]:
    """The columns in which `measure` has what `need` asks for."""
    found = list(measure.sums) if need == "sum" else []
    found += [name for each, name in measure.extremes if each == need]
    found += list(measure.moments or ()) if need == "moments" else []
    for each, *names in measure.picks:
        found += names if each == need else []
    return found


def _nothing(measure: Measure, field: pa.Field, rows: int) -> pa.Array:
    """What a fold of no values says: no values, sums of zero, nothing picked."""
    zeros = {measure.count, *measure.sums, *(measure.moments or ())[1:]}
    if field.name in zeros:
        return pa.array(np.zeros(rows, field.type.to_pandas_dtype()))
    return pa.nulls(rows, field.type)
