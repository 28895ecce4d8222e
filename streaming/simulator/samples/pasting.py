"""Pasted CSV and JSON lines as rows of a sample; the meaning of each column is guessed and can be set."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from pydantic import ValidationError

from streaming.adapters.times.columns import TimeSource, Unit, joined_text, read_time
from streaming.definition.payload.reading import BadPayload, WrittenNumber, read_object, read_payload
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import (
    Array,
    Boolean,
    DecimalOf,
    Double,
    Fields,
    Long,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.definition.streams.stream import StreamDefinition, TimeUnit
from streaming.definition.streams.time_columns import TIME_NAMES, plain_name, unit_of
from streaming.definition.strict import Strict
from streaming.simulator.samples.capturing import RowNote, TakenRow
from streaming.temporal.events import Shape
from streaming.transcripts.format import TranscriptRow

OTHERS: Final[Mapping[str, Sequence[str]]] = {"edge": ("edge",), "lane": ("lane", "partition")}
_MOST_LOOKED_AT: Final = 50
_DELIMITERS: Final = (",", ";", "\t", "|")
_NUMBER: Final = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+)?")
"""A number in a cell: sign, whole digits, fraction, exponent."""


class ColumnRead(Strict):
    """A pasted column; `target`: `start`, `end`, `arrival`, `edge`, `lane`, a field, or null for nothing.

    Only times have a `unit`. `guessed` is false if the caller set the column.
    """

    column: str
    target: str | None
    unit: TimeUnit | None
    guessed: bool


class PastedSample(Strict):
    """Rows for a sample in the form of transcripts, the columns they came from, and notes."""

    rows: list[TakenRow]
    columns: list[ColumnRead]
    notes: list[RowNote]


@dataclass(frozen=True)
class PastedLine:
    """One record: its text and its values by column; None with the reason if it cannot be read."""

    number: int
    text: str
    values: Mapping[str, Any] | None
    why: str = ""


@dataclass(frozen=True)
class _Reading:
    """The form of a stream's records: the column of each target, and the form of the times."""

    name: str
    stream: StreamDefinition
    fields: Fields
    columns: Mapping[str, str]
    times: Mapping[str, TimeSource] = field(default_factory=dict)


def read_pasted(
    text: str, name: str, stream: StreamDefinition, chosen: Mapping[str, str], unit: TimeUnit | None, most: int
) -> PastedSample:
    """Return the records of `text` as rows of the stream `name`, at most `most`; a note says how many there are.

    `chosen` names the columns of targets (`start`, `end`, `arrival`, `edge`, `lane`, or a field), `unit` is that of all
    times; the rest is guessed. A record that cannot be read becomes a bad row, and a note says why.
    """
    lines = list(_json_lines(text) if text.lstrip().startswith("{") else _csv_records(text))
    rows: list[TakenRow] = []
    notes: list[RowNote] = []
    known = [line.values for line in lines if line.values is not None and not _is_transcript(line.values)]
    reading, columns = _guess_columns(name, stream, known[:_MOST_LOOKED_AT], chosen, unit)
    for line in lines[:most]:
        row, why = _row(line, reading)
        if why:
            notes.append(RowNote(row=len(rows) + 1, message=why))
        rows.append(row)
    if known and "start" not in reading.columns and stream.event_time is None:
        message = "No column holds the start of the events. Choose one."
        notes.insert(0, RowNote(row=None, message=message))
    if len(lines) > most:
        message = f"Only the first {most:,} of {len(lines):,} records were taken."
        notes.append(RowNote(row=None, message=message))
    return PastedSample(rows=rows, columns=columns, notes=notes)


def _json_lines(text: str) -> Iterator[PastedLine]:
    for number, ended in enumerate(io.StringIO(text, newline=None), start=1):
        line = ended.rstrip("\n")
        if not line.strip():
            continue
        value = read_object(line)
        why = "" if value is not None else f"Line {number} is not a JSON object."
        yield PastedLine(number, line, value, why)


def _csv_records(text: str) -> Iterator[PastedLine]:
    """Yield the records after the header line; a line break inside quotes does not end a record."""
    first = text.lstrip("\ufeff\n\r").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    lines = csv.reader(io.StringIO(text.lstrip("\ufeff\n\r")), delimiter=delimiter)
    header: list[str] = []
    try:
        for cells in lines:
            if not header:
                header = [cell.strip() for cell in cells]
            elif cells:
                yield _record(lines.line_num, delimiter.join(cells), header, cells)
    except csv.Error as error:
        yield PastedLine(lines.line_num, "", None, f"Line {lines.line_num} cannot be read as CSV: {error}.")


def _record(number: int, text: str, header: Sequence[str], cells: Sequence[str]) -> PastedLine:
    if len(cells) != len(header):
        why = f"Line {number} has {len(cells)} cells, but the header has {len(header)}."
        return PastedLine(number, text, None, why)
    values = {name: cell.strip() or None for name, cell in zip(header, cells, strict=True)}
    return PastedLine(number, text, values)


def _is_transcript(values: Mapping[str, Any]) -> bool:
    """Return true if the record has the form of a transcript row, with a separate payload."""
    return isinstance(values.get("payload"), dict) or not values.keys().isdisjoint(("cti", "bad", "heartbeat"))


def _guess_columns(
    name: str,
    stream: StreamDefinition,
    records: Sequence[Mapping[str, Any]],
    chosen: Mapping[str, str],
    unit: TimeUnit | None,
) -> tuple[_Reading, list[ColumnRead]]:
    columns = list(dict.fromkeys(column for record in records for column in record))
    found = {target: column for target, column in chosen.items() if column in columns}
    names = {plain_name(column): column for column in reversed(columns)}
    if stream.event_time is not None and "start" not in found and stream.event_time.start.column in columns:
        found["start"] = stream.event_time.start.column
    for target in stream.fields:
        if target not in found and plain_name(target) in names:
            found[target] = names[plain_name(target)]
    for target, words in {**TIME_NAMES, **OTHERS}.items():
        free = [names[word] for word in map(plain_name, words) if word in names and names[word] not in found.values()]
        if target not in found and free and (target != "edge" or stream.shape is Shape.EDGE):
            found[target] = free[0]
    sources = {
        target: _time_source(target, found[target], stream, unit, [record.get(found[target]) for record in records])
        for target in TIME_NAMES
        if target in found
    }
    units: dict[str, TimeUnit] = {each: source.unit for each, source in sources.items() if source.unit != "auto"}
    targets = {column: target for target, column in found.items()}
    shown = [
        ColumnRead(
            column=column,
            target=targets.get(column),
            unit=units.get(targets.get(column, "")),
            guessed=column not in chosen.values(),
        )
        for column in columns
    ]
    return _Reading(name, stream, parse_fields(stream.fields), found, sources), shown


def _time_source(
    target: str, column: str, stream: StreamDefinition, unit: TimeUnit | None, values: Sequence[Any]
) -> TimeSource:
    """Return the form of a time: the stream's own, the chosen unit, or a guess if the stream's own reads no value."""
    time = stream.event_time
    own = None if time is None else time.start if target == "start" else time.end if target == "end" else None
    if own is None or own.column != column:
        return TimeSource(target, unit or _unit(values))
    source = TimeSource.of(own)
    if unit in (None, own.unit):
        by_form = unit is not None or own.unit in ("pattern", "excel")
        if by_form or any(read_time(_time_value(value, own.unit), source) is not None for value in values):
            return source
    return TimeSource(target, unit or _unit(values), own.zone)


def _unit(values: Sequence[Any]) -> TimeUnit:
    """Return the unit of times: ISO text if most are not numbers, otherwise by the size of the largest."""
    numbers = [_number(value) for value in values if value is not None]
    known = [abs(number) for number in numbers if number is not None]
    if not known or 2 * len(known) < len(numbers):
        return "iso"
    return unit_of(max(known))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value) is None:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _row(line: PastedLine, reading: _Reading) -> tuple[TakenRow, str]:
    """Return the row of a record, and why it is bad."""
    if line.values is None:
        return {"stream": reading.name, "bad": line.text}, line.why
    if _is_transcript(line.values):
        return _transcript_row(line.values, line, reading)
    row: TakenRow = {"stream": reading.name}
    for target, source in reading.times.items():
        value = line.values.get(reading.columns[target])
        if source.time_column is not None:
            value = joined_text(value, line.values.get(source.time_column))
        tick = read_time(_time_value(value, source.unit), source)
        if tick is not None:
            row[target] = tick
        elif value is not None and target != "arrival":
            form = source.pattern or source.unit
            why = f"Line {line.number}: {value!r} in {reading.columns[target]!r} is not a time ({form})."
            return {"stream": reading.name, "bad": line.text}, why
    for target in ("edge", "lane"):
        if target in reading.columns and (value := line.values.get(reading.columns[target])) is not None:
            row[target] = str(value)
    payload = {
        name: _value(line.values.get(reading.columns[name]), of)
        for name, of in reading.fields.items()
        if name in reading.columns
    }
    wrong = read_payload(payload, reading.fields)
    if isinstance(wrong, BadPayload):
        why = f"Line {line.number}: {wrong.field or 'the payload'}: {wrong.message}."
        return {"stream": reading.name, "bad": line.text}, why
    return {**row, "payload": payload}, ""


def _transcript_row(values: Mapping[str, Any], line: PastedLine, reading: _Reading) -> tuple[TakenRow, str]:
    row = {"stream": reading.name, **_exact(values, None)}
    if isinstance(payload := values.get("payload"), dict):
        row["payload"] = {name: _exact(value, reading.fields.get(name)) for name, value in payload.items()}
    try:
        TranscriptRow.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return {"stream": reading.name, "bad": line.text}, f"Line {line.number}: {place}: {first['msg']}."
    return row, ""


def _time_value(value: Any, unit: Unit) -> Any:
    """Convert a numeric cell to a number if times are numbers."""
    if not isinstance(value, str) or unit in ("iso", "pattern"):
        return value
    number = _number(value)
    return value if number is None else int(value) if re.fullmatch(r"[+-]?\d{1,19}", value) else number


def _value(value: Any, of: Type) -> Any:
    """Convert the text of a cell to the type. Other text stays as it is and is refused later."""
    if not isinstance(value, str) or isinstance(of, String | Timestamp):
        return _exact(value, of)
    if isinstance(of, Long | Double | DecimalOf):
        if re.fullmatch(r"[+-]?[0-9]{1,19}", value):
            return int(value)
        number = _NUMBER.fullmatch(value)
        return value if number is None else _exact(WrittenNumber(_in_json(number)), of)
    if isinstance(of, Boolean):
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        return _exact(json.loads(value, parse_float=WrittenNumber), of)
    except (ValueError, RecursionError):
        return value


def _in_json(number: re.Match[str]) -> str:
    """Return a number in JSON's syntax: no plus sign, no zeros before the digits, digits on both sides of the point."""
    sign, whole, fraction, exponent = (part or "" for part in number.groups())
    return f"{sign.strip('+')}{whole.lstrip('0') or '0'}.{fraction or '0'}{exponent}"


def _exact(value: Any, of: Type | None) -> Any:
    """Return a JSON value with all digits of its decimals, which are texts where a float has too few.

    `of` is None if the type is unknown.
    """
    if isinstance(value, WrittenNumber):
        return value.written if isinstance(of, DecimalOf) and not _is_exact(value) else float(value)
    if isinstance(value, list):
        return [_exact(each, of.element if isinstance(of, Array) else None) for each in value]
    if isinstance(value, dict):
        types = dict(of.fields) if isinstance(of, Struct) else {}
        return {name: _exact(each, types.get(name)) for name, each in value.items()}
    return value


def _is_exact(number: WrittenNumber) -> bool:
    try:
        return Decimal(float.__repr__(number)) == Decimal(number.written)
    except InvalidOperation:  # an exponent that no decimal has
        return False
