"""The facts about a valid query that its explanation is made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.definition.checks.late_events import grace_of
from streaming.definition.faults import Fault
from streaming.definition.graph import Node, QueryGraph, TopKNode, WindowNode, sources
from streaming.definition.payload.types import Fields
from streaming.definition.streams.stream import AdvanceTimeSettings, StreamDefinition
from streaming.planning.keys import branches_of
from streaming.planning.plan import QueryPlan
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import ONE_TICK, Ticks


@dataclass(frozen=True)
class LifetimeBound:
    """The lifetime of events: `longest` is a bound or None; with `edges`, starts and ends may arrive separately."""

    longest: Ticks | None
    edges: bool = False


POINT = LifetimeBound(ONE_TICK)
ANY_LENGTH = LifetimeBound(None)


@dataclass(frozen=True)
class Facts:
    """A graph without errors; `placed` are its ids in an order in which each comes after its inputs.

    `settings` and `advance` are those in force, by input node. `remembered` are warnings about unbounded state, by
    node. `lives` are the lifetimes of the output events of each node. `plan` is for a dedicated carrier with several
    cores.
    """

    graph: QueryGraph
    streams: Mapping[str, StreamDefinition]
    settings: Mapping[str, AdvanceTimeSettings]
    advance: Mapping[str, AdvanceTime]
    schemas: Mapping[str, Fields]
    nodes: Mapping[str, Node]
    placed: Sequence[str]
    readers: Mapping[str, Sequence[str]]
    lives: Mapping[str, LifetimeBound]
    remembered: Mapping[str, Sequence[Fault]]
    plan: QueryPlan

    @property
    def folded(self) -> frozenset[str]:
        """Return the windows that the feed pre-aggregates."""
        return frozenset(branch.window.node for branch in branches_of(self.plan) if branch.window is not None)

    def before(self, node: Node) -> list[LifetimeBound]:
        """Return the lifetimes of the input events of `node`, by port."""
        return [self.lives[source] for source in sources(node)]

    def edges_reach(self, node: Node) -> bool:
        """Return whether separate starts and ends of edges reach `node`."""
        return any(life.edges for life in self.before(node))

    def grace(self, node: WindowNode | TopKNode) -> Ticks:
        """Return how long the windows of `node` stay open after their end (T19)."""
        return grace_of(node, self.graph, self.advance)


def readers_of(graph: QueryGraph) -> dict[str, list[str]]:
    """Return the ids of the nodes that read each node, each once, in the order of the graph."""
    readers: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for node in graph.nodes:
        for source in dict.fromkeys(sources(node)):
            readers[source].append(node.id)
    return readers
