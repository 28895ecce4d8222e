"""From raw data to a query graph: every error of shape as a fault, and what could be read in spite of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.graph import MOST_NODES, Node, QueryGraph

_NODE: Final[TypeAdapter[Node]] = TypeAdapter(Node)


@dataclass(frozen=True)
class Loaded:
    """What raw data holds: the `graph` if it has no errors of shape, else None and the faults.

    `nodes` are those that could be read, `broken` the ids of those that could not, or were one too many.
    """

    graph: QueryGraph | None
    nodes: tuple[Node, ...]
    broken: frozenset[str]
    faults: tuple[Fault, ...]


def load_graph(raw: object) -> Loaded:
    """Read a query graph from decoded JSON; never raises, whatever `raw` is."""
    if isinstance(raw, QueryGraph):
        return Loaded(raw, tuple(raw.nodes), frozenset(), ())
    data = dict(raw) if isinstance(raw, Mapping) else raw
    try:
        graph = QueryGraph.model_validate(data)
    except ValidationError as wrong:
        nodes, broken = _readable_nodes(data)
        return Loaded(None, nodes, broken, shape_faults(wrong, data))
    return Loaded(graph, tuple(graph.nodes), frozenset(), ())


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


def _id_of(raw: object) -> str | None:
    name = raw.get("id") if isinstance(raw, dict) else None
    return name if isinstance(name, str) else None


def shape_faults(wrong: ValidationError, raw: object) -> tuple[Fault, ...]:
    """One BAD_SHAPE fault for each error of `wrong`, with the node's id where `raw` has one.

    The field is the path inside the node, or from the top for errors outside nodes and in nodes without an id.
    """
    faults: dict[tuple[str | None, str], Fault] = {}
    for each in wrong.errors(include_url=False):
        location, node = each["loc"], None
        inside: object = raw
        prefix = ""
        if len(location) >= 2 and location[0] == "nodes" and isinstance(location[1], int):
            inside = _step(_step(raw, "nodes"), location[1])
            node = _id_of(inside)
            prefix = f"nodes[{location[1]}]" if node is None else ""
            location = location[3:]  # after the index comes the kind, which pydantic adds
        path = _path(inside, location, keep_last=each["type"] == "missing", prefix=prefix)
        faults.setdefault((node, path), _shape_fault(each, node, path))
    return tuple(faults.values())


def _step(value: object, key: int | str) -> Any:
    if isinstance(value, dict) and key in value:
        return value[key]
    if isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
        return value[key]
    return None


def _path(value: object, location: Sequence[int | str], *, keep_last: bool, prefix: str) -> str:
    """The steps of `location` that exist in `value`: pydantic also names the members of unions."""
    path = prefix
    for position, key in enumerate(location):
        exists = (isinstance(value, dict) and key in value) or (isinstance(value, list) and isinstance(key, int))
        if exists or (keep_last and position == len(location) - 1):
            value = _step(value, key)
            path += f"[{key}]" if isinstance(key, int) else f".{key}"
    return path.removeprefix(".")


_MESSAGES: Final = dict.fromkeys(
    ("model_type", "model_attributes_type", "dict_type"), "An object with named fields is expected here"
)
_REMEDIES: Final = {
    "missing": "Add it.",
    "extra_forbidden": "Remove it, or correct its name.",
    "union_tag_not_found": "Add 'kind', the kind of node or window.",
    "string_pattern_mismatch": "Begin with a letter or underscore, then up to 62 letters, digits or underscores.",
}


def is_hole(fault: Fault) -> bool:
    """Whether a fault of shape is about something that is not there, rather than about what is."""
    remedies = (_REMEDIES["missing"], _REMEDIES["union_tag_not_found"])
    return fault.code is FaultCode.BAD_SHAPE and fault.remedy in remedies


def _shape_fault(wrong: ErrorDetails, node: str | None, path: str) -> Fault:
    kind = wrong["type"]
    said = _MESSAGES.get(kind, wrong["msg"].removeprefix("Value error, "))
    remedy = _REMEDIES.get(kind, "Correct the value as the message says.")
    if kind == "union_tag_invalid":
        said = f"There is no kind {wrong['ctx']['tag']!r}"
        remedy = f"Write one of {wrong['ctx']['expected_tags']}."
    where = path or (f"Node {node!r}" if node is not None else "The definition")
    return error(FaultCode.BAD_SHAPE, f"{where}: {said}.", remedy, node=node, field=path or None)
