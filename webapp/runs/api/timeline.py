"""What the inputs of a binding hold, and where its last run had read to, over HTTP."""

from typing import Annotated
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.wire.beginning import TimeTick
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import access_version
from webapp.runs.access import access_binding
from webapp.runs.api.bindings import REFUSALS
from webapp.runs.starts.timeline import TimelineShown, timeline


class TimelineAsked(Strict):
    """A time, in ticks, of which it is to be said where it lies, and the input that is asked; left out: all of them.

    `query_version`: as if the binding were of it.
    """

    since: TimeTick | None = None
    query_version: UUID | None = None
    input: Annotated[str, Field(max_length=200)] | None = None


class TimelineView(TenantView):
    """Where a binding may begin."""

    @extend_schema(
        operation_id="bindings_timeline",
        parameters=[
            OpenApiParameter("since", int, description="A time in ticks: what came then or later is counted."),
            OpenApiParameter("input", str, description="Ask this input alone: each may take its time to answer."),
            OpenApiParameter("query_version", UUID, description="As if the binding were of this version."),
        ],
        responses={200: TimelineShown, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Say what each lane of each input holds now, and where the last run had read to.

        An input that does not answer says why; the others are shown. Each also says whether it still has what a start
        reads again that reads again what was open. 404 for a version that is not yours.
        """
        asked = read_query(request, TimelineAsked)
        version = None if asked.query_version is None else access_version(asked.query_version)
        return answer(timeline(access_binding(binding), asked.since, asked.input, version))
