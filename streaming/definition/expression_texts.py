"""The source text of an expression, looked up by the node and the name under which its failures are counted."""

from streaming.definition.analytic import AnalyticNode
from streaming.definition.graph import (
    AntiJoinNode,
    FilterNode,
    JoinNode,
    ProjectNode,
    QueryGraph,
    SemiJoinNode,
    SetDurationNode,
    TopKNode,
    WindowNode,
)
from streaming.definition.sequences.node import MatchRecognizeNode


def expression_text(query: QueryGraph, node: str, field: str) -> str:
    """Return the text of the expression; `field` itself if the query has no text for it (`over` is a setting)."""
    found = next((each for each in query.nodes if each.id == node), None)
    text: str | None = None
    match found:
        case FilterNode() | JoinNode() | AntiJoinNode() | SemiJoinNode():
            text = found.where
        case TopKNode():
            text = found.by
        case SetDurationNode():
            text = found.expression
        case ProjectNode():
            text = next((each.of for each in found.columns if each.name == field), None)
        case MatchRecognizeNode():
            named = {each.name: each.of for each in found.define} | {each.name: each.of for each in found.measures}
            text = found.pattern if field == "pattern" else named.get(field)
        case WindowNode() | AnalyticNode():
            columns = found.columns if isinstance(found, AnalyticNode) else found.aggregates
            text = next((f"{each.function}({each.of})" for each in columns if each.name == field), None)
        case _:
            text = None
    return field if text is None else text
