"""Runs as spans of time, and the minutes of a binding that are known from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webapp.alerts.rules.evaluation import TICKS_PER_S
from webapp.alerts.rules.minutes import MINUTE, Minute, Totals

CRACK: Final = 5 * TICKS_PER_S
"""A gap of at most this length between two known spans counts as known, as in `monitoring.reading`."""
SETTLES: Final = 15 * TICKS_PER_S
"""A minute is decided once the run is known so much longer: a report that came at its end is rolled up by then."""


@dataclass(frozen=True)
class RunSpan:
    """A run from its request to its end (None: open), and the spans in which its activity is recorded."""

    run: str
    begin: int
    end: int | None
    known: Sequence[tuple[int, int]]
    done: bool

    def covers(self, begin: int, end: int) -> bool:
        """Return whether everything between the two ticks is known, as far as the run lived then."""
        begin, end = max(begin, self.begin), end if self.end is None else min(end, self.end)
        return begin >= end or any(a - CRACK <= begin and end <= b + CRACK for a, b in self.known)

    def decidable(self, end: int) -> bool:
        """Return whether nothing more will be known of the time before tick `end`."""
        if self.done:
            return True
        if self.end is not None and self.end <= end:
            return bool(self.known) and self.known[-1][1] + CRACK >= self.end
        return any(b >= end + SETTLES for _, b in self.known)


def run_in(spans: Sequence[RunSpan], end: int) -> RunSpan | None:
    """Return the run that lived in the minute before tick `end`: the newest, if there are more."""
    lived = [each for each in spans if each.begin < end and (each.end is None or each.end > end - MINUTE)]
    return lived[-1] if lived else None


def due_minutes(spans: Sequence[RunSpan], after: int, until: int) -> Iterator[tuple[int, RunSpan | None]]:
    """Yield the ends of the minutes in `(after, until]` that can be decided, each with its run."""
    for end in range(after - after % MINUTE + MINUTE, until + 1, MINUTE):
        run = run_in(spans, end)
        if run is not None and not run.decidable(end):
            return
        yield end, run


def minute(end: int, span: RunSpan | None, totals: Mapping[str, Mapping[int, Totals]], failed: int) -> Minute:
    """Return the minute before tick `end` of a binding whose run was `span`."""
    if span is None:
        return Minute(end, None, known=True)
    known = span.covers(end - MINUTE, end)
    found = totals.get(span.run, {}).get(end)
    return Minute(end, span.run, known, found, failed, span.begin)
