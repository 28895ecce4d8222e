"""The rows of a binding by day in UTC, counted by `webapp.live.history` as every other figure of its page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from webapp.live.figures import NO_ROWS, PeriodCounts
from webapp.live.gathering import gather_one
from webapp.live.history import DAY, BindingHistory, HistoryStep, Knowledge, TimeRange, history_of
from webapp.live.queries import LiveQuery
from webapp.live.repaired import repaired_rows
from webapp.monitoring.reading import TICKS_PER_S, Span
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding


@dataclass(frozen=True)
class LedgerDay:
    """The rows whose batches were reported on one day; `counts` is None if the day is unknown and no row is counted.

    `unknown` are the parts of the day whose reports may be missing; rows of such a part count on the day of the next
    report of the same run. `repaired` rows, which had been in no result, were repaired on this day.
    """

    day: date
    knowledge: Knowledge
    unknown: Sequence[Span]
    counts: PeriodCounts | None
    repaired: int


@dataclass(frozen=True)
class Ledger:
    """The days `first` to `last` of a binding, newest first, as of tick `now`; `live` is None without a run."""

    binding: Binding
    now: int
    first: date
    last: date
    days: Sequence[LedgerDay]
    live: LiveQuery | None

    @property
    def total(self) -> PeriodCounts:
        """The counts of all days together; days without counts are left out."""
        whole = NO_ROWS
        for each in self.days:
            whole = whole.plus(each.counts or NO_ROWS)
        return whole

    @property
    def repaired(self) -> int:
        """The number of rows that were repaired on these days."""
        return sum(each.repaired for each in self.days)


def difference_in(counts: PeriodCounts) -> int:
    """Return the received rows minus those with an outcome: zero, because each row has one outcome."""
    return counts.received - sum(counts.outcomes.values())


def unknown_s(each: LedgerDay) -> int:
    """Return the seconds of a day whose reports may be missing, each span rounded up."""
    return sum(-(-(end - begin) // TICKS_PER_S) for begin, end in each.unknown)


def ledger_of(binding: Binding, first: date, last: date, now: datetime) -> Ledger:
    """Return the ledger of a binding from the day `first` to the day `last`."""
    live, at = gather_one(binding.pk, now), ticks_of(now)
    within = TimeRange.of_days(_midnight(first), _midnight(last) + DAY)
    history = history_of(binding.pk, within, None if live is None else live.run, at)
    repaired = _repaired(binding, first, last)
    days = [_day(step, history, repaired) for step in reversed(history.steps)]
    return Ledger(binding, at, first, last, days, live)


def _day(step: HistoryStep, history: BindingHistory, repaired: Counter[date]) -> LedgerDay:
    day = datetime.fromtimestamp(step.at / TICKS_PER_S, UTC).date()
    knowledge, unknown = step.knowledge, list(step.unknown)
    left_out = (step.at, min(step.at + DAY, history.runs[0].begin)) if history.missing else None
    if left_out is not None and left_out[0] < left_out[1]:
        knowledge, unknown = "unknown", [left_out, *(span for span in unknown if span[0] >= left_out[1])]
    counts = None if knowledge == "unknown" and step.counts == NO_ROWS else step.counts
    return LedgerDay(day, knowledge, unknown, counts, repaired[day])


def _repaired(binding: Binding, first: date, last: date) -> Counter[date]:
    """Return the number of rows repaired on each day."""
    begin, end = (datetime.combine(day, time(), UTC) for day in (first, last + timedelta(days=1)))
    found: Counter[date] = Counter()
    for at, rows in repaired_rows(binding, begin, end):
        found[at.astimezone(UTC).date()] += rows
    return found


def _midnight(day: date) -> int:
    return ticks_of(datetime.combine(day, time(), UTC))
