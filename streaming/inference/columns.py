"""The columns of a sample: values in order of arrival, those inside of objects too, and how a field calls them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import RecordSample
from streaming.definition.tokens import NAME_PATTERN

DEEPEST: Final = 3
"""Objects inside of objects in which times are looked for."""
LONGEST_NAME: Final = 63
_FIRST_LOOKED_AT: Final = 200


@dataclass(frozen=True)
class SampledColumn:
    """One column: `path` as EVENTTIME BY would name it, one value a record, None where a record has none.

    `written` is its type where the input says it itself. `texts`: every value is the text of a cell.
    """

    path: str
    values: Sequence[Any]
    texts: bool = False
    written: str | None = None

    @property
    def known(self) -> list[Any]:
        """The values that are there."""
        return [value for value in self.values if value is not None]


def records_of(sample: RecordSample) -> list[Mapping[str, Any]]:
    """All records in order of arrival."""
    return [record for span in sample.spans for record in span.records]


def columns_of(sample: RecordSample) -> list[SampledColumn]:
    """The columns that stand side by side, in the order of the input."""
    records = records_of(sample)
    return [
        SampledColumn(name, [record.get(name) for record in records], sample.texts, sample.types.get(name))
        for name in sample.columns
    ]


def nested_columns(column: SampledColumn, depth: int = 1) -> list[SampledColumn]:
    """The columns inside of a column of objects, however deep up to `DEEPEST`; names with dots are left out."""
    objects = [value for value in column.known[:_FIRST_LOOKED_AT] if isinstance(value, Mapping)]
    names = dict.fromkeys(name for value in objects for name in value if re.fullmatch(NAME_PATTERN, name))
    found: list[SampledColumn] = []
    for name in names if depth <= DEEPEST else ():
        values = [value.get(name) if isinstance(value, Mapping) else None for value in column.values]
        inside = SampledColumn(f"{column.path}.{name}", values)
        found += [inside, *nested_columns(inside, depth + 1)]
    return found


def field_names(columns: Sequence[str]) -> dict[str, str]:
    """A name for the field of each column, by column: its own where a field may have it, else one made of it."""
    found: dict[str, str] = {}
    taken = {column for column in columns if re.fullmatch(NAME_PATTERN, column)}
    for column in columns:
        if column in taken:
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
    return words if re.fullmatch(NAME_PATTERN, words) else f"field_{words}"[:LONGEST_NAME].rstrip("_")
