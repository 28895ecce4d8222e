"""What travels between the nodes beside fields: open edges, and rows that may still be replaced."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.graph import (
    AsofJoinNode,
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
from streaming.definition.streams import StreamDefinition
from streaming.definition.wiring import ports
from streaming.temporal.events import Shape

_PASS_EDGES: Final[tuple[type[Any], ...]] = (
    FilterNode,
    ProjectNode,
    ShiftNode,
    ExtendNode,
    OrderEdgesNode,
    UnionNode,
    JoinNode,
    OutputNode,
)
"""Nodes whose results hold open edges when any of what they read does."""
_PASS_PROVISIONAL: Final[tuple[type[Any], ...]] = (
    FilterNode,
    ProjectNode,
    ShiftNode,
    SetDurationNode,
    ExtendNode,
    PointAtEndNode,
    OutputNode,
)
"""Nodes that treat a row and its replacement alike, event by event."""


def check_shapes(
    by_id: Mapping[str, Node], placed: Iterable[str], streams: Mapping[str, StreamDefinition]
) -> Iterator[Fault]:
    """Nodes that wait for edges where none come, and nodes that would take rows which are not final (T20).

    `placed` are the ids so that each comes after what it reads. What an unknown node or stream would bring is not
    known, and not complained of.
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
    """The nodes whose results may hold open edges, together with every id of which nothing is known."""
    known = dict.fromkeys(placed)
    carriers = {source for name in known for source in sources(by_id[name]) if source not in known}
    for name in known:
        if _may_hold_edges(by_id[name], carriers, streams):
            carriers.add(name)
    return frozenset(carriers)


def _may_hold_edges(node: Node, carriers: set[str], streams: Mapping[str, StreamDefinition]) -> bool:
    match node:
        case InputNode():
            return node.stream not in streams or streams[node.stream].shape is Shape.EDGE
        case AsofJoinNode():
            return node.left in carriers
        case _:
            return isinstance(node, _PASS_EDGES) and any(source in carriers for source in sources(node))


def _check_edges(node: Node, edges: frozenset[str]) -> Iterator[Fault]:
    if isinstance(node, ToIntervalsNode | OrderEdgesNode) and node.input not in edges:
        message = "No stream of shape edge reaches this node, so there are no starts and ends to treat apart."
        remedy = "Remove the node, or let the stream have the shape 'edge'."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="input")


def provisional_rows(by_id: Mapping[str, Node], placed: Iterable[str]) -> Mapping[str, str]:
    """The nodes whose rows may still be replaced, with the window that makes them; none behind a node in fault."""
    found: dict[str, str] = {}
    for name in placed:
        node = by_id[name]
        if isinstance(node, WindowNode) and node.emit != "final":
            found[name] = name
        elif isinstance(node, _PASS_PROVISIONAL):
            (source,) = sources(node)
            if source in found:
                found[name] = found[source]
    return found


def _check_final(node: Node, provisional: Mapping[str, str]) -> Iterator[Fault]:
    if isinstance(node, _PASS_PROVISIONAL):
        return
    for field, source in ports(node):
        if source in provisional:
            window = provisional[source]
            message = f"The rows of window {window!r} may be replaced by later ones, and {node.kind} needs final rows."
            remedy = f"Set 'emit: final' in {window!r}, or send its rows to an output without this node."
            yield error(FaultCode.PROVISIONAL_ROWS, message, remedy, node=node.id, field=field)
