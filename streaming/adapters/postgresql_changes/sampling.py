"""The proposal of a stream from a sample of the table."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import AdapterError, RecordLifetimes, RecordSample, RecordSpan
from streaming.adapters.postgresql.sampling import stream_type
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.adapters.row_lifetimes.decoding import TIMES
from streaming.definition.payload.reading import read_object
from streaming.temporal.events import Shape

_WHY: Final = "the server reports when each change was committed"


def sample_of_table(
    rows: Sequence[str], table: PublishedTable, shown: str, notes: Sequence[str], now: int
) -> RecordSample:
    """The sample of the current rows. Raises `AdapterError` for an empty table."""
    if not rows:
        raise AdapterError(
            f"{shown} is still empty, so no stream can be proposed from it. Add rows, or define the fields yourself, "
            "with the shape 'edge' and no event time."
        )
    read: list[Mapping[str, Any] | None] = [read_object(f"{{{row}}}".encode()) for row in rows]
    records = [each for each in read if each is not None]
    types = {name: of for name, kind in table.types.items() if (of := stream_type(kind)) is not None}
    return RecordSample(
        spans=[RecordSpan(f"current rows of {shown}", records)],
        columns=list(table.columns),
        whole=False,
        unreadable=len(rows) - len(records),
        types=types,
        notes=notes,
        lifetimes=RecordLifetimes(Shape.EDGE, TIMES, now, _WHY),
    )
