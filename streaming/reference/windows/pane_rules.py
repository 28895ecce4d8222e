"""The panes of a group's events: the semantics of session, snapshot and count windows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from streaming.definition.windows import CountPanes, EventPanes, SessionPanes, SnapshotPanes
from streaming.reference.flow import Flow
from streaming.reference.windows.group_panes import GroupPane, GroupPaneRule
from streaming.temporal.ticks import ONE_TICK, Tick, Ticks


@dataclass(frozen=True)
class SessionPaneRule:
    """For each group `[first start, last start + gap)`, split where it would exceed its maximum (section 5).

    Only starts matter: an event belongs if it starts before the end that the previous events give.

    With `max`, at least the gap, an event that would make the session longer opens the next one.
    """

    gap: Ticks
    max: Ticks | None = None

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """Return the sessions, found from the earliest event on: an event between two of them merges them."""
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
        """Return the start: later events can only change open panes."""
        return Tick(flow.start + ONE_TICK)

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """Return all of it: only its start counts."""
        del from_
        return flow


@dataclass(frozen=True)
class SnapshotPaneRule:
    """For each group a pane between any two neighbouring starts or ends with an event alive (section 5).

    Inside a snapshot no event starts or ends.
    """

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """Return the snapshots; the last one of an open edge has the end INFINITY."""
        bounds = sorted({max(flow.start, floor) for flow in flows} | {flow.end for flow in flows})
        alive = (GroupPane(a, b, [f for f in flows if f.start <= a and f.end >= b]) for a, b in pairwise(bounds))
        return [span for span in alive if span.members]

    def over(self, flow: Flow) -> Tick:
        """Return the end of the event."""
        return flow.end

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """Return the part of its lifetime from `from_` on."""
        return flow.lasting(max(flow.start, from_), flow.end)


@dataclass(frozen=True)
class CountPaneRule:
    """For each group, from each distinct start to the `n`-th distinct start + 1 tick (section 5).

    A window holds `n` distinct starts, and every event that starts at one of them.
    """

    n: int

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """Return a window from each distinct start; without an end until `n` starts have arrived."""
        del floor
        starts = sorted({flow.start for flow in flows})
        found = []
        for place, first in enumerate(starts):
            last = starts[place : place + self.n][-1]
            end = Tick(last + ONE_TICK) if place + self.n <= len(starts) else None
            found.append(GroupPane(first, end, [flow for flow in flows if first <= flow.start <= last]))
        return found

    def over(self, flow: Flow) -> Tick:
        """Return the start: later events can only change open panes."""
        return Tick(flow.start + ONE_TICK)

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """Return all of it: only its start counts."""
        del from_
        return flow


def pane_rule(panes: EventPanes) -> GroupPaneRule:
    """Return the rule that makes `panes` from events."""
    match panes:
        case SessionPanes(gap, longest):
            return SessionPaneRule(gap, longest)
        case SnapshotPanes():
            return SnapshotPaneRule()
        case CountPanes(n):
            return CountPaneRule(n)
