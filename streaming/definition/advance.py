"""Advance-time settings: from the form that a user writes to the form that clocks use, and their faults."""

from collections.abc import Iterator

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.streams import AdvanceTimeSettings, GenerateSettings
from streaming.definition.window_checks import LONGEST
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Generate, Late, LateEnd
from streaming.temporal.ticks import parse_duration


def to_temporal(stream: AdvanceTimeSettings | None, binding: AdvanceTimeSettings | None = None) -> AdvanceTime:
    """The settings in force: the binding's replace the stream's as a whole, and None on both sides is no clock.

    Expects settings without errors from `check_advance`; raises ValueError for an `every` that is not positive.
    Without a `late` the policy is drop (section 3).
    """
    settings = binding if binding is not None else stream
    if settings is None:
        return AdvanceTime()
    return AdvanceTime(
        generate=_generate(settings.generate) if settings.generate else None,
        late=settings.late or Late.DROP,
        late_end=settings.late_end,
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


def check_advance(settings: AdvanceTimeSettings | None, shape: Shape, adapter_sends_ctis: bool) -> tuple[Fault, ...]:
    """All faults of the settings in force on an input of `shape`; fields are paths inside the settings.

    `late` must be said beside `generate`. NO_CLOCK, a warning: nothing generates CTIs and the adapter sends none, so
    no result comes before the input ends.
    """
    settings = settings or AdvanceTimeSettings()
    generate = settings.generate
    faults = list(_check_generate(generate)) if generate else []
    if generate and settings.late is None:
        message = "CTIs are generated, and what becomes of late events is not said."
        remedy = "Set 'late' to drop, adjust, shift or keep."
        faults.append(error(FaultCode.LATE_NOT_SAID, message, remedy, field="late"))
    if settings.late_end is not LateEnd.LEAVE_OPEN and (
        shape is not Shape.EDGE or settings.late not in (None, Late.DROP)
    ):
        message = "'late_end' concerns edge events under the policy drop only, and does nothing here."
        faults.append(warning(FaultCode.BAD_ADVANCE_TIME, message, "Leave it out.", field="late_end"))
    if generate is None and not adapter_sends_ctis:
        message = "Nothing advances time on this input: no result comes before it ends."
        remedy = "Set 'generate', for example every 100 events with a delay of 10s."
        faults.append(warning(FaultCode.NO_CLOCK, message, remedy, field="generate"))
    return tuple(faults)


def _check_generate(generate: GenerateSettings) -> Iterator[Fault]:
    every, delay = parse_duration(generate.every), parse_duration(generate.delay)
    if not 0 < every <= LONGEST:
        message = f"A CTI every {generate.every} is not possible."
        remedy = "Write a whole number of events above zero, or a duration above zero such as '10s'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.every")
    if abs(delay) > LONGEST:
        message = f"The delay {generate.delay} is longer than all of time."
        remedy = "Write a delay of less than 9999 years, such as '10s' or '-1tick'."
        yield error(FaultCode.BAD_ADVANCE_TIME, message, remedy, field="generate.delay")
