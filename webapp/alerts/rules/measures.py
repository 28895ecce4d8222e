"""The value of each rule, from the facts of a turn and the window of known minutes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.alerts.rules.evaluation import TICKS_PER_S, Measurement
from webapp.alerts.rules.facts import AlertFacts, DeliveryFacts
from webapp.alerts.rules.minutes import Window
from webapp.alerts.rules.tallies import LossTally, counted

SHORT: Final = 5
LONG: Final = 15
RESTARTS_S: Final = 900
"""The span in which restarts are counted."""
USUAL: Final = 3
"""A pause is unusual if it is so many times longer than the usual longest one."""
LEAST_LATE: Final = 5
"""Fewer late minutes in a span burn no freshness budget: a start may well take some."""


@dataclass(frozen=True)
class Moment:
    """All that rules may read at tick `at`: facts, None if no turn was made then, and the window of minutes.

    `window` None: the minute before is not known, or it isn't a whole minute.
    """

    at: int
    facts: AlertFacts | None
    window: Window | None = None


@dataclass(frozen=True)
class _Measured:
    value: float
    rows: int = 0
    warn_from: float = 0.0
    inhibited: bool = False
    detail: str = ""


def measure(rule: str, moment: Moment) -> Measurement:
    """Return the measurement of `rule` at `moment`; its value is None where nothing is known."""
    facts = moment.facts
    found: _Measured | None = None
    if facts is not None and rule in _BY_FACTS:
        found = _BY_FACTS[rule](facts, moment.at)
    elif facts is not None and moment.window is not None:
        found = _BY_WINDOW[rule](facts, moment.window, moment.at)
    if found is None:
        return Measurement(moment.at, None)
    return Measurement(moment.at, found.value, found.rows, found.warn_from, found.inhibited, found.detail)


def _age(since: int | None, at: int, *, at_least: float = 0.0) -> float:
    return 0.0 if since is None else max(at_least, (at - since) / TICKS_PER_S)


def _away(facts: AlertFacts, at: int) -> _Measured | None:
    explained = facts.failed is not None or facts.lost_since is not None
    return _Measured(_age(facts.away_since, at), inhibited=explained) if facts.runner_known else None


def _failed(domain: str) -> Callable[[AlertFacts, int], _Measured]:
    def value(facts: AlertFacts, at: int) -> _Measured:
        since = facts.failed_since if facts.failed == domain else None
        return _Measured(_age(since, at, at_least=1.0))

    return value


def _lost(facts: AlertFacts, at: int) -> _Measured | None:
    return _Measured(_age(facts.lost_since, at)) if facts.runner_known else None


def _restarts(facts: AlertFacts, at: int) -> _Measured:
    return _Measured(sum(1 for each in facts.restarts if at - each < RESTARTS_S * TICKS_PER_S))


def _delivery(
    since: Callable[[DeliveryFacts], int | None], *, at_least: float = 0.0
) -> Callable[..., _Measured | None]:
    def value(facts: AlertFacts, at: int) -> _Measured | None:
        if facts.deliveries is None:
            return None
        return _Measured(_age(since(facts.deliveries), at, at_least=at_least), detail=facts.deliveries.node)

    return value


def _refused(facts: AlertFacts, _: int) -> _Measured | None:
    found = facts.deliveries
    return None if found is None else _Measured(found.refused, detail=found.node)


def _limited(facts: AlertFacts, at: int) -> _Measured:
    return _Measured(_age(facts.limited_since, at))


def _slots(facts: AlertFacts, _: int) -> _Measured:
    return _Measured(facts.slot_bytes)


def _red(facts: AlertFacts, _: int) -> _Measured:
    return _Measured(len(facts.red) if facts.open else 0, detail=", ".join(facts.red))


def _quota(facts: AlertFacts, _: int) -> _Measured:
    return _Measured(facts.quota_share, detail=facts.quota)


_BY_FACTS: Final[Mapping[str, Callable[[AlertFacts, int], _Measured | None]]] = {
    "not_running": _away,
    "failed_user": _failed("user"),
    "failed_external": _failed("external"),
    "failed_internal": _failed("internal"),
    "runner_unknown": _lost,
    "restarts": _restarts,
    "delivery_retrying": _delivery(lambda each: each.retrying_since),
    "delivery_stopped": _delivery(lambda each: each.stopped_since, at_least=1.0),
    "delivery_waiting": _delivery(lambda each: each.waiting_since),
    "delivery_refused": _refused,
    "limited": _limited,
    "slot_retains": _slots,
    "red_scenario": _red,
    "quota": _quota,
}


def _stuck(facts: AlertFacts, window: Window, at: int) -> _Measured:
    usual = USUAL * facts.cti_step_s
    return _Measured(_age(window.stuck_from, at), warn_from=usual, inhibited=facts.lost_since is not None)


def _no_rows(facts: AlertFacts, window: Window, at: int) -> _Measured:
    gap_s = 0.0 if window.ended else _age(window.rows_at, at)
    return _Measured(gap_s, warn_from=USUAL * facts.rows_gap_s, inhibited=facts.lost_since is not None)


def _lag(facts: AlertFacts, window: Window, _: int) -> _Measured:
    """A lag counts once a run has caught up, and not while another version catches up next to it."""
    if window.run is None or window.lag_s is None:
        return _Measured(0.0)
    return _Measured(max(0.0, window.lag_s), inhibited=facts.changing or not window.caught_up)


def _lost_rows(_: AlertFacts, window: Window, __: int) -> _Measured:
    found = window.difference(SHORT)
    return _Measured(_share(found.lost, found.received), found.lost)


def _burns(long: int, short: int) -> Callable[[AlertFacts, Window, int], _Measured]:
    """The pace of losing rows, 1 if it is just allowed: in the last `long` or `short` minutes, the slower one."""

    def value(facts: AlertFacts, window: Window, at: int) -> _Measured:
        return _pace(window, [counted(window.tallies, at, minutes) for minutes in (long, short)], facts.completeness)

    return value


def _is_late(long: int, short: int) -> Callable[[AlertFacts, Window, int], _Measured]:
    """The pace of late minutes, like that of lost rows; 0 without a freshness level, and below LEAST_LATE minutes."""

    def value(facts: AlertFacts, window: Window, at: int) -> _Measured:
        if facts.late_after_s is None:
            return _Measured(0.0)
        spans = [counted(window.late_tallies, at, minutes) for minutes in (long, short)]
        if spans[0].lost < LEAST_LATE:
            return _Measured(0.0, spans[0].lost)
        return _pace(window, spans, facts.on_time_share)

    return value


def _pace(window: Window, spans: Sequence[LossTally], percent: float) -> _Measured:
    if window.run is None:
        return _Measured(0.0)
    allowed = (100 - percent) / 100
    return _Measured(min(_share(each.lost, each.received) for each in spans) / allowed, spans[0].lost)


def _moved_rows(_: AlertFacts, window: Window, __: int) -> _Measured:
    found = window.difference(LONG)
    return _Measured(_share(found.moved, found.received), found.moved)


def _future_rows(_: AlertFacts, window: Window, __: int) -> _Measured:
    found = window.difference(SHORT)
    return _Measured(found.future, found.future)


def _failed_rows(_: AlertFacts, window: Window, __: int) -> _Measured:
    found = window.difference(SHORT)
    return _Measured(_share(found.failed, found.received), found.failed)


def _slow(facts: AlertFacts, window: Window, _: int) -> _Measured:
    found = window.difference(1)
    batch_s = window.batch_s if found.received else None
    return _Measured(0.0 if batch_s is None else batch_s / facts.freshness_s)


def _unaccounted(_: AlertFacts, window: Window, __: int) -> _Measured:
    return _Measured(abs(window.unaccounted), abs(window.unaccounted))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


_BY_WINDOW: Final[Mapping[str, Callable[[AlertFacts, Window, int], _Measured]]] = {
    "cti_stuck": _stuck,
    "no_rows": _no_rows,
    "lag": _lag,
    "rows_lost": _lost_rows,
    "budget_hour": _burns(60, 5),
    "budget_day": _burns(360, 30),
    "budget_month": _burns(4_320, 360),
    "late_hour": _is_late(60, 5),
    "late_day": _is_late(360, 30),
    "late_month": _is_late(4_320, 360),
    "rows_moved": _moved_rows,
    "rows_future": _future_rows,
    "slow_batches": _slow,
    "failed_rows": _failed_rows,
    "unaccounted": _unaccounted,
}
