"""The times of the sources of a node that reads several others."""

from dataclasses import dataclass
from typing import Final

from streaming.reference.flow import Flow
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick

LEFT: Final = 0
RIGHT: Final = 1
"""The ports of a join; of a clip the right is the clipping one."""


@dataclass
class Ports:
    """The CTI of each port, NO_CTI until it has one; the largest horizon; and `out`, the node's output CTI."""

    ctis: list[Tick]
    horizon: Tick = NO_CTI
    out: Tick = NO_CTI

    @classmethod
    def of(cls, count: int) -> "Ports":
        """Return `count` ports before their first CTI."""
        return cls([NO_CTI] * count)

    @property
    def low(self) -> Tick:
        """Return the smallest CTI over the ports."""
        return min(self.ctis)

    def advance(self, port: int, cti: Tick, horizon: Tick) -> None:
        """Process the new CTI of `port`."""
        self.ctis[port] = cti
        self.horizon = max(self.horizon, horizon)

    def known_until(self, port: int, flow: Flow) -> Tick:
        """Return the tick from which on the lifetime of `flow`, which came in at `port`, may still change."""
        return self.ctis[port] if flow.opens else INFINITY

    def certain(self, port: int, flow: Flow) -> bool:
        """Return true if `flow` can no longer vanish: an edge lives at least a tick once the CTI is after its start."""
        return flow.start < self.known_until(port, flow)

    def may_pass(self, start: Tick, *late_at: Tick | None) -> bool:
        """Return true if a decided row leaves now: in order of start, but late_kept rows wait for nothing."""
        return start <= self.out or any(at is not None for at in late_at)
