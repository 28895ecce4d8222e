"""The audit log of an organisation over HTTP: pages of events, and all of them as a file."""

from datetime import UTC, datetime
from typing import Annotated, Any

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.audit.exporting import exported, shown_event
from webapp.audit.reading import AuditCursor, AuditFilter, page_of
from webapp.audit.recording import Target, record
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.core.exported_files import FILE_RENDERERS, FORMAT, MEDIA_TYPES, FileFormat, file_response

PAGE_EVENTS = 100
MOST_EVENTS = 500


def _in_time(at: datetime) -> datetime:
    if not 1970 <= at.year < 9000:
        raise ValueError("give a time between 1970 and 9000")
    return at.astimezone(UTC)


Time = Annotated[AwareDatetime, AfterValidator(_in_time)]


class ActorResponse(Strict):
    """The actor of an event. `token` is the start of the token; `impersonator` acted in the session of a person.

    `kind` is person, token (of a person), service (a service account's token), installation or system.
    """

    kind: str
    id: str | None
    label: str
    token: str | None
    impersonator: str | None
    address: str | None


class TargetResponse(Strict):
    """The changed object; it may no longer exist."""

    kind: str
    id: str | None
    label: str


class AuditEventResponse(Strict):
    """An audit event. `at` is ISO text in UTC; `request_id` is the `X-Request-ID` of the answer.

    `before` and `after` are states; if both are present, only their differences. A state that was too large is replaced
    by `left_out`, its size and its digest.
    """

    id: str
    at: str
    action: str
    actor: ActorResponse
    request_id: str | None
    target: TargetResponse
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AuditRows(Strict):
    """Events, newest first; `next` is the `before` of the next page, null at the oldest."""

    events: list[AuditEventResponse]
    next: str | None


class WantedQuery(Strict):
    """The filters of events."""

    action: Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z_]+\.[a-z_]*$")] | None = None
    actor: Annotated[str, StringConstraints(min_length=1, max_length=254, pattern=r"^[^\x00]*$")] | None = None
    target: Annotated[str, StringConstraints(max_length=110, pattern=r"^[a-z_]+(:[^\x00]+)?$")] | None = None
    since: Time | None = None
    until: Time | None = None

    def wanted(self) -> AuditFilter:
        """Return the filter. Raises `Faulty` if `since` is not before `until`."""
        if self.since is not None and self.until is not None and self.since >= self.until:
            message = "`until` is not after `since`."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, "Set `until` to a time after `since`.", field="until")])
        return AuditFilter(self.action, self.actor, self.target, self.since, self.until)


class AuditPageQuery(WantedQuery):
    """The query of a page of events."""

    before: str | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_EVENTS)] = PAGE_EVENTS

    def cursor(self) -> AuditCursor | None:
        """Return the start of the page. Raises `Faulty` for an invalid cursor."""
        found = None if self.before is None else AuditCursor.parse(self.before)
        if self.before is not None and found is None:
            remedy = "Leave `before` out, or set it to the `next` of the previous page."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "before: this isn't a cursor.", remedy, field="before")])
        return found


class ExportQuery(WantedQuery):
    """The query of a file of events."""

    format: FileFormat


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 422: ErrorEnvelope}
FILTERS = [
    OpenApiParameter("action", str, description="An action (`stream.replaced`) or an area with its dot (`stream.`)."),
    OpenApiParameter("actor", str, description="The id, address or name of the actor; also of an impersonator."),
    OpenApiParameter("target", str, description="A kind of target, for example `stream`, or one target as `kind:id`."),
    OpenApiParameter("since", datetime, description="Events at this time or later; with its offset from UTC."),
    OpenApiParameter("until", datetime, description="Events before this time; with its offset from UTC."),
]
BEFORE = OpenApiParameter("before", str, description="The `next` of the previous page.")
LIMIT = OpenApiParameter("limit", int, description=f"Events, 1 to {MOST_EVENTS}; {PAGE_EVENTS} if left out.")


class AuditView(TenantView):
    """The audit events of an organisation."""

    @extend_schema(
        operation_id="audit_list", parameters=[BEFORE, LIMIT, *FILTERS], responses={200: AuditRows, **REFUSALS}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return a page of events, newest first."""
        asked = read_query(request, AuditPageQuery)
        events, following = page_of(asked.wanted(), asked.cursor(), asked.limit)
        shown = [AuditEventResponse.model_validate(shown_event(event)) for event in events]
        return answer(AuditRows(events=shown, next=None if following is None else str(following)))


class AuditExportView(TenantView):
    """The audit events of an organisation, as a file."""

    renderer_classes = FILE_RENDERERS

    @extend_schema(
        operation_id="audit_export",
        parameters=[FORMAT, *FILTERS],
        responses={(200, MEDIA_TYPES["csv"]): str, (200, MEDIA_TYPES["json_lines"]): AuditEventResponse, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Send all events, newest first, as CSV or as lines of JSON; the export is itself an event."""
        asked = read_query(request, ExportQuery)
        wanted, organisation = asked.wanted(), self.entry.organisation
        record(
            "audit.exported",
            target=Target("organisation", organisation.pk, "audit log"),
            after=asked.model_dump(mode="json", exclude_none=True),
        )
        name = f"{organisation.slug}-audit-{timezone.now():%Y-%m-%d}"
        return file_response(request, exported(organisation.pk, wanted, asked.format), asked.format, name)
