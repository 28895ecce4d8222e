"""Presets: their settings (T9) and their faults."""

from typing import Any

import pytest

from streaming.definition.checks.advance import check_advance, to_temporal
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.presets import PRESETS
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.temporal.settings import AdvanceTime, Basis, Generate, Late, LateEnd
from streaming.temporal.ticks import Ticks

SECOND = 1_000_000


def every_event(delay: int, late: Late, basis: Basis = Basis.LAST, *, final: bool = False, gap: int = 0) -> AdvanceTime:
    return AdvanceTime(Generate(Ticks(delay), 1, basis=basis, final=final, minimum_gap=Ticks(gap)), late)


def in_force(preset: str, **other: object) -> AdvanceTime:
    return to_temporal(AdvanceTimeSettings.model_validate({"preset": preset, **other}))


def faults(shape: str = "point", **raw: Any) -> tuple[Fault, ...]:
    settings = AdvanceTimeSettings.model_validate(raw)
    stream = StreamDefinition.model_validate({"shape": shape, "fields": {"k": "string"}})
    return check_advance(settings, stream, adapter_sends_ctis=False)


STANDS_FOR = {
    "increasing_start_time": every_event(0, Late.DROP, final=True),
    "strictly_increasing_start_time": every_event(-1, Late.DROP, final=True),
    "rowtime": every_event(0, Late.DROP),
    "lenses": AdvanceTime(Generate(Ticks(0), 1, basis=Basis.MAX), Late.KEEP, default_grace=Ticks(24 * 3600 * SECOND)),
    "spl_event_time(5s, 1s)": every_event(5 * SECOND, Late.KEEP, Basis.MAX, gap=SECOND),
    "watermark(5s)": every_event(5 * SECOND, Late.DROP, Basis.MAX),
    "azure(5s, 1m, shift)": AdvanceTime(
        Generate(Ticks(5 * SECOND), 1, basis=Basis.MAX), Late.SHIFT, late_arrival=Ticks(60 * SECOND)
    ),
    "azure(5s, 1m, drop)": AdvanceTime(
        Generate(Ticks(5 * SECOND), 1, basis=Basis.MAX), Late.DROP, late_arrival=Ticks(60 * SECOND)
    ),
}


@pytest.mark.parametrize("text", STANDS_FOR)
def test_a_preset_has_its_settings(text: str) -> None:
    assert in_force(text) == STANDS_FOR[text]


def test_every_preset_is_tested() -> None:
    assert {text.partition("(")[0] for text in STANDS_FOR} == set(PRESETS)


def test_spaces_around_a_name_and_its_arguments_are_ignored() -> None:
    assert in_force("  azure ( 5s,1m , drop )  ") == STANDS_FOR["azure(5s, 1m, drop)"]
    assert in_force("lenses()") == STANDS_FOR["lenses"]


def test_a_whole_number_is_a_count_of_ticks() -> None:
    assert in_force("watermark(5)") == every_event(5, Late.DROP, Basis.MAX)


def test_other_keys_may_be_set_with_a_preset() -> None:
    settings = in_force("rowtime", late_end="close_at_cti", over="k", idle_after="1s")
    assert (settings.late_end, settings.over, settings.idle_after) == (LateEnd.CLOSE_AT_CTI, "k", SECOND)
    assert (settings.generate, settings.late) == (STANDS_FOR["rowtime"].generate, Late.DROP)


@pytest.mark.parametrize("text", [text for text in STANDS_FOR if not text.startswith(("lenses", "strictly"))])
def test_a_valid_preset_has_no_fault_and_is_a_clock(text: str) -> None:
    assert faults(preset=text) == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [("increasing_start", "increasing_start_time"), ("watermrk(5s)", "watermark"), ("lences", "lenses")],
)
def test_the_nearest_name_is_the_remedy_for_a_misspelt_one(text: str, meant: str) -> None:
    (fault,) = faults(preset=text)
    assert (fault.code, fault.field, fault.remedy) == (FaultCode.UNKNOWN_PRESET, "preset", f"Did you mean '{meant}'?")


@pytest.mark.parametrize("text", ["zzz", "watermark(5s", "(5s)", "water mark(5s)", " "])
def test_without_a_similar_name_the_remedy_lists_all_presets(text: str) -> None:
    (fault,) = faults(preset=text)
    assert fault.code is FaultCode.UNKNOWN_PRESET
    assert "azure(out_of_order, late_arrival, policy)" in fault.remedy or "watermark" in fault.remedy


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("rowtime(5s)", "Write rowtime."),
        ("watermark", "Write watermark(delay)."),
        ("watermark(5s, 6s)", "Write watermark(delay)."),
        ("spl_event_time(5s)", "Write spl_event_time(lag, minimum_gap)."),
        ("azure(5s, 6s)", "Write azure(out_of_order, late_arrival, policy)."),
    ],
)
def test_a_wrong_number_of_arguments_is_reported_with_the_right_form(text: str, remedy: str) -> None:
    (fault,) = faults(preset=text)
    assert (fault.code, fault.field, fault.remedy) == (FaultCode.PRESET_ARGUMENTS, "preset", remedy)


@pytest.mark.parametrize("text", ["watermark(soon)", "watermark(P1M)", "watermark(-1s)", "watermark(P99999999D)"])
def test_a_delay_is_a_length_of_time_not_too_long(text: str) -> None:
    (fault,) = faults(preset=text)
    assert (fault.code, fault.message.startswith("delay is ")) == (FaultCode.PRESET_ARGUMENTS, True)


def test_the_remedy_names_our_word_for_azures_adjust() -> None:
    (fault,) = faults(preset="azure(5s, 6s, adjust)")
    assert fault.code is FaultCode.PRESET_ARGUMENTS
    assert "called shift here" in fault.remedy


def test_an_unreadable_preset_has_no_clock() -> None:
    with pytest.raises(ValueError, match="no preset"):
        in_force("zzz")


@pytest.mark.parametrize(("key", "value"), [("generate", {"every": 1}), ("late", "drop")])
def test_generate_and_late_cannot_be_set_with_a_preset(key: str, value: Any) -> None:
    (fault,) = faults("point", **{"preset": "rowtime", key: value})
    assert (fault.code, fault.severity, fault.field) == (FaultCode.CONFLICTING_ARGUMENTS, Severity.ERROR, key)


def test_strictly_increasing_starts_warn_about_late_equal_starts() -> None:
    (fault,) = faults(preset="strictly_increasing_start_time")
    assert (fault.code, fault.severity, fault.field) == (FaultCode.EQUAL_TIMES_LATE, Severity.WARNING, "preset")


def test_lenses_warns_about_results_a_day_later() -> None:
    (fault,) = faults(preset="lenses")
    assert (fault.code, fault.severity, fault.field) == (FaultCode.LATE_RESULTS, Severity.WARNING, "preset")


@pytest.mark.parametrize(("preset", "warned"), [("rowtime", False), ("spl_event_time(1s, 1s)", True), ("zzz", False)])
def test_late_end_with_a_preset_depends_on_the_policy_of_the_preset(preset: str, *, warned: bool) -> None:
    found = faults("edge", preset=preset, late_end="close_at_cti")
    assert (FaultCode.BAD_ADVANCE_TIME in [fault.code for fault in found]) == warned
