"""A whole query, run row by row: what every other executor has to agree with."""

from collections.abc import Iterable, Mapping, Sequence

from streaming.definition.graph import InputNode, QueryGraph, sources
from streaming.definition.streams import StreamDefinition
from streaming.reference.build import build, plan_of
from streaming.reference.explain import Absence, Origin, absence, origin
from streaming.reference.feed import InputFeed
from streaming.reference.flow import Cause, ElementId, Flow
from streaming.reference.output import Output, OutputRow
from streaming.reference.trace import ExpressionFailed, Trace
from streaming.temporal.clock import Judged
from streaming.temporal.events import Cti
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.case import EndMode
from streaming.wire.rows import Element


class ReferenceRun:
    """One run. Feed it elements in arrival order with `take`, then say how it ends with `end`.

    `streams` is keyed by stream name, `advance` by the id of the input node; an input that it leaves out has no clock
    of its own and drops what is late. Raises `Refused` for a definition with faults. No wall clock is read: arrival
    times and heartbeats come with the elements (T3). Micro-batches matter to `boundary` alone. A run can be pickled
    between two elements and goes on as if nothing had happened.
    """

    def __init__(
        self, graph: QueryGraph, streams: Mapping[str, StreamDefinition], advance: Mapping[str, AdvanceTime]
    ) -> None:
        plan = plan_of(graph, streams, advance)
        self._advance_settings = advance
        self._operators = build(plan)
        self._feeds = {
            node.id: InputFeed(node.id, streams[node.stream], advance.get(node.id, AdvanceTime()))
            for node in graph.nodes
            if isinstance(node, InputNode)
        }
        self._readers: dict[str, list[tuple[str, int]]] = {node.id: [] for node in graph.nodes}
        self._reached: dict[tuple[str, int], Tick] = {}
        for node in graph.nodes:
            for port, source in enumerate(sources(node)):
                self._readers[source].append((node.id, port))
        self.trace = Trace({node: frozenset(self._behind(node)) for node in self._readers})

    def take(self, input_id: str, lane: str, element: Element, arrival: Tick | None = None) -> Judged | None:
        """Judge one element and let it, then the CTI that follows it, run through the graph (T8).

        `arrival` is the wall-clock time at which it arrived, where that is known. Returns its judgement with its final
        outcome, None for a CTI row. Raises KeyError for an unknown input.
        """
        feed = self._feeds[input_id]
        fed = feed.take(lane, element, arrival)
        self._advance_input(input_id, fed.cti_before)
        if fed.judged is not None:
            self.trace.judged[fed.element] = fed.judged
        if fed.failed is not None:
            self.trace.failures.append(ExpressionFailed(frozenset((fed.element,)), input_id, "over", fed.failed))
        if fed.flow is not None:
            self._pass_on(input_id, [fed.flow])
            self.trace.settle()
        self._advance_input(input_id, fed.cti)
        return self.trace.judged.get(fed.element)

    def heartbeat(self, input_id: str, now: Tick) -> None:
        """The wall clock of an input reached `now` without an element (T16, T17)."""
        self._advance_input(input_id, self._feeds[input_id].heartbeat(now))

    def boundary(self) -> None:
        """A micro-batch ends: running windows give their rows (T20), then imported CTIs take effect (T26)."""
        for node, operator in self._operators.items():
            self._pass_on(node, operator.boundary(self.trace))
        self._import()

    def _import(self) -> bool:
        """Read all imported CTIs, then give them to the inputs that import; whether any moved."""
        found = {input_id: feed.cti for input_id, feed in self._feeds.items()}
        moved = False
        for input_id, feed in self._feeds.items():
            source = self._settings(input_id).import_from
            cti = None if source is None else feed.import_cti(found[source])
            self._advance_input(input_id, cti)
            moved = moved or cti is not None
        return moved

    def end(self, mode: EndMode) -> None:
        """Flush all inputs, or on the user's stop those whose settings say `final` and what imports from them, or none.

        A stop ends the last micro-batch, so that imports take effect once more, as often as it takes.
        """
        for input_id, feed in self._feeds.items():
            generate = self._settings(input_id).generate
            final = generate is not None and generate.final
            if mode is EndMode.FLUSH or (mode is EndMode.STOP and final):
                self._advance_input(input_id, feed.finish())
        while mode is EndMode.STOP and self._import():
            pass

    @property
    def judged(self) -> Mapping[ElementId, Judged]:
        """Every element but CTIs, in arrival order, with its final outcome."""
        return self.trace.judged

    @property
    def outputs(self) -> list[OutputRow]:
        """The net rows of all outputs: output by output, each in the order of release."""
        return [row for output in self._outputs() for row in output.rows.values()]

    @property
    def released(self) -> list[OutputRow]:
        """Every row that outputs gave, replaced and taken back ones too: output by output, in the order of release."""
        return [row for output in self._outputs() for row in output.released]

    @property
    def logs(self) -> Mapping[str, Sequence[OutputRow | Cti]]:
        """By output, every row and every CTI that moved, in the order in which they left."""
        return {output.node: output.log for output in self._outputs()}

    @property
    def output_ctis(self) -> Mapping[str, list[Tick]]:
        """The CTIs that moved, by output, without infinity."""
        return {output.node: [cti for cti in output.ctis if cti != INFINITY] for output in self._outputs()}

    def why_absent(self, element: ElementId) -> Absence | None:
        """Why `element` is in no row so far; None when it is in one."""
        if any(element in row.flow.sources for row in self.outputs):
            return None
        return absence(element, self.trace, self._settings(element.input))

    def origin(self, row: OutputRow) -> Origin:
        """The elements that made `row`, and the CTI that released it."""
        return origin(row, self.trace)

    def _settings(self, input_id: str) -> AdvanceTime:
        return self._advance_settings.get(input_id, AdvanceTime())

    def _outputs(self) -> list[Output]:
        return [operator for operator in self._operators.values() if isinstance(operator, Output)]

    def _pass_on(self, node: str, flows: Iterable[Flow]) -> None:
        for flow in flows:
            for reader, port in self._readers[node]:
                said = self.trace.said
                passed = self._operators[reader].take(port, flow, self.trace)
                if not passed and self.trace.said == said:
                    self.trace.held(reader, flow)
                self._pass_on(reader, passed)

    def _behind(self, node: str) -> set[str]:
        """All nodes that rows of `node` can reach."""
        found: set[str] = set()
        pending = [node]
        while pending:
            fresh = {reader for reader, _ in self._readers[pending.pop()]} - found
            found |= fresh
            pending.extend(fresh)
        return found

    def _advance_input(self, input_id: str, cti: Tick | None) -> None:
        """Carry a CTI of an input through the graph, if there is one."""
        if cti is None:
            return
        self.trace.cause = Cause(input_id, cti)
        self._advance(input_id, cti, self._feeds[input_id].horizon)
        self.trace.cause = None
        self.trace.settle()

    def _advance(self, node: str, cti: Tick, horizon: Tick) -> None:
        """Tell the readers of `node` of its CTI, each only when it moved; what that frees goes before the CTI."""
        for reader, port in self._readers[node]:
            if cti <= self._reached.get((reader, port), NO_CTI):
                continue
            self._reached[reader, port] = cti
            advanced = self._operators[reader].advance(port, cti, horizon, self.trace)
            self._pass_on(reader, advanced.flows)
            self._advance(reader, advanced.cti, advanced.horizon)
