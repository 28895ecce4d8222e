"""session: for each group `[first start, last start + gap)`, split where it would exceed its maximum."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streaming.reference.flow import Flow
from streaming.reference.group_panes import GroupPane
from streaming.temporal.ticks import ONE_TICK, Tick, Ticks


@dataclass(frozen=True)
class SessionPaneRule:
    """Only starts matter: an event belongs if it starts before the end that the events before it give (section 5).

    With `max`, at least the gap, the event that would make the session longer opens the next one.
    """

    gap: Ticks
    max: Ticks | None = None

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """The sessions, found from the earliest event on: an event between two of them makes them one."""
        del floor
        sessions: list[list[Flow]] = []
        for flow in sorted(flows, key=lambda flow: flow.start):
            if sessions and self._joins(sessions[-1], flow):
                sessions[-1].append(flow)
            else:
                sessions.append([flow])
        return [GroupPane(members[0].start, Tick(members[-1].start + self.gap), members) for members in sessions]

    def _joins(self, members: Sequence[Flow], flow: Flow) -> bool:
        first, last = members[0].start, members[-1].start
        return flow.start < last + self.gap and (self.max is None or flow.start + self.gap - first <= self.max)

    def over(self, flow: Flow) -> Tick:
        """Once its start is: what starts where time is open changes only panes that are open."""
        return Tick(flow.start + ONE_TICK)

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """All of it: only its start counts."""
        del from_
        return flow
