"""Requests of the canvas: completion of expressions at nodes, and positions of nodes."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.core.api import LARGE_BYTES, answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries import assistance, layouts
from webapp.queries.access import access_query
from webapp.queries.api import REFUSALS
from webapp.queries.bodies import CompletionList
from webapp.queries.canvas_bodies import ExpressionBody, LayoutBody, LayoutResponse


class CompleteExpressionView(TenantView):
    """Completion of an expression at a node; nothing is stored."""

    @extend_schema(
        operation_id="queries_complete_expression",
        request=ExpressionBody,
        responses={200: CompletionList, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return the completions at a place of an expression at a node of a graph: its fields, functions, keywords."""
        return answer(assistance.complete_at_node(read_body(request, ExpressionBody, most_bytes=LARGE_BYTES)))


class LayoutView(TenantView):
    """The positions of a query's nodes; they aren't part of its versions."""

    @extend_schema(operation_id="queries_layout", responses={200: LayoutResponse, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return the positions of the nodes that somebody moved."""
        return answer(LayoutResponse(positions=layouts.positions_of(access_query(query))))

    @extend_schema(
        operation_id="queries_move",
        request=LayoutBody,
        responses={200: LayoutResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, query: UUID) -> Response:
        """Move nodes: the last sent position of each counts; null forgets one. Makes no version."""
        found = access_query(query)
        body = read_body(request, LayoutBody, most_bytes=LARGE_BYTES)
        return answer(LayoutResponse(positions=layouts.move_nodes(query=found, moved=body.positions)))
