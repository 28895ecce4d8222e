"""window, tumbling and hopping: one row for each group of each window, released when the window closes."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from streaming.reference.aggregates import AggregateColumn
from streaming.reference.flow import VANISHED, Advanced, Flow, FlowId, Witness, key_of, sort_key
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, Tick, format_instant
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows


@dataclass
class OpenEdge:
    """An edge without an end: in the windows from `first` on, and so far put into all before `next_index`."""

    flow: Flow
    first: int
    next_index: int

    @property
    def last_allowed(self) -> int:
        """The last window that takes the edge (T24)."""
        return self.first + MAX_WINDOWS_PER_EVENT - 1


@dataclass
class Window:
    """One window node: the `members` of each window not yet closed by index, and the edges that are still open."""

    node: str
    windows: HoppingWindows
    group_by: Sequence[str]
    columns: Sequence[AggregateColumn]
    members: dict[int, list[Flow]] = field(default_factory=dict)
    open_edges: dict[FlowId, OpenEdge] = field(default_factory=dict)

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Put the flow into its windows; nothing passes before a window closes.

        A late_kept one enters only windows that end after the CTI of its own lane, which may be ahead of the
        input's (T14, T19).
        """
        del port
        first = self.windows.first_index(flow.start)
        allowed = first if flow.late_at is None else max(first, self.windows.first_open(flow.late_at))
        last = self.windows.last_index(flow.end)
        if flow.closes:
            self._close(flow, witness)
        elif flow.opens:
            self.open_edges[flow.id] = OpenEdge(flow, allowed, allowed)
            witness.took(self.node, flow)
        elif first > last:
            witness.removed(self.node, flow, f"it lies in a gap between the windows of {self.node!r}")
        elif allowed > last:
            closed_at = format_instant(self.windows.bounds(last)[1])
            why = f"all its windows in {self.node!r} were closed, the last at {closed_at}"
            witness.refused(self.node, flow, Reason.WINDOW_CLOSED, why)
        elif last - allowed >= MAX_WINDOWS_PER_EVENT:
            witness.refused(self.node, flow, Reason.TOO_MANY_WINDOWS, self._too_many())
        else:
            self._put(flow, range(allowed, last + 1))
            witness.took(self.node, flow)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> Advanced:
        """Release the windows with `end <= cti`, earliest first, groups in order of their fields.

        An edge that is open then belongs to each of them, for its end can no longer be before `cti`. At infinity open
        edges count up to the window that contains `horizon` (T4).
        """
        del port
        last = self.windows.last_index(Tick(horizon + 1)) if cti == INFINITY else self.windows.first_open(cti) - 1
        for edge in self.open_edges.values():
            self._put_edge(edge, edge.flow, last, witness)
        closing = sorted(index for index in self.members if cti == INFINITY or self.windows.bounds(index)[1] <= cti)
        rows = [row for index in closing for row in self._rows(index, self.members.pop(index), witness)]
        return Advanced(rows, self.windows.output_cti(cti), horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()

    def _close(self, end: Flow, witness: Witness) -> None:
        """Put the edge that `end` closes into those of its windows that were not yet released.

        A late_kept end changes only windows that are open at its lane's CTI; the edge stays in those before.
        """
        edge = self.open_edges.pop(end.id)
        last = self.windows.last_index(end.end) if end.end > end.start else edge.first - 1
        if end.late_at is not None:
            last = max(last, self.windows.first_open(end.late_at) - 1)
        if last >= edge.next_index:
            self._put_edge(edge, edge.flow.closed_by(end), last, witness)
            witness.took(self.node, end)
            return
        if edge.next_index > edge.first:
            witness.removed(self.node, end, f"it ended its edge, of which {self.node!r} had no window left to release")
            return
        why = VANISHED if end.end <= end.start else f"its edge lies in a gap between the windows of {self.node!r}"
        witness.removed(self.node, edge.flow, why)
        witness.removed(self.node, end, why)

    def _put_edge(self, edge: OpenEdge, flow: Flow, last: int, witness: Witness) -> None:
        self._put(flow, range(edge.next_index, min(last, edge.last_allowed) + 1))
        if edge.next_index <= edge.last_allowed < last:
            witness.refused(self.node, edge.flow, Reason.TOO_MANY_WINDOWS, self._too_many())
        edge.next_index = max(edge.next_index, last + 1)

    def _put(self, flow: Flow, indices: range) -> None:
        for index in indices:
            self.members.setdefault(index, []).append(flow)

    def _too_many(self) -> str:
        return f"it belongs to more than {MAX_WINDOWS_PER_EVENT} windows of {self.node!r}"

    def _rows(self, index: int, members: Sequence[Flow], witness: Witness) -> list[Flow]:
        groups: dict[tuple[Hashable, ...], list[Flow]] = defaultdict(list)
        for flow in members:
            groups[tuple(key_of(flow.payload[name]) for name in self.group_by)].append(flow)
        start, end = self.windows.bounds(index)
        rows = []
        for key in sorted(groups, key=sort_key):
            flows = groups[key]
            payload = {name: flows[0].payload[name] for name in self.group_by}
            for column in self.columns:
                payload[column.name] = column.over(flows, (start, end), self.node, witness)
            sources = frozenset(element for flow in flows for element in flow.sources)
            stamp = max(flow.stamp for flow in flows)
            rows.append(Flow((index, key), start, end, payload, sources, stamp))
        return rows
