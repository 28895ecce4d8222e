"""The decision of a rule: a pure function from measurements, thresholds and the previous state to transitions.

The live turn and the backtest both use it, so a replay of the same measurements gives the transitions that were sent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

TICKS_PER_S: Final = 1_000_000
HYSTERESIS: Final = 0.8
"""A firing rule is calm below this part of its lowest threshold."""
KEEPS_FIRING_S: Final = 300
"""A rule resolves after it was calm for so long."""
STAYS_RESOLVED_S: Final = 86_400
"""A rule that has resolved is shown so for a day, then it is ok."""


class AlertLevel(StrEnum):
    """The urgency of a firing rule."""

    WARN = "warn"
    PAGE = "page"


class Phase(StrEnum):
    """The last decided state of a rule; whether it is known now is separate (`RuleState.unknown_since`)."""

    OK = "ok"
    PENDING = "pending"
    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True)
class Threshold:
    """A limit: reached if the value is at least `at` on at least `rows` rows, without a break for `for_s` seconds."""

    at: float
    for_s: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Thresholds:
    """The limits of a rule, None where it has no such level."""

    warn: Threshold | None
    page: Threshold | None

    @property
    def lowest(self) -> Threshold:
        """Return the limit below which the rule is calm."""
        found = self.warn or self.page
        assert found is not None  # nosec B101 # each rule has a level, `thresholds` checks it
        return found


@dataclass(frozen=True)
class Measurement:
    """The value of a rule at tick `at`, of `rows` rows; None: nothing is known about the span before `at`.

    `warn_from` raises the threshold of a warning to what is usual for this binding. `inhibited`: another condition
    explains the value, so nothing is decided. `detail` names the cause, for the sentence.
    """

    at: int
    value: float | None
    rows: int = 0
    warn_from: float = 0.0
    inhibited: bool = False
    detail: str = ""

    @property
    def decides(self) -> bool:
        """Return whether a rule may be decided here."""
        return self.value is not None and not self.inhibited


@dataclass(frozen=True)
class RuleState:
    """The state of a rule after a measurement; all times are ticks.

    `since`: the start of the condition while pending or firing. `warn_since`, `page_since`: the start of the span
    without a break in which the limit was reached; `calm_since` that in which a firing rule was calm. `value`, `rows`
    and `detail` are the last ones decided, `decided_at` their time. `unknown_since`: nothing is known since then.
    """

    phase: Phase = Phase.OK
    level: AlertLevel | None = None
    since: int | None = None
    fired_at: int | None = None
    resolved_at: int | None = None
    warn_since: int | None = None
    page_since: int | None = None
    calm_since: int | None = None
    value: float | None = None
    rows: int = 0
    detail: str = ""
    decided_at: int | None = None
    unknown_since: int | None = None


@dataclass(frozen=True)
class RuleTransition:
    """A change of phase or level at tick `at`; `since` is the start of the condition, `fired_at` of the firing."""

    at: int
    before: Phase
    after: Phase
    level: AlertLevel | None
    value: float
    rows: int
    detail: str
    since: int | None
    fired_at: int | None


def evaluate(
    measurements: Iterable[Measurement], thresholds: Thresholds, state: RuleState
) -> tuple[RuleState, list[RuleTransition]]:
    """Return the state after `measurements`, which are in the order of time, and the transitions on the way."""
    transitions = []
    for measurement in measurements:
        state, transition = decide(measurement, thresholds, state)
        if transition is not None:
            transitions.append(transition)
    return state, transitions


def decide(
    measurement: Measurement, thresholds: Thresholds, state: RuleState
) -> tuple[RuleState, RuleTransition | None]:
    """Return the state after `measurement`, and the transition if it changes the phase or the level.

    A measurement that decides nothing changes neither, and every span without a break starts again after it.
    """
    if not measurement.decides:
        unknown = None if measurement.value is not None else _first(state.unknown_since, measurement.at)
        return replace(state, warn_since=None, page_since=None, calm_since=None, unknown_since=unknown), None
    if state.phase is Phase.RESOLVED and measurement.at - (state.resolved_at or 0) >= STAYS_RESOLVED_S * TICKS_PER_S:
        state = RuleState()
    warned, paged = (
        _reaches(measurement, thresholds.warn, measurement.warn_from),
        _reaches(measurement, thresholds.page),
    )
    seen = replace(
        state,
        warn_since=_first(state.warn_since, measurement.at) if warned else None,
        page_since=_first(state.page_since, measurement.at) if paged else None,
        value=measurement.value,
        rows=measurement.rows,
        detail=measurement.detail if warned or paged else state.detail,
        decided_at=measurement.at,
        unknown_since=None,
    )
    due = _due(seen, thresholds, measurement.at)
    if state.phase is Phase.FIRING:
        return _while_firing(measurement, thresholds, seen, due)
    return _while_quiet(measurement, seen, due, reached=warned or paged)


def _while_quiet(
    measurement: Measurement, seen: RuleState, due: AlertLevel | None, *, reached: bool
) -> tuple[RuleState, RuleTransition | None]:
    """Return the state of a rule that did not fire before."""
    since = seen.since if seen.phase is Phase.PENDING else measurement.at
    if due is not None:
        fired = replace(seen, phase=Phase.FIRING, level=due, since=since, fired_at=measurement.at, resolved_at=None)
        return _moved(measurement, seen.phase, replace(fired, calm_since=None))
    if reached and seen.phase is not Phase.PENDING:
        return _moved(measurement, seen.phase, replace(seen, phase=Phase.PENDING, level=None, since=since))
    if not reached and seen.phase is Phase.PENDING:
        return _moved(measurement, seen.phase, replace(seen, phase=Phase.OK, since=None, detail=""))
    return seen, None


def _while_firing(
    measurement: Measurement, thresholds: Thresholds, seen: RuleState, due: AlertLevel | None
) -> tuple[RuleState, RuleTransition | None]:
    """Return the state of a firing rule: its level only rises until it resolves."""
    if due is AlertLevel.PAGE and seen.level is AlertLevel.WARN:
        return _moved(measurement, Phase.FIRING, replace(seen, level=AlertLevel.PAGE, calm_since=None))
    if not _is_calm(measurement, thresholds.lowest):
        return replace(seen, calm_since=None), None
    since = _first(seen.calm_since, measurement.at)
    calm = replace(seen, calm_since=since)
    if measurement.at - since < KEEPS_FIRING_S * TICKS_PER_S:
        return calm, None
    resolved = replace(calm, phase=Phase.RESOLVED, resolved_at=measurement.at, calm_since=None)
    return _moved(measurement, Phase.FIRING, resolved)


def _moved(measurement: Measurement, before: Phase, state: RuleState) -> tuple[RuleState, RuleTransition]:
    value = 0.0 if measurement.value is None else measurement.value
    transition = RuleTransition(
        at=measurement.at,
        before=before,
        after=state.phase,
        level=state.level,
        value=value,
        rows=measurement.rows,
        detail=state.detail,
        since=state.since,
        fired_at=state.fired_at,
    )
    return state, transition


def _first(since: int | None, at: int) -> int:
    """Return the start of a span that still lasts at tick `at`."""
    return at if since is None else since


def _due(state: RuleState, thresholds: Thresholds, at: int) -> AlertLevel | None:
    """Return the highest level whose limit was reached for long enough."""
    if thresholds.page is not None and _lasts(state.page_since, thresholds.page, at):
        return AlertLevel.PAGE
    if thresholds.warn is not None and _lasts(state.warn_since, thresholds.warn, at):
        return AlertLevel.WARN
    return None


def _lasts(since: int | None, threshold: Threshold, at: int) -> bool:
    return since is not None and at - since >= threshold.for_s * TICKS_PER_S


def _reaches(measurement: Measurement, threshold: Threshold | None, at_least: float = 0.0) -> bool:
    if threshold is None or measurement.value is None:
        return False
    return measurement.value >= max(threshold.at, at_least) and measurement.rows >= threshold.rows


def _is_calm(measurement: Measurement, threshold: Threshold) -> bool:
    below = measurement.value is not None and measurement.value < HYSTERESIS * threshold.at
    return below or measurement.rows < HYSTERESIS * threshold.rows
