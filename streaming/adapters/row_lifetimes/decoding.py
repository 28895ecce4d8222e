"""The meaning of stored lines for a stream: lifetimes of rows, versions of a table, or events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from streaming.adapters.contract import AdapterError
from streaming.adapters.postgresql.decoding import RowDecoder
from streaming.adapters.postgresql.pages import RowPages
from streaming.adapters.row_lifetimes.lines import ABOUT, CTI_COLUMN, EDGE, END, OWN, START, is_event, is_event_or_cti
from streaming.adapters.row_lifetimes.versions import as_edges, versions_of
from streaming.definition.streams.stream import EventTime, Rowtime, StreamDefinition, TimeColumn
from streaming.definition.streams.tables import table_rules
from streaming.temporal.events import Shape
from streaming.wire.rows.arrived import Arrived

TIMES: Final = EventTime(start=TimeColumn(column=START, unit="us"), end=TimeColumn(column=END, unit="us"), edge=EDGE)
"""The columns of stored lines that hold the lifetimes of rows."""


class ChangedTable(Protocol):
    """The table whose changes are stored; `columns` maps a field of the stream to its column."""

    @property
    def schema_name(self) -> str:
        """The schema of the table, or the place of its changes."""

    @property
    def table(self) -> str:
        """The table."""

    @property
    def columns(self) -> dict[str, str]:
        """Maps a field of the stream to its column."""


@dataclass(frozen=True)
class LineOptions:
    """The options for decoding lines, with CTIs or without."""

    of: ChangedTable
    cti_column: str | None = CTI_COLUMN
    cti_strict: bool = False

    @property
    def schema_name(self) -> str:
        """The schema in the options."""
        return self.of.schema_name

    @property
    def table(self) -> str:
        """The table in the options."""
        return self.of.table

    @property
    def columns(self) -> dict[str, str]:
        """The columns in the options."""
        return self.of.columns


class VersionDecoder(RowDecoder):
    """Decodes the start of a lifetime as a version of its key, and its end as a deletion at that time (T48, T49).

    An update is both at one time, and there the version counts.
    """

    def __init__(self, stream: StreamDefinition, options: LineOptions) -> None:
        super().__init__(as_edges(stream, TIMES), options)
        self._rules = table_rules(stream)

    def chunks(self, pages: RowPages[Any], start: int, end: int) -> Iterator[Arrived]:
        """Yield the rows `[start, end)` of `pages` as versions and deletions."""
        for arrived in super().chunks(pages, start, end):
            yield versions_of(arrived, self._rules)


def decoder_of(stream: StreamDefinition, of: ChangedTable) -> RowDecoder:
    """Return the decoder of lines for `stream`. Raises `AdapterError` for a stream that does not fit.

    The stream's shape selects the meaning: lifetimes of the table's rows (edge), versions of its keys (table), or an
    event for each written row, at a time in its columns. CTIs refer to commit times, so they apply only if the stream
    uses these.
    """
    _refuse_fields(stream, of.columns)
    if stream.shape is Shape.EDGE:
        return RowDecoder(_lives(stream), LineOptions(of))
    if stream.shape is Shape.TABLE:
        return VersionDecoder(_lives(stream), LineOptions(of))
    if stream.rowtime is not Rowtime.IMPLICIT and stream.event_time is None:
        raise AdapterError(
            f"Each written row of the table is an event in a stream of the shape '{stream.shape}'. Name the column of "
            f"its time ({START}, in microseconds, for the time of the commit), or set the stream's shape to 'edge' for "
            "the lifetimes of the rows, or to 'table' for its versions."
        )
    if stream.shape is Shape.POINT and stream.event_time is not None and stream.event_time.start == TIMES.start:
        return RowDecoder(stream, LineOptions(of), takes=is_event_or_cti)
    return RowDecoder(stream, LineOptions(of, cti_column=None), takes=is_event)


def _lives(stream: StreamDefinition) -> StreamDefinition:
    """Return `stream` with the times of rows. Raises `AdapterError` if it defines other times."""
    known = (None, TIMES, EventTime(start=TIMES.start)) if stream.shape is Shape.TABLE else (None, TIMES)
    if stream.rowtime is Rowtime.IMPLICIT or stream.event_time not in known:
        what = "Versions" if stream.shape is Shape.TABLE else "Lifetimes"
        raise AdapterError(
            f"{what} of rows have the times of their commits. Leave out the event time and the "
            "rowtime of this stream "
            f"(or set them to {START}, {END} and {EDGE}, in microseconds). With the shape 'point', each written row is "
            "an event at a time of its own."
        )
    return stream.model_copy(update={"event_time": TIMES})


def _refuse_fields(stream: StreamDefinition, columns: Mapping[str, str]) -> None:
    for name in stream.fields:
        column = columns.get(name, name)
        if column in OWN and column not in ABOUT:
            raise AdapterError(
                f"The field '{name}' can't be {column}: it differs between the start and the end of a lifetime, which "
                f"are matched by equal fields. Remove it. You can use {', '.join(ABOUT)}."
            )
