"""The rows that leave the nodes of a run: the sample row that released each, what it replaced, and its origins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from streaming.reference.flow import CausingCti, ElementId, Flow, FlowId
from streaming.reference.output import OutputOperator, OutputRow
from streaming.simulator.recorded.lineage import Lineage
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(slots=True)
class RecordedRow:
    """One flow that left `node` when `after` rows had arrived; for the other fields see `TrackRow`."""

    id: int
    node: str
    after: int
    flow: Flow
    cause: CausingCti | None
    gone_after: int | None = None
    closed_after: int | None = None
    closed_end: Tick | None = None
    replaces: int | None = None
    closes: int | None = None
    parents: Sequence[int] = ()

    @property
    def deleted(self) -> bool:
        """Return true if it retracts another row."""
        return self.flow.gone or self.flow.vanishes


@dataclass
class RunRecorder:
    """Implements `RunObserver`. `after`: how many rows have arrived; `number_of`: the number of each received element.

    `rows` are in the order in which they left, `by_node` groups them by node; `ctis` are the steps of each node's
    output CTI. `standing` maps each flow of a node to its current row, `ends` to the end of its edge.
    """

    number_of: Mapping[ElementId, int]
    after: int = 0
    rows: list[RecordedRow] = field(default_factory=list)
    by_node: dict[str, list[RecordedRow]] = field(default_factory=dict)
    ctis: dict[str, list[tuple[int, Tick]]] = field(default_factory=dict)
    standing: dict[tuple[str, FlowId], RecordedRow] = field(default_factory=dict)
    ends: dict[tuple[str, FlowId], RecordedRow] = field(default_factory=dict)
    lineage: Lineage | None = None
    _read: dict[str, int] = field(default_factory=dict)

    def gave(self, node: str, flow: Flow, cause: CausingCti | None) -> None:
        """Record an emitted flow; see `RunObserver`."""
        row = RecordedRow(len(self.rows) + 1, node, self.after, flow, cause)
        self.rows.append(row)
        self.by_node.setdefault(node, []).append(row)
        self._settle((node, flow.id), row)
        if self.lineage is not None:
            row.parents = self._parents(row)

    def moved(self, node: str, cti: Tick) -> None:
        """Record a moved CTI; see `RunObserver`."""
        steps = self.ctis.setdefault(node, [])
        if cti > (steps[-1][1] if steps else NO_CTI):
            steps.append((self.after, cti))

    def read_log(self, output: OutputOperator) -> None:
        """Record the rows that an output has emitted since the last call."""
        first = self._read.get(output.node, 0)
        for entry in output.log[first:]:
            if isinstance(entry, OutputRow):
                self.gave(output.node, entry.flow, entry.released_by)
        self._read[output.node] = len(output.log)

    def numbers(self, flow: Flow) -> list[int]:
        """Return the numbers of the sample rows that made `flow`, rising."""
        return sorted(self.number_of[element] for element in flow.sources)

    def _settle(self, key: tuple[str, FlowId], row: RecordedRow) -> None:
        """Record which row this one replaces, retracts or ends."""
        flow, before = row.flow, self.standing.get(key)
        if flow.gone:
            self._replaced(row, before)
            self.standing.pop(key, None)
        elif flow.closes:
            self.ends[key] = row
            if before is None:
                return
            row.closes = before.id
            if flow.vanishes:
                self._replaced(row, before)
                self.standing.pop(key, None)
            else:
                before.closed_after, before.closed_end = self.after, flow.end
        else:
            if flow.replaces is not None:
                self._replaced(row, before)
            self.standing[key] = row

    def _replaced(self, row: RecordedRow, before: RecordedRow | None) -> None:
        if before is not None:
            row.replaces, before.gone_after = before.id, self.after

    def _parents(self, row: RecordedRow) -> Sequence[int]:
        """Return the rows of upstream nodes that made it; for a retraction those of the retracted row."""
        if row.flow.gone and row.replaces is not None:
            return self.rows[row.replaces - 1].parents
        assert self.lineage is not None  # nosec B101 # asked before
        found: dict[int, None] = {}
        for source, flow_id in self.lineage.parents(row.node, row.flow):
            start, end = self.standing.get((source, flow_id)), self.ends.get((source, flow_id))
            if end is not None and end.closes is not None:
                start = self.rows[end.closes - 1]  # a vanished edge is no longer in `standing`
            if start is not None and not (row.flow.closes and end is not None):
                found[start.id] = None
            if end is not None:
                found[end.id] = None
        return list(found)
