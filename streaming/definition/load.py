"""Loading of a query graph from raw data: every shape error as a fault, and all nodes that are readable anyway."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.graph import MOST_FUNCTIONS, MOST_NODES, Node, QueryGraph
from streaming.definition.own_functions.functions import QueryFunction, read_function
from streaming.definition.shape_errors import REMEDIES, shape_errors

_NODE: Final[TypeAdapter[Node]] = TypeAdapter(Node)


@dataclass(frozen=True)
class LoadedGraph:
    """The result of loading: the `graph` if it has no shape errors, else None and the faults.

    `nodes` and `functions` are the readable ones; `broken` are the ids of the unreadable ones and of those above the
    limit, `broken_functions` the names, in lower case, of unreadable ones.
    """

    graph: QueryGraph | None
    nodes: tuple[Node, ...]
    broken: frozenset[str]
    faults: tuple[Fault, ...]
    functions: tuple[QueryFunction, ...] = ()
    broken_functions: frozenset[str] = frozenset()


def load_graph(raw: object) -> LoadedGraph:
    """Read a query graph from decoded JSON; never raises, whatever `raw` is."""
    if isinstance(raw, QueryGraph):
        return LoadedGraph(raw, tuple(raw.nodes), frozenset(), (), tuple(raw.functions))
    data = dict(raw) if isinstance(raw, Mapping) else raw
    try:
        graph = QueryGraph.model_validate(data)
    except ValidationError as wrong:
        nodes, broken = _readable_nodes(data)
        return LoadedGraph(None, nodes, broken, shape_faults(wrong, data), *_readable_functions(data))
    return LoadedGraph(graph, tuple(graph.nodes), frozenset(), (), tuple(graph.functions))


def _readable_nodes(data: object) -> tuple[tuple[Node, ...], frozenset[str]]:
    raw_nodes = data.get("nodes") if isinstance(data, dict) else None
    nodes: list[Node] = []
    broken: set[str] = set()
    listed = raw_nodes if isinstance(raw_nodes, list) else []
    for raw in listed[:MOST_NODES]:
        try:
            nodes.append(_NODE.validate_python(raw))
        except ValidationError:
            if (name := _id_of(raw)) is not None:
                broken.add(name)
    broken.update(name for raw in listed[MOST_NODES:] if (name := _id_of(raw)) is not None)
    return tuple(nodes), frozenset(broken)


def _readable_functions(data: object) -> tuple[tuple[QueryFunction, ...], frozenset[str]]:
    listed = data.get("functions") if isinstance(data, dict) else None
    functions, broken = [], set()
    for raw in listed[:MOST_FUNCTIONS] if isinstance(listed, list) else ():
        try:
            functions.append(read_function(raw))
        except ValidationError:
            name = raw.get("name") if isinstance(raw, dict) else None
            broken.update([name.lower()] if isinstance(name, str) else [])
    return tuple(functions), frozenset(broken)


def _id_of(raw: object) -> str | None:
    name = raw.get("id") if isinstance(raw, dict) else None
    return name if isinstance(name, str) else None


def shape_faults(wrong: ValidationError, raw: object) -> tuple[Fault, ...]:
    """Return one BAD_SHAPE fault for each error of `wrong`, with the node's id if `raw` has one.

    The field is the path inside the node; for errors outside nodes and in nodes without an id, it starts at the top.
    """
    faults = []
    for each in shape_errors(wrong, raw):
        location, node, prefix = each.location, None, ""
        if len(location) >= 2 and location[0] == "nodes" and isinstance(location[1], int):
            node = _id_of(raw["nodes"][location[1]])  # type: ignore[index]  # its steps lead through `raw`
            prefix = f"nodes[{location[1]}]" if node is None else ""
            location = location[2:]
        path = _path(location, prefix)
        faults.append(error(FaultCode.BAD_SHAPE, f"{each.message}.", each.remedy, node=node, field=path or None))
    return tuple(faults)


def _path(location: Sequence[int | str], prefix: str) -> str:
    steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in location)
    return (prefix + "".join(steps)).removeprefix(".")


_HOLES: Final = frozenset({REMEDIES["missing"], REMEDIES["union_tag_not_found"]})


def is_hole(fault: Fault) -> bool:
    """Return whether a shape error is about a missing value instead of a wrong one."""
    return fault.code is FaultCode.BAD_SHAPE and fault.remedy in _HOLES
