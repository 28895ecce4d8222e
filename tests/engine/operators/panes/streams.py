"""Random events on two lanes for data-dependent windows, and the reference's results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, Flow
from streaming.reference.windows.group_panes import GroupedPanes, GroupPaneRule
from streaming.reference.windows.pane_rules import CountPaneRule, SessionPaneRule, SnapshotPaneRule
from streaming.reference.windows.panes import Members
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick, Ticks

GROUPS = ("x", "y", None)
Pane = tuple[Any, ...]
"""Group, start and end of a pane, then an event in it: its number, start, and its end as far as the pane goes."""


@dataclass(frozen=True)
class Event:
    """One element: an event of `group` with the `number`, unless it is a CTI of the node at `cti`.

    `kind` is whole, open or close; a close has the number and the start of the edge.
    """

    group: str | None = None
    number: int = 0
    start: int = 0
    end: int = 0
    kind: str = "whole"
    late_at: int | None = None
    cti: int | None = None

    def flow(self) -> Flow:
        """Return the flow for the reference."""
        return Flow(
            id=self.number,
            start=Tick(self.start),
            end=Tick(self.end),
            payload={"k": self.group, "v": self.number},
            sources=frozenset(),
            stamp=Tick(self.start),
            late_at=None if self.late_at is None else Tick(self.late_at),
            opens=self.kind == "open",
            closes=self.kind == "close",
        )


@st.composite
def streams(draw: st.DrawFn, *, lanes: int, edges: bool) -> list[Event]:
    """Draw elements of so many lanes, each with its own CTI; the node's is the minimum, and finally INFINITY."""
    reached = [int(NO_CTI)] * lanes
    opened: list[tuple[int, Event]] = []
    found: list[Event] = []
    for number in range(draw(st.integers(0, 24))):
        lane = draw(st.integers(0, lanes - 1))
        start = draw(st.integers(0, 30))
        what = draw(st.integers(0, 5))
        if what <= 1:
            before = min(reached)
            reached[lane] = max(reached[lane], start)
            found += [Event(cti=min(reached))] if min(reached) > before else []
            continue
        mine = [each for each in opened if each[0] == lane]
        if edges and what <= 3 and mine:
            edge = draw(st.sampled_from(mine))
            opened.remove(edge)
            found.append(_end(draw, edge[1], reached[lane]))
            continue
        kind = "open" if edges and draw(st.booleans()) else "whole"
        end = INFINITY if kind == "open" or draw(st.integers(0, 12)) == 0 else start + draw(st.integers(1, 12))
        late_at = reached[lane] if start < reached[lane] else None
        event = Event(draw(st.sampled_from(GROUPS)), number, start, end, kind, late_at)
        opened += [(lane, event)] if kind == "open" else []
        found.append(event)
    return [*found, Event(cti=INFINITY)]


def _end(draw: st.DrawFn, edge: Event, reached: int) -> Event:
    """Draw an end of `edge`: late, or in time; it retracts the edge if that starts at the CTI."""
    late = edge.start < reached and draw(st.booleans())
    least = edge.start + 1 if late else max(edge.start, reached)
    end = least + draw(st.integers(0, 10))
    late_at = reached if end < reached else None
    return Event(edge.group, edge.number, edge.start, end, "close", late_at)


@st.composite
def rules(draw: st.DrawFn) -> GroupPaneRule:
    """Draw sessions with and without a maximum, snapshots, count windows."""
    kind = draw(st.sampled_from(("session", "snapshot", "count")))
    if kind == "session":
        gap = draw(st.integers(1, 9))
        return SessionPaneRule(Ticks(gap), draw(st.none() | st.integers(gap, gap + 12).map(Ticks)))
    return SnapshotPaneRule() if kind == "snapshot" else CountPaneRule(draw(st.integers(1, 4)))


@dataclass
class RecordingWitness:
    """A witness that records refusals and taken flows."""

    refused_: set[int] = field(default_factory=set)
    took_: set[int] = field(default_factory=set)
    cause: CausingCti | None = None

    def took(self, node: str, flow: Flow) -> None:
        self.took_.add(int(flow.payload["v"]))

    def removed(self, node: str, flow: Flow, why: str) -> None:
        del node, flow, why

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        assert reason is Reason.WINDOW_CLOSED
        self.refused_.add(int(flow.payload["v"]))

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        raise AssertionError("panes evaluate no expression")


@dataclass
class Truth:
    """The reference's results: the closed panes with their events, and the CTIs that moved."""

    panes: GroupedPanes
    closed: Counter[Pane] = field(default_factory=Counter)
    ctis: list[int] = field(default_factory=list)
    heard: RecordingWitness = field(default_factory=RecordingWitness)
    cti: int = NO_CTI

    def take(self, event: Event) -> None:
        """Process one element."""
        if event.cti is None:
            self.panes.take((event.group,), event.flow(), self.heard)
            return
        self.cti = event.cti
        self.closed += listed(self.panes.close(Tick(event.cti), Tick(0), self.heard))
        out = self.panes.output_cti(Tick(event.cti))
        if out > (self.ctis[-1] if self.ctis else NO_CTI):
            self.ctis.append(out)

    @property
    def open_members(self) -> Counter[Pane]:
        """Return the open panes with their events."""
        return listed(self.panes.open_members(Tick(self.cti)))


def listed(members: Members) -> Counter[Pane]:
    """Return each pane with each of its events."""
    return Counter(
        (pane.key[0], pane.start, pane.end, flow.payload["v"], flow.start, min(flow.end, pane.end))
        for pane, flows in members.items()
        for flow in flows
    )


@st.composite
def cuts(draw: st.DrawFn, elements: Sequence[Event], *, ordered: bool) -> list[list[Event]]:
    """Draw the elements in turns; if order matters, a turn ends at least with each CTI."""
    turns: list[list[Event]] = [[]]
    for element in elements:
        turns[-1].append(element)
        if (ordered and element.cti is not None) or draw(st.integers(0, 4)) == 0:
            turns.append([])
    return turns
