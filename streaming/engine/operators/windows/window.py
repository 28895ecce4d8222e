"""A window node over events: its panes and their contents, their aggregates, and the emission of rows."""

from collections.abc import Sequence
from dataclasses import replace

from streaming.definition.expressions.tree import fields_used
from streaming.engine.columns.flows import Flows
from streaming.engine.operators.aggregates import PaneAggregator
from streaming.engine.operators.kernel import NodeOutput, PortInput, TurnContext
from streaming.engine.operators.windows.emission import PaneEmission, PaneTable
from streaming.engine.operators.windows.empties import filling_of
from streaming.engine.operators.windows.pane_source import PaneMembers
from streaming.engine.operators.windows.pane_sources import source_of
from streaming.engine.state.node_state import NodeState
from streaming.planning.plan import WindowSpec


class WindowKernel:
    """One window node, whatever the kind of window: rows of aggregates for each group of each pane (T19, T20)."""

    def __init__(self, spec: WindowSpec) -> None:
        self._spec = spec
        self._source = source_of(spec)
        self._aggregator = PaneAggregator(spec)
        self._emission = PaneEmission(spec)
        self._filling = filling_of(spec)
        self._reads = _fields_read(spec)

    def turn(self, ports: Sequence[PortInput], state: NodeState, turn: TurnContext) -> NodeOutput:
        """Take the events of the port, and release the rows of panes that its CTI closes or completes."""
        port = replace(ports[0], flows=self._needed(ports[0].flows))
        paned = self._source.turn(port, state, turn, known=self._asks(port, turn))
        closing = self._table(paned.closing)
        if self._filling is not None:
            closing = self._filling.with_empty(closing, paned.filled)
        known = None if paned.known is None else self._table(paned.known)
        rows = self._emission.released(state, port.cti, closing, known, turn.report.failures)
        return NodeOutput(rows, paned.ctis, paned.horizon)

    def _needed(self, flows: Flows) -> Flows:
        """Return the events with the fields that the node reads: the others need not be stored."""
        return replace(flows, columns={name: column for name, column in flows.columns.items() if name in self._reads})

    def _asks(self, port: PortInput, turn: TurnContext) -> bool:
        """Return true if rows may be due for panes that stay open."""
        return turn.boundary if self._spec.emit == "running" else self._spec.emit == "on_complete" and bool(port.ctis)

    def _table(self, members: PaneMembers) -> PaneTable:
        if not len(members.flows):
            return PaneTable.none(self._spec)
        rows = self._aggregator.rows(members.flows, members.first, members.last, members.bounds)
        start, end = members.bounds(rows.number)
        return PaneTable(start, end, rows.columns, rows.stamp, rows.extent, rows.failed)


def _fields_read(spec: WindowSpec) -> frozenset[str]:
    """Return the fields of events that the node's groups and aggregates read."""
    expressions = [each for column in spec.aggregates for each in (column.of, column.where) if each is not None]
    return frozenset(spec.group_by).union(*(fields_used(each) for each in expressions))
