"""Explanation why no column of a sample reads as a time."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from streaming.definition.streams.time_patterns import EXAMPLES
from streaming.inference.columns import SampledColumn
from streaming.inference.time_candidates import is_time_name

_NAMED: Final = 3
_FORMS: Final = f"ISO 8601, numbers since 1970, days of a spreadsheet, and patterns, for example {EXAMPLES}"


def why_no_time(columns: Sequence[SampledColumn]) -> Iterator[str]:
    """Yield sentences for a sample without any time."""
    likely = [column for column in columns if is_time_name(column.path)]
    for column in likely[:_NAMED]:
        yield f"No event time is proposed: {column.path!r} has the name of a time, but {_values(column)}. {_REMEDY}"
    if not likely:
        shown = "; ".join(f"{column.path!r} ({_kind(column.present_values)})" for column in columns[:_NAMED])
        more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
        yield (
            f"No event time is proposed: the values of no column read as times ({_FORMS}). There are {shown}{more}. "
            f"{_REMEDY}"
        )


_REMEDY: Final = (
    "Choose the column and its format in 'Another column, unit or zone', or use the arrival of the rows as their time."
)


def _values(column: SampledColumn) -> str:
    known = column.present_values
    if not known:
        return "it has no value in the sample"
    if _kind(known) == "numbers":
        return f"its numbers, for example {str(known[0])[:40]!r}, are not times between 1990 and 2100 in any unit"
    distinct = list(dict.fromkeys(str(each)[:40] for each in known))
    first = ", ".join(map(repr, distinct[:3]))
    return f"more than 2 % of its values have no known time format; the first are {first}"


def _kind(known: Sequence[Any]) -> str:
    if not known:
        return "empty"
    try:
        float(str(known[0]))
    except ValueError:
        return "lists or objects" if isinstance(known[0], list | dict) else "text"
    return "numbers"
