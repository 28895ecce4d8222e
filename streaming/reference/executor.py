"""A whole query, run row by row: what every other executor has to agree with."""

from collections.abc import Mapping

from streaming.definition.graph import InputNode, QueryGraph
from streaming.definition.streams import StreamDefinition
from streaming.reference.build import build
from streaming.reference.feed import InputFeed
from streaming.reference.flow import ElementId, Flow
from streaming.reference.output import Output, OutputRow
from streaming.reference.trace import Trace
from streaming.temporal.clock import Judged
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, Tick
from streaming.wire.case import ONLY_LANE, EndMode
from streaming.wire.rows import Element


class ReferenceRun:
    """One run. Feed it elements in arrival order with `take`, then say how it ends with `end`.

    `streams` is keyed by stream name, `advance` by the id of the input node; an input that it leaves out has no clock
    of its own and drops what is late. Raises `Refused` for a definition with faults. Nothing in it depends on wall
    clocks or batches; a run can be pickled between two elements and goes on as if nothing had happened.
    """

    def __init__(
        self, graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]
    ) -> None:
        self.trace = Trace()
        self._advance_settings = advance
        self._operators = build(graph, streams)
        self._feeds = {
            node.id: InputFeed(node.id, streams[node.stream].lanes or [ONLY_LANE], advance.get(node.id, AdvanceTime()))
            for node in graph.nodes
            if isinstance(node, InputNode)
        }
        self._readers: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
        for node in graph.nodes:
            if not isinstance(node, InputNode):
                self._readers[node.input].append(node.id)

    def take(self, input_id: str, lane: str, element: Element) -> Judged | None:
        """Judge one element and let it, then the CTI that follows it, run through the graph (T8).

        Returns its judgement with its final outcome, None for a CTI row. Raises KeyError for an unknown input.
        """
        feed = self._feeds[input_id]
        fed = feed.take(lane, element)
        if fed.judged is not None:
            self.trace.judged[fed.element] = fed.judged
        if fed.flow is not None:
            self._pass_on(input_id, fed.flow)
            self.trace.settle(fed.element)
        if fed.cti is not None:
            self._advance(input_id, fed.cti, feed.horizon, fed.cti)
        return self.trace.judged.get(fed.element)

    def end(self, mode: EndMode) -> None:
        """Flush all inputs, or on the user's stop those whose settings say `final`, or none."""
        for input_id, feed in self._feeds.items():
            generate = self._advance_settings.get(input_id, AdvanceTime()).generate
            final = generate is not None and generate.final
            if mode is EndMode.FLUSH or (mode is EndMode.STOP and final):
                moved = feed.finish()
                if moved is not None:
                    self._advance(input_id, moved, feed.horizon, moved)

    @property
    def judged(self) -> Mapping[ElementId, Judged]:
        """Every element but CTIs, in arrival order, with its final outcome."""
        return self.trace.judged

    @property
    def outputs(self) -> list[OutputRow]:
        """The rows of all outputs: output by output, each in the order of release."""
        return [row for output in self._outputs() for row in output.rows.values()]

    @property
    def output_ctis(self) -> Mapping[str, list[Tick]]:
        """The CTIs that moved, by output, without infinity."""
        return {output.node: [cti for cti in output.ctis if cti != INFINITY] for output in self._outputs()}

    def why_absent(self, element: ElementId) -> str | None:
        """Why `element` is in no row so far, as one sentence; None when it is in one."""
        if any(element in row.flow.sources for row in self.outputs):
            return None
        return self.trace.why_absent(element)

    def _outputs(self) -> list[Output]:
        return [operator for operator in self._operators.values() if isinstance(operator, Output)]

    def _pass_on(self, node: str, flow: Flow) -> None:
        for reader in self._readers[node]:
            for passed in self._operators[reader].take(flow, self.trace):
                self._pass_on(reader, passed)

    def _advance(self, node: str, cti: Tick, horizon: Tick, cause: Tick) -> None:
        """Carry a CTI through the graph; `cause` is the input CTI it comes from."""
        for reader in self._readers[node]:
            advanced = self._operators[reader].advance(cti, horizon, self.trace)
            for flow in advanced.flows:
                self._release(reader, flow, cause)
            self._advance(reader, advanced.cti, horizon, cause)

    def _release(self, node: str, flow: Flow, cause: Tick) -> None:
        for reader in self._readers[node]:
            operator = self._operators[reader]
            if isinstance(operator, Output):
                operator.releasing = cause
            for passed in operator.take(flow, self.trace):
                self._release(reader, passed, cause)
