"""Completion of an expression in a field of a node, with the node's input fields."""

from collections.abc import Mapping

from streaming.definition.checks.check import check
from streaming.definition.graph import Node, sources
from streaming.definition.load import load_graph
from streaming.definition.payload.types import Fields
from streaming.definition.sql.completion.complete import Completions, matching
from streaming.definition.sql.completion.expressions import after_point, expressions
from streaming.definition.sql.completion.place import spot_at
from streaming.definition.sql.completion.scope import CompletionScope, KnownSource
from streaming.definition.streams.stream import StreamDefinition


def complete_expression(
    graph: Mapping[str, object], node: str, expression: str, at: int, streams: Mapping[str, StreamDefinition]
) -> Completions:
    """Return the completions before character `at` of an expression at `node` of a raw graph; never raises.

    A join has the fields of both sides; fields that both have are offered once. For an unknown node or unknown
    input fields, only functions and words are offered.
    """
    spot = spot_at(expression, at)
    if spot is None:
        return Completions(at, at, ())
    target = next((each for each in load_graph(graph).nodes if each.id == node), None)
    source = KnownSource("", "", _incoming(target, check(graph, streams, complete=False).schemas))
    scope = CompletionScope(expression, spot, streams, fixed=(source,))
    before = spot.before
    items = after_point(scope, before) if before and before[-1].word == "." else expressions(scope, before)
    typed = expression[spot.start : max(spot.start, min(at, spot.end))]
    return Completions(spot.start, spot.end, tuple(matching(dict.fromkeys(items), typed)))


def _incoming(node: Node | None, schemas: Mapping[str, Fields]) -> Fields:
    read = () if node is None else sources(node)
    if node is not None and node.kind == "clip":
        read = read[:1]
    fields: Fields = {}
    for each in reversed(read):
        fields = {**fields, **schemas.get(each, {})}
    return fields
