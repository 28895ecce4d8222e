"""Small graphs with one thing wrong, for the tests of the checker."""

from typing import Any

from streaming.definition.check import Checked, check
from streaming.definition.faults import Fault
from streaming.definition.streams import StreamDefinition
from streaming.temporal.events import Shape

FIELDS = {"plate": "string", "speed": "double", "n": "long", "at": "timestamp", "tags": "array<string>"}
STREAMS = {
    "cars": StreamDefinition(fields=FIELDS),
    "edges": StreamDefinition(fields=FIELDS, shape=Shape.EDGE),
    "broken": StreamDefinition(fields={"a": "array<int>", "pane_start": "long", "b": "struct<a>"}),
}
CARS = {"id": "cars", "kind": "input", "stream": "cars"}
OUT = {"id": "out", "kind": "output", "input": "w"}
COUNT = {"name": "n", "function": "count"}


def node(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": "w", "kind": kind, "input": "cars"} | fields


def window(**fields: Any) -> dict[str, Any]:
    return node("window", window={"kind": "tumbling", "size": "5m"}, aggregates=[COUNT]) | fields


def graph(*nodes: object, **other: Any) -> dict[str, Any]:
    return {"version": 1, "name": "q", "nodes": list(nodes)} | other


def around(middle: dict[str, Any], stream: str = "cars") -> dict[str, Any]:
    return graph(CARS | {"stream": stream}, middle, OUT)


def faults(raw: Any) -> tuple[Fault, ...]:
    return check(raw, STREAMS).faults


def only(raw: Any) -> tuple[str, str | None, str | None]:
    (fault,) = faults(raw)
    assert fault.message.endswith(".")
    assert fault.remedy.endswith((".", "?"))
    return fault.code.value, fault.node, fault.field


def checked(raw: Any) -> Checked:
    result = check(raw, STREAMS)
    assert result.errors == ()
    return result
