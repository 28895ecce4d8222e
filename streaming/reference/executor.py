"""Runs a whole query row by row; every other executor has to agree with it."""

from collections.abc import Iterable, Mapping, Sequence

from streaming.definition.checks.wiring import order
from streaming.definition.graph import InputNode, QueryGraph, sources
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from streaming.reference.explain import Absence, Origin, absence, origin
from streaming.reference.feed import InputFeed
from streaming.reference.flow import CausingCti, ElementId, Flow, FlowOperator, FreedFlows, RunObserver
from streaming.reference.output import OutputOperator, OutputRow
from streaming.reference.trace import Trace
from streaming.temporal.clock import JudgedElement
from streaming.temporal.events import Cti, Event
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.case import EndMode
from streaming.wire.rows.row_json import Element


class ReferenceRun:
    """One run. Feed it elements in arrival order with `take`, then end it with `end`.

    `streams` is keyed by stream name, `advance` by the id of the input node; an input that it leaves out has no clock
    of its own and drops late events. Raises `InvalidDefinition`. No wall clock is read: arrival times and heartbeats
    come with the elements (T3). Only `boundary` depends on micro-batches. A run can be pickled between two elements and
    continues seamlessly. `observer` receives the output of the nodes.
    """

    def __init__(
        self,
        graph: QueryGraph,
        streams: Mapping[str, StreamDefinition],
        advance: Mapping[str, AdvanceTime],
        observer: RunObserver | None = None,
    ) -> None:
        checked = checked_graph(graph, streams, advance)
        self._advance_settings = advance
        self._operators = build(checked)
        self._feeds = {
            node.id: InputFeed(node.id, streams[node.stream], advance.get(node.id, AdvanceTime()))
            for node in graph.nodes
            if isinstance(node, InputNode)
        }
        by_id = {node.id: node for node in graph.nodes}
        self._order, _ = order(by_id)
        self._sources = {node: sources(by_id[node]) for node in self._order}
        self._readers: dict[str, list[tuple[str, int]]] = {node: [] for node in self._order}
        for node in self._order:
            for port, source in enumerate(self._sources[node]):
                self._readers[source].append((node, port))
        self._reached: dict[tuple[str, int], Tick] = {}
        self._behind = self._all_behind()
        self.trace = Trace(self._behind)
        self._observer = observer

    def take(self, input_id: str, lane: str, element: Element, arrival: Tick | None = None) -> JudgedElement | None:
        """Judge one element and pass it, then the CTI that follows it, through the graph (T8).

        `arrival` is the wall-clock time at which it arrived, if known. Returns its judgement with its final outcome,
        None for a CTI row. Raises KeyError for an unknown input.
        """
        feed = self._feeds[input_id]
        fed = feed.take(lane, element, arrival)
        self._advance_inputs({input_id: fed.cti_before})
        if fed.judged is not None:
            self.trace.judged[fed.element] = fed.judged
        if isinstance(element, Event):
            self.trace.over_failed(fed.element, fed.failures, element.payload)
        if fed.flow is not None:
            self._pass_on(input_id, [fed.flow])
            self._settle()
        elif fed.judged is not None and fed.judged.event is not None:
            self.trace.held_by_table(input_id, fed.element)
        self._advance_inputs({input_id: fed.cti})
        return self.trace.judged.get(fed.element)

    def heartbeat(self, input_id: str, now: Tick) -> None:
        """Process the wall clock `now` of an input without an element (T16, T17)."""
        self._advance_inputs({input_id: self._feeds[input_id].heartbeat(now)})

    def mark_history(self, input_id: str, lanes: Sequence[str] | None) -> None:
        """Begin the history of an input, in which `lanes` count; None: end it, and live lanes count (T56)."""
        self._advance_inputs({input_id: self._feeds[input_id].mark_history(lanes)})

    def boundary(self) -> None:
        """End a micro-batch: running windows emit their rows (T20), then imported CTIs take effect (T26)."""
        for node, operator in self._operators.items():
            self._pass_on(node, operator.boundary(self.trace))
        self._import()

    def _import(self) -> bool:
        """Read all imported CTIs, then pass them to the inputs that import; return true if any moved."""
        found = {input_id: feed.cti for input_id, feed in self._feeds.items()}
        importing = {input_id: self._settings(input_id).import_from for input_id in self._feeds}
        moved = {
            input_id: self._feeds[input_id].import_cti(found[source])
            for input_id, source in importing.items()
            if source is not None
        }
        self._advance_inputs(moved)
        return any(cti is not None for cti in moved.values())

    def end(self, mode: EndMode) -> None:
        """Flush all inputs; on the user's stop only those with `final` and the inputs that import from them.

        A stop ends the last micro-batch, so imports take effect once more, repeatedly until none moves.
        """
        ended = {
            input_id: feed.finish()
            for input_id, feed in self._feeds.items()
            if mode is EndMode.FLUSH or (mode is EndMode.STOP and self._is_final(input_id))
        }
        self._advance_inputs(ended)
        while mode is EndMode.STOP and self._import():
            pass

    @property
    def judged(self) -> Mapping[ElementId, JudgedElement]:
        """Return every element but CTIs, in arrival order, with its final outcome."""
        return self.trace.judged

    @property
    def outputs(self) -> list[OutputRow]:
        """Return the net rows of all outputs: output by output, each in the order of release."""
        return [row for output in self._outputs() for row in output.rows.values()]

    @property
    def released(self) -> list[OutputRow]:
        """Return every row that outputs emitted, also replaced and retracted ones.

        Output by output, in the order of release.
        """
        return [row for output in self._outputs() for row in output.released]

    @property
    def logs(self) -> Mapping[str, Sequence[OutputRow | Cti]]:
        """Return by output every row and every CTI that moved, in the order in which they left."""
        return {output.node: output.log for output in self._outputs()}

    @property
    def output_ctis(self) -> Mapping[str, list[Tick]]:
        """Return the CTIs that moved, by output, without infinity."""
        return {output.node: [cti for cti in output.ctis if cti != INFINITY] for output in self._outputs()}

    @property
    def feeds(self) -> Mapping[str, InputFeed]:
        """Return the inputs by node, for observers of a run."""
        return self._feeds

    @property
    def operators(self) -> Mapping[str, FlowOperator]:
        """Return the operators of the other nodes, for observers of a run."""
        return self._operators

    @property
    def order(self) -> Sequence[str]:
        """Return the nodes, each after the nodes that it reads."""
        return self._order

    def why_absent(self, element: ElementId) -> Absence | None:
        """Return why `element` is in no row so far; None if it is in one."""
        if any(element in row.flow.sources for row in self.outputs):
            return None
        return absence(element, self.trace, self._settings(element.input))

    def origin(self, row: OutputRow) -> Origin:
        """Return the elements that made `row`, and the CTI that released it."""
        return origin(row, self.trace)

    def _all_behind(self) -> dict[str, frozenset[str]]:
        """Return for each node all nodes that its rows can reach."""
        behind: dict[str, frozenset[str]] = {}
        for node in reversed(self._order):
            near = [reader for reader, _ in self._readers[node]]
            behind[node] = frozenset(near).union(*(behind[reader] for reader in near))
        return behind

    def _settings(self, input_id: str) -> AdvanceTime:
        return self._advance_settings.get(input_id, AdvanceTime())

    def _is_final(self, input_id: str) -> bool:
        generate = self._settings(input_id).generate
        return generate is not None and generate.final

    def _outputs(self) -> list[OutputOperator]:
        return [operator for operator in self._operators.values() if isinstance(operator, OutputOperator)]

    def _pass_on(self, node: str, flows: Iterable[Flow]) -> None:
        for flow in flows:
            if self._observer is not None:
                self._observer.gave(node, flow, self.trace.cause)
            for reader, port in self._readers[node]:
                passed = self._operators[reader].take(port, flow, self.trace)
                if not passed:
                    self.trace.held(reader, flow)
                self._pass_on(reader, passed)

    def _settle(self) -> None:
        if self.trace.undecided:
            self.trace.settle(frozenset().union(*(feed.to_come() for feed in self._feeds.values())))

    def _advance_inputs(self, moved: Mapping[str, Tick | None]) -> None:
        """Carry the CTIs of the inputs that moved through the graph, all at once.

        Each node receives the CTIs of all its sources before its own CTI moves, so no CTI between the old and the new
        one leaves. Rows that a node releases precede its CTI.
        """
        coming = {input_id: (cti, self._feeds[input_id].horizon) for input_id, cti in moved.items() if cti is not None}
        causes = list(coming)
        for input_id, (cti, _) in coming.items():
            self.trace.cause = CausingCti(input_id, cti)
            self._pass_on(input_id, self._feeds[input_id].versions(cti))
        for node in self._order:
            if node in self._operators:
                advanced = self._advance(node, coming, causes)
                if advanced is not None:
                    coming[node] = (advanced.cti, advanced.horizon)
            if self._observer is not None and node in coming:
                self._observer.moved(node, coming[node][0])
        self.trace.cause = None
        if causes:
            self._settle()

    def _advance(self, node: str, coming: Mapping[str, tuple[Tick, Tick]], causes: list[str]) -> FreedFlows | None:
        """Pass `node` the CTIs of its sources that moved.

        Return its last CTI and rows, None if its CTI did not move.
        """
        last = None
        for port, source in enumerate(self._sources[node]):
            cti, horizon = coming.get(source, (NO_CTI, NO_CTI))
            if cti <= self._reached.get((node, port), NO_CTI):
                continue
            self._reached[node, port] = cti
            cause = [input_id for input_id in causes if node in self._behind[input_id]][-1]
            self.trace.cause = CausingCti(cause, coming[cause][0])
            last = self._operators[node].advance(port, cti, horizon, self.trace)
            self._pass_on(node, last.flows)
        return last
