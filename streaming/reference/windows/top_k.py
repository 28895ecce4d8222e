"""top_k: the events of each group of each window with the largest ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from streaming.definition.expressions.tree import Expression
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.flow import Flow, FlowId, FreedFlows, Pane, Timing, TraceRecorder
from streaming.reference.windows.panes import PaneId, PaneSet, group_key, release_order
from streaming.temporal.ticks import Tick
from streaming.temporal.value_order import sort_key


@dataclass
class TopK:
    """One top_k node: released when the pane closes, largest first; ties at rank `k` are all returned (section 5).

    An event with a null rank has no rank. `ranked` are the events that some closed pane emitted and an open one may
    still contain.
    """

    node: str
    group_by: Sequence[str]
    by: Expression
    k: int
    panes: PaneSet
    ranked: set[FlowId] = field(default_factory=set)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the flow to its panes; nothing passes before a pane closes."""
        del port
        evaluate(self.by, flow.payload, lambda why: witness.failed(self.node, flow, "by", why))
        self.panes.take(group_key(flow, self.group_by), flow, witness)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Release the panes that the CTI closes, earliest first; report the events that none of their panes emitted."""
        del port
        closing = self.panes.close(cti, horizon, witness)
        rows: list[Flow] = []
        lost: dict[FlowId, Flow] = {}
        for pane in sorted(closing, key=release_order):
            chosen = self.chosen(closing[pane])
            self.ranked.update(flow.id for flow in chosen)
            lost.update((flow.id, flow) for flow in closing[pane])
            rows += [_row(pane, flow) for flow in chosen]
        if lost:
            still = {flow.id for members in self.panes.open_members(cti).values() for flow in members}
            for flow in lost.values():
                if flow.id not in still and flow.id not in self.ranked:
                    witness.removed(self.node, flow, f"it is not among the first {self.k} in any pane of {self.node!r}")
            self.ranked &= still
        return FreedFlows(rows, self.panes.output_cti(cti), horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def chosen(self, members: Sequence[Flow]) -> list[Flow]:
        """Return the first `k` by falling rank with their ties; equals by rising start and payload."""
        ranks = [(self._rank(flow), flow) for flow in members]
        found = sorted(((rank, flow) for rank, flow in ranks if rank is not None), key=_rising)
        found.sort(key=_rank_order, reverse=True)
        if len(found) > self.k:
            found = [each for each in found if _rank_order(each) >= _rank_order(found[self.k - 1])]
        return [flow for _, flow in found]

    def _rank(self, flow: Flow) -> Any:
        return evaluate(self.by, flow.payload, lambda _: None)


def _rising(ranked: tuple[Any, Flow]) -> tuple[Any, ...]:
    flow = ranked[1]
    return flow.start, flow.end, sort_key(flow.payload)


def _rank_order(ranked: tuple[Any, Flow]) -> tuple[Any, ...]:
    return sort_key(ranked[0])


def _row(pane: PaneId, flow: Flow) -> Flow:
    """Return the event with the lifetime of the pane; it is a row of this node, whatever it was before."""
    shown = Pane(pane.start, pane.end, Timing.ON_TIME, 0, is_last=True)
    lasting = replace(flow, id=(pane, flow.id), late_at=None, opens=False, pane=shown)
    return lasting.lasting(pane.start, pane.end)
