"""Notes over HTTP."""

from typing import Annotated, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from streaming.wire.beginning import TimeTick
from webapp.accounts.access import TenantView
from webapp.alerts.api.bodies import SubjectResponse
from webapp.alerts.api.parameters import REFUSALS, WRITES, after_cursor, next_cursor, read_parameters
from webapp.alerts.api.responses import subject
from webapp.alerts.models import Annotation
from webapp.alerts.services.annotations import annotations_in, create_annotation, delete_annotation
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope

PAGE: Final = 200


class AnnotationRequest(Strict):
    """A note about a binding, or about all bindings of the organisation (null), for example a deployment.

    It is at tick `begin` (null: now), or over the ticks from `begin` to `end`.
    """

    binding: UUID | None = None
    begin: TimeTick | None = None
    end: TimeTick | None = None
    text: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"\S")]


class AnnotationResponse(Strict):
    """A note at tick `begin`, or over the ticks from `begin` to `end`; `binding` is null for one about all bindings."""

    id: str
    binding: SubjectResponse | None
    begin: int
    end: int | None
    text: str
    by: str
    created_at: str


class AnnotationPage(Strict):
    """Notes, the one that begins last first; `next` is the `before` of the next page, null at the oldest."""

    annotations: list[AnnotationResponse]
    next: str | None


class AnnotationQuery(Strict):
    """The filters of the list; `before` is the `next` of the previous page."""

    binding: UUID | None = None
    begin: TimeTick | None = None
    end: TimeTick | None = None
    before: Annotated[str, Field(max_length=80)] | None = None


def annotation_response(row: Annotation) -> AnnotationResponse:
    """Return a note."""
    return AnnotationResponse(
        id=str(row.pk),
        binding=subject(row.binding),
        begin=row.begin,
        end=row.end,
        text=row.text,
        by=row.by_label,
        created_at=row.created_at.isoformat(),
    )


class AnnotationsView(TenantView):
    """The notes about bindings and about the organisation."""

    @extend_schema(
        operation_id="annotations_list",
        parameters=[
            OpenApiParameter("binding", UUID, description="Only those about this binding, and about all bindings."),
            OpenApiParameter("begin", int, description="Only those that end after this tick."),
            OpenApiParameter("end", int, description="Only those that begin before this tick."),
            OpenApiParameter("before", str, description="The `next` of the previous page."),
        ],
        responses={200: AnnotationPage, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return a page of notes, the one that begins last first."""
        asked = read_parameters(request, AnnotationQuery)
        rows = annotations_in(asked.binding, asked.begin, asked.end)
        if asked.before is not None:
            rows = rows.filter(after_cursor(asked.before, "begin"))
        found = list(rows[: PAGE + 1])
        return answer(
            AnnotationPage(
                annotations=[annotation_response(each) for each in found[:PAGE]],
                next=next_cursor(found, PAGE, "begin"),
            )
        )

    @extend_schema(
        operation_id="annotations_create",
        request=AnnotationRequest,
        responses={201: AnnotationResponse, **WRITES},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Write a note, which charts and incidents then have."""
        body = read_body(request, AnnotationRequest)
        made = create_annotation(binding=body.binding, begin=body.begin, end=body.end, text=body.text)
        return answer(annotation_response(made), 201)


class AnnotationView(TenantView):
    """One note."""

    @extend_schema(operation_id="annotations_delete", responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, annotation: UUID) -> Response:
        """Delete a note."""
        delete_annotation(annotation=annotation)
        return Response(status=204)
