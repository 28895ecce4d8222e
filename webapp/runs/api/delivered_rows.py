"""Delivered rows, over HTTP."""

from typing import Annotated
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.runs.api.refused_requests import REFUSALS
from webapp.runs.outputs.delivered_rows import DeliveredRowsPage, delivered_rows

MOST_ROWS = 500
PAGE_ROWS = 50


class DeliveredRowsQuery(Strict):
    """The parameters of a page."""

    before: Annotated[str | None, Field(max_length=2_000)] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = PAGE_ROWS


class DeliveredRowsView(TenantView):
    """The current content of a binding's output."""

    @extend_schema(
        operation_id="outputs_delivered_rows",
        parameters=[
            OpenApiParameter("before", str, description="The `next` of the previous page."),
            OpenApiParameter("limit", int, description=f"Rows in the page, 1 to {MOST_ROWS}; default {PAGE_ROWS}."),
        ],
        responses={200: DeliveredRowsPage, 429: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID, output: UUID) -> Response:
        """Read rows from the place of delivery, newest day and batch first; 422 if that isn't possible."""
        asked = read_query(request, DeliveredRowsQuery)
        return answer(delivered_rows(binding, output, asked.limit, asked.before))
