"""output: the rows of a result in the order in which they were released, and the CTIs that moved."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from streaming.reference.flow import VANISHED, Advanced, Cause, Flow, FlowId, Witness
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(frozen=True, slots=True)
class OutputRow:
    """One row: its flow, and the input CTI that released it; None for what was final when it arrived."""

    output: str
    flow: Flow
    released_by: Cause | None


@dataclass
class Output:
    """One output node.

    `rows` is the net result: an edge is open until its end comes, and not there once it has vanished; a row of a pane
    is the last one given. `released` is every row as it left: edge starts and ends, replaced rows, deletions.
    """

    node: str
    rows: dict[FlowId, OutputRow] = field(default_factory=dict)
    released: list[OutputRow] = field(default_factory=list)
    ctis: list[Tick] = field(default_factory=list)

    def take(self, port: int, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Add the row, or give the open edge of the same id its end, or replace or take back the row of that id."""
        del port
        row = OutputRow(self.node, flow, witness.cause)
        self.released.append(row)
        if flow.vanishes:
            witness.removed(self.node, self.rows.pop(flow.id).flow, VANISHED)
            witness.removed(self.node, flow, VANISHED)
            return ()
        if flow.gone:
            del self.rows[flow.id]
            return ()
        witness.took(self.node, flow)
        if flow.closes:
            opened = self.rows[flow.id]
            row = OutputRow(self.node, opened.flow.closed_by(flow), opened.released_by)
        self.rows[flow.id] = row
        return ()

    def advance(self, port: int, cti: Tick, horizon: Tick, witness: Witness) -> Advanced:
        """Note the CTI if it moved."""
        del port, witness
        if cti > (self.ctis[-1] if self.ctis else NO_CTI):
            self.ctis.append(cti)
        return Advanced((), cti, horizon)

    def boundary(self, witness: Witness) -> Sequence[Flow]:
        """Owes nothing."""
        del witness
        return ()
