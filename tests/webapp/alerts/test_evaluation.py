"""The decision of a rule: phases and levels, hysteresis, and spans in which nothing is known."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from webapp.alerts.rules.evaluation import (
    HYSTERESIS,
    KEEPS_FIRING_S,
    TICKS_PER_S,
    AlertLevel,
    Measurement,
    Phase,
    RuleState,
    RuleTransition,
    Threshold,
    Thresholds,
    evaluate,
)

LAG = Thresholds(Threshold(60), Threshold(180, for_s=180))
LOSS = Thresholds(Threshold(0.001, rows=10), Threshold(0.01, rows=100))


def every(seconds: int, *values: float | None, begin: int = 0, rows: int = 0) -> list[Measurement]:
    """Return a measurement each so many seconds."""
    return [Measurement((begin + n * seconds) * TICKS_PER_S, value, rows) for n, value in enumerate(values)]


def phases(measurements: list[Measurement], thresholds: Thresholds = LAG) -> list[tuple[int, str, str | None]]:
    """Return each transition as second, phase, level."""
    _, found = evaluate(measurements, thresholds, RuleState())
    return [(each.at // TICKS_PER_S, each.after.value, each.level and each.level.value) for each in found]


def test_a_warning_without_a_span_fires_at_once() -> None:
    assert phases(every(60, 10, 70)) == [(60, "firing", "warn")]


def test_a_page_fires_after_its_span_and_raises_the_level() -> None:
    assert phases(every(60, 200, 200, 200, 200)) == [(0, "firing", "warn"), (180, "firing", "page")]


def test_a_break_starts_the_span_again() -> None:
    only_page = Thresholds(None, Threshold(180, for_s=180))
    values = (200, 200, 100, 200, 200, 200, 200)
    assert phases(every(60, *values), only_page) == [
        (0, "pending", None),
        (120, "ok", None),
        (180, "pending", None),
        (360, "firing", "page"),
    ]


def test_a_rule_resolves_after_five_calm_minutes() -> None:
    values = (70, *[40.0] * 6)
    assert phases(every(60, *values)) == [(0, "firing", "warn"), (360, "resolved", "warn")]


def test_above_eight_tenths_of_its_limit_a_rule_keeps_firing() -> None:
    assert phases(every(60, 70, *[50.0] * 30)) == [(0, "firing", "warn")]


def test_a_share_of_too_few_rows_does_not_fire() -> None:
    assert phases(every(60, 0.5, rows=9), LOSS) == []
    assert phases(every(60, 0.5, rows=10), LOSS) == [(0, "firing", "warn")]
    assert phases(every(60, 0.5, rows=100), LOSS) == [(0, "firing", "page")]


def test_what_is_usual_raises_the_limit_of_a_warning() -> None:
    measured = [replace(each, warn_from=600.0) for each in every(60, 70, 599, 601)]
    assert phases(measured) == [(60, "pending", None), (120, "firing", "warn")]


def test_an_inhibited_rule_is_not_decided() -> None:
    measured = [replace(each, inhibited=True) for each in every(60, 200, 200, 200, 200)]
    assert phases(measured) == []


def test_an_unknown_span_neither_resolves_nor_lets_a_span_continue() -> None:
    assert phases(every(60, 70, *[None] * 100)) == [(0, "firing", "warn")]
    only_page = Thresholds(None, Threshold(180, for_s=180))
    values = (200, 200, 200, None, 200, 200, 200, 200)
    assert phases(every(60, *values), only_page) == [(0, "pending", None), (420, "firing", "page")]


def test_a_resolved_rule_is_ok_after_a_day() -> None:
    state, _ = evaluate(every(60, 70, *[0.0] * 6), LAG, RuleState())
    assert state.phase is Phase.RESOLVED
    state, found = evaluate(every(60, 0.0, begin=2 * 86_400), LAG, state)
    assert (state.phase, found) == (Phase.OK, [])


VALUES = st.none() | st.floats(0, 400, allow_nan=False)
MEASURED = st.lists(
    st.builds(
        lambda value, rows, inhibited: Measurement(0, value, rows, inhibited=inhibited),
        VALUES,
        st.integers(0, 200),
        st.booleans(),
    ),
    max_size=60,
).map(lambda found: [replace(each, at=(n + 1) * 60 * TICKS_PER_S) for n, each in enumerate(found)])
LIMITS = st.builds(
    Threshold, st.floats(1, 300, allow_nan=False), st.sampled_from([0, 60, 180, 300]), st.sampled_from([0, 10, 100])
)
THRESHOLDS = st.builds(Thresholds, LIMITS, LIMITS) | st.builds(Thresholds, LIMITS, st.none())


@given(MEASURED, THRESHOLDS)
def test_no_transition_is_made_where_nothing_is_known(measured: list[Measurement], thresholds: Thresholds) -> None:
    decides = {each.at: each.decides for each in measured}
    _, found = evaluate(measured, thresholds, RuleState())
    assert all(decides[each.at] for each in found)


@given(MEASURED, THRESHOLDS, st.integers(0, 60))
def test_a_replay_gives_the_transitions_of_any_turns(
    measured: list[Measurement], thresholds: Thresholds, cut: int
) -> None:
    state, first = evaluate(measured[:cut], thresholds, RuleState())
    state, second = evaluate(measured[cut:], thresholds, state)
    assert (state, first + second) == evaluate(measured, thresholds, RuleState())


@given(MEASURED, THRESHOLDS)
def test_transitions_follow_one_another(measured: list[Measurement], thresholds: Thresholds) -> None:
    _, found = evaluate(measured, thresholds, RuleState())
    phase = Phase.OK
    for each in found:
        assert each.before is phase or (each.before, phase) == (Phase.OK, Phase.RESOLVED)
        assert each.after is not each.before or each.level is AlertLevel.PAGE
        phase = each.after


@given(MEASURED, THRESHOLDS)
def test_every_firing_reached_a_limit_for_its_span(measured: list[Measurement], thresholds: Thresholds) -> None:
    _, found = evaluate(measured, thresholds, RuleState())
    for each in found:
        if each.after is Phase.FIRING:
            limit = thresholds.warn if each.level is AlertLevel.WARN else thresholds.page
            assert limit is not None
            span = [one for one in measured if each.at - limit.for_s * TICKS_PER_S <= one.at <= each.at]
            assert all(one.decides and (one.value or 0) >= limit.at and one.rows >= limit.rows for one in span)


@given(MEASURED, THRESHOLDS)
def test_nothing_resolves_without_five_calm_minutes(measured: list[Measurement], thresholds: Thresholds) -> None:
    _, found = evaluate(measured, thresholds, RuleState())
    for each in found:
        if each.after is Phase.RESOLVED:
            begin = each.at - KEEPS_FIRING_S * TICKS_PER_S
            assert all(one.decides and _calm(one, thresholds) for one in measured if begin <= one.at <= each.at)


def _calm(one: Measurement, thresholds: Thresholds) -> bool:
    limit = thresholds.lowest
    return (one.value or 0) < HYSTERESIS * limit.at or one.rows < HYSTERESIS * limit.rows


def test_a_transition_names_the_start_of_the_condition_and_of_the_firing() -> None:
    _, found = evaluate(every(60, 200, 200, 200, 200), Thresholds(None, Threshold(180, for_s=180)), RuleState())
    assert found[-1] == RuleTransition(
        at=180 * TICKS_PER_S,
        before=Phase.PENDING,
        after=Phase.FIRING,
        level=AlertLevel.PAGE,
        value=200,
        rows=0,
        detail="",
        since=0,
        fired_at=180 * TICKS_PER_S,
    )
