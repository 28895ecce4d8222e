"""What the canvas sends and is answered: expressions at nodes, and where nodes are drawn."""

from typing import Annotated, Final

from pydantic import Field, SkipValidation

from streaming.definition.graph import MOST_NODES, QueryGraph
from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.queries.bodies import OwnStreams

MOST_POSITIONS: Final = 2 * MOST_NODES
"""Positions that are kept of a query: those of older versions' nodes too, so that going back finds them."""


class ExpressionBody(OwnStreams):
    """An expression at a node of a graph, and the code point in it, counted from 0, at which something is typed."""

    graph: SkipValidation[QueryGraph]
    node: Name
    expression: Annotated[str, Field(max_length=10_000)]
    at: int = Field(ge=0)


class NodePosition(Strict):
    """Where a node is drawn, in units of the canvas: to the right and down."""

    x: Annotated[float, Field(ge=-1e6, le=1e6)]
    y: Annotated[float, Field(ge=-1e6, le=1e6)]


class LayoutBody(Strict):
    """Positions by node id that replace those of the same nodes; null forgets one. Others stay."""

    positions: Annotated[dict[Name, NodePosition | None], Field(max_length=MOST_NODES)]


class LayoutShown(Strict):
    """Where the nodes of a query were put, by id; nodes that nobody moved are not there."""

    positions: dict[str, NodePosition]
