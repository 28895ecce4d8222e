"""The known minutes of a binding, folded into a window of bounded size that the measures read."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.punctuality import DayMinutes, Punctuality, with_day
from webapp.alerts.rules.tallies import LossTally, with_minute
from webapp.runs.states import IN_NO_RESULT

MINUTE: Final = 60 * TICKS_PER_S
LONGEST_WINDOW: Final = 15
"""The most minutes over which a rule counts."""
_MOVED: Final = ("adjusted", "shifted")
_FUTURE: Final = "dropped_early"


@dataclass(frozen=True)
class Totals:
    """The totals of a run in its newest report of a minute, at tick `at`; inputs are added up.

    `accounted` is the sum of all outcomes. `cti` is the smallest CTI of the inputs that have not ended, on which the
    CTIs of all outputs depend; None if one of them has none yet. `lag_s` is `at - CTI - D` of the input that lags most;
    None without a CTI. `overdue_s` is the largest `lag_s` of all reports of the minute, None if unknown. `ended`: every
    input has ended.
    """

    at: int
    received: int
    lost: int
    moved: int
    future: int
    accounted: int
    batch_s: float
    cti: int | None
    lag_s: float | None
    ended: bool
    overdue_s: float | None = None


def totals_of(sample: Mapping[str, Any], delays: Mapping[str, int], overdue: int | None = None) -> Totals:
    """Return the totals in a stored sample of a rollup, the only reader of its shape here.

    `delays` is D by input, `overdue` the largest lag after D in the minute, in ticks.
    """
    inputs: Mapping[str, Mapping[str, Any]] = sample["inputs"]
    outcomes = [each["outcomes"] for each in inputs.values()]
    ctis = [each["cti"] for each in inputs.values() if not each["ended"]]
    lags_s = [
        (sample["at"] - each["cti"] - delays.get(name, 0)) / TICKS_PER_S
        for name, each in inputs.items()
        if each["cti"] is not None and not each["ended"]
    ]
    return Totals(
        at=sample["at"],
        received=sum(each["received"] for each in inputs.values()),
        lost=_sum(outcomes, IN_NO_RESULT),
        moved=_sum(outcomes, _MOVED),
        future=_sum(outcomes, (_FUTURE,)),
        accounted=sum(sum(each.values()) for each in outcomes),
        batch_s=sample["batch_s"],
        cti=None if None in ctis else min(ctis, default=None),
        lag_s=max(lags_s, default=None),
        ended=bool(inputs) and all(each["ended"] for each in inputs.values()),
        overdue_s=None if overdue is None else overdue / TICKS_PER_S,
    )


def _sum(outcomes: list[Mapping[str, int]], names: tuple[str, ...]) -> int:
    return sum(each.get(name, 0) for each in outcomes for name in names)


@dataclass(frozen=True)
class Counts:
    """The totals at the end of a minute, at tick `at`, as far as rules use their differences."""

    at: int
    received: int = 0
    lost: int = 0
    moved: int = 0
    future: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Window:
    """The last known minutes of a run without a break, oldest first, and what is remembered of earlier ones.

    `counts` starts with the totals before the first minute. `rows_at`: the last report with new rows, `stuck_from`:
    the first report with rows since the CTI `cti` last moved. `lag_s`, `batch_s` and
    `unaccounted` are those of the newest report. `caught_up`: the lag was below its limit once since the run started.
    `tallies` count the known minutes of three days, over all runs. `late_tallies` count the minutes that a freshness
    level decides in the same way, late ones as lost, and `days` those of each of the last 30 days.
    """

    run: str | None = None
    counts: tuple[Counts, ...] = ()
    rows_at: int | None = None
    stuck_from: int | None = None
    cti: int | None = None
    lag_s: float | None = None
    batch_s: float | None = None
    unaccounted: int = 0
    caught_up: bool = False
    ended: bool = False
    tallies: tuple[LossTally, ...] = ()
    late_tallies: tuple[LossTally, ...] = ()
    days: tuple[DayMinutes, ...] = ()

    def difference(self, minutes: int) -> Counts:
        """Return what was counted in the last `minutes`, or since the first known one if that is later."""
        if not self.counts:
            return Counts(0)
        last = self.counts[-1]
        first = next(each for each in self.counts if each.at >= last.at - minutes * MINUTE)
        names = ("received", "lost", "moved", "future", "failed")
        return Counts(last.at, **{name: max(0, getattr(last, name) - getattr(first, name)) for name in names})

    def to_json(self) -> dict[str, Any]:
        """Return the window as JSON values."""
        counts = [list(vars(each).values()) for each in self.counts]
        lists = {name: [list(each) for each in getattr(self, name)] for name in ("tallies", "late_tallies", "days")}
        return {**vars(self), "counts": counts, **lists}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Read a stored window; one of an older release has no tallies, and one of a newer release unknown fields."""
        known = {each.name: content[each.name] for each in fields(cls) if each.name in content}
        counts = tuple(Counts(*each) for each in content["counts"])
        tallies, late = (
            tuple(LossTally(*each) for each in content.get(name, ())) for name in ("tallies", "late_tallies")
        )
        days = tuple(DayMinutes(*each) for each in content.get("days", ()))
        return cls(**{**known, "counts": counts, "tallies": tallies, "late_tallies": late, "days": days})


@dataclass(frozen=True)
class Minute:
    """The minute before tick `at`: the run in it, None without one, and its newest totals, None without a report.

    Not `known`: reports of it may be missing. `failed` counts the failures of expressions until then. `run_since` is
    the time of the run's request.
    """

    at: int
    run: str | None
    known: bool
    totals: Totals | None = None
    failed: int = 0
    run_since: int = 0


EMPTY: Final = Window()
CAUGHT_UP_S: Final = 60.0
"""A run has caught up once its lag was below this."""


def fold(window: Window, minute: Minute, late_after_s: float | None = None) -> Window:
    """Return `window` after `minute`; an unknown minute empties the counts, another run starts them from nothing.

    `late_after_s` is the limit of the freshness level in force, None without one.
    """
    folded = _fold(window, minute)
    if late_after_s is None:
        return folded
    judged = _punctuality(folded, minute, late_after_s)
    days = with_day(window.days, minute.at, judged)
    if judged not in {Punctuality.ON_TIME, Punctuality.LATE}:
        return replace(folded, days=days)
    late = with_minute(window.late_tallies, minute.at, 1, int(judged is Punctuality.LATE))
    return replace(folded, days=days, late_tallies=late)


def _punctuality(window: Window, minute: Minute, late_after_s: float) -> Punctuality:
    """Return how results were in `minute`, after which the window is `window`.

    In a minute without a report they are as after the last one: nothing arrives there, or a batch is under way.
    """
    if minute.run is None:
        return Punctuality.NOT_COUNTED
    if not minute.known:
        return Punctuality.UNKNOWN
    if minute.totals is None and window.batch_s is None:
        return Punctuality.NOT_COUNTED
    lag_s = window.lag_s if minute.totals is None else minute.totals.overdue_s
    if lag_s is None:
        return Punctuality.UNKNOWN
    return Punctuality.LATE if lag_s > late_after_s else Punctuality.ON_TIME


def _fold(window: Window, minute: Minute) -> Window:
    empty = replace(EMPTY, tallies=window.tallies, late_tallies=window.late_tallies, days=window.days)
    if minute.run is None:
        return empty
    if window.run != minute.run:
        begins = minute.run_since >= minute.at - MINUTE  # otherwise its totals have rows of earlier minutes
        base = (Counts(minute.at - MINUTE, failed=minute.failed),) if begins else ()
        window = replace(empty, run=minute.run, rows_at=minute.run_since, counts=base)
    if not minute.known:
        return replace(window, counts=(), stuck_from=None)
    window = window if minute.totals is None else _with_report(window, minute.totals)
    kept = tuple(each for each in window.counts if each.at >= minute.at - LONGEST_WINDOW * MINUTE)
    window = replace(window, counts=(*kept, *_counted(minute, window.counts)))
    last = window.difference(1)
    return replace(window, tallies=with_minute(window.tallies, minute.at, last.received, last.lost))


def _counted(minute: Minute, counts: tuple[Counts, ...]) -> tuple[Counts, ...]:
    """Return the counts of `minute`; none for a minute without a report that no known total precedes."""
    totals = minute.totals
    if totals is not None:
        return (Counts(minute.at, totals.received, totals.lost, totals.moved, totals.future, minute.failed),)
    return tuple(replace(last, at=minute.at, failed=minute.failed) for last in counts[-1:])


def _with_report(window: Window, totals: Totals) -> Window:
    before = window.counts[-1].received if window.counts else None
    arrived = before is None or totals.received > before
    moved = window.cti != totals.cti
    stuck = totals.at if arrived and window.stuck_from is None else window.stuck_from
    lag_s = totals.lag_s if arrived or moved else window.lag_s
    return replace(
        window,
        rows_at=totals.at if arrived else window.rows_at,
        stuck_from=None if moved else stuck,
        cti=totals.cti,
        lag_s=lag_s,
        batch_s=totals.batch_s,
        unaccounted=totals.received - totals.accounted,
        caught_up=window.caught_up or (lag_s is not None and lag_s < CAUGHT_UP_S),
        ended=totals.ended,
    )
