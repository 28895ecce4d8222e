"""Windows whose panes depend on the events of their group: session, snapshot and count."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from streaming.reference.flow import VANISHED, Flow, FlowId, TraceRecorder
from streaming.reference.windows.panes import Key, Members, PaneId, settled
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, NO_TICKS, Tick, Ticks, format_instant


@dataclass(frozen=True, slots=True)
class GroupPane:
    """A pane of one group and its events; `end` is None while the events do not determine it (count)."""

    start: Tick
    end: Tick | None
    members: Sequence[Flow]


class GroupPaneRule(Protocol):
    """The panes of a set of events: a pure function of the set."""

    def spans(self, flows: Collection[Flow], floor: Tick) -> Sequence[GroupPane]:
        """Return the panes of one group, by start; no two start together. Time before `floor` is closed and left out.

        Each event of `flows` is in one of them, even an event without an end so far.
        """

    def over(self, flow: Flow) -> Tick:
        """Return the time up to which everything must be closed for no part of the event to remain (T19)."""

    def rest(self, flow: Flow, from_: Tick) -> Flow:
        """Return the part of the event that remains when all time before `from_` is closed."""


@dataclass
class PaneGroup:
    """The events of one group that may still be in a pane; `used` are those that closed panes contained too.

    No future pane starts before `floor`.
    """

    flows: dict[FlowId, Flow] = field(default_factory=dict)
    used: set[FlowId] = field(default_factory=set)
    floor: Tick = NO_CTI


@dataclass
class GroupedPanes:
    """The panes that `rule` finds in each group.

    A late event is taken as far as the panes of its group are open (T19). If several clocks feed the node, one lane
    cannot know the panes of another: then only the grace counts, so that no decision depends on how lanes interleave
    (T14).
    """

    node: str
    rule: GroupPaneRule
    grace: Ticks = NO_TICKS
    one_clock: bool = False
    groups: dict[Key, PaneGroup] = field(default_factory=dict)
    at: Tick = NO_CTI

    def take(self, key: Key, flow: Flow, witness: TraceRecorder) -> None:
        """Take a flow; see `PaneSet`. A late_kept event keeps the part in panes that are open for it."""
        if flow.closes:
            self._end_edge(key, flow, witness)
            return
        kept = flow
        if flow.late_at is not None:
            from_, over = self._open_from(key, flow.late_at), self.rule.over(flow)
            if over <= from_:
                why = f"all panes of {self.node!r} before {format_instant(from_)} were closed"
                witness.refused(self.node, flow, Reason.WINDOW_CLOSED, why, Tick(over + self.grace))
                return
            kept = self.rule.rest(flow, from_)
        self.groups.setdefault(key, PaneGroup(floor=self.at)).flows[flow.id] = kept
        witness.took(self.node, flow)

    def _open_from(self, key: Key, late_at: Tick) -> Tick:
        """Return the time before which all panes of the group are closed for an event that met `late_at`."""
        at = settled(late_at, self.grace)
        return min(at, self.groups[key].floor) if self.one_clock and key in self.groups else at

    def close(self, cti: Tick, horizon: Tick, witness: TraceRecorder) -> Members:
        """Close panes; see `PaneSet`."""
        del horizon
        self.at = at = settled(cti, self.grace)
        closed: dict[PaneId, Sequence[Flow]] = {}
        for key, group in list(self.groups.items()):
            closed.update(self._close(key, group, at, witness))
            if not group.flows:
                del self.groups[key]
        return closed

    def open_members(self, cti: Tick) -> Members:
        """Return the open panes; see `PaneSet`. An open edge lives to infinity as far as is known."""
        del cti
        return {
            PaneId(span.start, span.end, key): span.members
            for key, group in self.groups.items()
            for span in self.rule.spans(group.flows.values(), group.floor)
            if span.end is not None
        }

    def output_cti(self, cti: Tick) -> Tick:
        """Return `cti` minus the grace, but at most the start of any pane that is not closed."""
        return min([settled(cti, self.grace), *(group.floor for group in self.groups.values())])

    def _close(self, key: Key, group: PaneGroup, at: Tick, witness: TraceRecorder) -> Members:
        """Return the panes that end by `at`; events that are in no other pane are dropped.

        A pane that ends at `at` only because an edge opened there is not closed. Until the CTI is after its start, the
        edge may vanish.
        """
        flows = group.flows.values()
        certain = [flow for flow in flows if not (flow.opens and flow.start >= at)]
        closed = {
            PaneId(span.start, span.end, key): span.members
            for span in self.rule.spans(certain, group.floor)
            if span.end is not None and span.end <= at
        }
        starts = {pane.start for pane in closed}
        spans = self.rule.spans(flows, group.floor)
        rest = [span for span in spans if span.start not in starts] if at != INFINITY else []
        group.used.update(flow.id for members in closed.values() for flow in members)
        kept = {flow.id for span in rest for flow in span.members}
        for flow in [flow for flow in flows if flow.id not in kept]:
            del group.flows[flow.id]
            if flow.id not in group.used:
                witness.removed(self.node, flow, f"its group has too few events for a pane of {self.node!r}")
        group.used &= kept
        group.floor = min([at, *(span.start for span in rest)])
        return closed

    def _end_edge(self, key: Key, end: Flow, witness: TraceRecorder) -> None:
        """Give the edge its end.

        A late_kept end is at least its lane's CTI minus the grace, because earlier time is closed. If nothing is left
        of the edge, it vanishes and is retracted.
        """
        flows = self.groups[key].flows if key in self.groups else {}
        edge = flows.get(end.id)
        if edge is None:
            witness.removed(self.node, end, f"no pane of {self.node!r} that is open has its edge")
            return
        at = end.end if end.late_at is None else max(end.end, self._open_from(key, end.late_at))
        if at > edge.start:
            flows[end.id] = replace(edge.closed_by(end), end=at)
            witness.took(self.node, end)
            return
        del flows[end.id]
        witness.removed(self.node, edge, VANISHED)
        witness.removed(self.node, end, VANISHED)
