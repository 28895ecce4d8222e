"""shift: moves both ends of every lifetime, and with them CTIs and all other times; open edges move too."""

from dataclasses import dataclass, replace

from streaming.reference.flow import Flow, TraceRecorder
from streaming.reference.operators.lifetimes.held_edges import later
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick, Ticks


@dataclass(frozen=True)
class ShiftOperator:
    """One shift node. An event that then starts outside the years 1 to 9999 is removed; an end outside is cut (T1)."""

    node: str
    by: Ticks

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the flow moved by `by`. An edge end is treated like its start."""
        start = Tick(flow.start + self.by)
        if not FIRST_TICK <= start <= LAST_TICK:
            witness.removed(self.node, flow, f"shift {self.node!r} moved its start out of the years 1 to 9999")
            return None
        return replace(
            flow,
            start=start,
            end=later(flow.end, self.by),
            stamp=min(self.time(flow.stamp), LAST_TICK),
            late_at=None if flow.late_at is None else self.time(flow.late_at),
        )

    def time(self, at: Tick) -> Tick:
        """Return `at` moved alike, clamped to the range of times; the sentinels stay."""
        if at in (NO_CTI, INFINITY):
            return at
        return Tick(min(max(at + self.by, FIRST_TICK), LAST_TICK + 1))
