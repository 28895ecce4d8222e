"""Checks of the connections between nodes: ids, references, cycles, dead ends."""

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from typing import Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, error, nearest, warning
from streaming.definition.graph import ClipNode, InputNode, Node, OutputNode, QueryGraph, UnionNode, sources

RESERVED_PREFIX: Final = "pane_"


def check_wiring(nodes: tuple[Node, ...], broken: Set[str], *, complete: bool) -> Iterator[Fault]:
    """Yield all faults of the connections; `broken` are ids of unreadable nodes.

    Unless `complete`, missing parts are not reported, because they may be in an unreadable part.
    """
    by_id = {node.id: node for node in nodes}
    yield from _check_ids(nodes, broken)
    for node in nodes:
        yield from _check_sources(node, by_id, broken)
    yield from _check_cycles(by_id)
    if complete:
        yield from _check_ends(nodes)
        yield from _check_use(by_id)


def _check_ids(nodes: tuple[Node, ...], broken: Set[str]) -> Iterator[Fault]:
    counts = Counter(node.id for node in nodes)
    for name, count in counts.items():
        times = count + (name in broken)
        if times > 1:
            message = f"{counted(times, 'node')} have the id {name!r}."
            yield error(FaultCode.DUPLICATE_ID, message, "Give each node a unique id.", node=name, field="id")
        if name.startswith(RESERVED_PREFIX):
            yield reserved(name, node=name, field="id")


def reserved(name: str, *, node: str, field: str) -> Fault:
    """Return the error for a name that starts like the pane columns of results."""
    message = f"The name {name!r} starts with 'pane_', which is reserved for the pane columns of results."
    return error(FaultCode.RESERVED_NAME, message, "Choose another name.", node=node, field=field)


def ports(node: Node) -> tuple[tuple[str, str], ...]:
    """Return the inputs of `node`, in the order of `sources`: the field, such as `inputs[2]`, and the id in it."""
    match node:
        case UnionNode():
            fields = tuple(f"inputs[{index}]" for index in range(len(node.inputs)))
        case ClipNode():
            fields = ("input", "by")
        case _:
            fields = ("left", "right") if len(sources(node)) == 2 else ("input",)
    return tuple(zip(fields, sources(node), strict=False))


def _check_sources(node: Node, by_id: Mapping[str, Node], broken: Set[str]) -> Iterator[Fault]:
    for field, source in ports(node):
        if isinstance(by_id.get(source), OutputNode):
            message = f"Node {node.id!r} reads the output {source!r}."
            remedy = f"Read the node that {source!r} reads."
            yield error(FaultCode.OUTPUT_AS_INPUT, message, remedy, node=node.id, field=field)
        elif source not in by_id and source not in broken:
            known = [name for name, other in by_id.items() if not isinstance(other, OutputNode) and name != node.id]
            message = f"Node {node.id!r} reads {source!r}, but there is no such node."
            remedy = nearest(source, known, "Write the id of an existing node.")
            yield error(FaultCode.UNKNOWN_NODE, message, remedy, node=node.id, field=field)


def feeding(graph: QueryGraph, node: str) -> frozenset[str]:
    """Return the ids of `node` and of all nodes that it reads, directly or indirectly; unknown ids are left out."""
    by_id = {each.id: each for each in graph.nodes}
    reached = {node}
    pending = [node]
    for name in pending:
        fresh = {source for source in sources(by_id[name]) if source in by_id} - reached
        reached |= fresh
        pending.extend(fresh)
    return frozenset(reached)


def order(by_id: Mapping[str, Node]) -> tuple[list[str], set[str]]:
    """Return the ids ordered so that each comes after its inputs, and the ids in or after a cycle."""
    readers: dict[str, list[str]] = {name: [] for name in by_id}
    open_sources: dict[str, int] = {}
    for name, node in by_id.items():
        known = {source for source in sources(node) if source in by_id}
        open_sources[name] = len(known)
        for source in known:
            readers[source].append(name)
    at = {name: index for index, name in enumerate(by_id)}
    placed: list[str] = []
    ready = [name for name, count in open_sources.items() if count == 0]
    while ready:
        placed += ready
        freed = []
        for reader in (reader for name in ready for reader in readers[name]):
            open_sources[reader] -= 1
            if open_sources[reader] == 0:
                freed.append(reader)
        ready = sorted(freed, key=at.__getitem__)
    return placed, set(by_id) - set(placed)


def _check_cycles(by_id: Mapping[str, Node]) -> Iterator[Fault]:
    """Yield one error for each shortest cycle, until every node in a cycle has been named."""
    _, waiting = order(by_id)
    named: set[str] = set()
    for name in by_id:
        circle = _circle(name, by_id, waiting) if name in waiting - named else []
        if circle:
            named.update(circle)
            message = f"The nodes {' <- '.join([*circle, name])} read each other in a cycle."
            remedy = "Change one of them to read a node outside the cycle."
            following = circle[1] if len(circle) > 1 else name
            field = next(field for field, source in ports(by_id[name]) if source == following)
            yield error(FaultCode.CYCLE, message, remedy, node=name, field=field)


def _circle(name: str, by_id: Mapping[str, Node], waiting: Set[str]) -> list[str]:
    """Return the shortest path from `name` along its inputs back to it; empty if there is no such path."""
    ways = {name: [name]}
    pending = [name]
    for reader in pending:
        for source in sources(by_id[reader]):
            if source == name:
                return ways[reader]
            if source in waiting and source not in ways:
                ways[source] = [*ways[reader], source]
                pending.append(source)
    return []


def _check_ends(nodes: tuple[Node, ...]) -> Iterator[Fault]:
    if not any(isinstance(node, InputNode) for node in nodes):
        remedy = "Add a node of kind 'input' that names a stream."
        yield error(FaultCode.NO_INPUT, "The query has no input.", remedy)
    if not any(isinstance(node, OutputNode) for node in nodes):
        remedy = "Add a node of kind 'output' after the node whose results you want."
        yield error(FaultCode.NO_OUTPUT, "The query has no output.", remedy)


def _check_use(by_id: Mapping[str, Node]) -> Iterator[Fault]:
    used = {name for name, node in by_id.items() if isinstance(node, OutputNode)}
    if not used:
        return
    pending = list(used)
    while pending:
        fresh = [source for source in sources(by_id[pending.pop()]) if source in by_id and source not in used]
        used.update(fresh)
        pending.extend(fresh)
    for name in by_id:
        if name not in used:
            message = f"No result of node {name!r} reaches an output."
            yield warning(FaultCode.UNUSED_NODE, message, "Connect it to an output, or remove it.", node=name)
