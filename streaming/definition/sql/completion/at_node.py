"""Completion of an expression that stands in a field of a node, with the fields that come in there."""

from collections.abc import Mapping

from streaming.definition.check import check
from streaming.definition.graph import Node, sources
from streaming.definition.load import load_graph
from streaming.definition.sql.completion.complete import Completions, matching
from streaming.definition.sql.completion.expressions import after_point, expressions
from streaming.definition.sql.completion.place import spot_at
from streaming.definition.sql.completion.scope import CompletionScope, KnownSource
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import Fields


def complete_expression(
    graph: Mapping[str, object], node: str, expression: str, at: int, streams: Mapping[str, StreamDefinition]
) -> Completions:
    """What may stand before character `at` of an expression at `node` of a raw graph; never raises.

    A join has the fields of both sides; those that both have are offered once. Of a node that the graph does not have,
    and where the fields that come in are not known, functions and words alone are offered.
    """
    spot = spot_at(expression, at)
    if spot is None:
        return Completions(at, at, ())
    found = next((each for each in load_graph(graph).nodes if each.id == node), None)
    source = KnownSource("", "", _incoming(found, check(graph, streams, complete=False).schemas))
    scope = CompletionScope(expression, spot, streams, given=(source,))
    before = spot.before
    items = after_point(scope, before) if before and before[-1].word == "." else expressions(scope, before)
    typed = expression[spot.start : max(spot.start, min(at, spot.end))]
    return Completions(spot.start, spot.end, tuple(matching(dict.fromkeys(items), typed)))


def _incoming(node: Node | None, schemas: Mapping[str, Fields]) -> Fields:
    read = () if node is None else sources(node)
    if node is not None and node.kind == "clip":
        read = read[:1]
    known: Fields = {}
    for each in reversed(read):
        known = {**known, **schemas.get(each, {})}
    return known
