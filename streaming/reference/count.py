"""count: for each group, from each distinct start to the n-th distinct start + 1 tick."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow
from streaming.reference.group_panes import GroupPane
from streaming.temporal.ticks import ONE_TICK, Tick


@dataclass(frozen=True)
class CountPaneRule:
    """Holds `n` distinct starts, and with them every event that starts at one of them (section 5)."""

    n: int

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """A window from each distinct start; without an end as long as `n` starts have not come."""
        del floor
        starts = sorted({flow.start for flow in flows})
        found = []
        for place, first in enumerate(starts):
            last = starts[place : place + self.n][-1]
            end = Tick(last + ONE_TICK) if place + self.n <= len(starts) else None
            found.append(GroupPane(first, end, [flow for flow in flows if first <= flow.start <= last]))
        return found

    def over(self, flow: Flow) -> Tick:
        """Once its start is: what starts where time is open changes only panes that are open."""
        return Tick(flow.start + ONE_TICK)

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """All of it: only its start counts."""
        del from_
        return flow
