"""Advance-time presets by name, and the settings of each (T9)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode, nearest
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, NO_TICKS, ONE_TICK, Ticks, TimeTextError, parse_duration

LENSES_GRACE: Final = Ticks(24 * 3_600_000_000)
"""The grace of windows without one of their own, after an input with the preset `lenses` (T19)."""
_TEXT: Final = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_LONGEST: Final = LAST_TICK - FIRST_TICK + 1

Kind = Literal["duration", "policy"]


@dataclass(frozen=True)
class Preset:
    """One preset: its parameters in order, each a duration or a policy, its settings, and a line of help."""

    parameters: Mapping[str, Kind]
    settings: Callable[..., AdvanceTime]
    help: str

    def form(self, name: str) -> str:
        """Return its written form: `watermark(delay)`."""
        return f"{name}({', '.join(self.parameters)})" if self.parameters else name


class PresetError(ValueError):
    """A preset that cannot be read: a `code`, a message, and a `remedy` that says how to fix it."""

    def __init__(self, code: FaultCode, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.code = code
        self.message = message
        self.remedy = remedy


def preset_name(text: str) -> str:
    """Return the name in `text`, without arguments; all of `text` if it doesn't have the form of a preset."""
    match = _TEXT.fullmatch(text)
    return match.group(1) if match else text


def read_preset(text: str) -> AdvanceTime:
    """Return the settings of a preset such as `watermark(5s)`. Raises `PresetError`."""
    match = _TEXT.fullmatch(text)
    name = match.group(1) if match else text
    preset = PRESETS.get(name)
    if match is None or preset is None:
        known = ", ".join(each.form(key) for key, each in PRESETS.items())
        remedy = nearest(name, PRESETS, f"Write one of {known}.")
        raise PresetError(FaultCode.UNKNOWN_PRESET, f"There is no preset {text!r}.", remedy)
    written = match.group(2)
    arguments = written.split(",") if written and written.strip() else []
    if len(arguments) != len(preset.parameters):
        takes = counted(len(preset.parameters), "argument")
        message = f"The preset {name} takes {takes}, but has {len(arguments)} here."
        raise PresetError(FaultCode.PRESET_ARGUMENTS, message, f"Write {preset.form(name)}.")
    pairs = zip(arguments, preset.parameters.items(), strict=True)
    return preset.settings(*(_argument(argument.strip(), *parameter) for argument, parameter in pairs))


def _argument(text: str, parameter: str, kind: Kind) -> Ticks | Late:
    if kind == "policy":
        if text in (Late.SHIFT, Late.DROP):
            return Late(text)
        remedy = "Write shift or drop. Azure's adjust, which moves the timestamp, is called shift here."
        message = f"{parameter} is {text!r}, which is not a policy."
        raise PresetError(FaultCode.PRESET_ARGUMENTS, message, remedy)
    try:
        length = parse_duration(int(text) if re.fullmatch(r"[+-]?\d{1,20}", text, re.ASCII) else text)
    except TimeTextError:
        message = f"{parameter} is {text!r}, which is not a duration."
        raise PresetError(FaultCode.PRESET_ARGUMENTS, message, "Write for example 5s or 100ms.") from None
    if not 0 <= length <= _LONGEST:
        message = f"{parameter} is {text}, which is out of range."
        remedy = "Write a duration from zero to less than 9999 years. For a negative delay, set 'generate' instead."
        raise PresetError(FaultCode.PRESET_ARGUMENTS, message, remedy)
    return length


def _every_event(
    delay: int, late: Late, basis: Basis = Basis.LAST, *, final: bool = False, minimum_gap: Ticks = NO_TICKS
) -> AdvanceTime:
    return AdvanceTime(
        generate=Generate(Ticks(delay), every_count=1, basis=basis, final=final, minimum_gap=minimum_gap), late=late
    )


def _lenses() -> AdvanceTime:
    generate = Generate(NO_TICKS, every_count=1, basis=Basis.MAX)
    return AdvanceTime(generate=generate, late=Late.KEEP, default_grace=LENSES_GRACE)


def _azure(out_of_order: Ticks, late_arrival: Ticks, late: Late) -> AdvanceTime:
    generate = Generate(out_of_order, every_count=1, basis=Basis.MAX)
    return AdvanceTime(generate=generate, late=late, late_arrival=late_arrival)


PRESETS: Final[Mapping[str, Preset]] = {
    "increasing_start_time": Preset(
        {}, lambda: _every_event(0, Late.DROP, final=True), "A CTI at the start of each event; late events are dropped."
    ),
    "strictly_increasing_start_time": Preset(
        {},
        lambda: _every_event(-ONE_TICK, Late.DROP, final=True),
        "A CTI just after the start of each event; late and equal starts are dropped.",
    ),
    "rowtime": Preset(
        {}, lambda: _every_event(0, Late.DROP), "SQLstream: a CTI at the start of each event; late events are dropped."
    ),
    "lenses": Preset(
        {}, _lenses, "Lenses: a CTI at the largest start; late events are kept, and windows stay open for 24 h."
    ),
    "spl_event_time": Preset(
        {"lag": "duration", "minimum_gap": "duration"},
        lambda lag, gap: _every_event(lag, Late.KEEP, Basis.MAX, minimum_gap=gap),
        "IBM Streams: a CTI at the largest start minus the lag; late events are kept.",
    ),
    "watermark": Preset(
        {"delay": "duration"},
        lambda delay: _every_event(delay, Late.DROP, Basis.MAX),
        "Flink and Spark: a CTI at the largest start minus the delay; late events are dropped.",
    ),
    "azure": Preset(
        {"out_of_order": "duration", "late_arrival": "duration", "policy": "policy"},
        _azure,
        "Azure Stream Analytics: bounds for out-of-order and late events, which are shifted or dropped.",
    ),
}
"""Every preset by name (T9)."""
