"""Incidents over HTTP: listed, opened by hand, taken and resolved. `webapp.live.incidents` has the page of one."""

from typing import Annotated, Final, Literal
from uuid import UUID

from django.utils import timezone
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
from webapp.alerts.models import Incident
from webapp.alerts.rules.evaluation import AlertLevel
from webapp.alerts.services.incidents import (
    access_incident,
    incidents,
    open_incident,
    resolve_incident,
    take_incident,
)
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.runs.lifecycle.starting import ticks_of

PAGE: Final = 100
_NO_BLANK: Final = r"\S"


class IncidentRequest(Strict):
    """An incident of a binding, or of the organisation (null), that began at tick `begin` (null: now)."""

    binding: UUID | None = None
    title: Annotated[str, Field(min_length=1, max_length=200, pattern=_NO_BLANK)]
    begin: TimeTick | None = None


class ResolveRequest(Strict):
    """The reason why an incident is over; it may be empty."""

    resolution: Annotated[str, Field(max_length=1000)] = ""


class IncidentResponse(Strict):
    """An incident since tick `begin`, opened at tick `opened_at`; `resolved_at` is null while it is open.

    `level` is the highest level of its rules, null if it has none. `opened_by` is null if a rule opened it,
    `resolved_by` if the last of its rules resolved, `taken_by` while nobody works on it.
    """

    id: str
    number: int
    title: str
    binding: SubjectResponse | None
    level: AlertLevel | None
    begin: int
    opened_at: int
    opened_by: str | None
    taken_by: str | None
    resolved_at: int | None
    resolved_by: str | None
    resolution: str


class IncidentPage(Strict):
    """Incidents, newest first, as of tick `now`; `next` is the `before` of the next page, null at the oldest."""

    now: int
    incidents: list[IncidentResponse]
    next: str | None


class IncidentQuery(Strict):
    """The filters of the list; `before` is the `next` of the previous page."""

    state: Literal["open", "resolved"] | None = None
    binding: UUID | None = None
    before: Annotated[str, Field(max_length=80)] | None = None


def incident_response(row: Incident) -> IncidentResponse:
    """Return an incident."""
    return IncidentResponse(
        id=str(row.pk),
        number=row.number,
        title=row.title,
        binding=subject(row.binding),
        level=AlertLevel(row.level) if row.level else None,
        begin=row.begin,
        opened_at=row.opened_at,
        opened_by=row.opened_by or None,
        taken_by=row.taken_by or None,
        resolved_at=row.resolved_at,
        resolved_by=row.resolved_by or None,
        resolution=row.resolution,
    )


class IncidentsView(TenantView):
    """The incidents of an organisation."""

    @extend_schema(
        operation_id="incidents_list",
        parameters=[
            OpenApiParameter("state", str, enum=["open", "resolved"]),
            OpenApiParameter("binding", UUID, description="Only those of this binding."),
            OpenApiParameter("before", str, description="The `next` of the previous page."),
        ],
        responses={200: IncidentPage, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return a page of incidents, newest first."""
        asked = read_parameters(request, IncidentQuery)
        rows = incidents()
        if asked.state is not None:
            rows = rows.filter(resolved_at__isnull=asked.state == "open")
        if asked.binding is not None:
            rows = rows.filter(binding=asked.binding)
        if asked.before is not None:
            rows = rows.filter(after_cursor(asked.before, "number"))
        found = list(rows[: PAGE + 1])
        return answer(
            IncidentPage(
                now=ticks_of(timezone.now()),
                incidents=[incident_response(each) for each in found[:PAGE]],
                next=next_cursor(found, PAGE, "number"),
            )
        )

    @extend_schema(operation_id="incidents_open", request=IncidentRequest, responses={201: IncidentResponse, **WRITES})
    def post(self, request: Request, slug: str) -> Response:
        """Open an incident by hand; a person also resolves it."""
        body = read_body(request, IncidentRequest)
        made = open_incident(binding=body.binding, title=body.title, begin=body.begin)
        return answer(incident_response(made), 201)


class IncidentTakeView(TenantView):
    """The person who works on an incident."""

    @extend_schema(operation_id="incidents_take", request=None, responses={200: IncidentResponse, **WRITES})
    def post(self, request: Request, slug: str, incident: UUID) -> Response:
        """Take an open incident, so that others see who works on it; its alerts are acknowledged."""
        return answer(incident_response(take_incident(incident=incident)))


class IncidentResolveView(TenantView):
    """The end of an incident."""

    @extend_schema(
        operation_id="incidents_resolve", request=ResolveRequest, responses={200: IncidentResponse, **WRITES}
    )
    def post(self, request: Request, slug: str, incident: UUID) -> Response:
        """Resolve an open incident by hand."""
        access_incident(incident)
        body = read_body(request, ResolveRequest)
        return answer(incident_response(resolve_incident(incident=incident, resolution=body.resolution)))
