"""Queries over HTTP: list, create, read, versions; and validate, complete, explain, which store nothing."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.preflight.preflight import Preflight
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.core.uses import UseList, uses_of
from webapp.queries import assistance, preflights, services
from webapp.queries.access import access_query, current_version, current_versions, listed_versions, streams_used
from webapp.queries.access import input_streams as streams_named
from webapp.queries.bodies import (
    CompletionBody,
    CompletionList,
    ExplanationBody,
    QueryExplanation,
    QueryList,
    QueryNameBody,
    QueryShown,
    StreamUsed,
    Validation,
    ValidationBody,
    VersionBody,
    VersionList,
    VersionShown,
)
from webapp.queries.models import QueryVersion
from webapp.queries.texts import stored_text, text_of

VERSIONS_LISTED = 100
BEFORE = OpenApiParameter("before", int, description="List older ones: the number of the oldest version you have.")


class VersionsAsked(Strict):
    """Which versions are asked for: those before a number, or the newest."""

    before: Annotated[int, Field(ge=1, le=2**31 - 1)] = 2**31 - 1


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


def shown_version(version: QueryVersion) -> VersionShown:
    """Return `version`, read by `listed_versions`, as the API shows it."""
    return VersionShown(
        id=str(version.pk),
        query=str(version.query_id),
        number=version.number,
        graph=version.read_graph(),
        text=text_of(version),
        content_hash=version.content_hash,
        author=version.author_label or (None if version.author is None else version.author.email),
        comment=version.comment,
        parent=None if version.parent_id is None else str(version.parent_id),
        created_at=version.created_at.isoformat(),
    )


def shown(version: QueryVersion, streams: Mapping[str, UUID]) -> QueryShown:
    """Return the query of its current `version` as the API shows it; `streams` are those that exist."""
    names = dict.fromkeys(streams_named(version).values())
    return QueryShown(
        id=str(version.query_id),
        name=version.query.name,
        created_at=version.query.created_at.isoformat(),
        current=shown_version(version),
        streams=[StreamUsed(name=name, id=str(streams[name]) if name in streams else None) for name in names],
    )


class QueriesView(TenantView):
    """The queries of an organisation."""

    @extend_schema(operation_id="queries_list", responses={200: QueryList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the queries by name."""
        versions = current_versions()
        streams = streams_used(versions)
        return answer(QueryList([shown(version, streams) for version in versions]))

    @extend_schema(
        operation_id="queries_create",
        request=VersionBody,
        responses={201: QueryShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a query, named as its graph or text is, with its first version; 422 with all faults."""
        body = read_body(request, VersionBody)
        query = services.create_query(draft=assistance.sound(body), comment=body.comment, author=self.user)
        version = current_version(query)
        return answer(shown(version, streams_used([version])), 201)


class QueryView(TenantView):
    """One query."""

    @extend_schema(operation_id="queries_get", responses={200: QueryShown, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """Return a query with its current version."""
        version = current_version(access_query(query))
        return answer(shown(version, streams_used([version])))

    @extend_schema(
        operation_id="queries_rename",
        request=QueryNameBody,
        responses={200: QueryShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, query: UUID) -> Response:
        """Rename a query: its next version has the new name; older ones, and bindings to them, stay as they are."""
        found = access_query(query)
        body = read_body(request, QueryNameBody)
        version = services.rename_query(query=found, name=body.name, author=self.user, parent=body.parent)
        return answer(shown(version, streams_used([version])))

    @extend_schema(operation_id="queries_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, query: UUID) -> Response:
        """Delete a query with all of its versions; 409 lists the bindings that need one of them."""
        services.delete_query(query=access_query(query))
        return Response(status=204)


class QueryUsesView(TenantView):
    """What depends on a query."""

    @extend_schema(operation_id="queries_uses", responses={200: UseList, **REFUSALS})
    def get(self, request: Request, slug: str, query: UUID) -> Response:
        """List the bindings to any of its versions."""
        found = access_query(query)
        return answer(UseList(uses_of("query", found.pk, found.name)))


class QueryExplanationView(TenantView):
    """What the current version of a query will do."""

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
        asked = read_query(request, VersionsAsked)
        versions = listed_versions().filter(query=found, number__lt=asked.before)[:VERSIONS_LISTED]
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
        """Make a version; 200 with the current one when it means the same; 422 with all faults."""
        found = access_query(query)
        body = read_body(request, VersionBody)
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
        """Return all faults of a query, what would refuse its start as warnings, its schemas, and its other form."""
        found = assistance.examine(read_body(request, ValidationBody))
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
        """Return what may stand at a place of a text: streams, nodes, fields, functions, keywords, types."""
        body = read_body(request, CompletionBody)
        return answer(assistance.complete(body))


class ExplainView(TenantView):
    """Explanation of a query; nothing is stored."""

    @extend_schema(
        operation_id="queries_explain",
        request=ExplanationBody,
        responses={200: QueryExplanation, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Explain what a query will do, before it runs; 422 with all faults of one that is not sound."""
        return answer(assistance.explain(read_body(request, ExplanationBody)))


class PreflightView(TenantView):
    """Validation of a query with rows of its inputs; nothing is stored."""

    @extend_schema(
        operation_id="queries_preflight",
        request=preflights.PreflightBody,
        responses={200: Preflight, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Read the first rows of each input and say what to mend before a start; 422 with all faults of the query."""
        return answer(preflights.validated(read_body(request, preflights.PreflightBody)))
