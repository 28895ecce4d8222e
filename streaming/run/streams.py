"""The files of `--streams` (definitions as in transcripts, with the columns of CSV and Parquet) and `--advance`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from streaming.adapters.file.options import Delimiter, Format
from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, Dialect
from streaming.definition.checks.advance import import_source
from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.shape_errors import ShapeError, shape_errors
from streaming.definition.streams.stream import (
    AdvanceTimeSettings,
    EventTime,
    GenerateSettings,
    StreamDefinition,
    TimeColumn,
    TimeUnit,
)
from streaming.definition.strict import Strict
from streaming.run.errors import UsageError
from streaming.run.query import read_yaml
from streaming.temporal.events import Shape

Unit = Literal["s", "ms", "us", "ns"]
_TIMES = ("start", "end")
_GENERATED: Final = ", ".join(GenerateSettings.model_fields)


class _StreamsBeside(Strict):
    """Additional keys of a stream's definition: the columns of its file, and the unit of numeric times.

    `format`, `delimiter` and `dialect` are the options of the file adapter.
    """

    columns: dict[str, str] = Field(default_factory=dict)
    unit: Unit | None = None
    format: Format = "auto"
    delimiter: Delimiter = ","
    dialect: Dialect = PLAIN_DIALECT

    @property
    def reading(self) -> dict[str, Any]:
        """Return the options of the file adapter that are set."""
        names = self.model_fields_set & {"format", "delimiter", "dialect"}
        return {name: getattr(self, name) for name in sorted(names)}


@dataclass(frozen=True)
class StreamSpec:
    """A stream of a run: its definition, and from a field (or start, end, edge) to its column.

    `reading` are options of the file adapter for the form of its text.
    """

    definition: StreamDefinition
    columns: Mapping[str, str] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StreamsRead:
    """The streams of a file by name, and the errors of unreadable ones."""

    streams: Mapping[str, StreamSpec]
    faults: tuple[Fault, ...]


def load_streams(path: Path | None) -> StreamsRead:
    """Read `--streams`. Raises `Unreadable`, and `UsageError` for a file that is not a list of streams."""
    if path is None:
        return StreamsRead({}, ())
    raw = read_yaml(path)
    if isinstance(raw, dict) and list(raw) == ["streams"]:
        raw = raw["streams"]
    if not isinstance(raw, dict) or not all(isinstance(each, dict) for each in raw.values()):
        raise UsageError(f"{path}: write each stream under its name, as under `streams:` in a transcript.")
    streams: dict[str, StreamSpec] = {}
    faults: list[Fault] = []
    for name, each in raw.items():
        try:
            streams[str(name)] = _stream(str(name), each)
        except ValidationError as wrong:
            faults += [_fault(f"streams.{name}", item) for item in shape_errors(wrong, each)]
        except ValueError as wrong:
            remedy = "Take one of them out."
            faults.append(error(FaultCode.CONFLICTING_ARGUMENTS, str(wrong), remedy, field=f"streams.{name}"))
    return StreamsRead(streams, tuple(faults))


def _stream(name: str, raw: Mapping[str, Any]) -> StreamSpec:
    beside = _StreamsBeside.model_validate({key: raw[key] for key in _StreamsBeside.model_fields if key in raw})
    definition = StreamDefinition.model_validate(
        {key: raw[key] for key in raw if key not in _StreamsBeside.model_fields}
    )
    known = {*definition.fields, *_TIMES, "edge"}
    for column in beside.columns:
        if column not in known:
            near = nearest(column, known, "No field has this name.")
            raise ValueError(
                f"Stream {name!r}: 'columns' names {column!r}, which is neither a field nor a time. {near}"
            )
    if beside.unit is None:
        return StreamSpec(definition, beside.columns, beside.reading)
    if definition.event_time is not None:
        raise ValueError(f"Stream {name!r} has both 'unit' and 'event_time', which has its own units.")
    return StreamSpec(_counted(definition, beside.columns, beside.unit), beside.columns, beside.reading)


def _counted(stream: StreamDefinition, columns: Mapping[str, str], unit: TimeUnit) -> StreamDefinition:
    """Return the stream with its times as numbers in `unit`."""
    start, end = (TimeColumn(column=columns.get(name, name), unit=unit) for name in _TIMES)
    event_time = EventTime(
        start=start,
        end=end if stream.shape.lasts else None,
        edge=columns.get("edge", "edge") if stream.shape is Shape.EDGE else None,
    )
    return stream.model_copy(update={"event_time": event_time})


def _fault(place: str, wrong: ShapeError) -> Fault:
    path = ".".join([place, *map(str, wrong.location)])
    if wrong.kind == "extra_forbidden" and len(wrong.location) == 1:
        keys = [*StreamDefinition.model_fields, *_StreamsBeside.model_fields]
        remedy = nearest(str(wrong.location[0]), keys, f"A stream has {', '.join(keys)}.")
        return error(FaultCode.BAD_SHAPE, f"{path}: a stream has no such key.", remedy, field=path)
    remedy = (
        f"A stream has {', '.join([*StreamDefinition.model_fields, *_StreamsBeside.model_fields])}; correct the value."
    )
    code = FaultCode.BAD_SCHEMA if wrong.location[:1] == ("fields",) else FaultCode.BAD_SHAPE
    return error(code, f"{path}: {wrong.message}.", remedy, field=path)


def load_advance(path: Path | None, graph: QueryGraph | None) -> tuple[dict[str, AdvanceTimeSettings], list[Fault]]:
    """Return the settings of `--advance` by input node, and their errors.

    A stream that exactly one input reads can also be named. Raises `Unreadable`, and `UsageError` for a file that is
    not a mapping.
    """
    if path is None or graph is None:
        return {}, []
    raw = read_yaml(path)
    if not isinstance(raw, dict):
        raise UsageError(f"{path}: write the settings of each input under its name.")
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    found: dict[str, AdvanceTimeSettings] = {}
    faults: list[Fault] = []
    for name, each in raw.items():
        node = import_source(graph, str(name))
        if node is None:
            remedy = nearest(str(name), [node.id for node in inputs], "Name an input of the query.")
            message = f"{path}: there is no input {name!r}, and no stream with this name that exactly one input reads."
            faults.append(error(FaultCode.UNKNOWN_INPUT, message, remedy, field="advance"))
            continue
        try:
            found[node] = AdvanceTimeSettings.model_validate(each)
        except ValidationError as wrong:
            for item in shape_errors(wrong, each):
                path_in = ".".join(["advance", *map(str, item.location)])
                message = f"{path}, {name}: {path_in}: {item.message}."
                remedy = f"Settings are {', '.join(AdvanceTimeSettings.model_fields)}; generate has {_GENERATED}."
                faults.append(error(FaultCode.BAD_SHAPE, message, remedy, node=node, field=path_in))
    return found, faults
