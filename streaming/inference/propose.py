"""A sample of records becomes a proposal: fields, times, shapes, lateness, each to be changed by a person."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from streaming.adapters.contract import RecordLifetimes, RecordSample
from streaming.definition.counts import counted
from streaming.definition.streams import TimeColumn
from streaming.definition.strict import Strict
from streaming.inference.columns import SampledColumn, columns_of, field_names, nested_columns
from streaming.inference.delays import MeasuredLateness, measured_lateness
from streaming.inference.event_shapes import FoundShape, edge_notes, shape_of
from streaming.inference.field_types import type_of
from streaming.inference.time_candidates import TimesFound, other_forms, time_columns
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY

MOST_CANDIDATES: Final = 3
MOST_COLUMNS: Final = 500
SHOWN_ROWS: Final = 20
SHOWN_CHARACTERS: Final = 80


class ProposedField(Strict):
    """A field: its name, the column that it comes from, its type. `misfits` counts values that the type does not hold.

    `example` is the first value as text, empty where there is none.
    """

    name: str
    column: str
    type: str
    example: str
    misfits: int


class TimeCandidate(Strict):
    """A column that could be the time of the events, with the reason; then what follows from taking it.

    `first` and `last` are ticks; `readable` is the share of rows with a time. `end` and `edge` as the shape needs them.
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


class StreamProposal(Strict):
    """What a stream over an input could be. `times` are ranked, empty where no column holds times.

    `options` are options of the adapter that fit the input better, names of columns among them. `read` says in words
    what was looked at. `columns` and `rows` are the first records as text, null where there is no value.
    """

    fields: list[ProposedField]
    times: list[TimeCandidate]
    options: dict[str, Any]
    read: str
    records: int
    notes: list[str]
    columns: list[str]
    rows: list[list[str | None]]


def propose(sample: RecordSample) -> StreamProposal:
    """Propose a stream for the input that `sample` is of; an empty one gives an empty proposal with a note."""
    columns = columns_of(sample)[:MOST_COLUMNS]
    names = field_names([column.path for column in columns])
    records = sum(len(span.records) for span in sample.spans)
    fields, left_out = _fields(columns, names)
    every = [each for column in columns for each in (column, *nested_columns(column))]
    times = time_columns(every) if records and sample.lifetimes is None else []
    known = [] if sample.lifetimes is None else [_known(sample.lifetimes)]
    return StreamProposal(
        fields=fields,
        times=[*known, *(_candidate(each, times, columns) for each in times[:MOST_CANDIDATES])],
        options={**sample.options, **_renamed(names)},
        read=_read_words(sample, records),
        records=records,
        notes=[*_notes(sample, columns, records), *left_out, *other_forms(columns), *edge_notes(columns)],
        columns=[column.path for column in columns],
        rows=_shown(columns),
    )


def _fields(columns: Sequence[SampledColumn], names: Mapping[str, str]) -> tuple[list[ProposedField], list[str]]:
    fields: list[ProposedField] = []
    notes: list[str] = []
    for column in columns:
        found = type_of(column)
        if found.text is None:
            notes.append(
                f"The column {column.path!r} is left out: its values are of no one type that a field can have."
            )
            continue
        if found.misfits:
            notes.append(
                f"{counted(found.misfits, 'value')} of {column.path!r} would not fit the type {found.text}: rows that "
                "are malformed. Choose string to take all."
            )
        known = column.known
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


def _candidate(start: TimesFound, times: Sequence[TimesFound], columns: Sequence[SampledColumn]) -> TimeCandidate:
    shape = shape_of(start, times, columns)
    good = start.ticks[~start.bad]
    return TimeCandidate(
        start=start.column,
        reason=start.reason,
        readable=start.readable,
        first=int(good.min()),
        last=min(int(good.max()), INFINITY - 1),
        shape=shape.shape,
        shape_reason=shape.reason,
        end=shape.end_column,
        edge=shape.edge,
        lateness=measured_lateness(start, shape, _kinds(shape, columns)),
    )


def _known(lifetimes: RecordLifetimes) -> TimeCandidate:
    """The one way to read an input that knows its times."""
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
    """The option that says which column holds a field, where their names differ."""
    renamed = {name: column for column, name in names.items() if name != column}
    return {"columns": renamed} if renamed else {}


def _read_words(sample: RecordSample, records: int) -> str:
    rows = counted(records, "row")
    places = [span.where for span in sample.spans if span.records]
    if sample.whole or not places:
        return f"{rows}, all that there are" if sample.whole else rows
    return f"{rows}: {'; '.join(places)}"


def _notes(sample: RecordSample, columns: Sequence[SampledColumn], records: int) -> list[str]:
    notes = list(sample.notes)
    if not records:
        notes.append("No row could be read, so nothing is proposed. Look at the first lines, or choose another input.")
    if sample.unreadable:
        notes.append(
            f"{counted(sample.unreadable, 'row')} of the sample could not be read (another number of cells, open "
            "quotes, no UTF-8 or no JSON object). In a run such rows are malformed and go to quarantine."
        )
    if sample.texts and records and _looks_like_values([column.path for column in columns]):
        notes.append(
            "The first line looks like values and not like names. Put a line with the names of the columns at the top "
            "of the file, else the first row is missing and the fields are called by its values."
        )
    return notes


def _looks_like_values(names: Sequence[str]) -> bool:
    cells = [name for name in names if name]
    return bool(cells) and sum(name[:1].isdigit() or name[:1] == "-" for name in cells) * 2 >= len(cells)


def _shown(columns: Sequence[SampledColumn]) -> list[list[str | None]]:
    rows = min(SHOWN_ROWS, max((len(column.values) for column in columns), default=0))
    return [[_text(column.values[at]) for column in columns] for at in range(rows)]


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    text = "".join(each if each.isprintable() else " " for each in text[: SHOWN_CHARACTERS + 1])
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
