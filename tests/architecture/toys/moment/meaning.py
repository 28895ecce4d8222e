"""moment: each distinct start of each group separately."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow
from streaming.reference.windows.group_panes import GroupPane
from streaming.temporal.ticks import ONE_TICK, Tick


@dataclass(frozen=True)
class MomentPaneRule:
    """Holds the events that start at one time."""

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """A window of one tick for each distinct start."""
        del floor
        starts = sorted({flow.start for flow in flows})
        return [GroupPane(at, Tick(at + ONE_TICK), [flow for flow in flows if flow.start == at]) for at in starts]

    def over(self, flow: Flow) -> Tick:
        """Once its start is."""
        return Tick(flow.start + ONE_TICK)

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """All of it: only its start counts."""
        del from_
        return flow
