"""The figures of a binding over all its runs, in steps of time; a constant number of database queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.db.models import F, Max, OuterRef, Q, Subquery

from webapp.live.figures import NO_ROWS, PeriodCounts, since, totals
from webapp.live.queries import LiveRun
from webapp.monitoring.models import RunRollup
from webapp.monitoring.reading import CRACK, TICKS_PER_S, Span, joined
from webapp.monitoring.rollups import DETAILS_KEPT, KEPT
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Run

RANGES: Final[Mapping[int, int]] = {
    900: 10,
    3_600: 60,
    7_200: 60,
    86_400: 600,
    604_800: 3_600,
    2_592_000: 14_400,
    7_776_000: 43_200,
}
"""The steps of each range, both in seconds: at most 180 of them."""
LONGEST: Final = max(RANGES) * TICKS_PER_S
MOST_STEPS: Final = 180
DAY: Final = 86_400 * TICKS_PER_S
MOST_RUNS: Final = 200
ROLLED_UP_WITHIN: Final = 60 * TICKS_PER_S
"""The newest part of a range is unknown once the last known time is longer ago than this."""
_HOUR_S: Final = 3_600
Knowledge = Literal["known", "unknown", "none"]
"""Of a step: everything is recorded; reports may be missing; there was no run."""


@dataclass(frozen=True)
class TimeRange:
    """The ticks `[begin, end)` in steps of `step` ticks; `rows` is the length of the stored steps to read, in seconds.

    Each step consists of whole stored steps. `seconds` is the length of a range until now; None with fixed borders.
    """

    begin: int
    end: int
    step: int
    rows: int
    seconds: int | None = None

    @classmethod
    def until(cls, now: int, seconds: int) -> "TimeRange":
        """Return the last `seconds`, one of RANGES; the last step is the one in progress."""
        step = RANGES[seconds] * TICKS_PER_S
        end = (now // step + 1) * step
        begin = end - (seconds * TICKS_PER_S // step + 1) * step
        return replace(cls._of(begin, end, step, _finest(seconds * TICKS_PER_S, KEPT)), seconds=seconds)

    @classmethod
    def between(cls, begin: int, end: int, now: int) -> "TimeRange":
        """Return a range of at most LONGEST ticks, rounded outwards, in the shortest steps that are kept and few."""
        rows = _finest(now - begin, KEPT)
        step = next(each for each in _STEPS if end - begin <= MOST_STEPS * each and each >= rows * TICKS_PER_S)
        return cls._of(begin - begin % step, -(-end // step) * step, step, rows)

    @classmethod
    def of_days(cls, begin: int, end: int) -> "TimeRange":
        """Return the days from tick `begin` on and before tick `end`, both midnights in UTC.

        They are counted by hours, which are kept longest. The rollup of the hour in progress has the newest report too.
        """
        return cls(begin, end, DAY, _HOUR_S)

    @classmethod
    def _of(cls, begin: int, end: int, step: int, rows: int) -> "TimeRange":
        """Return a range whose rows are as long as its steps allow, up to a minute: longer ones are few anyway."""
        return cls(begin, end, step, max(rows, min(60, step // TICKS_PER_S)))

    def for_details(self, now: int) -> "TimeRange":
        """Return the range as read from details: in hours where shorter ones are no longer kept."""
        coarsest = max(each for each in KEPT if self.step % (each * TICKS_PER_S) == 0)
        rows = max(coarsest, _finest(now - self.begin, DETAILS_KEPT))
        step = max(self.step, rows * TICKS_PER_S)
        return TimeRange(self.begin - self.begin % step, -(-self.end // step) * step, step, rows)


_STEPS: Final = sorted({each * TICKS_PER_S for each in RANGES.values()})


def _finest(age: int, kept: Mapping[int, timedelta]) -> int:
    """Return the shortest stored steps, in seconds, that are kept until they are `age` ticks old."""
    return min(
        (seconds for seconds, time in kept.items() if age <= time / timedelta(microseconds=1)), default=max(kept)
    )


@dataclass(frozen=True)
class RunBand:
    """A run in the range: its version, and its time in ticks; `end` is None while it is open."""

    id: UUID
    number: int
    version: int | None
    begin: int
    end: int | None


@dataclass
class HistoryStep:
    """The rows counted from tick `at` on, for one step, and the largest lag in it, in ticks.

    `unknown`: the parts of the step in which a run lived and reports may be missing.
    """

    at: int
    knowledge: Knowledge
    unknown: Sequence[Span] = ()
    counts: PeriodCounts = NO_ROWS
    lag: int | None = None


@dataclass(frozen=True)
class BindingHistory:
    """The steps of a range in order, and its runs, oldest first; `missing` counts older runs that are left out."""

    begin: int
    end: int
    step: int
    steps: Sequence[HistoryStep] = field(default_factory=list)
    runs: Sequence[RunBand] = field(default_factory=list)
    missing: int = 0


def history_of(binding: UUID, within: TimeRange, newest: LiveRun | None, now: int) -> BindingHistory:
    """Return the history of a range as of tick `now`.

    The rows in the last report of the `newest` run count in its step, also before they are rolled up: other figures of
    the page are those of this report. Time before the first hour whose rollup is still kept is unknown.
    """
    begin, end, step = within.begin, within.end, within.step
    runs, missing = runs_in(binding, within)
    bands = [_band(run) for run in runs]
    lived, unknown = lifetimes(runs, now)
    steps = {at: _empty_step((at, at + step), lived, unknown) for at in range(begin, end, step)}
    by_run = _samples(runs, within)
    for run in runs:
        samples = by_run.get(run["pk"], [])
        if newest is not None and newest.id == run["pk"]:
            samples = [*samples, *_not_rolled_up(newest, samples, step)]
        _add(steps, base_of(run, now), samples, step)
    return BindingHistory(begin, end, step, list(steps.values()), bands, missing)


def lifetimes(runs: Sequence[Mapping[str, Any]], now: int) -> tuple[list[Span], list[Span]]:
    """Return the spans in which the `runs` of a binding lived, and the parts of them whose reports may be missing."""
    oldest = _oldest(now)
    spans = ((a, b) for run in runs for a, b in run["rollup_cursor__reading__known"] or [])
    known = joined((max(a, oldest), b) for a, b in spans if b > oldest)
    lived = joined(
        (ticks_of(run["created_at"]), now + 1 if run["ended_at"] is None else ticks_of(run["ended_at"])) for run in runs
    )
    return lived, [(a, min(b, now)) for a, b in _missing(lived, known, now + 1)]


def _oldest(now: int) -> int:
    """Return the first tick from which on all rollups are kept: the start of an hour."""
    hour = _HOUR_S * TICKS_PER_S
    return -(-(now - KEPT[_HOUR_S] // timedelta(microseconds=1)) // hour) * hour


def runs_in(binding: UUID, within: TimeRange) -> tuple[list[Mapping[str, Any]], int]:
    """Return the runs in a range, oldest first, and how many older ones are left out.

    `before` is the last sample of a run before the range; `long_before` that of an hour that was over before it.
    """
    begin, end = (datetime.fromtimestamp(tick / TICKS_PER_S, UTC) for tick in (within.begin, within.end))
    lived = Q(ended_at__isnull=True) | Q(ended_at__gt=begin)
    runs = Run.objects.filter(lived, binding=binding, created_at__lt=end).order_by("-number", "-created_at", "-pk")
    before = last_sample(seconds=within.rows, at__lt=within.begin)
    long_before = last_sample(seconds=_HOUR_S, at__lte=within.begin - _HOUR_S * TICKS_PER_S)
    rows = runs.annotate(before=before, long_before=long_before).values(
        "pk",
        "number",
        "query_version",
        "created_at",
        "ended_at",
        "before",
        "long_before",
        "rollup_cursor__reading__known",
        "rollup_cursor__reading__base",
    )
    found: list[Mapping[str, Any]] = list(rows[: MOST_RUNS + 1])
    return found[:MOST_RUNS][::-1], len(found) - len(found[:MOST_RUNS])


def last_sample(**steps: int) -> Subquery:
    """Return the subquery for the last sample of a run whose rollup matches the lookups `steps`."""
    rows = RunRollup.objects.filter(run=OuterRef("pk"), **steps)
    return Subquery(rows.order_by("-at").values("sample")[:1])


def _band(run: Mapping[str, Any]) -> RunBand:
    end = None if run["ended_at"] is None else ticks_of(run["ended_at"])
    return RunBand(run["pk"], run["number"], run["query_version"], ticks_of(run["created_at"]), end)


def _missing(lived: Sequence[Span], known: Sequence[Span], after: int) -> list[Span]:
    """Return the spans of the runs whose reports may be missing; `after` is the next tick, until which open runs live.

    These gaps are too long for a pause between signs of life, or, until now, between two turns of the rollups.
    """
    gaps = [gap for span in lived for gap in _gaps(span, known)]
    return [(a, b) for a, b in gaps if b - a > (ROLLED_UP_WITHIN if b == after else CRACK)]


def _empty_step(step: Span, lived: Sequence[Span], unknown: Sequence[Span]) -> HistoryStep:
    """Return a step without rows, and its knowledge."""
    parts = parts_in(unknown, step)
    knowledge: Knowledge = "unknown" if parts else "known" if parts_in(lived, step) else "none"
    return HistoryStep(step[0], knowledge, parts)


def parts_in(spans: Sequence[Span], step: Span) -> list[Span]:
    """Return the parts of `spans` in a step."""
    return [(max(a, step[0]), min(b, step[1])) for a, b in spans if a < step[1] and b > step[0]]


def _gaps(span: Span, known: Sequence[Span]) -> list[Span]:
    """Return the parts of `span` outside of the spans `known`, which are in order and disjoint."""
    gaps, begin = [], span[0]
    for a, b in known:
        if b > begin and a < span[1]:
            gaps += [(begin, a)] if a > begin else []
            begin = b
    return [*gaps, (begin, span[1])] if begin < span[1] else gaps


@dataclass(frozen=True)
class _LastSample:
    slot: int
    reported_at: int
    counts: PeriodCounts
    lag: int | None


def _samples(runs: Sequence[Mapping[str, Any]], within: TimeRange) -> dict[UUID, list[_LastSample]]:
    """Return by run the last totals of each step with a report, in order, and the largest lag of the step."""
    rows = RunRollup.objects.order_by().filter(
        run__in=[run["pk"] for run in runs], seconds=within.rows, at__gte=within.begin, at__lt=within.end
    )
    slots = rows.values("run", slot=F("at") / within.step).annotate(last=Max("at"), most=Max("lag"))
    lasts = {(run, last): (slot, most) for run, slot, last, most in slots.values_list("run", "slot", "last", "most")}
    wanted = rows.filter(at__in={at for _, at in lasts}).order_by("run", "at")
    found: dict[UUID, list[_LastSample]] = {}
    for run, at, reported_at, sample in wanted.values_list("run", "at", "reported_at", "sample"):
        if (run, at) in lasts:
            slot, most = lasts[run, at]
            found.setdefault(run, []).append(_LastSample(slot, reported_at, counts_in(sample), most))
    return found


def _not_rolled_up(newest: LiveRun, samples: Sequence[_LastSample], width: int) -> list[_LastSample]:
    """Return the last report of the newest run, unless the samples have it or a later one."""
    if newest.reported_at is None or (samples and samples[-1].reported_at >= newest.reported_at):
        return []
    counts = totals((each.model_dump(mode="json") for each in newest.inputs.values()), newest.results)
    return [_LastSample(newest.reported_at // width, newest.reported_at, counts, None)]


def counts_in(sample: Mapping[str, Any]) -> PeriodCounts:
    """Return the totals in a stored sample."""
    return totals(sample["inputs"].values(), sample["results"])


def base_of(run: Mapping[str, Any], now: int) -> PeriodCounts | None:
    """Return the totals of a run before the range; None: unknown, so its first sample counts nothing."""
    sample = sample_before(run, now)
    return None if sample is None else counts_in(sample)


def sample_before(run: Mapping[str, Any], now: int) -> Mapping[str, Any] | None:
    """Return the last sample of a run before the range; None: unknown.

    The totals at the start of a run are its base only if no rollup since then has been deleted.
    """
    first = run["rollup_cursor__reading__base"] if ticks_of(run["created_at"]) >= _oldest(now) else None
    found: Mapping[str, Any] | None = run["before"] or run["long_before"] or first
    return found


def _add(
    steps: Mapping[int, HistoryStep], base: PeriodCounts | None, samples: Sequence[_LastSample], width: int
) -> None:
    for sample in samples:
        now, step = sample.counts, steps.get(sample.slot * width)
        if step is not None:
            step.counts = step.counts.plus(since(now if base is None else base, now))
            step.lag = step.lag if sample.lag is None else max(step.lag or 0, sample.lag)
        base = now
