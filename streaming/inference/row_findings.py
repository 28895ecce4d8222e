"""Other findings on the rows: repeated ids, devices whose rows follow each other, empty intervals."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from streaming.definition.counts import counted
from streaming.definition.plain_names import NAME_PATTERN
from streaming.inference.columns import SampledColumn
from streaming.inference.event_shapes import FoundShape
from streaming.inference.time_candidates import TimeReading, is_end_name, words_of
from streaming.wire.rows.arrived import Int64s

_IDS: Final = frozenset({"id", "uuid", "guid", "uid", "eventid", "messageid", "nr", "no", "seq"})
_UNIQUE: Final = 0.9
"""A column of ids should hold each value once if at least this share of its values is unique."""
FEWEST_KEYS, MOST_KEYS = 2, 1_000
_FEWEST_ROWS_EACH: Final = 5
_IN_ORDER: Final = 0.98
_WORTH_TICKS: Final = 60_000_000
"""Rows that are less late than this need no clock for each device."""


def repeated_ids(columns: Sequence[SampledColumn], rows: Sequence[int | None]) -> Iterator[str]:
    """Yield a sentence on each column of ids with repeated values."""
    for column in columns:
        known = [value for value in column.present_values if isinstance(value, str | int)]
        distinct = len(set(known))
        if not words_of(column.path) & _IDS or distinct == len(known) or distinct < _UNIQUE * len(known):
            continue
        first: dict[Any, int] = {}
        for at, value in enumerate(column.values):
            if value is not None and isinstance(value, str | int) and first.setdefault(value, at) != at:
                where = "" if rows[at] is None else f", the first in rows {rows[first[value]]:,} and {rows[at]:,}"
                times = counted(len(known) - distinct, "row")
                yield (
                    f"{times} with a repeated value of {column.path!r}{where}: rows may have been sent "
                    "twice. Every row counts; if they must not, remove the repeated ones in the query."
                )
                break


@dataclass(frozen=True)
class FoundSubstreams:
    """A column whose values split the rows into ordered sequences; all together they are not in order.

    `name` is that of its field. With `helps` a clock for each value (`over`, T15) keeps what a delay ten times as long
    would keep.
    """

    name: str
    column: SampledColumn
    helps: bool

    def words(self, start: str) -> str:
        """Describe the finding, and why a clock for each value is useful or not."""
        rows = f"The rows of each value of {self.name} are in order of {start}, but those of one value follow those "
        if self.helps:
            return f"{rows}of another: a clock for each keeps them"
        return (
            f"{rows}of another, and a clock for each would keep no more: a new value starts where the others "
            f"are. The delay waits for them; rows that are sorted by {start} need none."
        )


def substreams(start: TimeReading, columns: Sequence[SampledColumn], names: dict[str, str]) -> FoundSubstreams | None:
    """Return the field that splits the rows into ordered sequences, if they are not in order together."""
    kept = ~start.bad
    whole = behind_by_key(start.ticks[kept], [0] * int(kept.sum()))
    if not len(whole) or _quantile(whole) <= _WORTH_TICKS:
        return None
    best: tuple[int, int, FoundSubstreams] | None = None
    for column in columns:
        name = names.get(column.path, "")
        if column.path in (start.column.column, start.column.time_column) or not re.fullmatch(NAME_PATTERN, name):
            continue
        if not _is_key(column, int(kept.sum())):
            continue
        keys = [str(value) for value, good in zip(column.values, kept.tolist(), strict=True) if good]
        if not _in_order(start.ticks[kept], keys):
            continue
        late = _quantile(behind_by_key(start.ticks[kept], keys))
        if best is None or (late, len(set(keys))) < best[:2]:
            best = late, len(set(keys)), FoundSubstreams(name, column, late * 10 <= _quantile(whole))
    return None if best is None else best[2]


def _in_order(ticks: Int64s, keys: Sequence[str]) -> bool:
    """Return true if nearly all rows of each key are in order."""
    newest: dict[str, int] = {}
    back = 0
    for tick, key in zip(ticks.tolist(), keys, strict=True):
        back += tick < newest.get(key, tick)
        newest[key] = max(newest.get(key, tick), tick)
    return back <= (1 - _IN_ORDER) * len(keys)


def _quantile(behind: Int64s) -> int:
    return int(np.sort(behind)[max(0, int(np.ceil(len(behind) * 0.99)) - 1)])


def _is_key(column: SampledColumn, rows: int) -> bool:
    known = column.present_values
    if len(known) < rows or any(isinstance(value, list | dict | float) for value in known[:100]):
        return False
    if column.texts and any("." in str(value) for value in known[:100]):
        return False
    distinct = len(set(map(str, known)))
    return FEWEST_KEYS <= distinct <= min(MOST_KEYS, rows // _FEWEST_ROWS_EACH)


def behind_by_key(ticks: Int64s, keys: Sequence[Any]) -> Int64s:
    """Return how much older each tick is than the clock of its key: the largest before it, and the start of the key.

    A new key starts at the clock of the input, the minimum over the other keys (T15).
    """
    newest: dict[Any, int] = {}
    found = []
    for tick, key in zip(ticks.tolist(), keys, strict=True):
        latest = newest[key] if key in newest else min(newest.values(), default=tick)
        found.append(max(0, latest - tick))
        newest[key] = max(latest, tick)
    return np.array(found, dtype=np.int64)


def empty_intervals(start: TimeReading, shape: FoundShape, times: Sequence[TimeReading]) -> str | None:
    """Return a sentence on rows that end at their start, if the proposed times have such rows."""
    ends = [shape.end] if shape.end is not None else [each for each in times if is_end_name(each.column.column)]
    for end in ends:
        both = ~start.bad & ~end.bad
        equal = int((end.ticks[both] == start.ticks[both]).sum())
        if end.column.column == start.column.column or not equal or (end.ticks[both] < start.ticks[both]).mean() > 0.02:
            continue
        of = f"{equal:,} of {counted(int(both.sum()), 'row')} end at their start ({end.column.column!r} equals "
        if shape.end is not None:
            return f"{of}{start.column.column!r}): an interval has a length, so they are malformed."
        return (
            f"{of}{start.column.column!r}), so points are proposed: an interval without a length is malformed. Choose "
            "intervals where those rows may go to quarantine."
        )
    return None
