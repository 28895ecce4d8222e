"""Checks of streams of the shape `table`: keys, version field, clock, and the settings that tables don't have."""

from collections import Counter
from collections.abc import Iterator, Mapping

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.payload.type_text import TypeTextError, parse_type
from streaming.definition.payload.types import is_ordered
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition, TableClock
from streaming.temporal.events import Shape
from streaming.temporal.settings import Late
from streaming.temporal.ticks import parse_duration

_OPTIONS = ("keys", "version", "first", "max_keys", "clock", "follow", "load")


def check_table(stream: StreamDefinition, *, node: str | None = None) -> tuple[Fault, ...]:
    """Return the faults of the options of a table, or of such options in a stream of another shape (T48, T49)."""
    if stream.shape is not Shape.TABLE:
        return tuple(_only_tables(stream, node))
    return (
        *_check_keys(stream, node),
        *_check_version(stream, node),
        *_check_follow(stream, node),
        *_check_load(stream, node),
    )


def _only_tables(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    for name in _OPTIONS:
        if getattr(stream, name) is not None:
            message = f"'{name}' is an option of tables, but this stream has the shape {stream.shape}."
            remedy = f"Set the shape to 'table', or leave '{name}' out."
            yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field=f"stream.{name}")


def _check_keys(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    if not stream.keys:
        message = "A table needs 'keys', the fields that name a row."
        remedy = "List at least one field of the stream in 'keys'."
        yield error(FaultCode.MISSING_ARGUMENT, message, remedy, node=node, field="stream.keys")
        return
    for name, count in Counter(stream.keys).items():
        if count > 1:
            message = f"The key {name!r} is listed {counted(count, 'time')}."
            yield error(FaultCode.DUPLICATE_NAME, message, "List each key once.", node=node, field="stream.keys")
        yield from _check_field(stream, name, "keys", node)


def _check_version(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    if stream.version is not None:
        yield from _check_field(stream, stream.version, "version", node)


def _check_field(stream: StreamDefinition, name: str, option: str, node: str | None) -> Iterator[Fault]:
    """Yield the fault of a field that doesn't exist or whose values have no order."""
    if name not in stream.fields:
        message = f"The stream has no field {name!r}."
        remedy = nearest(name, stream.fields, f"Name a field of the stream in '{option}'.")
        yield error(FaultCode.UNKNOWN_FIELD, message, remedy, node=node, field=f"stream.{option}")
        return
    try:
        of = parse_type(stream.fields[name])
    except TypeTextError:  # the check of the schema reports this
        return
    if not is_ordered(of):
        message = f"The field {name!r} is of type {of}, which can't be used in '{option}'."
        remedy = "Choose a field with a number, a text, a boolean or a timestamp."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, node=node, field=f"stream.{option}")


def _check_follow(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    if stream.follow is not None and stream.clock is not TableClock.FOLLOW:
        message = "'follow' names the input whose clock the table takes, but the clock is not 'follow'."
        remedy = "Set 'clock' to 'follow', or leave 'follow' out."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field="stream.follow")
    moving = next((name for name in ("preset", "generate", "import_from") if getattr(stream.advance, name)), None)
    if stream.clock is not None and moving is not None:
        message = f"The clock of the table is '{stream.clock}', and '{moving}' sets another one."
        remedy = f"Leave 'clock' or '{moving}' out."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field="stream.clock")


def _check_load(stream: StreamDefinition, node: str | None) -> Iterator[Fault]:
    load = stream.load
    if load is None:
        return
    if parse_duration(load.every) <= 0:
        message = f"'every' is {load.every}, but the time between two polls must be positive."
        remedy = "Write a duration above zero, such as '1m'."
        yield error(FaultCode.BAD_DURATION, message, remedy, node=node, field="stream.load.every")
    if load.effective == "commit":
        message = "The files of a table have no commit time."
        remedy = "Use 'poll', 'file_time', 'column NAME' or 'path PATTERN'."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field="stream.load.effective")
    if stream.history is not None:
        message = "A table that is loaded whole has no history: its loads are its versions."
        remedy = "Leave 'history' or 'load' out."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node, field="stream.load")


def check_table_settings(settings: AdvanceTimeSettings, late: Late | None) -> Iterator[Fault]:
    """Yield the faults of advance-time settings on a table; `late` is the policy in force (T52)."""
    if late is Late.KEEP:
        field = "late" if settings.late is not None else "preset"
        message = "Late versions of a table can't be kept: they would change results that are already released."
        remedy = "Set 'late' to drop or adjust."
        yield error(FaultCode.LATE_KEEP_REFUSED, message, remedy, field=field)
    if settings.over is not None:
        message = "'over' gives each of its values a clock, but the versions of a table have one clock for each lane."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, "Leave 'over' out.", field="over")


def table_settings(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], node: InputNode, settings: AdvanceTimeSettings
) -> AdvanceTimeSettings:
    """Return the settings of an input: of a table that follows with the input that it follows, and with adjust."""
    stream = streams[node.stream]
    if stream.shape is not Shape.TABLE:
        return settings
    moved = settings.preset or settings.generate or settings.import_from
    if stream.clock is TableClock.FOLLOW and not moved:
        settings = settings.model_copy(update={"import_from": followed(graph, streams, node)})
    if settings.import_from is not None and settings.late is None and settings.generate is None:
        settings = settings.model_copy(update={"late": Late.ADJUST})
    return settings


def followed(graph: QueryGraph, streams: Mapping[str, StreamDefinition], node: InputNode) -> str | None:
    """Return the input that a table follows: the one that it names, or the only other one (T51); None if unclear."""
    named = streams[node.stream].follow
    if named is not None:
        return named
    others = [each for each in graph.nodes if isinstance(each, InputNode) and each.id != node.id]
    events = [each.id for each in others if each.stream in streams and streams[each.stream].shape is not Shape.TABLE]
    return events[0] if len(events) == 1 else None


def check_followed(graph: QueryGraph, streams: Mapping[str, StreamDefinition]) -> Iterator[Fault]:
    """Yield an error for each table that follows an input, but doesn't say which of several."""
    for node in graph.nodes:
        if not isinstance(node, InputNode) or node.stream not in streams:
            continue
        if streams[node.stream].clock is TableClock.FOLLOW and followed(graph, streams, node) is None:
            message = f"The table {node.stream!r} follows another input, and it is not clear which."
            remedy = "Set 'follow' in the stream to the id of an input of the query, or choose another clock."
            yield error(FaultCode.UNKNOWN_INPUT, message, remedy, node=node.id, field="stream")
