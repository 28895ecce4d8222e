"""Distances of rows, lanes and parts of the lag over time, of a binding over all its runs; four database queries."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, Subquery

from webapp.live.history import TimeRange, runs_in
from webapp.monitoring.details import InputDetail, LargestLag, RunDetail, lag_of_row, larger_lag, unpacked
from webapp.monitoring.models import RollupDetail
from webapp.monitoring.periods import NO_PERIOD, InputPeriod, only_newest, period_since
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

_HOUR_S: Final = 3_600


@dataclass
class DetailStep:
    """The rows of each input in one step, and the largest lag in it; without a report both are empty."""

    inputs: dict[str, InputPeriod] = field(default_factory=dict)
    largest: LargestLag | None = None


def detail_steps(binding: UUID, within: TimeRange) -> dict[int, DetailStep]:
    """Return the steps of a range with a report, by their first ticks."""
    runs, _ = runs_in(binding, within)
    begun = {run["pk"]: ticks_of(run["created_at"]) for run in runs}
    bases = _bases(begun, within)
    steps: dict[int, DetailStep] = {}
    for run, details in groupby(_last_in_steps(begun, within, steps), key=itemgetter(0)):
        base = bases.get(run)
        if base is None and begun[run] >= within.begin:
            base = {}  # its totals began with zero
        _add(steps, within.step, (detail for _, detail in details), base)
    return dict(sorted(steps.items()))


def _bases(runs: Iterable[UUID], within: TimeRange) -> dict[UUID, Mapping[str, InputDetail]]:
    """Return by run its inputs at the last report before the range."""
    before = _last(seconds=within.rows, at__lt=within.begin)
    long_before = _last(seconds=_HOUR_S, at__lte=within.begin - _HOUR_S * TICKS_PER_S)
    rows = Run.objects.order_by().filter(pk__in=runs).annotate(before=before, long_before=long_before)
    found: dict[UUID, Mapping[str, InputDetail]] = {}
    for run, *contents in rows.values_list("pk", "before", "long_before"):
        detail = next((unpacked(each) for each in contents if each is not None), None)
        if detail is not None:
            found[run] = detail.inputs
    return found


def _last(**steps: int) -> Subquery:
    rows = RollupDetail.objects.filter(run=OuterRef("pk"), **steps)
    return Subquery(rows.order_by("-at").values("content")[:1])


def _last_in_steps(
    runs: Iterable[UUID], within: TimeRange, steps: dict[int, DetailStep]
) -> Iterator[tuple[UUID, RunDetail]]:
    """Yield the last details of each run in each step, in order, and enter the largest lags of all into `steps`."""
    rows = RollupDetail.objects.filter(run__in=runs, seconds=within.rows, at__gte=within.begin, at__lt=within.end)
    rows = rows.order_by("run", "at")
    lasts: dict[tuple[UUID, int], int] = {}
    for run, at, largest in rows.values_list("run", "at", "largest"):
        step = steps.setdefault(at - at % within.step, DetailStep())
        step.largest = larger_lag(step.largest, lag_of_row(largest))
        lasts[run, at - at % within.step] = at
    contents = rows.filter(at__in=set(lasts.values())).values_list("run", "at", "content")
    for run, at, content in contents.iterator():
        detail = unpacked(content) if lasts[run, at - at % within.step] == at else None
        if detail is not None:
            yield run, detail


def _add(
    steps: dict[int, DetailStep],
    width: int,
    details: Iterable[RunDetail],
    base: Mapping[str, InputDetail] | None,
) -> None:
    """Add the details of one run, which follow the totals `base`; None: not known, so the first ones count nothing."""
    for detail in details:
        step = steps[detail.at - detail.at % width]
        for name, now in detail.inputs.items():
            period = only_newest(now, detail.at) if base is None else period_since(base.get(name), now, detail.at)
            step.inputs[name] = step.inputs.get(name, NO_PERIOD).plus(period)
        base = detail.inputs
