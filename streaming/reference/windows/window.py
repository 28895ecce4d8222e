"""window: rows of aggregates for each group of each window, whatever the kind of window."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.planning.columns import AggregateColumn
from streaming.reference.aggregates.result_column import aggregate_value, look_for_failures
from streaming.reference.flow import Flow, FreedFlows, TraceRecorder
from streaming.reference.windows.emission import RowEmission
from streaming.reference.windows.panes import PaneId, PaneSet, group_key
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(frozen=True)
class AggregateRows:
    """Makes the row of a pane: the `group_by` fields, then the `columns`."""

    node: str
    group_by: Sequence[str]
    columns: Sequence[AggregateColumn]

    def row(self, pane: PaneId, members: Sequence[Flow], witness: TraceRecorder) -> Flow:
        """Return the row of a pane; see `RowMaker`.

        A pane that fills a gap has no members; it counts as made at its start.
        """
        payload = dict(zip(self.group_by, pane.key, strict=True))
        for column in self.columns:
            payload[column.name] = aggregate_value(column, members, (pane.start, pane.end), self.node, witness)
        sources = frozenset(element for flow in members for element in flow.sources)
        stamp = max((flow.stamp for flow in members), default=pane.start)
        return Flow(pane, pane.start, pane.end, payload, sources, stamp)

    def look(self, flow: Flow, witness: TraceRecorder) -> None:
        """Report failures of expressions; see `RowMaker`."""
        for column in self.columns:
            look_for_failures(column, flow, self.node, witness)


@dataclass
class WindowOperator:
    """One window node: its panes, their contents, and the emission of their rows (T19, T20)."""

    group_by: Sequence[str]
    panes: PaneSet
    emission: RowEmission
    cti: Tick = NO_CTI

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the flow to its panes; nothing passes before a CTI or the end of a micro-batch releases it."""
        del port
        self.emission.rows.look(flow, witness)
        self.panes.take(group_key(flow, self.group_by), flow, witness)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Release rows that the CTI makes final or complete, and retract rows whose panes no longer exist."""
        del port
        self.cti = cti
        closing = self.panes.close(cti, horizon, witness)
        known = {} if self.emission.emit == "final" else self.panes.open_members(cti)
        rows = self.emission.at_cti(cti, closing, known, witness)
        return FreedFlows(rows, self.panes.output_cti(cti), horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the changes of the micro-batch, if rows are running."""
        if self.emission.emit != "running":
            return ()
        return self.emission.at_boundary(self.cti, self.panes.open_members(self.cti), witness)
