"""The settings of a text outside the graph: ADVANCE TIME and EVENTTIME BY, by the id of the input."""

from dataclasses import dataclass, field

from pydantic import ValidationError

from streaming.definition.faults import Fault, FaultCode, nearest
from streaming.definition.load import shape_faults
from streaming.definition.sql.building.resolve import ResolvedNodes
from streaming.definition.sql.places import TextPlace
from streaming.definition.sql.problems import span
from streaming.definition.sql.reading.reader import Reader
from streaming.definition.sql.reading.slices import cut
from streaming.definition.sql.reading.tree import AdvanceSyntax, EventTimeSyntax, StatementSyntax
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy


@dataclass
class TextSettings:
    """The readable settings, their places by input, and the shape errors of the others."""

    advance: dict[str, AdvanceTimeSettings] = field(default_factory=dict)
    event_times: dict[str, EventTimeBy] = field(default_factory=dict)
    places: dict[str, dict[str, TextPlace]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_settings(reader: Reader, sentences: list[StatementSyntax], resolved: ResolvedNodes) -> TextSettings:
    """Return the settings of all inputs; the reader records problems."""
    settings = TextSettings()
    seen: set[str] = set()
    for sentence in sentences:
        if sentence.advance is None or sentence.advance.input is None:
            continue
        named = _input(reader, sentence.advance, resolved)
        if named is None:
            continue
        if named in seen:
            message = f"The input {named!r} has ADVANCE TIME twice."
            reader.problem(sentence.advance.input.extent, message, "Leave one of the statements out.")
            continue
        seen.add(named)
        _read_advance(reader, sentence.advance, named, settings)
    for name, event_time in resolved.timed:
        _read_event_time(reader, name, event_time, resolved, settings)
    return settings


def _input(reader: Reader, advance: AdvanceSyntax, resolved: ResolvedNodes) -> str | None:
    """Return the id of the input that a statement names; None, and a recorded problem, if it doesn't exist."""
    assert advance.input is not None  # nosec B101 # for the type checker only
    name = advance.input.value
    input_id = resolved.input_of(name)
    if input_id is not None:
        return input_id
    readers = [each for each, stream in resolved.inputs if stream == name]
    if readers:
        message = f"Several inputs read the stream {name!r}: {', '.join(readers)}."
        remedy = "Write the id of one of them."
    else:
        message = f"There is no input {name!r} in this text."
        known = dict.fromkeys(text for pair in resolved.inputs for text in pair)
        remedy = nearest(name, known, "Write the name of a stream after FROM, or of an input.")
    reader.problem(advance.input.extent, message, remedy, FaultCode.UNKNOWN_INPUT)
    return None


def _read_advance(reader: Reader, advance: AdvanceSyntax, name: str, settings: TextSettings) -> None:
    places = settings.places.setdefault(name, {})
    places["advance"] = TextPlace(span(advance.extent))
    for path, extent in advance.fields.places.items():
        places[f"advance.{path}"] = TextPlace(span(extent))
    raw = dict(advance.fields.values)
    if advance.over is not None:
        text = cut(reader, advance.over)
        raw["over"] = text.text
        places["advance.over"] = text.place
    try:
        settings.advance[name] = AdvanceTimeSettings.model_validate(raw)
    except ValidationError as wrong:
        for fault in shape_faults(wrong, raw):
            path = f"advance.{fault.field}" if fault.field else "advance"
            settings.faults.append(fault.model_copy(update={"node": name, "field": path}))


def _read_event_time(
    reader: Reader, name: str, event_time: EventTimeSyntax, resolved: ResolvedNodes, settings: TextSettings
) -> None:
    if not any(name == each for each, _ in resolved.inputs):
        message = f"EVENTTIME BY follows {name!r}, which isn't a stream: its events already have their time."
        reader.problem(event_time.extent, message, "Write it after the stream, where the query reads it.")
        return
    if event_time.values is None:
        return
    try:
        by = EventTimeBy.model_validate(event_time.values)
    except ValidationError as wrong:
        for fault in shape_faults(wrong, event_time.values):
            settings.faults.append(fault.model_copy(update={"node": name, "field": f"event_time.{fault.field}"}))
        return
    if settings.event_times.setdefault(name, by) != by:
        message = f"The input {name!r} has two different EVENTTIME BY clauses."
        reader.problem(event_time.extent, message, "Leave one of them out, or give one of the sources an alias.")
        return
    places = settings.places.setdefault(name, {})
    for path, extent in event_time.places.items():
        places.setdefault(path, TextPlace(span(extent)))
