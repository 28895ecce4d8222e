"""The rows of each input of a binding in a range, as far as they had the same delay; three database queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db.models import OuterRef, Subquery
from pydantic import TypeAdapter

from streaming.adapters.registry import sends_ctis
from streaming.simulator.longer_delays import DelayedClock, clock_with_delay
from streaming.wire.messages import InputSpec
from webapp.live.details import detail_steps
from webapp.live.figures import NO_ROWS, PeriodCounts, since, totals
from webapp.live.history import TimeRange, runs_in, sample_before
from webapp.live.what_if.job import BatchSpan
from webapp.monitoring.models import RunRollup
from webapp.monitoring.periods import NO_PERIOD
from webapp.runs.access import NEWEST_FIRST
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

MOST_RUNS: Final = 20
"""Older runs of a range are left out."""
OTHER_BINDING: Final = "The CTIs of this input come with the results of another binding. Change the delay there."
_INPUTS: Final[TypeAdapter[dict[str, InputSpec]]] = TypeAdapter(dict[str, InputSpec])
_Sample = Mapping[str, Any]


@dataclass(frozen=True)
class DelayedRows:
    """The rows of an input in the runs of a range that had the delay of the newest one.

    `spans` have their late rows in the quarantine. `since`: the first tick of these runs, None if no run of the range
    is left out. `behind` counts rows by their distance to the largest start (`streaming.wire.measures`), in all runs.
    `may_have_ctis`: rows of the input may be CTIs, which no delay moves.
    """

    clock: DelayedClock
    counts: PeriodCounts = NO_ROWS
    spans: Sequence[BatchSpan] = ()
    since: int | None = None
    behind: Mapping[int, int] = field(default_factory=dict)
    may_have_ctis: bool = False


@dataclass(frozen=True)
class _CountedRun:
    """A run with its inputs, its newest report, and its samples before the range and at its end; None if unknown."""

    id: str
    begin: int
    inputs: Mapping[str, InputSpec]
    report: _Sample | None
    base: _Sample | None = None
    last: _Sample | None = None

    def clock(self, name: str) -> DelayedClock | str:
        """Return the clock of an input, or why its late rows do not depend on a delay alone."""
        spec = self.inputs.get(name)
        if spec is None:
            return ""
        return OTHER_BINDING if spec.adapter.kind == "binding" else clock_with_delay(spec.stream, spec.advance)


def delayed_rows(binding: UUID, within: TimeRange, now: int) -> dict[str, DelayedRows | str]:
    """Return the inputs of the newest run in a range; of those whose late rows do not depend on a delay alone, why."""
    rows, _ = runs_in(binding, within)
    runs = _counted_runs(rows[-MOST_RUNS:], within, now)
    if not runs:
        return {}
    before = _run_before(binding, rows[-len(runs)])
    steps = detail_steps(binding, within.for_details(now)).values()
    found: dict[str, DelayedRows | str] = {}
    for name, spec in sorted(runs[-1].inputs.items()):
        clock = runs[-1].clock(name)
        if isinstance(clock, str):
            found[name] = clock
            continue
        own = _with_same_delay(runs, name, clock)
        is_cut = len(own) < len(rows)
        earlier = runs[-len(own) - 1] if len(own) < len(runs) else before
        behind = NO_PERIOD
        for step in steps:
            behind = behind.plus(step.inputs.get(name, NO_PERIOD))
        found[name] = DelayedRows(
            clock,
            counts=_counts(own, name),
            spans=_spans(own, _unknown_until(earlier, name, clock)),
            since=own[0].begin if is_cut else None,
            behind=behind.behind,
            may_have_ctis=sends_ctis(spec.adapter.kind),
        )
    return found


def _counted_runs(rows: Sequence[Mapping[str, Any]], within: TimeRange, now: int) -> list[_CountedRun]:
    """Return `rows` of `runs_in` with their samples; a report of the newest run counts before it is rolled up."""
    steps = RunRollup.objects.filter(run=OuterRef("pk"), seconds=within.rows, at__gte=within.begin, at__lt=within.end)
    first, last = (Subquery(steps.order_by(order).values("sample")[:1]) for order in ("at", "-at"))
    stored = Run.objects.order_by().filter(pk__in=[row["pk"] for row in rows]).annotate(first=first, last=last)
    values: dict[UUID, Any] = {row["pk"]: row for row in stored.values("pk", "spec", "first", "last", "progress")}
    found = []
    for row in rows:
        own = values[row["pk"]]
        last_sample = own["last"]
        report = own["progress"] if row is rows[-1] else None
        if report is not None and within.begin <= report["at"] < within.end:
            last_sample = max((each for each in (last_sample, report) if each is not None), key=lambda each: each["at"])
        found.append(
            _CountedRun(
                str(row["pk"]),
                ticks_of(row["created_at"]),
                _INPUTS.validate_python(own["spec"]["inputs"]),
                own["progress"],
                sample_before(row, now) or own["first"] or last_sample,
                last_sample,
            )
        )
    return found


def _run_before(binding: UUID, first: Mapping[str, Any]) -> _CountedRun | None:
    """Return the run before `first`, with its newest report."""
    older = Run.objects.filter(binding=binding, created_at__lt=first["created_at"]).order_by(*NEWEST_FIRST)
    row: Any = older.values("pk", "spec", "progress", "created_at").first()
    if row is None:
        return None
    inputs = _INPUTS.validate_python(row["spec"]["inputs"])
    return _CountedRun(str(row["pk"]), ticks_of(row["created_at"]), inputs, row["progress"])


def _with_same_delay(runs: Sequence[_CountedRun], name: str, clock: DelayedClock) -> Sequence[_CountedRun]:
    """Return the newest runs, as far as the input had the delay of the newest one."""
    others = (number for number, run in enumerate(reversed(runs)) if not _has_delay(run.clock(name), clock))
    return runs[len(runs) - next(others, len(runs)) :]


def _has_delay(clock: DelayedClock | str, other: DelayedClock) -> bool:
    return not isinstance(clock, str) and clock.delay == other.delay


def _unknown_until(earlier: _CountedRun | None, name: str, clock: DelayedClock) -> int | None:
    """Return the largest CTI that the run before the counted ones may have left; None if it had the same delay."""
    if earlier is None or earlier.report is None or name not in earlier.report["inputs"]:
        return None
    before = earlier.clock(name)
    if _has_delay(before, clock):
        return None
    counts = earlier.report["inputs"][name]
    ctis = [counts["cti"], counts["largest_start"]]
    if isinstance(before, str) or before.raises_lanes:
        ctis.append(earlier.report["at"])
    elif counts["largest_start"] is not None:
        ctis[1] -= before.delay
    return max((each for each in ctis if each is not None), default=None)


def _counts(runs: Sequence[_CountedRun], name: str) -> PeriodCounts:
    counts = NO_ROWS
    for run in runs:
        if run.base is not None and run.last is not None:
            counts = counts.plus(since(_totals(run.base, name), _totals(run.last, name)))
    return counts


def _totals(sample: _Sample, name: str) -> PeriodCounts:
    return totals([sample["inputs"][name]] if name in sample["inputs"] else [])


def _spans(runs: Sequence[_CountedRun], unknown_until: int | None) -> list[BatchSpan]:
    return [
        BatchSpan(run.id, run.base["batch"], run.last["batch"], unknown_until if run is runs[0] else None)
        for run in runs
        if run.base is not None and run.last is not None
    ]
