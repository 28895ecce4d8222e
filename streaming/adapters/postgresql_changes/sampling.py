"""What a stream over changes is: the times of its rows, and what a sample of the table proposes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import AdapterError, RecordLifetimes, RecordSample, RecordSpan
from streaming.adapters.postgresql.sampling import stream_type
from streaming.adapters.postgresql_changes.lines import ABOUT, EDGE, END, OWN, START
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.definition.payload import read_object
from streaming.definition.streams import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Shape

TIMES: Final = EventTime(start=TimeColumn(column=START, unit="us"), end=TimeColumn(column=END, unit="us"), edge=EDGE)
"""Where the lines of this input have the lifetimes of rows."""
_WHY: Final = "the server says when each change was committed"


def lives_of(stream: StreamDefinition, columns: Mapping[str, str]) -> StreamDefinition:
    """`stream` with the times of rows. Raises `AdapterError` for one that is not of their lives."""
    if stream.shape is not Shape.EDGE:
        raise AdapterError(
            f"Changes of a table open and close the lives of its rows, and this stream has the shape '{stream.shape}'. "
            "Let it have the shape 'edge'."
        )
    if stream.rowtime is Rowtime.IMPLICIT or stream.event_time not in (None, TIMES):
        raise AdapterError(
            "Changes of a table have the times of their commits. Leave out the event time and the rowtime of this "
            f"stream (or name {START}, {END} and {EDGE}, in microseconds)."
        )
    for name in stream.fields:
        column = columns.get(name, name)
        if column in OWN and column not in ABOUT:
            raise AdapterError(
                f"The field '{name}' cannot be {column}: it differs between the start and the end of a life, which "
                f"are told apart by equal fields. Leave it out; {', '.join(ABOUT)} can be taken."
            )
    return stream.model_copy(update={"event_time": TIMES})


def sample_of_table(
    rows: Sequence[str], table: PublishedTable, shown: str, notes: Sequence[str], now: int
) -> RecordSample:
    """The sample of rows as they are. Raises `AdapterError` where there are none."""
    if not rows:
        raise AdapterError(
            f"There is nothing in {shown} yet, from which a stream could be proposed. Add rows, or write the fields "
            "yourself, with the shape 'edge' and no event time."
        )
    read: list[Mapping[str, Any] | None] = [read_object(f"{{{row}}}".encode()) for row in rows]
    records = [each for each in read if each is not None]
    types = {name: of for name, kind in table.types.items() if (of := stream_type(kind)) is not None}
    return RecordSample(
        spans=[RecordSpan(f"rows of {shown} as they are now", records)],
        columns=list(table.columns),
        whole=False,
        unreadable=len(rows) - len(records),
        types=types,
        notes=notes,
        lifetimes=RecordLifetimes(Shape.EDGE, TIMES, now, _WHY),
    )
