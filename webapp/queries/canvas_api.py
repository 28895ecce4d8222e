"""What the canvas asks for: completion of expressions at nodes, and where nodes are drawn."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries import assistance, layouts
from webapp.queries.access import access_query
from webapp.queries.api import REFUSALS
from webapp.queries.bodies import CompletionList
from webapp.queries.canvas_bodies import ExpressionBody, LayoutBody, LayoutShown


class CompleteExpressionView(TenantView):
    """Completion of an expression at a node; nothing is stored."""

    @extend_schema(
        operation_id="queries_complete_expression",
        request=ExpressionBody,
        responses={200: CompletionList, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return what may stand at a place of an expression at a node of a graph: fields there, functions, words."""
        return answer(assistance.complete_at_node(read_body(request, ExpressionBody)))


class LayoutView(TenantView):
    """Where the nodes of a query are drawn; no part of its versions."""

    @extend_schema(operation_id="queries_layout", responses={200: LayoutShown, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return the positions of the nodes that somebody moved."""
        return answer(LayoutShown(positions=layouts.positions_of(access_query(query))))

    @extend_schema(
        operation_id="queries_move",
        request=LayoutBody,
        responses={200: LayoutShown, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, query: UUID) -> Response:
        """Move nodes: of each the last that was sent holds; null forgets one. No version is made."""
        found = access_query(query)
        body = read_body(request, LayoutBody)
        return answer(LayoutShown(positions=layouts.move_nodes(query=found, moved=body.positions)))
