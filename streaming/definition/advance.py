"""Advance-time settings from the form that a user writes to the form that clocks use."""

from streaming.definition.streams import AdvanceTimeSettings, GenerateSettings
from streaming.temporal.settings import AdvanceTime, Generate, Late
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
