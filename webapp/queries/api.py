"""Queries over HTTP: list, create, read, versions, validate."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import Field, RootModel, SkipValidation
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import Fault
from streaming.definition.graph import QueryGraph, Strict
from webapp.accounts.access import TenantView
from webapp.accounts.permissions import Permission
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries import services
from webapp.queries.access import access_query, current_version, streams_used
from webapp.queries.checking import check_graph, foresee
from webapp.queries.models import Query, QueryVersion


class GraphBody(Strict):
    """A graph to validate. It is checked by `check`, not by this model, so that every fault is found."""

    graph: SkipValidation[QueryGraph]

    def raw(self) -> Mapping[str, Any]:
        """Return the graph as it was sent."""
        return cast(Mapping[str, Any], self.graph)


class VersionBody(GraphBody):
    """A new version; `parent`, if given, must still be the current version (409 otherwise)."""

    comment: str = Field(default="", max_length=500)
    parent: UUID | None = None


class VersionShown(Strict):
    """One immutable version. `created_at` is ISO text in UTC."""

    id: str
    query: str
    number: int
    graph: QueryGraph
    content_hash: str
    author: str | None
    comment: str
    parent: str | None
    created_at: str


class VersionList(RootModel[list[VersionShown]]):
    """The versions of a query, newest first."""


class StreamUsed(Strict):
    """A stream that the query names; `id` is null when the organisation has none of that name."""

    name: str
    id: str | None


class QueryShown(Strict):
    """A query with its current version and the streams that it names."""

    id: str
    name: str
    created_at: str
    current: VersionShown
    streams: list[StreamUsed]


class QueryList(RootModel[list[QueryShown]]):
    """The queries of an organisation by name."""


class Validation(Strict):
    """All faults of a graph, and the fields with their types that leave each node whose inputs are sound."""

    faults: list[Fault]
    schemas: dict[str, dict[str, str]]


def shown_version(version: QueryVersion) -> VersionShown:
    """Return `version` as the API shows it."""
    return VersionShown(
        id=str(version.pk),
        query=str(version.query_id),
        number=version.number,
        graph=version.read_graph(),
        content_hash=version.content_hash,
        author=None if version.author is None else version.author.email,
        comment=version.comment,
        parent=None if version.parent_id is None else str(version.parent_id),
        created_at=version.created_at.isoformat(),
    )


def shown(query: Query) -> QueryShown:
    """Return `query` as the API shows it."""
    version = current_version(query)
    streams = streams_used(version)
    return QueryShown(
        id=str(query.pk),
        name=query.name,
        created_at=query.created_at.isoformat(),
        current=shown_version(version),
        streams=[StreamUsed(name=name, id=None if found is None else str(found)) for name, found in streams.items()],
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class QueriesView(TenantView):
    """The queries of an organisation."""

    @extend_schema(operation_id="queries_list", responses={200: QueryList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the queries by name."""
        return answer(QueryList([shown(query) for query in Query.objects.all()]))

    @extend_schema(
        operation_id="queries_create",
        request=VersionBody,
        responses={201: QueryShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a query, named as its graph is, with its first version; 422 with all faults."""
        body = read_body(request, VersionBody)
        query = services.create_query(graph=body.raw(), comment=body.comment, author=self.user)
        return answer(shown(query), 201)


class QueryView(TenantView):
    """One query."""

    @extend_schema(operation_id="queries_get", responses={200: QueryShown, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return a query with its current version."""
        return answer(shown(access_query(query)))


class VersionsView(TenantView):
    """The versions of a query."""

    @extend_schema(operation_id="versions_list", responses={200: VersionList, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """List the versions, newest first."""
        versions = access_query(query).versions.select_related("author")
        return answer(VersionList([shown_version(version) for version in versions]))

    @extend_schema(
        operation_id="versions_create",
        request=VersionBody,
        responses={
            200: VersionShown,
            201: VersionShown,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Make a version; 200 with the current one when nothing changed, 422 with all faults."""
        found = access_query(query)
        body = read_body(request, VersionBody)
        version, made = services.create_version(
            query=found, graph=body.raw(), comment=body.comment, author=self.user, parent=body.parent
        )
        return answer(shown_version(version), 201 if made else 200)


class ValidateView(TenantView):
    """Validation of a graph; nothing is stored."""

    writing = Permission.VIEW

    @extend_schema(operation_id="queries_validate", request=GraphBody, responses={200: Validation, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Return all faults of a graph, what would refuse its start as warnings, and the schemas of its nodes."""
        graph = read_body(request, GraphBody).raw()
        faults, schemas = check_graph(graph)
        return answer(Validation(faults=[*faults, *foresee(graph, faults)], schemas=schemas))
