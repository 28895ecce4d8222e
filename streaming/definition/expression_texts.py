"""An expression of a query as its author wrote it, found by the node and the name under which failures are counted."""

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


def expression_text(query: QueryGraph, node: str, field: str) -> str:
    """The text of the expression; `field` itself where the query has no text for it (`over` stands in settings)."""
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
        case WindowNode():
            text = next((f"{each.function}({each.of})" for each in found.aggregates if each.name == field), None)
        case _:
            text = None
    return field if text is None else text
