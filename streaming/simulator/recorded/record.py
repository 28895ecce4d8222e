"""Runs a query on a sample with the reference, row by row, and records everything."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from streaming.definition.graph import InputNode
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Fields
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.checked import CheckedGraph
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import ElementId
from streaming.reference.operators.per_event import PerEvent
from streaming.reference.output import OutputOperator
from streaming.reference.sequences.sequence import SequenceOperator
from streaming.reference.substreams import WHOLE, Unit, unit_of
from streaming.reference.windows.top_k import TopK
from streaming.reference.windows.window import AggregateRows, WindowOperator
from streaming.simulator.model import CtiCause
from streaming.simulator.recorded.attempts import NodeAttempts
from streaming.simulator.recorded.clocks import ClockRecorder, ClockStep, is_lane
from streaming.simulator.recorded.lineage import Lineage, NotedRows
from streaming.simulator.recorded.recording import RunRecorder
from streaming.simulator.recorded.windowing import NodePanes
from streaming.simulator.samples.sample import SampledElement, SampledQuery
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Event
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import NO_CTI, Tick
from streaming.wire.execution.case import EndMode


@dataclass(frozen=True, slots=True)
class MetCti:
    """The clock that judged a row, its CTI, and the row that had set it."""

    unit: Unit
    at: Tick
    set_by: ClockStep | None


@dataclass
class RecordedRun:
    """A run of the reference with its recorders; `met` holds the clock that each received element met."""

    checked: CheckedGraph
    settings: Mapping[str, AdvanceTime]
    elements: list[SampledElement] = field(default_factory=list)
    number_of: dict[ElementId, int] = field(default_factory=dict)
    met: dict[int, MetCti] = field(default_factory=dict)
    run: ReferenceRun = field(init=False)
    flows: RunRecorder = field(init=False)
    lineage: Lineage = field(init=False)
    clocks: ClockRecorder = field(init=False)
    panes: dict[str, NodePanes] = field(default_factory=dict)
    attempts: dict[str, NodeAttempts] = field(default_factory=dict)
    logged: list[OutputOperator] = field(init=False)

    def __post_init__(self) -> None:
        checked = self.checked
        self.flows = RunRecorder(self.number_of)
        self.run = ReferenceRun(checked.graph, checked.streams, self.settings, self.flows)
        self.lineage = Lineage(checked.graph, self.run.operators)
        self.flows.lineage = self.lineage
        self.clocks = ClockRecorder(self.run)
        for node, operator in self.run.operators.items():
            if isinstance(operator, WindowOperator | TopK):
                rows = operator.emission.rows if isinstance(operator, WindowOperator) else None
                columns = rows.columns if isinstance(rows, AggregateRows) else ()
                self.panes[node] = NodePanes(node, operator.panes, operator, columns)
                operator.panes = self.panes[node]
            if isinstance(operator, WindowOperator):
                operator.emission.rows = NotedRows(operator.emission.rows, node, self.lineage)
            if isinstance(operator, SequenceOperator):
                self.attempts[node] = NodeAttempts(node, operator, lambda: self.run.trace.cause)
        self.logged = [each for each in self.run.operators.values() if isinstance(each, OutputOperator)]

    @property
    def outputs(self) -> list[str]:
        """Return the output nodes."""
        return [operator.node for operator in self.logged]

    def inputs_of(self, node: str) -> list[str]:
        """Return the inputs whose rows reach `node`; an input reaches itself."""
        return [each for each in (node, *self.before(node)) if each in self.run.feeds]

    def before(self, node: str) -> list[str]:
        """Return all nodes whose rows reach `node`, nearest first."""
        found: dict[str, None] = {}
        pending = list(self.lineage.sources[node])
        for each in pending:
            if each not in found:
                found[each] = None
                pending += self.lineage.sources[each]
        return list(found)

    def stream_of(self, node: str) -> StreamDefinition:
        """Return the stream that the input `node` reads."""
        [name] = [each.stream for each in self.checked.graph.nodes if isinstance(each, InputNode) and each.id == node]
        return self.checked.streams[name]

    def judged_by_number(self) -> list[tuple[int, JudgedElement]]:
        """Return the judgement of each received element, by the number of its row."""
        return [(self.number_of[element], judged) for element, judged in self.run.judged.items()]

    def fields_of_stream(self, stream: str) -> Fields:
        """Return the fields of a stream."""
        return parse_fields(self.checked.streams[stream].fields)

    def substream(self, unit: Unit) -> str | None:
        """Return the key of a substream as text; None for a lane."""
        return None if is_lane(unit) else str(unit[1]) if unit[1] is not None else "null"

    def take(self, sampled_row: SampledElement) -> None:
        """End the micro-batches that end before the row, then feed it to the run."""
        for _ in range(sampled_row.ends_batch):
            self.boundary()
        self.elements.append(sampled_row)
        self._at(sampled_row.number)
        node = sampled_row.input
        if node is None:
            return
        if sampled_row.at is not None:
            self.run.heartbeat(node, sampled_row.at)
            self._read(node, "idle", sampled_row.number)
        elif sampled_row.element is not None and sampled_row.identity is not None:
            self._take(node, sampled_row, sampled_row.identity)
        self._step_done()

    def boundary(self) -> None:
        """End a micro-batch."""
        self.run.boundary()
        for node in self.run.feeds:
            self._read(node, "imported", None)
        self._step_done()

    def end(self, mode: EndMode) -> None:
        """End the last micro-batch, then the sample."""
        if self.elements:
            self.boundary()
        self._at(len(self.elements) + 1)
        self.run.end(mode)
        for node in self.run.feeds:
            self._read(node, "end", None)
        self._step_done()

    def _take(self, node: str, row: SampledElement, identity: ElementId) -> None:
        assert row.element is not None  # nosec B101 # asked before
        self.number_of[identity] = row.number
        feed = self.run.feeds[node]
        keyed = node in self.settings and self.settings[node].over is not None
        own = keyed and isinstance(row.element, Event)
        unit = unit_of(row.lane, feed.key(row.element, lambda _: None)) if own else (row.lane, WHOLE)
        before = self.clocks.at((node, unit))
        whole = self.clocks.at((node, None))
        judged = self.run.take(node, row.lane, row.element, row.arrival)
        cause: CtiCause = "row" if judged is None else "generated"
        if judged is not None:
            step = before if before is not None and before.at == judged.cti_met else whole
            if judged.cti_met != NO_CTI and (step is None or step.at != judged.cti_met):
                step = ClockStep(row.number, judged.cti_met, "arrival", row.number)
            self.met[row.number] = MetCti(unit, judged.cti_met, step if judged.cti_met != NO_CTI else None)
            cause = "arrival" if judged.emitted is None else "generated"
        self._read(node, cause, row.number)

    def _read(self, node: str, cause: CtiCause, number: int | None) -> None:
        self.clocks.read(node, self.flows.after, cause, number)

    def _at(self, after: int) -> None:
        self.flows.after = after
        for panes in self.panes.values():
            panes.after = after
        for attempts in self.attempts.values():
            attempts.after = after

    def _step_done(self) -> None:
        for operator in self.logged:
            self.flows.read_log(operator)
        if any(panes.has_open_edges for panes in self.panes.values()):  # only they need a horizon
            horizons = self._horizons()
            for node, panes in self.panes.items():
                panes.horizon = horizons[node]
        for panes in self.panes.values():
            panes.step_done()
        for attempts in self.attempts.values():
            attempts.step_done()

    def _horizons(self) -> Mapping[str, Tick]:
        """Return the largest finite time of each node's inputs, in its times."""
        found: dict[str, Tick] = {}
        for node in self.run.order:
            if node in self.run.feeds:
                found[node] = self.run.feeds[node].horizon
                continue
            near = max(found[source] for source in self.lineage.sources[node])
            operator = self.run.operators[node]
            found[node] = operator.rule.time(near) if isinstance(operator, PerEvent) else near
        return found


def record(query: SampledQuery) -> RecordedRun:
    """Run `query` on its sample to its end and record the run. Raises as `simulate` does."""
    recorded = RecordedRun(checked_graph(query.graph, query.streams, query.settings), query.settings)
    for row in query.elements:
        recorded.take(row)
    recorded.end(query.end)
    return recorded
