"""What a node that reads several others knows of their times."""

from dataclasses import dataclass
from typing import Final

from streaming.reference.flow import Flow
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick

LEFT: Final = 0
RIGHT: Final = 1
"""The ports of a join; of a clip the right is what clips."""


@dataclass
class Ports:
    """The CTI of each port, NO_CTI until it has one; the largest horizon; and `out`, the CTI that has left the node."""

    ctis: list[Tick]
    horizon: Tick = NO_CTI
    out: Tick = NO_CTI

    @classmethod
    def of(cls, count: int) -> "Ports":
        """`count` ports that have heard nothing yet."""
        return cls([NO_CTI] * count)

    @property
    def low(self) -> Tick:
        """The smallest CTI over the ports."""
        return min(self.ctis)

    def advance(self, port: int, cti: Tick, horizon: Tick) -> None:
        """The CTI of `port` moved."""
        self.ctis[port] = cti
        self.horizon = max(self.horizon, horizon)

    def known_until(self, port: int, flow: Flow) -> Tick:
        """The tick from which on the lifetime of `flow`, which came in at `port`, may still change."""
        return self.ctis[port] if flow.opens else INFINITY

    def certain(self, port: int, flow: Flow) -> bool:
        """Whether `flow` can vanish no more: an edge lives for a tick at least once the CTI is beyond its start."""
        return flow.start < self.known_until(port, flow)

    def may_pass(self, start: Tick, *late_at: Tick | None) -> bool:
        """Whether a row that is decided leaves now: in order of start, but what is late_kept waits for nothing."""
        return start <= self.out or any(at is not None for at in late_at)
