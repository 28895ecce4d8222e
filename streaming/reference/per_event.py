"""The operators that look at one event at a time: each is a rule, and this carries flows through it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.temporal.ticks import Tick


class EventRule(Protocol):
    """What becomes of one event, and of the CTIs and the horizon beside it."""

    def one(self, flow: Flow, witness: Witness) -> Flow | None:
        """The event that `flow` becomes, under the same id; None if there is none, after saying so to the witness.

        Called with edge starts and edge ends as well as with whole lifetimes.
        """

    def time(self, at: Tick) -> Tick:
        """What the CTI or the horizon `at` becomes; both sentinels stay themselves."""


@dataclass(frozen=True)
class PerEvent:
    """A node whose `rule` keeps no state, so that what it passes on is as final as what came."""

    rule: EventRule

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """What the flow becomes, gone if it is gone. One that replaces another passes, replaces, or takes that back."""
        del port
        # what is replaced has been here before: as one that is taken back it is not counted again where it fails
        taken_back = None if flow.replaces is None else replace(flow.replaces, gone=True)
        before = None if taken_back is None else self.rule.one(taken_back, witness)
        after = self.rule.one(flow, witness)
        if after is not None:
            return (replace(after, replaces=None if before is None else replace(before, gone=False)),)
        return () if before is None else (replace(before, gone=True),)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Holds nothing back."""
        del port, witness
        return FreedFlows((), self.rule.time(cti), self.rule.time(horizon))

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()
