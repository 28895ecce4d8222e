"""Advance-time settings: their faults, and their conversion for clocks."""

import pytest

from streaming.definition.checks.advance import check_advance, import_source, in_force, temporal_settings, to_temporal
from streaming.definition.faults import FaultCode, Severity
from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import (
    AdvanceTimeSettings,
    EventTime,
    Rowtime,
    StreamDefinition,
    TimeColumn,
    TimeUnit,
)
from streaming.temporal.events import Shape
from streaming.temporal.settings import AdvanceTime, Basis, Future, Generate, Idle, Late, LateEnd
from streaming.temporal.ticks import Ticks


def settings(**raw: object) -> AdvanceTimeSettings:
    return AdvanceTimeSettings.model_validate(raw)


def stream(shape: Shape = Shape.POINT) -> StreamDefinition:
    return StreamDefinition(shape=shape, fields={"k": "string", "v": "long"})


def codes(of: AdvanceTimeSettings | None, shape: Shape = Shape.POINT, *, ctis: bool = False) -> list[str]:
    return [f"{fault.code.value} {fault.field}" for fault in check_advance(of, stream(shape), ctis)]


def test_a_whole_number_is_a_count_and_a_text_is_a_duration() -> None:
    counted = to_temporal(settings(generate={"every": 100, "delay": "2h"}, late="drop"))
    timed = to_temporal(
        settings(generate={"every": "10s", "delay": "-1tick", "basis": "max", "final": True}, late="keep")
    )
    assert counted == AdvanceTime(Generate(Ticks(7_200_000_000), every_count=100), Late.DROP)
    assert timed.generate == Generate(Ticks(-1), every_ticks=Ticks(10_000_000), basis=Basis.MAX, final=True)
    assert timed.late is Late.KEEP


def test_the_bindings_settings_replace_the_streams_as_a_whole() -> None:
    streams = settings(generate={"every": 1}, late="adjust")
    assert to_temporal(streams, settings(late="shift")) == AdvanceTime(late=Late.SHIFT)
    assert to_temporal(streams, None).late is Late.ADJUST


def test_without_settings_there_is_no_clock_and_late_events_are_dropped() -> None:
    assert to_temporal(None) == AdvanceTime(None, Late.DROP, LateEnd.LEAVE_OPEN)
    assert to_temporal(settings()) == AdvanceTime()


def test_an_every_that_is_not_positive_has_no_clock() -> None:
    with pytest.raises(ValueError, match="above zero"):
        to_temporal(settings(generate={"every": "0s"}, late="drop"))


def test_valid_settings_have_no_fault() -> None:
    assert codes(settings(generate={"every": 1, "delay": "0s"}, late="drop")) == []


@pytest.mark.parametrize(
    ("late", "becomes"),
    [
        ("drop", "is dropped"),
        ("adjust", "is cut to start at the CTI"),
        ("shift", "is moved to the CTI"),
        ("keep", "is kept as a late event"),
    ],
)
def test_ctis_after_their_event_give_a_warning_about_late_events(late: str, becomes: str) -> None:
    (fault,) = check_advance(
        settings(generate={"every": 1, "delay": "-1tick"}, late=late), stream(), adapter_sends_ctis=True
    )
    assert (fault.code, fault.severity, fault.field) == (
        FaultCode.EQUAL_TIMES_LATE,
        Severity.WARNING,
        "generate.delay",
    )
    assert "1tick later" in fault.message
    assert "another event with the same start" in fault.message
    assert becomes in fault.message


def test_a_longer_negative_delay_is_reported_with_its_length() -> None:
    (fault,) = check_advance(
        settings(generate={"every": 100, "delay": "-5s"}, late="drop"), stream(), adapter_sends_ctis=True
    )
    assert "an event that generates a CTI, another event with a start less than 5s after it is late" in fault.message


@pytest.mark.parametrize(("unit", "words"), [("s", "whole seconds"), ("ms", "whole milliseconds")])
@pytest.mark.parametrize(
    "of", [{"generate": {"every": 1, "delay": -1}, "late": "drop"}, {"preset": "strictly_increasing_start_time"}]
)
def test_whole_seconds_make_equal_starts_likely(unit: TimeUnit, words: str, of: dict[str, object]) -> None:
    coarse = StreamDefinition(fields={}, event_time=EventTime(start=TimeColumn(column="at", unit=unit)))
    (fault,) = check_advance(settings(**of), coarse, adapter_sends_ctis=True)
    assert words in fault.message
    (plain,) = check_advance(settings(**of), stream(), adapter_sends_ctis=True)
    assert "whole" not in plain.message


def test_late_is_required_with_generate() -> None:
    assert codes(settings(generate={"every": 1})) == ["late_not_said late"]


def test_late_is_optional_without_generate() -> None:
    assert codes(settings(), ctis=True) == []


@pytest.mark.parametrize("every", [0, -1, "0s", "-5s", "P99999999D"])
def test_every_must_be_above_zero_and_not_too_long(every: int | str) -> None:
    assert codes(settings(generate={"every": every}, late="drop")) == ["bad_advance_time generate.every"]


@pytest.mark.parametrize("delay", ["P99999999D", "-P99999999D"])
def test_a_delay_that_is_too_long_is_refused(delay: str) -> None:
    assert codes(settings(generate={"every": 1, "delay": delay}, late="drop")) == ["bad_advance_time generate.delay"]


@pytest.mark.parametrize("of", [None, settings(), settings(late="drop")])
def test_an_input_on_which_nothing_can_advance_time_gets_a_warning(of: AdvanceTimeSettings | None) -> None:
    (fault,) = check_advance(of, stream(), adapter_sends_ctis=False)
    assert (fault.code, fault.severity) == (FaultCode.NO_CLOCK, Severity.WARNING)
    assert check_advance(of, stream(), adapter_sends_ctis=True) == ()


@pytest.mark.parametrize(("shape", "late"), [("point", "drop"), ("interval", "drop"), ("edge", "adjust")])
def test_late_end_without_effect_gets_a_warning(shape: str, late: str) -> None:
    of = settings(late=late, late_end="close_at_cti")
    (fault,) = check_advance(of, stream(Shape(shape)), adapter_sends_ctis=True)
    assert (fault.code, fault.severity, fault.field) == (FaultCode.BAD_ADVANCE_TIME, Severity.WARNING, "late_end")


@pytest.mark.parametrize("late", [None, "drop"])
def test_late_end_is_for_edges_under_drop(late: str | None) -> None:
    assert codes(settings(late=late, late_end="close_at_cti"), Shape.EDGE, ctis=True) == []


def test_all_faults_are_returned_at_once() -> None:
    of = settings(generate={"every": 0, "delay": "P99999999D"}, late_end="close_at_cti")
    assert codes(of) == [
        "bad_advance_time generate.every",
        "bad_advance_time generate.delay",
        "late_not_said late",
        "bad_advance_time late_end",
    ]


def test_every_key_reaches_the_clock() -> None:
    in_clock = to_temporal(
        settings(
            import_from="fast",
            late="keep",
            late_end="close_at_cti",
            over="k",
            idle_after="30s",
            idle="advance",
            max_ahead="1h",
            future="drop",
        )
    )
    assert in_clock == AdvanceTime(
        generate=None,
        late=Late.KEEP,
        late_end=LateEnd.CLOSE_AT_CTI,
        import_from="fast",
        over="k",
        idle_after=Ticks(30_000_000),
        idle=Idle.ADVANCE,
        max_ahead=Ticks(3_600_000_000),
        future=Future.DROP,
    )


def test_late_is_required_with_an_import() -> None:
    assert codes(settings(import_from="fast")) == ["late_not_said late"]


@pytest.mark.parametrize("of", [{"import_from": "fast", "late": "drop"}, {"preset": "rowtime"}])
def test_an_import_and_a_preset_are_clocks(of: dict[str, object]) -> None:
    assert codes(settings(**of)) == []


@pytest.mark.parametrize("key", ["idle_after", "max_ahead"])
@pytest.mark.parametrize("length", ["0s", "-1s", 0, "P99999999D"])
def test_wall_clock_lengths_are_above_zero_and_not_too_long(key: str, length: int | str) -> None:
    assert codes(settings(late="drop", **{key: length}), ctis=True) == [f"bad_advance_time {key}"]


def test_idle_without_idle_after_is_refused() -> None:
    assert codes(settings(idle="leave_out"), ctis=True) == ["missing_argument idle_after"]
    assert codes(settings(idle="leave_out", idle_after="1s"), ctis=True) == []


def test_max_ahead_without_effect_gets_a_warning() -> None:
    (fault,) = check_advance(settings(max_ahead="1s", future="accept"), stream(), adapter_sends_ctis=True)
    assert (fault.code, fault.severity, fault.field) == (FaultCode.NO_EFFECT, Severity.WARNING, "max_ahead")


@pytest.mark.parametrize(
    ("over", "code"),
    [("z", "unknown_field"), ("k +", "bad_expression"), ("k + v", "type_mismatch"), ("f(k)", "unknown_function")],
)
def test_an_expression_for_substreams_is_checked_against_the_fields(over: str, code: str) -> None:
    assert codes(settings(over=over), ctis=True) == [f"{code} over"]


def test_any_valid_expression_defines_substreams() -> None:
    assert codes(settings(over="concat(k, '!')"), ctis=True) == []


@pytest.mark.parametrize("shape", [Shape.INTERVAL, Shape.EDGE])
def test_implicit_rowtimes_require_points(shape: Shape) -> None:
    implicit = stream(shape).model_copy(update={"rowtime": Rowtime.IMPLICIT})
    (fault,) = check_advance(None, implicit, adapter_sends_ctis=True)
    assert (fault.code, fault.severity) == (FaultCode.ROWTIME_NEEDS_POINTS, Severity.ERROR)


def test_implicit_rowtimes_are_a_clock() -> None:
    implicit = stream().model_copy(update={"rowtime": Rowtime.IMPLICIT})
    assert check_advance(None, implicit, adapter_sends_ctis=False) == ()


TWO_INPUTS = QueryGraph.model_validate(
    {
        "version": 1,
        "name": "two",
        "nodes": [
            {"id": "a", "kind": "input", "stream": "fast"},
            {"id": "b", "kind": "input", "stream": "slow"},
            {"id": "c", "kind": "input", "stream": "slow"},
            {"id": "slow_too", "kind": "input", "stream": "a"},
        ],
    }
)


@pytest.mark.parametrize(
    ("named", "node"),
    [("a", "a"), ("fast", "a"), ("slow", None), ("nowhere", None), (None, None), ("slow_too", "slow_too")],
)
def test_an_import_names_an_input_or_a_stream_that_one_input_reads(named: str | None, node: str | None) -> None:
    assert import_source(TWO_INPUTS, named) == node  # "a" is an input and a stream: the input takes precedence


def test_the_settings_in_force_are_the_bindings_if_it_has_some() -> None:
    streams = {name: stream().model_copy(update={"advance": settings(late="adjust")}) for name in ("fast", "slow")}
    binding = {"b": settings(import_from="fast", late="keep")}
    assert in_force(TWO_INPUTS, streams, binding) == {
        "a": settings(late="adjust"),
        "b": binding["b"],
        "c": settings(late="adjust"),
    }
    assert temporal_settings(TWO_INPUTS, streams, binding) == {
        "a": AdvanceTime(late=Late.ADJUST),
        "b": AdvanceTime(late=Late.KEEP, import_from="a"),
        "c": AdvanceTime(late=Late.ADJUST),
    }
