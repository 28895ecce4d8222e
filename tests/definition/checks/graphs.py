"""Small graphs with one fault each, for the tests of the checker."""

from typing import Any

from streaming.definition.checks.check import CheckedDefinition, check
from streaming.definition.faults import Fault
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape

FIELDS = {"plate": "string", "speed": "double", "n": "long", "at": "timestamp", "tags": "array<string>"}
STREAMS = {
    "cars": StreamDefinition(fields=FIELDS),
    "edges": StreamDefinition(fields=FIELDS, shape=Shape.EDGE),
    "owners": StreamDefinition(fields={"plate": "string", "owner": "string", "since": "timestamp"}),
    "broken": StreamDefinition(fields={"a": "array<blob>", "pane_start": "long", "b": "struct<a>"}),
}
CARS = {"id": "cars", "kind": "input", "stream": "cars"}
OWNERS = {"id": "owners", "kind": "input", "stream": "owners"}
OUT = {"id": "out", "kind": "output", "input": "w"}
COUNT = {"name": "n", "function": "count"}


def node(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": "w", "kind": kind, "input": "cars"} | fields


def window(**fields: Any) -> dict[str, Any]:
    return node("window", window={"kind": "tumbling", "size": "5m"}, aggregates=[COUNT]) | fields


def top_k(**fields: Any) -> dict[str, Any]:
    return node("top_k", window={"kind": "tumbling", "size": "5m"}, by="speed", k=3) | fields


def join(kind: str = "join", **fields: Any) -> dict[str, Any]:
    return {"id": "w", "kind": kind, "left": "cars", "right": "owners", "keys": ["plate"]} | fields


def graph(*nodes: object, **other: Any) -> dict[str, Any]:
    return {"version": 1, "name": "q", "nodes": list(nodes)} | other


def around(middle: dict[str, Any], stream: str = "cars") -> dict[str, Any]:
    return graph(CARS | {"stream": stream}, middle, OUT)


def joined(middle: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    return graph(CARS, OWNERS, *others, middle, OUT)


def schema(raw: Any, node_id: str = "w") -> dict[str, str]:
    return {name: str(of) for name, of in checked(raw).schemas[node_id].items()}


def fault_places(raw: Any) -> list[tuple[str, str | None, str | None]]:
    return [(fault.code.value, fault.node, fault.field) for fault in faults(raw)]


def faults(raw: Any) -> tuple[Fault, ...]:
    return check(raw, STREAMS).faults


def only(raw: Any) -> tuple[str, str | None, str | None]:
    (fault,) = faults(raw)
    assert fault.message.endswith(".")
    assert fault.remedy.endswith((".", "?"))
    return fault.code.value, fault.node, fault.field


def checked(raw: Any) -> CheckedDefinition:
    result = check(raw, STREAMS)
    assert result.errors == ()
    return result
