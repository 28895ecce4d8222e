"""Panes at times that the definition fixes (tumbling, hopping, time_interval, calendar), by index (T23, T25, T63)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from streaming.definition.windows import FixedPanes
from streaming.reference.flow import VANISHED, Flow, FlowId, TraceRecorder
from streaming.reference.windows.panes import Key, Members, PaneId, settled
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_TICKS, ONE_TICK, Tick, Ticks, format_instant
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT

Groups = dict[Key, list[Flow]]


@dataclass
class EdgeInWindows:
    """An edge of the group `key` without an end: in the windows from `first` on; `cut` once they were too many."""

    key: Key
    flow: Flow
    first: int
    cut: bool = False

    @property
    def last_allowed(self) -> int:
        """Return the last window that takes the edge (T24)."""
        return self.first + MAX_WINDOWS_PER_EVENT - 1


@dataclass
class FixedWindows:
    """The `members` of each window that is not closed, by index; open edges are separate until their end comes.

    All windows before `unclosed` are closed; None before the first CTI.
    """

    node: str
    windows: FixedPanes
    grace: Ticks = NO_TICKS
    members: dict[int, Groups] = field(default_factory=dict)
    open_edges: dict[FlowId, EdgeInWindows] = field(default_factory=dict)
    unclosed: int | None = None

    def take(self, key: Key, flow: Flow, witness: TraceRecorder) -> None:
        """Take a flow; see `PaneSet`.

        A flow in more than 10,000 windows is refused; windows closed to it do not count (T24).
        """
        first = self.windows.first_index(flow.start)
        allowed = first if flow.late_at is None else max(first, self._first_open(flow.late_at))
        last = self.windows.last_index(flow.end)
        if flow.closes:
            self._end_edge(key, flow, witness)
        elif flow.opens:
            self.open_edges[flow.id] = EdgeInWindows(key, flow, allowed)
            witness.took(self.node, flow)
        elif first > last:
            witness.removed(self.node, flow, f"it is in a gap between the windows of {self.node!r}")
        elif allowed > last:
            closed_at = Tick(self.windows.bounds(last)[1] + self.grace)
            why = f"all its windows in {self.node!r} were closed, the last at {format_instant(closed_at)}"
            witness.refused(self.node, flow, Reason.WINDOW_CLOSED, why, closed_at)
        elif last - allowed >= MAX_WINDOWS_PER_EVENT:
            witness.refused(self.node, flow, Reason.TOO_MANY_WINDOWS, self._too_many())
        else:
            self._put(key, flow, range(allowed, last + 1))
            witness.took(self.node, flow)

    def close(self, cti: Tick, horizon: Tick, witness: TraceRecorder) -> Members:
        """Close panes; see `PaneSet`. An open edge is in each window that closes: its end cannot be before `cti`."""
        edges_to = self._first_open(cti) - 1 if cti != INFINITY else self.windows.last_index(Tick(horizon + ONE_TICK))
        last = edges_to if cti != INFINITY else max([edges_to, *self.members])
        closed = {index: self.members.pop(index) for index in sorted(self.members) if index <= last}
        for edge in self.open_edges.values():
            for index in self._rest(edge, edges_to):
                closed.setdefault(index, {}).setdefault(edge.key, []).append(edge.flow)
            if edge.last_allowed < edges_to:
                self._cut(edge, witness)
        self.unclosed = last + 1
        if cti == INFINITY:
            self.open_edges.clear()
        return self._panes(closed)

    def open_members(self, cti: Tick) -> Members:
        """Return the open panes; see `PaneSet`.

        An open edge counts as if it ended at `cti`: it does not end earlier.
        """
        known = {index: {key: list(flows) for key, flows in groups.items()} for index, groups in self.members.items()}
        for edge in self.open_edges.values():
            end = max(Tick(edge.flow.start + ONE_TICK), cti)
            for index in self._rest(edge, self.windows.last_index(end)):
                known.setdefault(index, {}).setdefault(edge.key, []).append(edge.flow)
        return self._panes(known)

    def output_cti(self, cti: Tick) -> Tick:
        """Return the start of the earliest window not closed; with gaps it may be above `cti` (T25)."""
        return self.windows.output_cti(settled(cti, self.grace))

    def coming(self) -> dict[Key, int]:
        """Return for each group the earliest open window that certainly has an event: open edges may vanish."""
        earliest: dict[Key, int] = {}
        for index, groups in self.members.items():
            for key in groups:
                earliest[key] = min(index, earliest.get(key, index))
        return earliest

    def _first_open(self, cti: Tick) -> int:
        return self.windows.first_open(settled(cti, self.grace))

    def _put(self, key: Key, flow: Flow, indices: range) -> None:
        for index in indices:
            self.members.setdefault(index, {}).setdefault(key, []).append(flow)

    def _rest(self, edge: EdgeInWindows, last: int) -> range:
        """Return the windows up to `last` that are not closed and take the edge."""
        first = edge.first if self.unclosed is None else max(edge.first, self.unclosed)
        return range(first, min(last, edge.last_allowed) + 1)

    def _end_edge(self, key: Key, end: Flow, witness: TraceRecorder) -> None:
        """Add the edge that `end` closes to those of its windows that are not closed.

        A late_kept end changes only windows that are open at its lane's CTI; the edge stays in earlier ones.
        """
        edge = self.open_edges.pop(end.id)
        blind = edge.first if end.late_at is None else max(edge.first, self._first_open(end.late_at))
        last = blind - 1 if end.vanishes else max(blind - 1, self.windows.last_index(end.end))
        rest = self._rest(edge, last)
        if edge.last_allowed < last:
            self._cut(edge, witness)
        if rest:
            ended = edge.flow.closed_by(end)
            self._put(key, edge.flow, range(rest.start, min(blind, rest.stop)))
            self._put(key, ended, range(max(blind, rest.start), rest.stop))
            witness.took(self.node, end)
        elif rest.start > edge.first:
            witness.removed(
                self.node, end, f"it ended its edge, but {self.node!r} had no window of that edge left to release"
            )
        else:
            why = self._why_nowhere(end)
            witness.removed(self.node, edge.flow, why)
            witness.removed(self.node, end, why)

    def _why_nowhere(self, end: Flow) -> str:
        if end.vanishes:
            return VANISHED
        if self.windows.first_index(end.start) > self.windows.last_index(end.end):
            return f"its edge is in a gap between the windows of {self.node!r}"
        return f"all windows of its edge in {self.node!r} were closed when it arrived"

    def _cut(self, edge: EdgeInWindows, witness: TraceRecorder) -> None:
        if not edge.cut:
            edge.cut = True
            witness.refused(self.node, edge.flow, Reason.TOO_MANY_WINDOWS, self._too_many())

    def _too_many(self) -> str:
        return f"it belongs to more than {MAX_WINDOWS_PER_EVENT} windows of {self.node!r}"

    def _panes(self, by_index: dict[int, Groups]) -> dict[PaneId, Sequence[Flow]]:
        found: dict[PaneId, Sequence[Flow]] = {}
        for index, groups in by_index.items():
            start, end = self.windows.bounds(index)
            found.update((PaneId(start, end, key), flows) for key, flows in groups.items())
        return found
