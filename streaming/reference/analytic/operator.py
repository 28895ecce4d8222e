"""analytic: each event passes once, with a column for each function over rows of its group (T43, T46)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from streaming.planning.plan import AnalyticSpec
from streaming.reference.analytic.frames import RowView
from streaming.reference.analytic.functions import column_value
from streaming.reference.expressions.evaluation import evaluate
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import Flow, FlowId, FreedFlows, TraceRecorder
from streaming.reference.operators.many_ports import in_order
from streaming.reference.row import Row
from streaming.reference.rows_in_order import RowsInOrder
from streaming.reference.windows.panes import settled
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass
class Analytic:
    """One analytic node. A row leaves when it is decided, an edge as an edge; its end follows, or leaves with it.

    `left` are the rows that have left, with their values; `ends` the ends of edges whose rows have not.
    """

    spec: AnalyticSpec
    rows: RowsInOrder = field(init=False)
    left: dict[FlowId, Flow] = field(default_factory=dict)
    ends: dict[FlowId, Flow] = field(default_factory=dict)
    taken: set[FlowId] = field(default_factory=set)
    out: Tick = NO_CTI

    def __post_init__(self) -> None:
        spec = self.spec
        self.rows = RowsInOrder(spec.node, spec.group_by, tuple(spec.before), spec.order_by, spec.grace)

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the row of an event; return the end of an edge whose row has left."""
        del port
        if flow.closes:
            return self._end(flow, witness)
        taken = self.rows.take(flow, witness)
        if taken is not None:
            self.taken.add(flow.id)
            self._look_for_failures(taken[1], witness)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Return the rows that the CTI decides; the output CTI is at most the start of the oldest that waits."""
        del port
        self.rows.advance(cti)
        freed: list[Flow] = []
        held = self.rows.at
        for key in self.rows.groups:
            known = self.rows.known_rows(key)
            for at, row in enumerate(known):
                view = RowView(known, at, self.spec.reach)
                if row.flow.id in self.left:
                    continue
                if all(view.decided(column, self.rows.at) for column in self.spec.columns):
                    freed += self._released(view, witness)
                else:
                    held = min(held, row.start)
        self.out = max(self.out, held)
        return FreedFlows(in_order(freed), self.out, horizon)

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def _released(self, view: RowView, witness: TraceRecorder) -> Iterator[Flow]:
        flow = view.row.flow
        payload = dict(flow.payload)
        for column in self.spec.columns:

            def failed(why: OperationFailure, name: str = column.name) -> None:
                witness.failed(self.spec.node, flow, name, why)

            payload[column.name] = column_value(column, view, failed)
        row = replace(flow, payload=payload, late_at=None, pane=None)
        self.left[flow.id] = row
        yield row
        if flow.id in self.ends:
            yield self._ended(row, self.ends.pop(flow.id))

    def _end(self, end: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Return the end of an edge whose row has left. A late_kept end is not before what is decided."""
        if end.id not in self.taken:
            witness.removed(self.spec.node, end, f"{self.spec.node!r} refused the start of its edge")
            return ()
        witness.took(self.spec.node, end)
        if end.late_at is not None:
            end = replace(end, end=max(end.end, settled(end.late_at, self.spec.grace)))
        if end.id in self.left:
            return (self._ended(self.left[end.id], end),)
        self.ends[end.id] = end
        return ()

    def _ended(self, row: Flow, end: Flow) -> Flow:
        return replace(end, payload=row.payload, late_at=None)

    def _look_for_failures(self, row: Row, witness: TraceRecorder) -> None:
        """Report expressions that fail on the row, once, however many rows see it (T5)."""
        for column in self.spec.columns:

            def failed(why: OperationFailure, name: str = column.name) -> None:
                witness.failed(self.spec.node, row.flow, name, why)

            value = column.value
            chosen = value.where is None or evaluate(value.where, row.payload, failed) is True
            if chosen and value.of is not None:
                evaluate(value.of, row.payload, failed)
            if column.default is not None:
                evaluate(column.default, row.payload, failed)
