"""EVENTTIME BY: the path to a row's start, and streams that take their start from there (T17).

A path is a column's name, or steps with dots between them: `a.b`, `_value.a.b` (the same), `_key.a.b`,
`_meta.partition`. A step in backticks is a name, whatever characters it contains. A column whose name is the whole
path takes precedence over the field that the steps lead to.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.payload.type_text import TypeTextError, parse_fields
from streaming.definition.payload.types import Array, Boolean, DecimalOf, Double, Long, Struct, Type
from streaming.definition.streams.stream import EventTime, EventTimeBy, Rowtime, StreamDefinition, TimeColumn
from streaming.temporal.events import Shape

Facet = Literal["key", "value", "meta"]
_FACETS: Final[Mapping[str, Facet]] = {"_key": "key", "_value": "value", "_meta": "meta"}
FACET_WORDS: Final[Mapping[Facet, str]] = {facet: word for word, facet in _FACETS.items()}
_STEP: Final = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


@dataclass(frozen=True, slots=True)
class EventPath:
    """A path to a time: `steps` inside the `facet` of a row. Without steps, only a column named `text` can hold it.

    The facets "value" and None both mean the payload; None is for a path that names no facet.
    """

    text: str
    facet: Facet | None
    steps: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a column that would hold the time as a whole, best first."""
        plain = self.facet == "value" or (self.facet is None and len(self.steps) == 1)
        return tuple(dict.fromkeys((self.text, ".".join(self.steps)))) if plain and self.steps else (self.text,)

    @property
    def in_payload(self) -> bool:
        """Return whether the path leads into the payload."""
        return self.facet in (None, "value")


@lru_cache(maxsize=256)
def event_path(text: str) -> EventPath:
    """Read a path; text that isn't a path is the name of a column. Never raises."""
    steps: list[str] = []
    quoted: list[bool] = []
    at = 0
    while found := _STEP.match(text, at):
        steps.append(found[1].replace("``", "`") if found[1] else found[2])
        quoted.append(found[1] is not None)
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    if not steps or at != len(text) or text.endswith("."):
        return EventPath(text, None, ())
    facet = None if quoted[0] else _FACETS.get(steps[0])
    return EventPath(text, facet, tuple(steps if facet is None else steps[1:]))


def value_at(row: Mapping[str, Any], path: EventPath) -> Any:
    """Return the value at `path` of a row without facets, or None. Its columns `key` and `meta` are facets.

    Columns that are themselves named `_key` or `_value` take precedence.
    """
    for name in path.names:
        if name in row:
            return row[name]
    if path.facet is None:
        return _inside(row, path.steps) if path.steps else None
    if (word := FACET_WORDS[path.facet]) in row:
        return _inside(row[word], path.steps)
    return _inside(row if path.facet == "value" else row.get(path.facet), path.steps)


def value_in_facets(row: Mapping[str, Any], path: EventPath) -> Any:
    """Return the value at `path` of a transcript row, which has `key`, `payload` and `meta`; None without a value."""
    if not path.in_payload:
        return _inside(row.get(path.facet or ""), path.steps)
    payload = row.get("payload")
    return value_at(payload, path) if isinstance(payload, Mapping) else None


def _inside(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if not isinstance(value, Mapping):
            return None
        value = value.get(step)
    return value


def with_event_times(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], event_times: Mapping[str, EventTimeBy]
) -> dict[str, StreamDefinition]:
    """Return the stream of each input node, by node id, with its start taken from the path in `event_times`.

    The columns for the end of an interval and the kind of an edge come from the stream. Without them, they are `end`,
    in the format of the start, and `edge`. A stream that takes its times from arrivals then takes them
    from the rows. Inputs without an entry in `event_times` are unchanged, inputs of unknown streams are left out;
    `check_event_times` reports wrong names and paths.
    """
    starting = {}
    for node in graph.nodes:
        if isinstance(node, InputNode) and node.stream in streams:
            by = event_times.get(node.id)
            starting[node.id] = streams[node.stream] if by is None else _starting_at(streams[node.stream], by)
    return starting


def _starting_at(stream: StreamDefinition, by: EventTimeBy) -> StreamDefinition:
    times = stream.event_time
    end, edge = (times.end, times.edge) if times else (None, None)
    if stream.shape.lasts:
        end = end or TimeColumn(column="end", unit=by.unit, zone=by.zone, pattern=by.pattern)
    if stream.shape is Shape.EDGE:
        edge = edge or "edge"
    start = TimeColumn(column=by.path, unit=by.unit, zone=by.zone, pattern=by.pattern)
    event_time = EventTime(start=start, end=end, edge=edge)
    return stream.model_copy(update={"event_time": event_time, "rowtime": Rowtime.EXPLICIT})


def check_event_times(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], event_times: Mapping[str, EventTimeBy]
) -> tuple[Fault, ...]:
    """Return all faults of `event_times` (by input node id); never raises. Fields are `event_time.<key>`."""
    inputs = {node.id: node.stream for node in graph.nodes if isinstance(node, InputNode)}
    faults: list[Fault] = []
    for name, by in event_times.items():
        if name not in inputs:
            remedy = nearest(name, inputs, "Name an input of the query.")
            message = f"EVENTTIME BY is set for {name!r}, which is not an input of the query."
            faults.append(error(FaultCode.UNKNOWN_INPUT, message, remedy, node=name, field="event_time"))
            continue
        faults += _check_zone(name, by)
        faults += _check_path(name, by, streams.get(inputs[name]))
    return tuple(faults)


def _check_zone(node: str, by: EventTimeBy) -> Iterator[Fault]:
    try:
        ZoneInfo(by.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"{by.zone!r} is not a time zone."
        remedy = "Write an IANA name such as UTC or Europe/Zurich."
        yield error(FaultCode.BAD_SHAPE, message, remedy, node=node, field="event_time.zone")


def _check_path(node: str, by: EventTimeBy, stream: StreamDefinition | None) -> Iterator[Fault]:
    path = event_path(by.path)
    if not by.path.strip() or (path.facet in ("value", "meta") and not path.steps):
        message = f"EVENTTIME BY needs a field, and {by.path!r} is not one."
        remedy = "Write a field or a path to one, such as started_at, _value.details.started_at or _key.started_at."
        yield error(FaultCode.BAD_SHAPE, message, remedy, node=node, field="event_time.path")
        return
    of = None if stream is None else _type_at(stream, path)
    if isinstance(of, Boolean | Array | Struct):
        message = f"EVENTTIME BY {by.path}: this field is of type {of}, which cannot be a time."
        remedy = "Name a field of type timestamp, text or number."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, node=node, field="event_time.path")
    elif isinstance(of, Long | Double | DecimalOf) and by.unit == "iso":
        message = f"EVENTTIME BY {by.path}: this field is of type {of}, but a time without UNIT must be text."
        remedy = f"Write EVENTTIME BY {by.path} UNIT s (or ms, us, ns), the unit in which its numbers count from 1970."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, node=node, field="event_time.path")


def _type_at(stream: StreamDefinition, path: EventPath) -> Type | None:
    """Return the type of the stream's field at `path`; None if the stream lists no such field, which is allowed."""
    try:
        fields: Mapping[str, Type] = parse_fields(stream.fields)
    except TypeTextError:
        return None
    if not path.in_payload or not path.steps:
        return None
    of: Type | None = None
    for step in path.steps:
        of = fields.get(step)
        fields = dict(of.fields) if isinstance(of, Struct) else {}
    return of
