"""Times far from all others: from a clock that was never set, or one that runs ahead."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from streaming.definition.strict import Strict
from streaming.inference.time_candidates import TimeReading
from streaming.temporal.ticks import Tick
from streaming.wire.rows.arrived import Int64s

FEW: Final = 0.05
"""The largest share of the rows that may be wrong together; a larger share is another part of the data."""
FEWEST_ROWS: Final = 10
_APART: Final = 10
"""A wrong time is this many times the span of the others away from them."""
_DAY: Final = 86_400_000_000
SHOWN: Final = 5


class OutlyingTime(Strict):
    """A time far from the others: `row` of the input from 1 if known, its text, and its tick."""

    row: int | None
    value: str
    at: Tick


def outlying(times: TimeReading) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Return which records have a time far from those of nearly all others."""
    found = np.zeros(len(times.ticks), dtype=np.bool_)
    kept = np.flatnonzero(~times.bad)
    kept = kept[np.argsort(times.ticks[kept], kind="stable")]
    most = max(1, int(FEW * len(kept))) if len(kept) >= FEWEST_ROWS else 0
    while most > 0:
        few = _few_apart(times.ticks[kept], most)
        if few is None:
            break
        found[kept[few]] = True
        most -= len(kept[few])
        kept = np.delete(kept, np.arange(len(kept))[few])
    return found


def _few_apart(ascending: Int64s, most: int) -> slice | None:
    """Return the few first or last of `ascending` that are far from the rest."""
    gaps = np.diff(ascending)
    for at in np.argsort(gaps)[::-1][:2].tolist():
        count = at + 1
        if count <= most and _is_far(int(gaps[at]), ascending[count:]):
            return slice(0, count)
        if len(ascending) - count <= most and _is_far(int(gaps[at]), ascending[:count]):
            return slice(count, None)
    return None


def _is_far(gap: int, others: Int64s) -> bool:
    return len(others) > 1 and gap > max(_DAY, _APART * int(others[-1] - others[0]))


def described(
    times: TimeReading,
    wrong: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
    values: Sequence[Any],
    rows: Sequence[int | None],
) -> list[OutlyingTime]:
    """Return the first of the `wrong` times, as they are written."""
    return [
        OutlyingTime(row=rows[at], value=str(values[at])[:80], at=Tick(int(times.ticks[at])))
        for at in np.flatnonzero(wrong).tolist()[:SHOWN]
    ]
