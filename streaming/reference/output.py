"""output: the rows of a result in the order in which they were released, and the CTIs that moved."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from streaming.reference.flow import VANISHED, Advanced, Flow, FlowId, Witness
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(frozen=True, slots=True)
class OutputRow:
    """One row: its flow, and the input CTI that released it; None for what was final when it arrived."""

    output: str
    flow: Flow
    released_by: Tick | None


@dataclass
class Output:
    """One output node. An edge is shown open until its end comes, and not at all once it has vanished."""

    node: str
    rows: dict[FlowId, OutputRow] = field(default_factory=dict)
    ctis: list[Tick] = field(default_factory=list)
    releasing: Tick | None = None

    def take(self, flow: Flow, witness: Witness) -> Sequence[Flow]:
        """Add the row, or give the open edge of the same id its end."""
        if flow.closes and flow.end <= flow.start:
            witness.removed(self.node, self.rows.pop(flow.id).flow, VANISHED)
            witness.removed(self.node, flow, VANISHED)
            return ()
        witness.took(self.node, flow)
        if flow.closes:
            opened = self.rows[flow.id]
            self.rows[flow.id] = OutputRow(self.node, opened.flow.closed_by(flow), opened.released_by)
        else:
            self.rows[flow.id] = OutputRow(self.node, flow, self.releasing)
        return ()

    def advance(self, cti: Tick, horizon: Tick, witness: Witness) -> Advanced:
        """Note the CTI if it moved."""
        del horizon, witness
        if cti > (self.ctis[-1] if self.ctis else NO_CTI):
            self.ctis.append(cti)
        return Advanced((), cti)
