"""Origins of a row: the input flows of a node, by the ids that its operator gives its rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from streaming.definition.graph import QueryGraph, sources
from streaming.reference.flow import Flow, FlowId, FlowOperator, TraceRecorder
from streaming.reference.operators.joins.asof_join import AsofJoin, latest
from streaming.reference.operators.joins.clip import ClipRule
from streaming.reference.operators.joins.join import JoinOperator
from streaming.reference.operators.joins.parts import LeftParts, PieceRule
from streaming.reference.operators.joins.pieces import TickSpan
from streaming.reference.operators.many_ports import ManyPorts
from streaming.reference.operators.ports import LEFT, RIGHT
from streaming.reference.operators.union import UnionOperator
from streaming.reference.sequences.sequence import SequenceOperator
from streaming.reference.windows.emission import RowMaker
from streaming.reference.windows.panes import PaneId
from streaming.reference.windows.top_k import TopK
from streaming.reference.windows.window import WindowOperator
from streaming.simulator.recorded.silence import SILENT
from streaming.temporal.ticks import Tick

SourceFlow = tuple[str, FlowId]
"""A node, and the id of a flow that it emitted."""


@dataclass
class CoveredPieces:
    """The rule of a semi join, which records the right events that made each of its rows."""

    inner: PieceRule
    made_of: dict[FlowId, Sequence[FlowId]] = field(default_factory=dict)

    @property
    def left_without(self) -> str | None:
        """Delegate to the rule; see `PieceRule`."""
        return self.inner.left_without

    @property
    def right_never(self) -> str | None:
        """Delegate to the rule; see `PieceRule`."""
        return self.inner.right_never

    @property
    def needs_right(self) -> bool:
        """Delegate to the rule; see `PieceRule`."""
        return self.inner.needs_right

    def pieces(self, left: Flow, rights: Sequence[Flow]) -> Sequence[TickSpan]:
        """Delegate to the rule; see `PieceRule`."""
        return self.inner.pieces(left, rights)

    def final(self, piece: TickSpan, left: Flow, right_cti: Tick) -> bool:
        """Delegate to the rule; see `PieceRule`."""
        return self.inner.final(piece, left, right_cti)

    def row(self, left: Flow, piece: TickSpan, rights: Sequence[Flow]) -> Flow:
        """Delegate to the rule; see `PieceRule`."""
        made = self.inner.row(left, piece, rights)
        self.made_of[made.id] = [right.id for right in rights]
        return made


@dataclass
class Lineage:
    """Origins of rows; `members` holds the flows that made the last row of each pane, by node."""

    graph: QueryGraph
    operators: Mapping[str, FlowOperator]
    members: dict[tuple[str, PaneId], Sequence[Flow]] = field(default_factory=dict)
    _covered: dict[str, CoveredPieces] = field(default_factory=dict)
    sources: dict[str, Sequence[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.sources = {node.id: sources(node) for node in self.graph.nodes}
        for node, operator in self.operators.items():
            for part in operator.parts if isinstance(operator, ManyPorts) else ():
                if isinstance(part, LeftParts) and part.rule.needs_right:
                    self._covered[node] = CoveredPieces(part.rule)
                    part.rule = self._covered[node]

    def parents(self, node: str, flow: Flow) -> Iterator[SourceFlow]:
        """Yield the flows of upstream nodes that made `flow`, which `node` has just emitted."""
        before = self.sources[node]
        match self.operators.get(node):
            case None:
                return
            case WindowOperator():
                assert isinstance(flow.id, PaneId)  # nosec B101 # the rows of windows are named by their panes
                yield from ((before[0], member.id) for member in self.members.get((node, flow.id), ()))
            case SequenceOperator() as sequence:
                result = sequence.made[flow.id]
                rows = sequence.rows.groups[_pair(flow.id)[0]]  # type: ignore[index]
                yield from ((before[0], row.flow.id) for row in rows[result.first : result.last + 1])
            case TopK():
                yield before[0], _pair(flow.id)[1]
            case ManyPorts(parts=parts):
                yield from self._of_ports(node, parts, flow)
            case _:
                yield before[0], flow.id

    def _of_ports(self, node: str, parts: Sequence[object], flow: Flow) -> Iterator[SourceFlow]:
        left, right = self.sources[node][LEFT], self.sources[node][-1]
        match parts[0]:
            case UnionOperator():
                port, name = _pair(flow.id)
                assert isinstance(port, int)  # nosec B101 # a union numbers its ports
                yield self.sources[node][port], name
            case AsofJoin() as joined:
                yield left, flow.id
                found = latest(joined.rights.of(joined.matching.key(flow)).values(), flow.start)
                if found is not None and not flow.closes:
                    yield right, found.id
            case JoinOperator() if not isinstance(_pair(flow.id)[RIGHT], int):
                yield left, _pair(flow.id)[LEFT]
                yield right, _pair(flow.id)[RIGHT]
            case LeftParts(rule=ClipRule()):
                yield left, flow.id  # it emits each left event once
            case _:
                yield left, _pair(flow.id)[LEFT]
                yield from ((right, name) for name in self._rights(node, flow.id))

    def _rights(self, node: str, row: FlowId) -> Sequence[FlowId]:
        return self._covered[node].made_of.get(row, ()) if node in self._covered else ()


def _pair(flow_id: FlowId) -> tuple[FlowId, FlowId]:
    assert isinstance(flow_id, tuple)  # nosec B101 # so the operators of several ports, and top_k, name their rows
    first, second = flow_id
    return first, second


@dataclass(frozen=True)
class NotedRows:
    """The rows of the panes of a window, and the flows that made each."""

    inner: RowMaker
    node: str
    lineage: Lineage

    def row(self, pane: PaneId, members: Sequence[Flow], witness: TraceRecorder) -> Flow:
        """Delegate to the row maker; see `RowMaker`."""
        if witness is not SILENT:
            self.lineage.members[self.node, pane] = members
        return self.inner.row(pane, members, witness)

    def look(self, flow: Flow, witness: TraceRecorder) -> None:
        """Delegate to the row maker; see `RowMaker`."""
        self.inner.look(flow, witness)
