"""Requests and responses of the canvas: expressions at nodes, and positions of nodes."""

from typing import Annotated, Final

from pydantic import Field, SkipValidation

from streaming.definition.graph import MOST_NODES, QueryGraph
from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.queries.bodies import OwnStreams

MOST_POSITIONS: Final = 2 * MOST_NODES
"""Positions stored for a query, including those of older versions' nodes, so that going back finds them."""


class ExpressionBody(OwnStreams):
    """An expression at a node of a graph, and the code point in it, counted from 0, at the cursor."""

    graph: SkipValidation[QueryGraph]
    node: Name
    expression: Annotated[str, Field(max_length=10_000)]
    at: int = Field(ge=0)


class NodePosition(Strict):
    """The position of a node, in units of the canvas: to the right and down."""

    x: Annotated[float, Field(ge=-1e6, le=1e6)]
    y: Annotated[float, Field(ge=-1e6, le=1e6)]


class LayoutBody(Strict):
    """Positions by node id that replace those of the same nodes; null forgets one. Others stay."""

    positions: Annotated[dict[Name, NodePosition | None], Field(max_length=MOST_NODES)]


class LayoutResponse(Strict):
    """The positions of a query's nodes by id, without those that nobody moved."""

    positions: dict[str, NodePosition]
