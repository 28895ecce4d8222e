"""Queries over HTTP: list, create, read, versions; and validate, complete, explain, which store nothing."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.preflight.preflight import Preflight
from webapp.accounts.access import TenantView
from webapp.core.api import AFTER, LARGE_BYTES, LISTED, ListQuery, answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.core.uses import UseList, uses_of
from webapp.queries import assistance, labels, preflights, services
from webapp.queries.access import (
    access_query,
    current_version,
    listed_queries,
    listed_streams,
    listed_versions,
    streams_used,
)
from webapp.queries.bodies import (
    CompletionBody,
    CompletionList,
    ExplanationBody,
    QueryExplanation,
    QueryLabels,
    QueryList,
    QueryNameBody,
    QueryResponse,
    QuerySummary,
    StreamUsed,
    Validation,
    ValidationBody,
    VersionBody,
    VersionList,
    VersionResponse,
    VersionSummary,
)
from webapp.queries.labels import owner_of
from webapp.queries.models import QueryVersion
from webapp.queries.texts import stored_text, text_of

VERSIONS_LISTED = 100
BEFORE = OpenApiParameter("before", int, description="The number of your oldest version; lists older ones.")


class VersionsQuery(Strict):
    """The page of versions to list: those before a number, or the newest."""

    before: Annotated[int, Field(ge=1, le=2**31 - 1)] = 2**31 - 1


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


def shown_version(version: QueryVersion) -> VersionResponse:
    """Return `version`, read by `listed_versions`, as the API shows it."""
    return VersionResponse(
        id=str(version.pk),
        query=str(version.query_id),
        number=version.number,
        graph=version.read_graph(),
        text=text_of(version),
        content_hash=version.content_hash,
        author=author_of(version),
        comment=version.comment,
        parent=None if version.parent_id is None else str(version.parent_id),
        created_at=version.created_at.isoformat(),
    )


def to_response(version: QueryVersion, streams: Mapping[str, UUID]) -> QueryResponse:
    """Return the query of its current `version` as the API shows it; `streams` are the existing ones."""
    return QueryResponse(
        id=str(version.query_id),
        name=version.query.name,
        tags=version.query.tags,
        owner=owner_of(version.query),
        created_at=version.query.created_at.isoformat(),
        current=shown_version(version),
        streams=used(listed_streams(version), streams),
    )


def summary(version: QueryVersion, streams: Mapping[str, UUID]) -> QuerySummary:
    """Return the query of its current `version` as lists show it."""
    return QuerySummary(
        id=str(version.query_id),
        name=version.query.name,
        tags=version.query.tags,
        owner=owner_of(version.query),
        created_at=version.query.created_at.isoformat(),
        current=VersionSummary(
            id=str(version.pk),
            number=version.number,
            nodes=len(version.graph["nodes"]),
            author=author_of(version),
            comment=version.comment,
            created_at=version.created_at.isoformat(),
        ),
        streams=used(listed_streams(version), streams),
    )


def author_of(version: QueryVersion) -> str | None:
    """Return the author of `version`; None for the program itself."""
    return version.author_label or (None if version.author is None else version.author.email)


def used(names: Iterable[str], streams: Mapping[str, UUID]) -> list[StreamUsed]:
    """Return the streams of these names with the ids of those that exist."""
    return [StreamUsed(name=name, id=str(streams[name]) if name in streams else None) for name in names]


class QueriesView(TenantView):
    """The queries of an organisation."""

    @extend_schema(
        operation_id="queries_list",
        parameters=[AFTER],
        responses={200: QueryList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List 200 queries by name, without their graphs and texts."""
        versions = listed_queries(after=read_query(request, ListQuery).after, most=LISTED)
        streams = streams_used(versions)
        return answer(QueryList([summary(version, streams) for version in versions]))

    @extend_schema(
        operation_id="queries_create",
        request=VersionBody,
        responses={201: QueryResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a query, named by its graph or text, with its first version; 422 with all errors."""
        body = read_body(request, VersionBody, most_bytes=LARGE_BYTES)
        query = services.create_query(draft=assistance.sound(body), comment=body.comment, author=self.user)
        version = current_version(query)
        return answer(to_response(version, streams_used([version])), 201)


class QueryView(TenantView):
    """One query."""

    @extend_schema(operation_id="queries_get", responses={200: QueryResponse, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return a query with its current version."""
        version = current_version(access_query(query))
        return answer(to_response(version, streams_used([version])))

    @extend_schema(
        operation_id="queries_rename",
        request=QueryNameBody,
        responses={200: QueryResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, query: UUID) -> Response:
        """Rename a query: its next version has the new name; older ones, and bindings to them, keep the old name."""
        found = access_query(query)
        body = read_body(request, QueryNameBody)
        version = services.rename_query(query=found, name=body.name, author=self.user, parent=body.parent)
        return answer(to_response(version, streams_used([version])))

    @extend_schema(operation_id="queries_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, query: UUID) -> Response:
        """Delete a query with all of its versions; 409 lists the bindings that need one of them."""
        services.delete_query(query=access_query(query))
        return Response(status=204)


class QueryLabelsView(TenantView):
    """The tags and the owner of a query; they aren't part of its versions."""

    @extend_schema(
        operation_id="queries_label",
        request=QueryLabels,
        responses={200: QueryLabels, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, query: UUID) -> Response:
        """Replace the tags and the owner of a query; the owner must be a member. Makes no version."""
        found = access_query(query)
        body = read_body(request, QueryLabels)
        changed = labels.label_query(query=found, tags=body.tags, owner=body.owner)
        return answer(QueryLabels(tags=changed.tags, owner=owner_of(changed)))


class QueryUsesView(TenantView):
    """The uses of a query."""

    @extend_schema(operation_id="queries_uses", responses={200: UseList, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """List the bindings to any of its versions."""
        found = access_query(query)
        return answer(UseList(uses_of("query", found.pk, found.name)))


class QueryExplanationView(TenantView):
    """The explanation of the current version of a query."""

    @extend_schema(
        operation_id="queries_explain_current", responses={200: QueryExplanation, 422: ErrorEnvelope, **REFUSALS}
    )
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Explain the current version, with the time settings of its text and its streams."""
        return answer(assistance.explain_version(current_version(access_query(query))))


class VersionsView(TenantView):
    """The versions of a query."""

    @extend_schema(
        operation_id="versions_list",
        parameters=[BEFORE],
        responses={200: VersionList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """List 100 versions, newest first."""
        found = access_query(query)
        asked = read_query(request, VersionsQuery)
        versions = listed_versions().filter(query=found, number__lt=asked.before)[:VERSIONS_LISTED]
        return answer(VersionList([shown_version(version) for version in versions]))

    @extend_schema(
        operation_id="versions_create",
        request=VersionBody,
        responses={
            200: VersionResponse,
            201: VersionResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def post(self, request: Request, slug: str, query: UUID) -> Response:
        """Make a version; 200 with the current one if it means the same; 422 with all errors."""
        found = access_query(query)
        body = read_body(request, VersionBody, most_bytes=LARGE_BYTES)
        draft = assistance.sound(body, stored_text(current_version(found)))
        version, made = services.create_version(
            query=found, draft=draft, comment=body.comment, author=self.user, parent=body.parent
        )
        return answer(shown_version(version), 201 if made else 200)


class ValidateView(TenantView):
    """Validation of a query; nothing is stored."""

    @extend_schema(
        operation_id="queries_validate",
        request=ValidationBody,
        responses={200: Validation, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return all errors of a query, obstacles to its start as warnings, its schemas, and its other form."""
        found = assistance.examine(read_body(request, ValidationBody, most_bytes=LARGE_BYTES))
        return answer(
            Validation(
                faults=list(found.faults),
                schemas={node: dict(fields) for node, fields in found.schemas.items()},
                graph=found.graph,
                text=found.text,
                advance=dict(found.advance),
                event_times=dict(found.event_times),
                comments=dict(found.comments),
            )
        )


class CompleteView(TenantView):
    """Completion of a text; nothing is stored."""

    @extend_schema(
        operation_id="queries_complete",
        request=CompletionBody,
        responses={200: CompletionList, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return the possible completions at a place of a text: streams, nodes, fields, functions, keywords, types."""
        body = read_body(request, CompletionBody, most_bytes=LARGE_BYTES)
        return answer(assistance.complete(body))


class ExplainView(TenantView):
    """Explanation of a query; nothing is stored."""

    @extend_schema(
        operation_id="queries_explain",
        request=ExplanationBody,
        responses={200: QueryExplanation, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Explain what a query will do, before it runs; 422 with all errors of an invalid one."""
        return answer(assistance.explain(read_body(request, ExplanationBody, most_bytes=LARGE_BYTES)))


class PreflightView(TenantView):
    """Validation of a query with rows of its inputs; nothing is stored."""

    @extend_schema(
        operation_id="queries_preflight",
        request=preflights.PreflightBody,
        responses={200: Preflight, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Read the first rows of each input and report what to fix before a start; 422 with all errors of the query."""
        return answer(preflights.validated(read_body(request, preflights.PreflightBody, most_bytes=LARGE_BYTES)))
