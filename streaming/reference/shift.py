"""shift: moves both ends of every lifetime, and with them CTIs and all other times; open edges move too."""

from dataclasses import dataclass, replace

from streaming.reference.flow import Flow, Witness
from streaming.reference.held_edges import later
from streaming.temporal.ticks import FIRST_TICK, INFINITY, LAST_TICK, NO_CTI, Tick, Ticks


@dataclass(frozen=True)
class ShiftOperator:
    """One shift node. What starts outside the years 1 to 9999 then is removed; an end beyond them is cut (T1)."""

    node: str
    by: Ticks

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The flow moved by `by`. An edge end shares the fate of its start."""
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
        """`at` moved alike, but held within the range of times; the sentinels stay."""
        if at in (NO_CTI, INFINITY):
            return at
        return Tick(min(max(at + self.by, FIRST_TICK), LAST_TICK + 1))
