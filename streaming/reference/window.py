"""window: rows of aggregates for each group of each window, whatever the kind of window."""

from collections.abc import Sequence
from dataclasses import dataclass

from streaming.planning.plan import AggregateColumn
from streaming.reference.aggregates import aggregate_value, look_for_failures
from streaming.reference.emission import RowEmission
from streaming.reference.flow import Flow, FreedFlows, Witness
from streaming.reference.panes import Key, PaneId, PaneSet
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(frozen=True)
class AggregateRows:
    """Makes the row of a pane: the `group_by` fields, then the `columns`."""

    node: str
    group_by: Sequence[str]
    columns: Sequence[AggregateColumn]

    def row(self, pane: PaneId, members: Sequence[Flow], witness: Witness) -> Flow:
        """As `RowMaker` says; a pane that fills a gap has no members, and counts as made at its start."""
        payload = dict(zip(self.group_by, pane.key, strict=True))
        for column in self.columns:
            payload[column.name] = aggregate_value(column, members, (pane.start, pane.end), self.node, witness)
        sources = frozenset(element for flow in members for element in flow.sources)
        stamp = max((flow.stamp for flow in members), default=pane.start)
        return Flow(pane, pane.start, pane.end, payload, sources, stamp)

    def look(self, flow: Flow, witness: Witness) -> None:
        """As `RowMaker` says."""
        for column in self.columns:
            look_for_failures(column, flow, self.node, witness)


@dataclass
class WindowOperator:
    """One window node: which panes there are and what is in them, and when that is said (T19, T20)."""

    group_by: Sequence[str]
    panes: PaneSet
    emission: RowEmission
    cti: Tick = NO_CTI

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Put the flow into its panes; nothing passes before a CTI, or the end of a micro-batch, says so."""
        del port
        self.emission.rows.look(flow, witness)
        self.panes.take(group_key(flow, self.group_by), flow, witness)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> FreedFlows:
        """Release what the CTI makes final, or complete, and take back rows whose panes are no more."""
        del port
        self.cti = cti
        closing = self.panes.close(cti, horizon, witness)
        known = {} if self.emission.emit == "final" else self.panes.known(cti)
        rows = self.emission.at_cti(cti, closing, known, witness)
        return FreedFlows(rows, self.panes.output_cti(cti), horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """The changes of the micro-batch, if rows are running."""
        if self.emission.emit != "running":
            return ()
        return self.emission.at_boundary(self.cti, self.panes.known(self.cti), witness)


def group_key(flow: Flow, group_by: Sequence[str]) -> Key:
    """The group of a flow; the ends of an edge have the payload of its start, so they are in the same."""
    return tuple(flow.payload[name] for name in group_by)
