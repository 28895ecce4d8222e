"""snapshot: for each group a pane between any two neighbouring starts or ends with an event alive."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from streaming.reference.flow import Flow
from streaming.reference.group_panes import GroupPane
from streaming.temporal.ticks import Tick


@dataclass(frozen=True)
class SnapshotPaneRule:
    """Within a snapshot nothing begins and nothing ends (section 5)."""

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """The snapshots; the last of an edge that is open has the end INFINITY."""
        bounds = sorted({max(flow.start, floor) for flow in flows} | {flow.end for flow in flows})
        alive = (GroupPane(a, b, [f for f in flows if f.start <= a and f.end >= b]) for a, b in pairwise(bounds))
        return [span for span in alive if span.members]

    def over(self, flow: Flow) -> Tick:
        """Once its end is."""
        return flow.end

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """The part of its lifetime from `from_` on."""
        return flow.lasting(max(flow.start, from_), flow.end)
