"""Advance-time settings: from the form that a user writes to the form that clocks use, and their faults."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.findings import expression_fault, expression_type
from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.names import DurationText
from streaming.definition.presets import PresetError, preset_name, read_preset
from streaming.definition.streams import AdvanceTimeSettings, GenerateSettings, Rowtime, StreamDefinition
from streaming.definition.type_text import TypeTextError, parse_fields
from streaming.definition.window_checks import LONGEST
from streaming.temporal.events import Shape
from streaming.temporal.settings import DEFAULT_MAX_AHEAD, AdvanceTime, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import ONE_TICK, Ticks, format_duration, parse_duration


def to_temporal(stream: AdvanceTimeSettings | None, binding: AdvanceTimeSettings | None = None) -> AdvanceTime:
    """The settings in force: the binding's replace the stream's as a whole, and None on both sides is no clock.

    Expects settings without errors from `check_advance`; raises ValueError for an `every` that is not positive and for
    a preset that cannot be read. Without a `late` the policy is drop (section 3). `import_from` stays as it was
    written; `temporal_settings` knows the graph and makes it the id of a node.
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
    """The settings of each input node whose stream is known: the binding's, by node id, else those of its stream.

    An id that several inputs have, a fault of its own, has settings if all their streams are known.
    """
    inputs = [node for node in graph.nodes if isinstance(node, InputNode)]
    unknown = {node.id for node in inputs if node.stream not in streams}
    known = (node for node in inputs if node.id not in unknown)
    return {node.id: binding.get(node.id, streams[node.stream].advance) for node in known}


def temporal_settings(
    graph: QueryGraph, streams: Mapping[str, StreamDefinition], binding: Mapping[str, AdvanceTimeSettings]
) -> dict[str, AdvanceTime]:
    """The settings in force of each input node in the form that clocks use, `import_from` as the id of a node."""
    return {
        node: replace(to_temporal(settings), import_from=import_source(graph, settings.import_from))
        for node, settings in in_force(graph, streams, binding).items()
    }


def import_source(graph: QueryGraph, named: str | None) -> str | None:
    """The input node that `import_from` names: the one with that id, else the only one that reads that stream (T26).

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
    """All faults of the settings in force on an input from `stream`; fields are paths inside the settings.

    Whether `import_from` names an input of the query is a question of the binding. NO_CLOCK, a warning: nothing
    advances time and the adapter sends no CTIs, so no result comes before the input ends.
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
    )


def _check_preset(settings: AdvanceTimeSettings, stream: StreamDefinition) -> Iterator[Fault]:
    if settings.preset is None:
        return
    name = preset_name(settings.preset)
    for key in ("generate", "late"):
        if getattr(settings, key) is not None:
            message = f"The preset {name} says what {key!r} is, and {key!r} is said as well."
            remedy = f"Leave {key!r} out, or leave the preset out and say both 'generate' and 'late'."
            yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, field=key)
    try:
        read_preset(settings.preset)
    except PresetError as wrong:
        yield error(wrong.code, wrong.message, wrong.remedy, field="preset")
        return
    if name == "strictly_increasing_start_time":
        message = f"Under this preset a second event with the same start is late, and is dropped{_coarse(stream)}."
        remedy = "Use increasing_start_time if two events may have the same start."
        yield warning(FaultCode.EQUAL_TIMES_LATE, message, remedy, field="preset")
    if name == "lenses":
        message = "Under this preset windows that say no grace get 24h: their final results come a day later."
        remedy = "Set 'grace' in the windows, or let them emit on_complete or running."
        yield warning(FaultCode.LATE_RESULTS, message, remedy, field="preset")


def _check_generate(generate: GenerateSettings, late: Late | None, stream: StreamDefinition) -> Iterator[Fault]:
    every, delay = parse_duration(generate.every), parse_duration(generate.delay)
    if not 0 < every <= LONGEST:
        message = f"A CTI every {generate.every} is not possible."
        remedy = "Write a whole number of events above zero, or a duration above zero such as '10s'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.every")
    if abs(delay) > LONGEST:
        message = f"The delay {generate.delay} is longer than all of time."
        remedy = "Write a delay of less than 9999 years, such as '10s' or '-1tick'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.delay")
    elif delay < 0:
        yield _equal_times(Ticks(-delay), generate.every, late, stream)


_BECOMES: Final = {
    Late.DROP: "dropped",
    Late.ADJUST: "cut to begin at the CTI, or dropped if it has ended by then, as points have",
    Late.SHIFT: "moved to the CTI",
    Late.KEEP: "kept as a late one",
}


def _equal_times(ahead: Ticks, every: int | str, late: Late | None, stream: StreamDefinition) -> Fault:
    """The warning about CTIs that run `ahead` of the event they follow, so that events of its own time are late."""
    after = "an event" if every == 1 else "an event that brings a CTI"
    when = "the same start" if ahead == ONE_TICK else f"a start less than {format_duration(ahead)} after it"
    becomes = _BECOMES[late or Late.DROP]
    message = (
        f"Each CTI is {format_duration(ahead)} beyond the event that it follows: after {after} another one with {when} "
        f"is late, and is {becomes}{_coarse(stream)}."
    )
    remedy = "Set 'delay' to 0, or above, if several events may have the same start."
    return warning(FaultCode.EQUAL_TIMES_LATE, message, remedy, field="generate.delay")


def _coarse(stream: StreamDefinition) -> str:
    """What makes equal starts likely, to go on with in a sentence about them."""
    whole = {"s": "seconds", "ms": "milliseconds"}.get(stream.event_time.start.unit) if stream.event_time else None
    return f"; the starts of this stream are whole {whole}, so equal ones are likely" if whole else ""


def _check_late(settings: AdvanceTimeSettings, shape: Shape) -> Iterator[Fault]:
    late = settings.late
    if late is None and settings.preset is None and (settings.generate or settings.import_from):
        how = "generated" if settings.generate else "imported"
        message = f"CTIs are {how}, and what becomes of late events is not said."
        remedy = "Set 'late' to drop, adjust, shift or keep."
        yield error(FaultCode.LATE_NOT_SAID, message, remedy, field="late")
    if settings.late_end is LateEnd.LEAVE_OPEN:
        return
    if settings.preset is not None:
        try:
            late = read_preset(settings.preset).late
        except PresetError:
            return
    if shape is not Shape.EDGE or late not in (None, Late.DROP):
        message = "'late_end' concerns edge events under the policy drop only, and does nothing here."
        yield warning(FaultCode.BAD_ADVANCE_TIME, message, "Leave it out.", field="late_end")


def _check_over(text: str | None, stream: StreamDefinition) -> Iterator[Fault]:
    if text is None:
        return
    try:
        fields = parse_fields(stream.fields)
    except TypeTextError:
        return  # a fault of the schema, which is told elsewhere
    found = expression_type(text, fields)
    for fault in found if isinstance(found, tuple) else ():
        yield expression_fault(fault, None, "over")


def _check_idle(settings: AdvanceTimeSettings) -> Iterator[Fault]:
    if settings.idle is not None and settings.idle_after is None:
        message = "'idle' says what becomes of a silent lane, and after how long is not said."
        remedy = "Set 'idle_after', for example to 30s, or leave 'idle' out."
        yield error(FaultCode.MISSING_ARGUMENT, message, remedy, field="idle_after")
    yield from _check_length("idle_after", settings.idle_after)


def _check_future(settings: AdvanceTimeSettings) -> Iterator[Fault]:
    yield from _check_length("max_ahead", settings.max_ahead)
    if settings.max_ahead is not None and settings.future is Future.ACCEPT:
        message = "'max_ahead' does nothing where every event from the future is accepted."
        remedy = "Set 'future' to hold or drop, or leave 'max_ahead' out."
        yield warning(FaultCode.NO_EFFECT, message, remedy, field="max_ahead")


def _check_length(key: str, written: DurationText | None) -> Iterator[Fault]:
    if written is not None and not 0 < parse_duration(written) <= LONGEST:
        message = f"'{key}' is {written}."
        remedy = "Write a duration above zero and less than 9999 years, such as 30s."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field=key)


def _check_clock(settings: AdvanceTimeSettings, stream: StreamDefinition, adapter_sends_ctis: bool) -> Iterator[Fault]:
    implicit = stream.rowtime is Rowtime.IMPLICIT
    if implicit and stream.shape is not Shape.POINT:
        message = f"The arrival of a row is one moment, and events of the shape {stream.shape} have two."
        remedy = "Make the stream one of points, or take the times from columns (rowtime: explicit)."
        yield error(FaultCode.ROWTIME_NEEDS_POINTS, message, remedy, field="rowtime")
    if implicit or adapter_sends_ctis or settings.preset or settings.generate or settings.import_from:
        return
    message = "Nothing advances time on this input: no result comes before it ends."
    remedy = "Set 'generate', for example every 100 events with a delay of 10s."
    yield warning(FaultCode.NO_CLOCK, message, remedy, field="generate")
