"""output: the rows of a result and the CTIs that moved, in the order in which they left."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from streaming.reference.flow import VANISHED, CausingCti, Flow, FlowId, FlowOperator, FreedFlows, TraceRecorder
from streaming.temporal.events import Cti, EdgeKind
from streaming.temporal.ticks import Tick


@dataclass(frozen=True, slots=True)
class OutputRow:
    """One row: its flow, and the input CTI that released it; None if it was final when it arrived."""

    output: str
    flow: Flow
    released_by: CausingCti | None

    @property
    def edge(self) -> EdgeKind | None:
        """Return which end of an edge the row is; None for a whole lifetime."""
        if self.flow.closes:
            return EdgeKind.END
        return EdgeKind.START if self.flow.opens and not self.flow.never_closes else None


@dataclass
class OutputOperator:
    """One output node; `times` sets the lifetime with which rows leave (T22).

    `rows` is the net result: an edge is open until its end comes, and absent once it has vanished; a row of a pane is
    the last one emitted. `log` is every row as it left (edge starts and ends, replaced rows, deletions), and between
    them the CTIs that moved.
    """

    node: str
    times: FlowOperator
    rows: dict[FlowId, OutputRow] = field(default_factory=dict)
    log: list[OutputRow | Cti] = field(default_factory=list)

    @property
    def released(self) -> list[OutputRow]:
        """Return every row as it left."""
        return [entry for entry in self.log if isinstance(entry, OutputRow)]

    @property
    def ctis(self) -> list[Tick]:
        """Return the CTIs that moved."""
        return [entry.at for entry in self.log if isinstance(entry, Cti)]

    def take(self, port: int, flow: Flow, witness: TraceRecorder) -> Sequence[Flow]:
        """Add the flow's row to the result."""
        for given in self.times.take(port, flow, witness):
            row = OutputRow(self.node, given, witness.cause)
            self.log.append(row)
            self._settle(row, witness)
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: TraceRecorder) -> FreedFlows:
        """Record the CTI; `times` releases nothing and changes no CTI."""
        advanced = self.times.advance(port, cti, horizon, witness)
        self.log.append(Cti(cti))
        return advanced

    def boundary(self, witness: TraceRecorder) -> Sequence[Flow]:
        """Return no rows."""
        del witness
        return ()

    def _settle(self, row: OutputRow, witness: TraceRecorder) -> None:
        """Add the row, give the open edge of its id its end, or replace or retract the row of that id."""
        flow = row.flow
        if flow.vanishes:
            witness.removed(self.node, self.rows.pop(flow.id).flow, VANISHED)
            witness.removed(self.node, flow, VANISHED)
            return
        if flow.gone:
            del self.rows[flow.id]
            return
        witness.took(self.node, flow)
        if flow.closes:
            opened = self.rows[flow.id]
            row = OutputRow(self.node, opened.flow.closed_by(flow), opened.released_by)
        self.rows[flow.id] = row
