"""How much the runs read, by their reports: the rate of all together, and who was held back by the limit."""

from collections import deque
from collections.abc import Callable, Collection

from streaming.wire.messages import ProgressReport

SPAN_S = 10.0
"""The rate is that of so many seconds."""


class RateMeter:
    """Takes every report once, in order; time is given in seconds of any clock that only rises."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._received: dict[str, int] = {}
        self._read: deque[tuple[float, str, int]] = deque()
        self._held: dict[str, int] = {}

    def take(self, report: ProgressReport) -> str | None:
        """Count `report`; the sentence for the log where the limit begins or ends to hold its run back."""
        received = sum(each.received for each in report.inputs.values())
        before = self._received.get(report.run)
        self._received[report.run] = received
        if before is not None and received > before:  # the totals of a run that goes on were read before it began
            self._read.append((self._monotonic(), report.run, received - before))
        return self._held_back(report)

    def forget(self, run: str) -> None:
        """The run has ended."""
        self._received.pop(run, None)
        self._held.pop(run, None)

    def held(self, run: str) -> bool:
        """Whether the limit held the run back in its last batch."""
        return run in self._held

    def per_second(self, runs: Collection[str] | None = None) -> int:
        """The events that were read each second, over the last SPAN_S; by `runs` alone, or by all."""
        since = self._monotonic() - SPAN_S
        while self._read and self._read[0][0] <= since:
            self._read.popleft()
        return round(sum(rows for _, run, rows in self._read if runs is None or run in runs) / SPAN_S)

    def _held_back(self, report: ProgressReport) -> str | None:
        known, now = self._held.get(report.run), report.held_back
        if known == now:
            return None
        if now is None:
            del self._held[report.run]
            return f"run {report.run}: no longer held back by the organisation's limit; it has caught up"
        self._held[report.run] = now
        return f"run {report.run}: held back by the organisation's limit of {now:,} events/s"
