"""The columns of a sample: values in order of arrival, also inside objects, and the names of their fields."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import RecordSample
from streaming.adapters.number_marks import PLAIN, NumberMarks
from streaming.definition.checks.wiring import RESERVED_PREFIX
from streaming.definition.plain_names import NAME_PATTERN

DEEPEST: Final = 3
"""Times are searched in objects inside objects up to this depth."""
LONGEST_NAME: Final = 63
_FIRST_LOOKED_AT: Final = 200


@dataclass(frozen=True)
class SampledColumn:
    """One column: `path` as in EVENTTIME BY, one value a record, None for a record without one.

    `written` is its type if the input declares it, and `misfits` counts the values that do not fit it. `texts`: every
    value is the text of a cell, whose numbers are written with `marks`.
    """

    path: str
    values: Sequence[Any]
    texts: bool = False
    written: str | None = None
    misfits: int = 0
    marks: NumberMarks = PLAIN

    @property
    def present_values(self) -> list[Any]:
        """Return the values that are not null."""
        return [value for value in self.values if value is not None]


def row_numbers(sample: RecordSample) -> list[int | None]:
    """Return the input's row number of each record, from 1; None if unknown."""
    found: list[int | None] = []
    for span in sample.spans:
        found += span.numbers or [None] * len(span.records)
    return found


def records_of(sample: RecordSample) -> list[Mapping[str, Any]]:
    """Return all records in order of arrival."""
    return [record for span in sample.spans for record in span.records]


def columns_of(sample: RecordSample) -> list[SampledColumn]:
    """Return the top-level columns, in the order of the input."""
    records = records_of(sample)
    return [
        SampledColumn(
            name,
            [record.get(name) for record in records],
            sample.texts,
            sample.types.get(name),
            sum(span.misfits.get(name, 0) for span in sample.spans),
            sample.marks,
        )
        for name in sample.columns
    ]


def nested_columns(column: SampledColumn, depth: int = 1) -> list[SampledColumn]:
    """Return the columns inside a column of objects, up to the depth `DEEPEST`; names with dots are left out."""
    objects = [value for value in column.present_values[:_FIRST_LOOKED_AT] if isinstance(value, Mapping)]
    names = dict.fromkeys(name for value in objects for name in value if re.fullmatch(NAME_PATTERN, name))
    found: list[SampledColumn] = []
    for name in names if depth <= DEEPEST else ():
        values = [value.get(name) if isinstance(value, Mapping) else None for value in column.values]
        inside = SampledColumn(f"{column.path}.{name}", values)
        found += [inside, *nested_columns(inside, depth + 1)]
    return found


def field_names(columns: Sequence[str]) -> dict[str, str]:
    """Return a field name for each column: its own if it is valid, otherwise one made from it."""
    found: dict[str, str] = {}
    taken = {column for column in columns if re.fullmatch(NAME_PATTERN, column) and not is_reserved(column)}
    for column in columns:
        if column in taken and not is_reserved(column):
            found[column] = column
            continue
        name = _made(column)
        number = 2
        while name in taken:
            name = f"{_made(column)[: LONGEST_NAME - 4]}_{number}"
            number += 1
        taken.add(name)
        found[column] = name
    return found


def _made(column: str) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", column).strip("_").lower()[:LONGEST_NAME]
    return (
        words
        if re.fullmatch(NAME_PATTERN, words) and not is_reserved(words)
        else f"field_{words}"[:LONGEST_NAME].rstrip("_")
    )


def is_reserved(name: str) -> bool:
    """Return true if no field may have this name, because results or expressions have a column of that name."""
    return name.startswith(RESERVED_PREFIX)
