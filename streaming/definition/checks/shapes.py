"""Checks of the rows between nodes: open edges, and provisional rows, which may still be replaced."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from streaming.definition.analytic import AnalyticNode
from streaming.definition.checks.wiring import ports
from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import (
    AsofJoinNode,
    ChopNode,
    ExtendNode,
    FilterNode,
    InputNode,
    JoinNode,
    Node,
    OrderEdgesNode,
    OutputNode,
    PointAtEndNode,
    ProjectNode,
    SetDurationNode,
    ShiftNode,
    ToIntervalsNode,
    UnionNode,
    WindowNode,
    sources,
)
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape

_PASS_EDGES: Final[tuple[type[Any], ...]] = (
    FilterNode,
    ProjectNode,
    ShiftNode,
    ExtendNode,
    OrderEdgesNode,
    ChopNode,
    AnalyticNode,
    UnionNode,
    JoinNode,
    OutputNode,
)
"""Nodes whose results hold open edges if any of their inputs does."""
_PASS_PROVISIONAL: Final[tuple[type[Any], ...]] = (
    FilterNode,
    ProjectNode,
    ShiftNode,
    SetDurationNode,
    ExtendNode,
    PointAtEndNode,
    OutputNode,
)
"""Nodes that treat a row and its replacement the same way, event by event."""


def check_shapes(
    by_id: Mapping[str, Node], placed: Iterable[str], streams: Mapping[str, StreamDefinition]
) -> Iterator[Fault]:
    """Yield faults of nodes that wait for edges but get none, and of nodes that would read provisional rows (T20).

    `placed` are the ids in an order in which each comes after its inputs. Rows of unknown nodes and streams are
    not reported.
    """
    placed = list(placed)
    edges = edge_carriers(by_id, placed, streams)
    provisional = provisional_rows(by_id, placed)
    for name in placed:
        yield from _check_edges(by_id[name], edges)
        yield from _check_final(by_id[name], provisional)


def edge_carriers(
    by_id: Mapping[str, Node], placed: Iterable[str], streams: Mapping[str, StreamDefinition]
) -> frozenset[str]:
    """Return the nodes whose results may hold open edges, and every unknown id."""
    known = dict.fromkeys(placed)
    carriers = {source for name in known for source in sources(by_id[name]) if source not in known}
    for name in known:
        if _may_hold_edges(by_id[name], carriers, streams):
            carriers.add(name)
    return frozenset(carriers)


def _may_hold_edges(node: Node, carriers: set[str], streams: Mapping[str, StreamDefinition]) -> bool:
    match node:
        case InputNode():
            return node.stream not in streams or streams[node.stream].shape in (Shape.EDGE, Shape.TABLE)
        case AsofJoinNode():
            return node.left in carriers
        case _:
            return isinstance(node, _PASS_EDGES) and any(source in carriers for source in sources(node))


def _check_edges(node: Node, edges: frozenset[str]) -> Iterator[Fault]:
    if isinstance(node, ToIntervalsNode | OrderEdgesNode) and node.input not in edges:
        message = (
            "No stream of shape edge reaches this node, so it receives no separate starts and ends and has no effect."
        )
        remedy = "Remove the node, or set the shape of the stream to 'edge'."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="input")


def provisional_rows(by_id: Mapping[str, Node], placed: Iterable[str]) -> Mapping[str, str]:
    """Return the nodes whose rows may still be replaced, each with the node that makes them; none after an error."""
    makers: dict[str, str] = {}
    for name in placed:
        node = by_id[name]
        if isinstance(node, WindowNode | MatchRecognizeNode) and node.emit != "final":
            makers[name] = name
        elif isinstance(node, _PASS_PROVISIONAL):
            (source,) = sources(node)
            if source in makers:
                makers[name] = makers[source]
    return makers


def _check_final(node: Node, provisional: Mapping[str, str]) -> Iterator[Fault]:
    if isinstance(node, _PASS_PROVISIONAL):
        return
    for field, source in ports(node):
        if source in provisional:
            maker = provisional[source]
            message = f"The rows of {maker!r} may be replaced by later ones, but {node.kind} needs final rows."
            remedy = f"Set 'emit: final' in {maker!r}, or send its rows to an output without this node."
            yield error(FaultCode.PROVISIONAL_ROWS, message, remedy, node=node.id, field=field)
