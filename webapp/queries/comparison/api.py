"""Comparison of versions over HTTP: the difference in words, and the merge of two people's changes. Stores nothing."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import LARGE_BYTES, answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.queries.access import access_query, access_version_of
from webapp.queries.api import REFUSALS
from webapp.queries.bodies import MergeBody, VersionDifference, VersionMerge
from webapp.queries.comparison import comparing

SIDES = [
    OpenApiParameter("before", UUID, required=True, description="The earlier version."),
    OpenApiParameter("after", UUID, required=True, description="The version to compare it with."),
]


class SidesQuery(Strict):
    """The two versions of the query to compare."""

    before: UUID
    after: UUID


class VersionDifferenceView(TenantView):
    """The difference between two versions of a query."""

    @extend_schema(
        operation_id="versions_difference",
        parameters=SIDES,
        responses={200: VersionDifference, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return in words the changes between two versions: nodes, their settings, and the settings of time."""
        found, asked = access_query(query), read_query(request, SidesQuery)
        before, after = (access_version_of(found, each) for each in (asked.before, asked.after))
        differences = comparing.difference(comparing.stored(before), comparing.stored(after))
        return answer(VersionDifference(before=before.number, after=after.number, differences=differences))


class VersionMergeView(TenantView):
    """The merge of two people's changes."""

    @extend_schema(
        operation_id="versions_merge",
        request=MergeBody,
        responses={200: VersionMerge, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Merge a text into a version that another person has made since then; conflicts show both sides."""
        found, asked = access_query(query), read_body(request, MergeBody, most_bytes=LARGE_BYTES)
        base, theirs = (access_version_of(found, each) for each in (asked.base, asked.theirs))
        return answer(comparing.merged(base, theirs, asked))
