"""Proposal of a stream from a sample of records: fields, times, shapes, lateness; a person can change each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from streaming.adapters.contract import RecordLifetimes, RecordSample
from streaming.adapters.times.columns import joined_text
from streaming.definition.counts import counted
from streaming.definition.payload.types import STRING
from streaming.definition.streams.stream import TimeColumn
from streaming.definition.strict import Strict
from streaming.inference.columns import (
    SampledColumn,
    columns_of,
    field_names,
    is_reserved,
    nested_columns,
    row_numbers,
)
from streaming.inference.delays import LatenessInput, MeasuredLateness, measured_lateness
from streaming.inference.event_shapes import FoundShape, edge_notes, shape_of
from streaming.inference.field_types import FoundType, type_of
from streaming.inference.no_time import why_no_time
from streaming.inference.row_findings import FoundSubstreams, empty_intervals, repeated_ids, substreams
from streaming.inference.time_candidates import TimeReading, time_columns
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, format_instant
from streaming.wire.rows.arrived import Int64s

MOST_CANDIDATES: Final = 3
MOST_COLUMNS: Final = 500
SHOWN_ROWS: Final = 20
SHOWN_CHARACTERS: Final = 80
_REMEDY_OF_TEXT: Final = "Choose string to take all."
_REMEDY: Final = "Correct them, or leave the field out to read the others of such rows."


class ProposedField(Strict):
    """A field: its name, its column, its type. `misfits` counts values that do not fit the type.

    `example` is the first value as text, empty without values.
    """

    name: str
    column: str
    type: str
    example: str
    misfits: int


class TimeCandidate(Strict):
    """A column that could be the time of the events, with the reason; then the consequences of choosing it.

    `first` and `last` are ticks; `readable` is the share of rows with a time. `end` and `edge` as the shape needs them.
    `example` is a value as it is written, `means` the time read from it. `asks`: another candidate reads the same texts
    differently, and a person has to choose. `over` is a field whose values should have a clock each (T15),
    `over_reason` the reason; lateness is then measured that way.
    """

    start: TimeColumn
    reason: str
    readable: float
    first: int
    last: int
    shape: Shape
    shape_reason: str
    end: TimeColumn | None
    edge: str | None
    lateness: MeasuredLateness | None
    example: str = ""
    means: Tick | None = None
    asks: bool = False
    over: str | None = None
    over_reason: str = ""


class StreamProposal(Strict):
    """A possible stream over an input. `times` are ranked, empty if no column holds times.

    `options` are options of the adapter that fit the input better, including names of columns. `read` describes the
    sample in words. `columns` and `rows` are the first records as text, null for a missing value. Of the first
    `checked` rows, `malformed` would be so in a run if the proposal is accepted.
    """

    fields: list[ProposedField]
    times: list[TimeCandidate]
    options: dict[str, Any]
    read: str
    records: int
    notes: list[str]
    columns: list[str]
    rows: list[list[str | None]]
    checked: int = 0
    malformed: int = 0


def propose(sample: RecordSample) -> StreamProposal:
    """Propose a stream for the input of `sample`; an empty sample gives an empty proposal with a note."""
    all_columns = columns_of(sample)
    columns = all_columns[:MOST_COLUMNS]
    names = field_names([column.path for column in columns])
    records = sum(len(span.records) for span in sample.spans)
    fields, left_out = _fields(columns, names)
    every = [each for column in columns for each in (column, *nested_columns(column))]
    times = time_columns(every) if records and sample.lifetimes is None else []
    known = [] if sample.lifetimes is None else [_known_candidate(sample.lifetimes)]
    context = _SampleContext(columns, every, times, names, row_numbers(sample))
    found = [*known, *(_candidate(each, context) for each in times[:MOST_CANDIDATES])]
    return StreamProposal(
        fields=fields,
        times=found,
        options={**sample.options, **_renamed(names)},
        read=_read_words(sample, records),
        records=records,
        notes=[
            *_notes(sample, all_columns, records),
            *_reserved_notes(names),
            *left_out,
            *(why_no_time(every) if records and not found else ()),
            *_time_notes(found, times, context),
            *repeated_ids(columns, context.rows),
            *edge_notes(columns),
        ],
        columns=[column.path for column in columns],
        rows=_cells_of(columns),
    )


@dataclass(frozen=True)
class _SampleContext:
    """The data for judging a candidate: the columns, also inside objects, all times, names of fields, rows."""

    columns: Sequence[SampledColumn]
    every: Sequence[SampledColumn]
    times: Sequence[TimeReading]
    names: dict[str, str]
    rows: Sequence[int | None]


def _time_notes(found: Sequence[TimeCandidate], times: Sequence[TimeReading], context: _SampleContext) -> Iterator[str]:
    """Yield notes on the time that is proposed first."""
    if not found or not times:
        return
    first = found[0]
    if first.asks:
        readings = " or ".join(
            f"{format_instant(each.means)} ({each.start.pattern})"
            for each in found
            if each.start.column == first.start.column and each.means is not None
        )
        yield (
            f"Day and month of {first.start.column!r} are ambiguous: {first.example!r} is {readings}. Choose one; "
            "until then no event time is set."
        )
    if first.lateness is not None and first.lateness.outlying:
        yield _outlier_note(first.start.column, first.lateness)
    shape = shape_of(times[0], times, context.columns)
    if (empty := empty_intervals(times[0], shape, times)) is not None:
        yield empty
    if (by := _substreams(times[0], shape, context)) is not None and not by.helps:
        yield by.words(times[0].column.column)


def _outlier_note(column: str, lateness: MeasuredLateness) -> str:
    shown = ", ".join(
        (f"row {each.row:,}: " if each.row is not None else "") + repr(each.value) for each in lateness.outliers
    )
    more = (
        f" and {lateness.outlying - len(lateness.outliers):,} more"
        if lateness.outlying > len(lateness.outliers)
        else ""
    )
    delay = next(each.delay for each in lateness.choices if each.proposed)
    return (
        f"Far from all others, perhaps from a wrong clock: {counted(lateness.outlying, 'time')} of {column!r} "
        f"({shown}{more}). Without, a delay of {delay} is proposed; with, it would be "
        f"{lateness.with_outliers}. Correct such rows before a start: a time too far ahead makes all later rows late."
    )


def _reserved_notes(names: Mapping[str, str]) -> Iterator[str]:
    for column, name in names.items():
        if is_reserved(column):
            yield f"The column {column!r} becomes the field {name!r}, because names that start with pane_ are reserved."


def _fields(columns: Sequence[SampledColumn], names: Mapping[str, str]) -> tuple[list[ProposedField], list[str]]:
    fields: list[ProposedField] = []
    notes: list[str] = []
    for column in columns:
        found = type_of(column)
        if found.text is None:
            notes.append(
                f"The column {column.path!r} is left out: its values do not have one type that a field can have."
            )
            continue
        if found.misfits:
            notes.append(
                f"{counted(found.misfits, 'value')} of {column.path!r} would not fit the type {found.text}: rows that "
                f"are malformed. {_REMEDY_OF_TEXT if _takes_all(column, found) else _REMEDY}"
            )
        known = column.present_values
        example = _text(known[0]) if known else None
        fields.append(
            ProposedField(
                name=names[column.path],
                column=column.path,
                type=found.text,
                example=example or "",
                misfits=found.misfits,
            )
        )
    return fields, notes


def _takes_all(column: SampledColumn, found: FoundType) -> bool:
    """Return true if the type string would hold all values: cells of text have no type of their own."""
    return column.texts and column.written is None and found.text != str(STRING)


def _candidate(start: TimeReading, context: _SampleContext) -> TimeCandidate:
    shape = shape_of(start, context.times, context.columns)
    good = np.flatnonzero(~start.bad)
    ticks = start.ticks[good]
    written = _written(start, context.every)
    shown = int(good[_telling(ticks)])
    by = _substreams(start, shape, context)
    over = by if by is not None and by.helps else None
    keys = None if over is None else [str(value) for value in over.column.values]
    of = LatenessInput(start, shape, _kinds(shape, context.columns), written, context.rows, keys)
    return TimeCandidate(
        start=start.column,
        reason=start.reason,
        readable=start.readable,
        first=int(ticks.min()),
        last=min(int(ticks.max()), INFINITY - 1),
        shape=shape.shape,
        shape_reason=shape.reason,
        end=shape.end_column,
        edge=shape.edge,
        lateness=measured_lateness(of),
        example=_text(written[shown]) or "",
        means=Tick(int(start.ticks[shown])),
        asks=start.asks,
        over=None if over is None else over.name,
        over_reason="" if over is None else over.words(start.column.column),
    )


def _substreams(start: TimeReading, shape: FoundShape, context: _SampleContext) -> FoundSubstreams | None:
    return substreams(start, context.columns, context.names) if shape.shape is not Shape.EDGE else None


def _telling(ticks: Int64s) -> int:
    """Return the index of the first time whose day and month differ, otherwise the first."""
    for at, tick in enumerate(ticks[:1_000].tolist()):
        day, month = format_instant(tick)[8:10], format_instant(tick)[5:7]
        if day != month:
            return at
    return 0


def _written(start: TimeReading, columns: Sequence[SampledColumn]) -> Sequence[Any]:
    """Return the values of a time as they are written, those of two columns joined."""
    values = next(each.values for each in columns if each.path == start.column.column)
    if start.column.time_column is None:
        return values
    clocks = next(each.values for each in columns if each.path == start.column.time_column)
    return [joined_text(*each) for each in zip(values, clocks, strict=True)]


def _known_candidate(lifetimes: RecordLifetimes) -> TimeCandidate:
    """Return the only candidate for an input that knows its times."""
    return TimeCandidate(
        start=lifetimes.times.start,
        reason=lifetimes.reason,
        readable=1.0,
        first=lifetimes.at,
        last=lifetimes.at,
        shape=lifetimes.shape,
        shape_reason=lifetimes.reason,
        end=lifetimes.times.end,
        edge=lifetimes.times.edge,
        lateness=None,
    )


def _kinds(shape: FoundShape, columns: Sequence[SampledColumn]) -> Sequence[Any] | None:
    return next((column.values for column in columns if column.path == shape.edge), None)


def _renamed(names: Mapping[str, str]) -> dict[str, Any]:
    """Return the option that maps fields to columns with different names."""
    renamed = {name: column for column, name in names.items() if name != column}
    return {"columns": renamed} if renamed else {}


def _read_words(sample: RecordSample, records: int) -> str:
    rows = counted(records, "row")
    places = [span.where for span in sample.spans if span.records]
    if sample.whole and sample.unreadable:
        return f"{records:,} of {counted(records + sample.unreadable, 'row')}: all that can be read"
    if sample.whole or not places:
        return f"{rows}, all that there are" if sample.whole else rows
    about = f" (of about {-sample.rows:,})" if sample.rows is not None and sample.rows < 0 else ""
    return f"{rows}{about}: {'; '.join(places)}"


def _notes(sample: RecordSample, columns: Sequence[SampledColumn], records: int) -> list[str]:
    notes = list(sample.notes)
    if not records:
        notes.append("No row could be read, so nothing is proposed. Check the first lines, or choose another input.")
    if sample.unreadable:
        notes.append(
            f"{counted(sample.unreadable, 'row')} of the sample could not be read (another number of cells, open "
            "quotes, no UTF-8 or no JSON object). In a run such rows are malformed and go to quarantine."
        )
    if len(columns) > MOST_COLUMNS:
        notes.append(
            f"There are {counted(len(columns), 'column')}; fields are proposed for the first "
            f"{MOST_COLUMNS:,}. Add others by hand where a query needs them."
        )
    return notes


def _cells_of(columns: Sequence[SampledColumn]) -> list[list[str | None]]:
    rows = min(SHOWN_ROWS, max((len(column.values) for column in columns), default=0))
    return [[_text(column.values[at]) for column in columns] for at in range(rows)]


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    text = "".join(each if each.isprintable() else " " for each in text[: SHOWN_CHARACTERS + 1])
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
