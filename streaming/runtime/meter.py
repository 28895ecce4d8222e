"""The read rate of all runs together, by their reports, and the runs that the limit delays."""

from collections import deque
from collections.abc import Callable, Collection

from streaming.wire.progress import ProgressReport

SPAN_S = 10.0
"""The rate is the average over this time."""


class RateMeter:
    """Takes every report once, in order; `monotonic` returns seconds of a monotonic clock."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._received: dict[str, int] = {}
        self._read: deque[tuple[float, str, int]] = deque()
        self._held: dict[str, int] = {}

    def take(self, report: ProgressReport) -> str | None:
        """Count `report`; return a sentence for the log when the limit starts or stops to delay its run."""
        received = sum(each.received for each in report.inputs.values())
        before = self._received.get(report.run)
        self._received[report.run] = received
        if before is not None and received > before:  # the first totals of a resumed run include earlier rows
            self._read.append((self._monotonic(), report.run, received - before))
        return self._note_delay(report)

    def forget(self, run: str) -> None:
        """Drop the counts of a run that has ended."""
        self._received.pop(run, None)
        self._held.pop(run, None)

    def held(self, run: str) -> bool:
        """Return whether the limit delayed the run in its last batch."""
        return run in self._held

    def per_second(self, runs: Collection[str] | None = None) -> int:
        """Return the events read per second over the last SPAN_S, by `runs` or by all runs."""
        since = self._monotonic() - SPAN_S
        while self._read and self._read[0][0] <= since:
            self._read.popleft()
        return round(sum(rows for _, run, rows in self._read if runs is None or run in runs) / SPAN_S)

    def _note_delay(self, report: ProgressReport) -> str | None:
        before, now = self._held.get(report.run), report.held_back
        if before == now:
            return None
        if now is None:
            del self._held[report.run]
            return f"run {report.run}: no longer delayed by the organisation's limit; it has caught up"
        self._held[report.run] = now
        return f"run {report.run}: delayed by the organisation's limit of {now:,} events/s"
