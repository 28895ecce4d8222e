"""What is known of a sound query before anything is said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streaming.definition.faults import Fault
from streaming.definition.graph import Node, QueryGraph, TopKNode, WindowNode, sources
from streaming.definition.late_checks import grace_of
from streaming.definition.streams import AdvanceTimeSettings, StreamDefinition
from streaming.definition.types import Fields
from streaming.planning.keys import branches_of
from streaming.planning.plan import QueryPlan
from streaming.temporal.settings import AdvanceTime
from streaming.temporal.ticks import ONE_TICK, Ticks


@dataclass(frozen=True)
class LifetimeBound:
    """How long events live: `longest` is a bound, None for none; with `edges` starts and ends may come apart."""

    longest: Ticks | None
    edges: bool = False


POINT = LifetimeBound(ONE_TICK)
ANY_LENGTH = LifetimeBound(None)


@dataclass(frozen=True)
class Facts:
    """A graph without errors; `placed` are its ids so that each comes after what it reads.

    `settings` and `advance` are those in force, by input node. `remembered` are warnings of state without bounds, by
    node. `lives` tells of the events that leave each node. `plan` is that of a dedicated carrier on several cores.
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
        """The windows for which the feed folds."""
        return frozenset(branch.window.node for branch in branches_of(self.plan) if branch.window is not None)

    def before(self, node: Node) -> list[LifetimeBound]:
        """The lives of the events that `node` reads, port by port."""
        return [self.lives[source] for source in sources(node)]

    def edges_reach(self, node: Node) -> bool:
        """Whether starts and ends of edges come to `node` apart."""
        return any(life.edges for life in self.before(node))

    def grace(self, node: WindowNode | TopKNode) -> Ticks:
        """How long the windows of `node` stay open after their end (T19)."""
        return grace_of(node, self.graph, self.advance)


def readers_of(graph: QueryGraph) -> dict[str, list[str]]:
    """The ids of the nodes that read each node, each once, in the order of the graph."""
    found: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for node in graph.nodes:
        for source in dict.fromkeys(sources(node)):
            found[source].append(node.id)
    return found
