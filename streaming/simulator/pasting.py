"""CSV and JSON lines that somebody pasted, as rows of a sample: which column is what is guessed, and can be said."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from streaming.adapters.times import TimeSource, read_time
from streaming.definition.payload import BadPayload, read_payload
from streaming.definition.streams import StreamDefinition, TimeUnit
from streaming.definition.strict import Strict
from streaming.definition.time_columns import TIME_NAMES, plain_name, unit_of
from streaming.definition.type_text import parse_fields
from streaming.definition.types import Boolean, DecimalOf, Double, Fields, Long, String, Timestamp, Type
from streaming.simulator.capturing import RowNote, TakenRow
from streaming.temporal.events import Shape
from streaming.transcripts.format import TranscriptRow

OTHERS: Final[Mapping[str, Sequence[str]]] = {"edge": ("edge",), "lane": ("lane", "partition")}
_MOST_LOOKED_AT: Final = 50
_DELIMITERS: Final = (",", ";", "\t", "|")


class ColumnRead(Strict):
    """A column of what was pasted; `target`: `start`, `end`, `arrival`, `edge`, `lane`, a field, or null for nothing.

    `unit` stands at times. `guessed` is false where it was said.
    """

    column: str
    target: str | None
    unit: TimeUnit | None
    guessed: bool


class PastedSample(Strict):
    """Rows for a sample, as they stand in transcripts, the columns they came from, and what is to be known of them."""

    rows: list[TakenRow]
    columns: list[ColumnRead]
    notes: list[RowNote]


@dataclass(frozen=True)
class PastedLine:
    """One record: its text, and its values by column; None with the reason where it cannot be read."""

    number: int
    text: str
    values: Mapping[str, Any] | None
    why: str = ""


@dataclass(frozen=True)
class _Reading:
    """How records of a stream are read: the column of each target, the units of times."""

    name: str
    stream: StreamDefinition
    fields: Fields
    columns: Mapping[str, str]
    units: Mapping[str, TimeUnit] = field(default_factory=dict)


def read_pasted(
    text: str, name: str, stream: StreamDefinition, said: Mapping[str, str], unit: TimeUnit | None, most: int
) -> PastedSample:
    """The records of `text` as rows of the stream `name`, at most `most`; a note says how many more there are.

    `said` names the columns of targets (`start`, `end`, `arrival`, `edge`, `lane`, or a field), `unit` is that of all
    times; the rest is guessed. A record that cannot be read becomes a bad row, and a note says why.
    """
    lines = list(_json_lines(text) if text.lstrip().startswith("{") else _csv_records(text))
    rows: list[TakenRow] = []
    notes: list[RowNote] = []
    known = [line.values for line in lines if line.values is not None and not _is_transcript(line.values)]
    reading, columns = _guessed(name, stream, known[:_MOST_LOOKED_AT], said, unit)
    for line in lines[:most]:
        row, why = _row(line, reading)
        if why:
            notes.append(RowNote(row=len(rows) + 1, message=why))
        rows.append(row)
    if known and "start" not in reading.columns and stream.event_time is None:
        message = "No column is known to hold the start of the events; say which one it is."
        notes.insert(0, RowNote(row=None, message=message))
    if len(lines) > most:
        message = f"Only the first {most:,} of {len(lines):,} records were taken."
        notes.append(RowNote(row=None, message=message))
    return PastedSample(rows=rows, columns=columns, notes=notes)


def _json_lines(text: str) -> Iterator[PastedLine]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield PastedLine(number, line, value)
        else:
            yield PastedLine(number, line, None, f"Line {number} is no JSON object.")


def _csv_records(text: str) -> Iterator[PastedLine]:
    """The records under the header line; a record ends where its quotes are closed."""
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
        why = f"Line {number} has {len(cells)} cells, and the header {len(header)}."
        return PastedLine(number, text, None, why)
    values = {name: cell.strip() or None for name, cell in zip(header, cells, strict=True)}
    return PastedLine(number, text, values)


def _is_transcript(values: Mapping[str, Any]) -> bool:
    """Whether it stands as rows do in transcripts, with the payload apart."""
    return isinstance(values.get("payload"), dict) or not values.keys().isdisjoint(("cti", "bad", "heartbeat"))


def _guessed(
    name: str,
    stream: StreamDefinition,
    records: Sequence[Mapping[str, Any]],
    said: Mapping[str, str],
    unit: TimeUnit | None,
) -> tuple[_Reading, list[ColumnRead]]:
    columns = list(dict.fromkeys(column for record in records for column in record))
    found = {target: column for target, column in said.items() if column in columns}
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
    timed = [each for each in TIME_NAMES if each in found]
    units = {each: unit or _unit([record.get(found[each]) for record in records]) for each in timed}
    targets = {column: target for target, column in found.items()}
    shown = [
        ColumnRead(
            column=column,
            target=targets.get(column),
            unit=units.get(targets.get(column, "")),
            guessed=column not in said.values(),
        )
        for column in columns
    ]
    return _Reading(name, stream, parse_fields(stream.fields), found, units), shown


def _unit(values: Sequence[Any]) -> TimeUnit:
    """The unit of times: ISO text where most are no numbers, else by the size of the largest."""
    numbers = [_number(value) for value in values if value is not None]
    known = [abs(number) for number in numbers if number is not None]
    if not known or 2 * len(known) < len(numbers):
        return "iso"
    return unit_of(max(known))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _row(line: PastedLine, reading: _Reading) -> tuple[TakenRow, str]:
    """The row of a record, and why it is bad."""
    if line.values is None:
        return {"stream": reading.name, "bad": line.text}, line.why
    if _is_transcript(line.values):
        return _transcript_row(line, reading.name)
    said: TakenRow = {"stream": reading.name}
    for target, unit in reading.units.items():
        value = line.values.get(reading.columns[target])
        tick = read_time(_time_value(value, unit), TimeSource(target, unit))
        if tick is not None:
            said[target] = tick
        elif value is not None and target != "arrival":
            why = f"Line {line.number}: {value!r} in {reading.columns[target]!r} is no time ({unit})."
            return {"stream": reading.name, "bad": line.text}, why
    for target in ("edge", "lane"):
        if target in reading.columns and (value := line.values.get(reading.columns[target])) is not None:
            said[target] = str(value)
    payload = {
        name: _value(line.values.get(reading.columns[name]), of)
        for name, of in reading.fields.items()
        if name in reading.columns
    }
    wrong = read_payload(payload, reading.fields)
    if isinstance(wrong, BadPayload):
        why = f"Line {line.number}: {wrong.field or 'the payload'}: {wrong.message}."
        return {"stream": reading.name, "bad": line.text}, why
    return {**said, "payload": payload}, ""


def _transcript_row(line: PastedLine, name: str) -> tuple[TakenRow, str]:
    said = {"stream": name, **(line.values or {})}
    try:
        TranscriptRow.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return {"stream": name, "bad": line.text}, f"Line {line.number}: {place}: {first['msg']}."
    return said, ""


def _time_value(value: Any, unit: TimeUnit) -> Any:
    """Cells are text: a number in one is that number, where times are numbers."""
    if not isinstance(value, str) or unit == "iso":
        return value
    number = _number(value)
    return value if number is None else int(value) if re.fullmatch(r"[+-]?\d{1,19}", value) else number


def _value(value: Any, of: Type) -> Any:
    """The text of a cell as a value of the type; what is no such text stays as it is, and is refused for it."""
    if not isinstance(value, str) or isinstance(of, String | Timestamp):
        return value
    if isinstance(of, Long | Double | DecimalOf):
        number = int(value) if re.fullmatch(r"[+-]?\d{1,19}", value) else _number(value)
        return value if number is None else number
    if isinstance(of, Boolean):
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
