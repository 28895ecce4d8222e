"""Sample rows of a table before a stream is defined: the oldest and newest, with the table's types."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import RecordSample, RecordSpan
from streaming.definition.payload.reading import read_object
from streaming.definition.payload.types import BOOLEAN, DOUBLE, LONG, MAX_PRECISION, STRING, TIMESTAMP, DecimalOf

_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("smallint", "integer", "bigint"), str(LONG)),
    **dict.fromkeys(("real", "double precision"), str(DOUBLE)),
    **dict.fromkeys(("text", "character varying", "character", "uuid", "name", "citext", "bytea"), str(STRING)),
    **dict.fromkeys(("timestamp with time zone", "timestamp without time zone"), str(TIMESTAMP)),
    "boolean": str(BOOLEAN),
}
_LENGTH: Final = re.compile(r"\(\d+\)")
_NUMERIC: Final = re.compile(r"numeric\((\d+),(-?\d+)\)")


def sample_of_rows(
    oldest: Sequence[bytes], newest: Sequence[bytes], columns: Mapping[str, str], shown: str, *, whole: bool
) -> RecordSample:
    """The sample of rows as lines of JSON, in the order of the cursor; `columns` maps names to database types."""
    unreadable = 0
    spans: list[RecordSpan] = []
    for where, lines in (
        (f"{'all' if whole else 'the beginning'} of {shown}", oldest),
        (f"the end of {shown}", newest),
    ):
        records: list[Mapping[str, Any]] = [each for each in map(read_object, lines) if each is not None]
        unreadable += len(lines) - len(records)
        if lines:
            spans.append(RecordSpan(where, records))
    types = {name: of for name, kind in columns.items() if (of := stream_type(kind)) is not None}
    return RecordSample(spans=spans, columns=list(columns), whole=whole, unreadable=unreadable, types=types)


def stream_type(kind: str) -> str | None:
    """The stream type for a type of the database; None if the values must decide."""
    numeric = _NUMERIC.fullmatch(kind)
    if numeric is not None:
        precision, scale = int(numeric[1]), int(numeric[2])
        fits = precision <= MAX_PRECISION and 0 <= scale <= precision
        return str(DecimalOf(precision, scale)) if fits else None
    return _TYPES.get(_LENGTH.sub("", kind))
