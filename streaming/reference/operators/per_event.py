"""Operators that process one event at a time: each has a rule, and this module carries flows through it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.temporal.ticks import Tick


class EventRule(Protocol):
    """The rule for one event, and for the CTIs and the horizon."""

    def one(self, flow: Flow, witness: TraceRecorder) -> Flow | None:
        """Return the event for `flow`, under the same id; None if the rule removes it and reports that to the witness.

        Called with edge starts and edge ends as well as with whole lifetimes.
        """

    def time(self, at: Tick) -> Tick:
        """Return the CTI or the horizon `at` after the node; both sentinels stay the same."""


@dataclass(frozen=True)
class PerEvent:
    """A node whose `rule` keeps no state, so its output is as final as its input."""

    rule: EventRule

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the flow after the rule. A replacement passes, replaces, or retracts the earlier row."""
        del port
        # a replaced row was counted before: like a retracted one it is not counted again if it fails
        taken_back = None if flow.replaces is None else replace(flow.replaces, gone=True)
        before = None if taken_back is None else self.rule.one(taken_back, witness)
        after = self.rule.one(flow, witness)
        if after is not None:
            return (replace(after, replaces=None if before is None else replace(before, gone=False)),)
        return () if before is None else (replace(before, gone=True),)

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the CTI after the rule; no row waits."""
        del port, witness
        return FreedFlows((), self.rule.time(cti), self.rule.time(horizon))

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()
