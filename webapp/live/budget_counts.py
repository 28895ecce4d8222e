"""The rows that count for the loss budgets of many bindings; a constant number of database queries."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Max, Q

from webapp.live.budgets import BUDGET_DAYS, BudgetState, BudgetStatus, LossBudget, status_of
from webapp.live.figures import NO_ROWS, PeriodCounts, since, totals
from webapp.live.history import DAY, MOST_RUNS, base_of, counts_in, last_sample, lifetimes, parts_in
from webapp.live.queries import LiveQuery, LiveRun
from webapp.live.repaired import refunded_rows
from webapp.monitoring.models import RunRollup
from webapp.monitoring.reading import TICKS_PER_S, Span
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding, Run
from webapp.runs.states import IN_NO_RESULT

_HOUR_S: Final = 3_600
_StoredRun = Mapping[str, Any]


def budgets_of(queries: Sequence[LiveQuery], now: datetime) -> dict[UUID, BudgetStatus]:
    """Return the loss budget of each query by binding.

    It counts what `webapp.live.ledger` counts on the last `BUDGET_DAYS` days, but reads the first and the last totals
    of each run alone, because counts of days are differences of totals.
    """
    at, window = ticks_of(now), _window(now.astimezone(UTC).date())
    bindings = [query.binding for query in queries]
    runs = _runs(bindings, window)
    bases = _bases([run for own in runs.values() for run in own], window, at)
    refunded = refunded_rows(bindings, datetime.fromtimestamp(window[0] / TICKS_PER_S, UTC))
    found = {}
    for query in queries:
        own = runs.get(query.binding, [])
        counts = [_counted(bases[run["pk"]], _last_totals(run, query.run, window)) for run in own[-MOST_RUNS:]]
        unknown = _unknown(own, window, at)
        budget = LossBudget(
            completeness=query.completeness,
            received=sum(each.received for each in counts),
            lost=sum(each.of(IN_NO_RESULT) for each in counts),
            repaired=refunded.get(query.binding, 0),
            unknown_s=_seconds_by_day(unknown, window),
            is_current=not any(end == at for _, end in unknown),
        )
        found[query.binding] = status_of(budget, query, at)
    return found


def budget_of(binding: Binding, live: LiveQuery | None, now: datetime) -> BudgetStatus:
    """Return the loss budget of one binding; `live` is None without a run."""
    untouched = BudgetStatus(LossBudget(binding.completeness), BudgetState.ENOUGH)
    return untouched if live is None else budgets_of([live], now)[binding.pk]


def _window(today: date) -> Span:
    """Return the first tick of the days that count, and the first one after them."""
    end = ticks_of(datetime.combine(today, time(), UTC)) + DAY
    return end - BUDGET_DAYS * DAY, end


def _runs(bindings: Sequence[UUID], window: Span) -> dict[UUID, list[_StoredRun]]:
    """Return by binding the runs that lived on the days that count, oldest first; of many, one more than counts.

    `before` and `last` are the last samples of a run before the end of the window's first hour, and of the window.
    """
    begin, end = (datetime.fromtimestamp(tick / TICKS_PER_S, UTC) for tick in window)
    lived = Q(ended_at__isnull=True) | Q(ended_at__gt=begin)
    rows = (
        Run.objects.filter(lived, binding__in=bindings, created_at__lt=end)
        .order_by(*NEWEST_FIRST)
        .annotate(
            before=last_sample(seconds=_HOUR_S, at__lt=window[0]),
            last=last_sample(seconds=_HOUR_S, at__gte=window[0], at__lt=window[1]),
        )
        .values(
            "pk",
            "binding",
            "created_at",
            "ended_at",
            "before",
            "last",
            "rollup_cursor__reading__known",
            "rollup_cursor__reading__base",
        )
    )
    found: dict[UUID, list[_StoredRun]] = {}
    for run in rows:
        own = found.setdefault(run["binding"], [])
        if len(own) <= MOST_RUNS:
            own.append({**run, "long_before": None})
    return {binding: own[::-1] for binding, own in found.items()}


def _bases(runs: Sequence[_StoredRun], window: Span, now: int) -> dict[UUID, PeriodCounts | None]:
    """Return the totals from which each run counts; None: it counts nothing.

    Where the totals before the window are unknown, these are the last ones of the first day with a report.
    """
    bases = {run["pk"]: base_of(run, now) for run in runs}
    unknown = [run["pk"] for run in runs if bases[run["pk"]] is None and run["last"] is not None]
    if unknown:
        rows = RunRollup.objects.filter(run__in=unknown, seconds=_HOUR_S, at__gte=window[0], at__lt=window[1])
        days = rows.order_by().values("run", day=F("at") / DAY).annotate(last=Max("at"))
        firsts: dict[UUID, int] = {}
        for run, last in days.order_by("day").values_list("run", "last"):
            firsts.setdefault(run, last)
        samples = rows.filter(at__in=set(firsts.values())).values_list("run", "at", "sample")
        bases |= {run: counts_in(sample) for run, at, sample in samples if firsts[run] == at}
    return bases


def _counted(base: PeriodCounts | None, last: PeriodCounts | None) -> PeriodCounts:
    return NO_ROWS if base is None or last is None else since(base, last)


def _last_totals(run: _StoredRun, newest: LiveRun, window: Span) -> PeriodCounts | None:
    """Return the last totals of a run in the window; a report of the newest run counts before it is rolled up."""
    last = run["last"]
    if newest.id == run["pk"] and newest.reported_at is not None and window[0] <= newest.reported_at < window[1]:
        rolled_up = last is not None and last["at"] >= newest.reported_at
        inputs = ({"received": each.received, "outcomes": each.outcomes} for each in newest.inputs.values())
        return counts_in(last) if rolled_up else totals(inputs)
    return None if last is None else counts_in(last)


def _unknown(runs: Sequence[_StoredRun], window: Span, now: int) -> list[Span]:
    """Return the spans of the window whose reports may be missing, in order, up to tick `now`."""
    own = runs[-MOST_RUNS:]
    _, unknown = lifetimes(own, now)
    if len(runs) > len(own):  # the ledger leaves out these runs too
        unknown = [(window[0], ticks_of(own[0]["created_at"])), *unknown]
    return parts_in(unknown, window)


def _seconds_by_day(spans: Sequence[Span], window: Span) -> int:
    """Return the length of `spans`, the part on each day rounded up to seconds."""
    days = range(*window, DAY) if spans else ()
    parts = (part for day in days for part in parts_in(spans, (day, day + DAY)))
    return sum(-(-(end - begin) // TICKS_PER_S) for begin, end in parts)
