"""The rows that the inputs of a binding hold, and its last run's position in them, over HTTP."""

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
from webapp.runs.starts.timeline import TimelineResponse, timeline


class TimelineQuery(Strict):
    """A time, in ticks, to locate in the inputs, and the one input to query; left out: all of them.

    `query_version`: answer as if the binding had this version.
    """

    since: TimeTick | None = None
    query_version: UUID | None = None
    input: Annotated[str, Field(max_length=200)] | None = None


class TimelineView(TenantView):
    """The possible start positions of a binding."""

    @extend_schema(
        operation_id="bindings_timeline",
        parameters=[
            OpenApiParameter("since", int, description="A time in ticks: rows from then on are counted."),
            OpenApiParameter("input", str, description="Query only this input; each may take some time to answer."),
            OpenApiParameter("query_version", UUID, description="Answer as if the binding had this version."),
        ],
        responses={200: TimelineResponse, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return the rows that each lane of each input holds now, and the last run's position in them.

        An input that does not answer has a reason; the others are returned. Each input also reports whether it still
        has
        the rows that a start which restores open windows would read again. 404 for a version that is not yours.
        """
        asked = read_query(request, TimelineQuery)
        version = None if asked.query_version is None else access_version(asked.query_version)
        return answer(timeline(access_binding(binding), asked.since, asked.input, version))
