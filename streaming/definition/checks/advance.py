"""Advance-time settings: their checks, and their conversion from what a user writes to what clocks use."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from streaming.definition.checks.findings import expression_fault, expression_type
from streaming.definition.checks.tables import check_table_settings, table_settings
from streaming.definition.checks.window_sizes import LONGEST
from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.names import DurationText
from streaming.definition.payload.type_text import TypeTextError, parse_fields
from streaming.definition.presets import PresetError, preset_name, read_preset
from streaming.definition.streams.stream import AdvanceTimeSettings, GenerateSettings, Rowtime, StreamDefinition
from streaming.temporal.events import Shape
from streaming.temporal.settings import DEFAULT_MAX_AHEAD, AdvanceTime, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import ONE_TICK, Ticks, format_duration, parse_duration


def to_temporal(stream: AdvanceTimeSettings | None, binding: AdvanceTimeSettings | None = None) -> AdvanceTime:
    """Return the settings in force: the binding's replace the stream's as a whole; None on both sides means no clock.

    Expects settings without errors from `check_advance`; raises ValueError for an `every` that is not positive and for
    a preset that cannot be read. Without a `late` the policy is drop (section 3). `import_from` stays as
    written; `temporal_settings` has the graph and resolves it to the id of a node.
    """
    settings = binding if binding is not None else stream
    if settings is None:
        return AdvanceTime()
    return replace(
        _clock(settings),
        late_end=settings.late_end,
        import_from=settings.import_from,
        over=settings.over,
        idle_after=None if settings.idle_after is None else parse_duration(settings.idle_after),
        idle=settings.idle or Idle.LEAVE_OUT,
        max_ahead=DEFAULT_MAX_AHEAD if settings.max_ahead is None else parse_duration(settings.max_ahead),
        future=settings.future,
    )


def in_force(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], binding: Mapping[str, AdvanceTimeSettings]
) -> dict[str, AdvanceTimeSettings]:
    """Return the settings of each input node whose stream exists: the binding's, by node id, else its stream's.

    Inputs that share an id (reported elsewhere) have settings only if all their streams exist.
    """
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    unknown = {node.id for node in inputs if node.stream not in streams}
    known = (node for node in inputs if node.id not in unknown)
    return {
        node.id: table_settings(graph, streams, node, binding.get(node.id, streams[node.stream].advance))
        for node in known
    }


def temporal_settings(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], binding: Mapping[str, AdvanceTimeSettings]
) -> dict[str, AdvanceTime]:
    """Return the settings of each input node as clocks use them; `import_from` is the id of a node."""
    return {
        node: replace(to_temporal(settings), import_from=import_source(graph, settings.import_from))
        for node, settings in in_force(graph, streams, binding).items()
    }


def import_source(graph: QueryGraph, named: str | None) -> str | None:
    """Return the input node that `import_from` names: by id, else the only one that reads that stream (T26).

    None when there is no such node.
    """
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    if any(node.id == named for node in inputs):
        return named
    readers = [node.id for node in inputs if node.stream == named]
    return readers[0] if len(readers) == 1 else None


def _clock(settings: AdvanceTimeSettings) -> AdvanceTime:
    if settings.preset is not None:
        return read_preset(settings.preset)
    return AdvanceTime(
        generate=_generate(settings.generate) if settings.generate else None, late=settings.late or Late.DROP
    )


def _generate(settings: GenerateSettings) -> Generate:
    every = settings.every
    counted = isinstance(every, int)
    length = parse_duration(every)
    if length <= 0:
        raise ValueError(f"every is {every}; it must be above zero")
    return Generate(
        delay=parse_duration(settings.delay),
        every_count=int(every) if counted else None,
        every_ticks=None if counted else length,
        basis=settings.basis,
        final=settings.final,
    )


def check_advance(
    settings: AdvanceTimeSettings | None, stream: StreamDefinition, adapter_sends_ctis: bool
) -> tuple[Fault, ...]:
    """Return all faults of the settings in force on an input from `stream`; fields are paths inside the settings.

    `check_binding` checks the input that `import_from` names. NO_CLOCK, a warning: nothing
    advances time and the adapter sends no CTIs, so no result appears before the input ends.
    """
    settings = settings or AdvanceTimeSettings()
    return (
        *_check_preset(settings, stream),
        *(_check_generate(settings.generate, settings.late, stream) if settings.generate else ()),
        *_check_late(settings, stream.shape),
        *_check_over(settings.over, stream),
        *_check_idle(settings),
        *_check_future(settings),
        *_check_clock(settings, stream, adapter_sends_ctis),
        *(check_table_settings(settings, _policy(settings)) if stream.shape is Shape.TABLE else ()),
    )


def _check_preset(settings: AdvanceTimeSettings, stream: StreamDefinition) -> Iterator[Fault]:
    if settings.preset is None:
        return
    name = preset_name(settings.preset)
    for key in ("generate", "late"):
        if getattr(settings, key) is not None:
            message = f"The preset {name} already sets {key!r}, and {key!r} is set as well."
            remedy = f"Leave {key!r} out, or leave the preset out and set both 'generate' and 'late'."
            yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, field=key)
    try:
        read_preset(settings.preset)
    except PresetError as wrong:
        yield error(wrong.code, wrong.message, wrong.remedy, field="preset")
        return
    if name == "strictly_increasing_start_time":
        message = f"With this preset, a second event with the same start is late and is dropped{_coarse(stream)}."
        remedy = "Use increasing_start_time if two events may have the same start."
        yield warning(FaultCode.EQUAL_TIMES_LATE, message, remedy, field="preset")
    if name == "lenses":
        message = "With this preset, windows without a grace get one of 24h: their final results appear a day later."
        remedy = "Set 'grace' in the windows, or set their 'emit' to on_complete or running."
        yield warning(FaultCode.LATE_RESULTS, message, remedy, field="preset")


def _check_generate(generate: GenerateSettings, late: Late | None, stream: StreamDefinition) -> Iterator[Fault]:
    every, delay = parse_duration(generate.every), parse_duration(generate.delay)
    if not 0 < every <= LONGEST:
        message = f"A CTI every {generate.every} is not possible."
        remedy = "Write a whole number of events above zero, or a duration above zero such as '10s'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.every")
    if abs(delay) > LONGEST:
        message = f"The delay {generate.delay} is too long."
        remedy = "Write a delay of less than 9999 years, such as '10s' or '-1tick'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.delay")
    elif delay < 0:
        yield _equal_times(Ticks(-delay), generate.every, late, stream)


_BECOMES: Final = {
    Late.DROP: "dropped",
    Late.ADJUST: "cut to start at the CTI, or dropped if it ends before the CTI, as points do",
    Late.SHIFT: "moved to the CTI",
    Late.KEEP: "kept as a late event",
}


def _equal_times(ahead: Ticks, every: int | str, late: Late | None, stream: StreamDefinition) -> Fault:
    """Return the warning about CTIs that are `ahead` of the event they follow, which makes events of its time late."""
    after = "an event" if every == 1 else "an event that generates a CTI"
    when = "the same start" if ahead == ONE_TICK else f"a start less than {format_duration(ahead)} after it"
    becomes = _BECOMES[late or Late.DROP]
    message = (
        f"Each CTI is {format_duration(ahead)} later than the event that it follows. After {after}, another event "
        f"with {when} is late and is {becomes}{_coarse(stream)}."
    )
    remedy = "Set 'delay' to 0 or more if several events may have the same start."
    return warning(FaultCode.EQUAL_TIMES_LATE, message, remedy, field="generate.delay")


def _coarse(stream: StreamDefinition) -> str:
    """Return the end of a sentence that says why equal starts are likely; empty if they are not."""
    whole = {"s": "seconds", "ms": "milliseconds"}.get(stream.event_time.start.unit) if stream.event_time else None
    return f"; the starts of this stream are whole {whole}, so equal starts are likely" if whole else ""


def _check_late(settings: AdvanceTimeSettings, shape: Shape) -> Iterator[Fault]:
    late = settings.late
    follows = shape is Shape.TABLE and not settings.generate
    if late is None and settings.preset is None and (settings.generate or settings.import_from) and not follows:
        how = "generated" if settings.generate else "imported"
        message = f"CTIs are {how}, but 'late', the policy for late events, is not set."
        remedy = "Set 'late' to drop, adjust, shift or keep."
        yield error(FaultCode.LATE_NOT_SAID, message, remedy, field="late")
    if settings.late_end is LateEnd.LEAVE_OPEN:
        return
    if shape is not Shape.EDGE or _policy(settings) not in (None, Late.DROP):
        message = "'late_end' applies only to edge events with the late policy drop, so it has no effect here."
        yield warning(FaultCode.BAD_ADVANCE_TIME, message, "Leave it out.", field="late_end")


def _policy(settings: AdvanceTimeSettings) -> Late | None:
    """Return the late policy, that of the preset if there is one; None if it is not set or can't be read."""
    if settings.preset is None:
        return settings.late
    try:
        return read_preset(settings.preset).late
    except PresetError:
        return None


def _check_over(text: str | None, stream: StreamDefinition) -> Iterator[Fault]:
    if text is None:
        return
    try:
        fields = parse_fields(stream.fields)
    except TypeTextError:
        return  # the check of the schema reports this
    result = expression_type(text, fields)
    for fault in result if isinstance(result, tuple) else ():
        yield expression_fault(fault, None, "over")


def _check_idle(settings: AdvanceTimeSettings) -> Iterator[Fault]:
    if settings.idle is not None and settings.idle_after is None:
        message = "'idle' is set without 'idle_after', the time after which a silent lane counts as idle."
        remedy = "Set 'idle_after', for example to 30s, or leave 'idle' out."
        yield error(FaultCode.MISSING_ARGUMENT, message, remedy, field="idle_after")
    yield from _check_length("idle_after", settings.idle_after)


def _check_future(settings: AdvanceTimeSettings) -> Iterator[Fault]:
    yield from _check_length("max_ahead", settings.max_ahead)
    if settings.max_ahead is not None and settings.future is Future.ACCEPT:
        message = "'max_ahead' has no effect, because 'future' accepts every event from the future."
        remedy = "Set 'future' to hold or drop, or leave 'max_ahead' out."
        yield warning(FaultCode.NO_EFFECT, message, remedy, field="max_ahead")


def _check_length(key: str, written: DurationText | None) -> Iterator[Fault]:
    if written is not None and not 0 < parse_duration(written) <= LONGEST:
        message = f"'{key}' is {written}, which is out of range."
        remedy = "Write a duration above zero and less than 9999 years, such as 30s."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field=key)


def _check_clock(settings: AdvanceTimeSettings, stream: StreamDefinition, adapter_sends_ctis: bool) -> Iterator[Fault]:
    implicit = stream.rowtime is Rowtime.IMPLICIT
    if implicit and stream.shape is not Shape.POINT:
        message = f"The arrival of a row is a single time, but events of the shape {stream.shape} need two."
        remedy = "Set the shape to point, or take the times from columns (rowtime: explicit)."
        yield error(FaultCode.ROWTIME_NEEDS_POINTS, message, remedy, field="rowtime")
    if (
        implicit
        or adapter_sends_ctis
        or stream.clock is not None
        or settings.preset
        or settings.generate
        or settings.import_from
    ):
        return
    message = "Nothing advances time on this input, so no result appears before it ends."
    remedy = "Set 'generate', for example every 100 events with a delay of 10s."
    yield warning(FaultCode.NO_CLOCK, message, remedy, field="generate")
