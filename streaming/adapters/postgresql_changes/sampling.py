"""What a stream over changes is: lives or events, and their times; and what a sample of the table proposes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from streaming.adapters.contract import AdapterError, RecordLifetimes, RecordSample, RecordSpan
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.sampling import stream_type
from streaming.adapters.postgresql_changes.lines import ABOUT, EDGE, END, OWN, START, is_event, is_event_or_cti
from streaming.adapters.postgresql_changes.options import PostgreSQLChangesOptions
from streaming.adapters.postgresql_changes.table import PublishedTable
from streaming.definition.payload import read_object
from streaming.definition.streams import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Shape

TIMES: Final = EventTime(start=TimeColumn(column=START, unit="us"), end=TimeColumn(column=END, unit="us"), edge=EDGE)
"""Where the lines of this input have the lifetimes of rows."""
_WHY: Final = "the server says when each change was committed"


def decoder_of(stream: StreamDefinition, options: PostgreSQLChangesOptions) -> RowDecoder:
    """What makes rows of `stream` of the lines. Raises `AdapterError` for one that does not fit.

    Its shape says what they are: lives of the table's rows (edge), or each row that was written as an event of its own,
    at a time that its columns say. CTIs speak of commits, so that they count where these are the times.
    """
    _refuse_fields(stream, options.columns)
    if stream.shape is Shape.EDGE:
        return RowDecoder(_lives(stream), options)
    if stream.rowtime is not Rowtime.IMPLICIT and stream.event_time is None:
        raise AdapterError(
            f"Each row that is written to the table is an event of a stream of the shape '{stream.shape}'. Say in "
            f"which column its time is ({START}, in microseconds, for that of the commit), or let the stream have the "
            "shape 'edge', for the lives of the rows."
        )
    if stream.shape is Shape.POINT and stream.event_time is not None and stream.event_time.start == TIMES.start:
        return RowDecoder(stream, options, takes=is_event_or_cti)
    return RowDecoder(stream, WithoutCtis(options), takes=is_event)


@dataclass(frozen=True)
class WithoutCtis:
    """What lines are decoded by where no line is a CTI."""

    options: PostgreSQLChangesOptions
    cti_column: str | None = None
    cti_strict: bool = False

    @property
    def schema_name(self) -> str:
        """That of the options."""
        return self.options.schema_name

    @property
    def table(self) -> str:
        """That of the options."""
        return self.options.table

    @property
    def columns(self) -> dict[str, str]:
        """Those of the options."""
        return self.options.columns


def _lives(stream: StreamDefinition) -> StreamDefinition:
    """`stream` with the times of rows. Raises `AdapterError` for one that has others."""
    if stream.rowtime is Rowtime.IMPLICIT or stream.event_time not in (None, TIMES):
        raise AdapterError(
            "Lives of rows have the times of their commits. Leave out the event time and the rowtime of this stream "
            f"(or name {START}, {END} and {EDGE}, in microseconds); with the shape 'point' each row that is written is "
            "an event at a time of its own."
        )
    return stream.model_copy(update={"event_time": TIMES})


def _refuse_fields(stream: StreamDefinition, columns: Mapping[str, str]) -> None:
    for name in stream.fields:
        column = columns.get(name, name)
        if column in OWN and column not in ABOUT:
            raise AdapterError(
                f"The field '{name}' cannot be {column}: it differs between the start and the end of a life, which "
                f"are told apart by equal fields. Leave it out; {', '.join(ABOUT)} can be taken."
            )


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
