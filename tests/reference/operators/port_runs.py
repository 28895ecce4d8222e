"""An operator with two ports alone: random events and legal CTIs for it, and its output at each step."""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.reference.build import build
from streaming.reference.expressions.numbers import OperationFailure
from streaming.reference.flow import CausingCti, ElementId, Flow, FlowId, FlowOperator
from streaming.reference.operators.many_ports import in_order
from streaming.temporal.outcomes import Reason
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick

LIMIT = 30
"""All finite times of drawn events are before it: events that live then live forever."""
FIELDS = ({"k": "string", "a": "long"}, {"k": "string", "b": "long"})
Row = tuple[int, int, str]
Rows = Counter[Row]


@dataclass(frozen=True)
class Spec:
    """One event of a port; with `edge` its start and its end are separate; the `end` of an edge is never INFINITY."""

    port: int
    number: int
    start: int
    end: int
    payload: dict[str, Any]
    edge: bool = False
    late_at: int | None = None

    @property
    def flows(self) -> list[Flow]:
        """Return its flows, in order."""
        name = f"{self.port}/{self.number}"
        whole = Flow(
            id=name,
            start=Tick(self.start),
            end=Tick(self.end),
            payload=self.payload,
            sources=frozenset((ElementId("in", name, 0),)),
            stamp=Tick(self.start),
            late_at=None if self.late_at is None else Tick(self.late_at),
        )
        if not self.edge:
            return [whole]
        opened = replace(whole, end=INFINITY, opens=True)
        closing = replace(whole, closes=True, sources=frozenset((ElementId("in", name, 1),)))
        return [opened] if self.end == INFINITY else [opened, closing]


def spec(port: int, number: int, start: int, end: int, **more: Any) -> Spec:
    """Return an interval with the key a, unless other fields are set."""
    payload = {"k": more.pop("k", "a"), "ab"[port]: more.pop("v", 0)}
    return Spec(port, number, start, end, payload, **more)


def operator(node: dict[str, Any], fields: Sequence[dict[str, str]] = FIELDS) -> FlowOperator:
    """Return the operator of `node`, named n, which reads l and r."""
    ports: dict[str, dict[str, Any]] = {"union": {"inputs": ["l", "r"]}, "clip": {"input": "l", "by": "r"}}
    reads = ports.get(node["kind"], {"left": "l", "right": "r"})
    nodes = [
        {"id": "l", "kind": "input", "stream": "l"},
        {"id": "r", "kind": "input", "stream": "r"},
        {"id": "n"} | reads | node,
        {"id": "out", "kind": "output", "input": "n"},
    ]
    graph = QueryGraph.model_validate({"version": 1, "name": "ports", "nodes": nodes})
    streams = {
        name: StreamDefinition.model_validate({"shape": "interval", "fields": of})
        for name, of in zip("lr", fields, strict=True)
    }
    return build(checked_graph(graph, streams, {}))["n"]


@dataclass
class RecordingWitness:
    """A witness that stores the reports of the operator n only."""

    cause: CausingCti | None = None
    taken: list[Flow] = field(default_factory=list)
    removals: list[tuple[Flow, str]] = field(default_factory=list)
    failures: list[tuple[Flow, str]] = field(default_factory=list)

    def took(self, node: str, flow: Flow) -> None:
        assert node == "n"
        self.taken.append(flow)

    def removed(self, node: str, flow: Flow, why: str) -> None:
        assert node == "n"
        self.removals.append((flow, why))

    def refused(self, node: str, flow: Flow, reason: Reason, why: str, closed_at: Tick | None = None) -> None:
        raise AssertionError(f"{node} refused {flow}")

    def failed(self, node: str, flow: Flow, field: str, why: OperationFailure) -> None:
        assert (node, field) == ("n", "where")
        self.failures.append((flow, str(why)))

    def why(self, spec: Spec) -> list[str]:
        """Return the reasons reported for the event's flows."""
        wanted = [flow.sources for flow in spec.flows]
        return [why for flow, why in self.removals if flow.sources in wanted]


class Driven:
    """An operator under way; each step is checked against the rules of all operators."""

    def __init__(self, operator: FlowOperator) -> None:
        self.operator = operator
        self.witness = RecordingWitness()
        self.rows: dict[FlowId, Flow] = {}
        self.out = NO_CTI
        self.horizon = NO_CTI
        self.passed: list[Flow] = []
        self.ctis = [NO_CTI, NO_CTI]
        self.seen: list[Spec] = []
        self.advanced = False

    def take(self, port: int, flow: Flow) -> list[Flow]:
        self.advanced = False
        return self._passes(self.operator.take(port, flow, self.witness))

    def give(self, *specs: Spec) -> list[Flow]:
        """Feed all flows of some events."""
        return [row for each in specs for flow in each.flows for row in self.take(each.port, flow)]

    def advance(self, port: int, cti: int) -> list[Flow]:
        self.ctis[port] = Tick(cti)
        self.advanced = True
        advanced = self.operator.advance(port, Tick(cti), Tick(min(cti, LIMIT)), self.witness)
        rows = self._passes(advanced.flows)
        assert rows == in_order(rows)
        assert advanced.cti >= self.out
        assert advanced.cti <= min(self.ctis)
        self.out, self.horizon = advanced.cti, advanced.horizon
        return rows

    def both(self, cti: int) -> list[Flow]:
        """Raise the right, then the left, to the same CTI."""
        return [*self.advance(1, cti), *self.advance(0, cti)]

    def restart(self) -> None:
        self.operator = pickle.loads(pickle.dumps(self.operator))

    def _passes(self, flows: Sequence[Flow]) -> list[Flow]:
        for flow in flows:
            self.passed.append(flow)
            sync = flow.end if flow.closes else flow.start
            assert flow.late_at is not None or sync >= self.out, "law 5"
            if flow.vanishes:
                del self.rows[flow.id]
            elif flow.closes:
                opened = self.rows[flow.id]
                assert opened.opens
                assert opened.payload == flow.payload
                self.rows[flow.id] = opened.closed_by(flow)
            else:
                assert flow.id not in self.rows
                assert flow.start < flow.end
                self.rows[flow.id] = flow
        return list(flows)

    @property
    def net(self) -> Rows:
        return Counter((flow.start, flow.end, repr(flow.payload)) for flow in self.rows.values())


Truth = Callable[[Sequence[Spec]], Rows]


def row(start: int, end: int, payload: dict[str, Any]) -> Row:
    """Return a row in a form that can be counted; one that lives at the limit lives forever."""
    return start, INFINITY if end > LIMIT else end, repr(payload)


def runs(ticks: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Return the maximal spans of consecutive ticks."""
    found = sorted(ticks)
    starts = [tick for place, tick in enumerate(found) if place == 0 or found[place - 1] != tick - 1]
    for place, start in enumerate(starts):
        before = [tick for tick in found if place + 1 == len(starts) or tick < starts[place + 1]]
        yield start, before[-1] + 1


def alive(spec: Spec) -> set[int]:
    """Return the ticks of an event's life, up to and including the limit."""
    return set(range(spec.start, min(spec.end, LIMIT + 1)))


@dataclass(frozen=True)
class Step:
    """A flow, or a CTI, of one port."""

    port: int
    flow: Flow | None
    cti: int
    spec: Spec | None = None


@st.composite
def specs(draw: st.DrawFn, port: int, *, late: bool) -> list[Spec]:
    found = []
    for number in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, 12))
        edge = draw(st.booleans()) and not late
        end = draw(st.one_of(st.integers(start + (not edge), start + 8), st.just(INFINITY)))
        payload = {"k": draw(st.sampled_from(("a", "a", "b", None))), "ab"[port]: draw(st.sampled_from((0, 1, None)))}
        late_at = 13 if late and draw(st.booleans()) else None
        found.append(Spec(port, number, start, int(end), payload, edge, late_at))
    return found


@st.composite
def of_one_port(draw: st.DrawFn, port: int, specs: list[Spec]) -> list[Step]:
    """Draw its flows in any order in which ends follow starts, with CTIs that none of them violates, infinity last."""
    queues = [(each, list(each.flows)) for each in specs]
    steps: list[Step] = []
    while pending := [queue for queue in queues if queue[1]]:
        if draw(st.booleans()):
            syncs = [_sync(flow) for each, flows in pending for flow in flows if each.late_at is None]
            steps.append(Step(port, None, min(syncs, default=LIMIT) - draw(st.sampled_from((0, 0, 1, 3)))))
        each, flows = draw(st.sampled_from(pending))
        steps.append(Step(port, flows.pop(0), 0, None if flows else each))
    return [*steps, Step(port, None, draw(st.integers(0, LIMIT))), Step(port, None, INFINITY)]


def _sync(flow: Flow) -> int:
    return flow.end if flow.closes else flow.start


@dataclass(frozen=True)
class Scenario:
    """Two sides and one order of arrival for all of it."""

    specs: list[Spec]
    steps: list[Step]

    @property
    def lives(self) -> list[Spec]:
        """Return the events that do not vanish."""
        return [each for each in self.specs if each.start < each.end]


@st.composite
def scenarios(draw: st.DrawFn, late: tuple[bool, bool] = (False, False)) -> Scenario:
    """Draw a scenario; on ports with `late` some events are late_kept, whole ones that come at any time."""
    sides = [draw(specs(port, late=late[port])) for port in (0, 1)]
    queues = [draw(of_one_port(port, side)) for port, side in enumerate(sides)]
    steps = []
    while pending := [queue for queue in queues if queue]:
        steps.append(draw(st.sampled_from(pending)).pop(0))
    return Scenario([*sides[0], *sides[1]], steps)


def drive(scenario: Scenario, operator: FlowOperator, watch: Callable[[Driven], None] = lambda driven: None) -> Driven:
    """Run all steps, each followed by `watch`; CTIs that do not rise are left out, as in a run."""
    driven = Driven(operator)
    for step in scenario.steps:
        if step.flow is not None:
            driven.take(step.port, step.flow)
            if step.spec is not None:
                driven.seen.append(step.spec)
        elif step.cti > driven.ctis[step.port]:
            driven.advance(step.port, step.cti)
        watch(driven)
    return driven
