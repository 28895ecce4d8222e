"""The journal of a run over HTTP."""

from typing import Annotated, Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.runs.access import access_run
from webapp.runs.lifecycle.journal import RunEventKind
from webapp.runs.models import Run, RunEvent
from webapp.runs.states import Observed

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 422: ErrorEnvelope}
PAGE_EVENTS = 100
MOST_PAGE_EVENTS = 500


class RunEventResponse(Strict):
    """An entry of a run's journal: an event at `at` (ISO text in UTC), caused by `who` (null: the system).

    `number` counts the run's entries from 1. `observed` is the state that the run entered, `domain` who must act.
    """

    number: int
    at: str
    kind: RunEventKind
    observed: Observed | None
    domain: str | None
    who: str | None
    message: str


class JournalPage(Strict):
    """Entries, newest first; `next` is the `before` of the next page, null at the oldest.

    `not_kept`: the number of older entries that were deleted; null if the run is older than journals.
    """

    events: list[RunEventResponse]
    next: int | None
    not_kept: int | None


class JournalQuery(Strict):
    """The parameters of a page."""

    before: Annotated[int, Field(ge=1)] | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_PAGE_EVENTS)] = PAGE_EVENTS


def journal_page(run: Run, asked: JournalQuery) -> JournalPage:
    """Return a page of the journal of `run`."""
    entries = RunEvent.objects.filter(run=run)
    older = entries if asked.before is None else entries.filter(number__lt=asked.before)
    found = list(older.order_by("-number")[: asked.limit + 1])
    events = found[: asked.limit]
    oldest = entries.order_by("number").first()
    return JournalPage(
        events=[_response_of(each) for each in events],
        next=events[-1].number if len(found) > len(events) else None,
        not_kept=None if oldest is None else oldest.number - 1,
    )


def _response_of(event: RunEvent) -> RunEventResponse:
    return RunEventResponse(
        number=event.number,
        at=event.at.isoformat(),
        kind=RunEventKind(event.kind),
        observed=None if event.observed is None else Observed(event.observed),
        domain=event.domain,
        who=event.who or None,
        message=event.message,
    )


class JournalView(TenantView):
    """The journal of a run."""

    @extend_schema(
        operation_id="runs_journal",
        parameters=[
            OpenApiParameter("before", int, description="The `next` of the previous page."),
            OpenApiParameter(
                "limit", int, description=f"Entries in the page, 1 to {MOST_PAGE_EVENTS}; default {PAGE_EVENTS}."
            ),
        ],
        responses={200: JournalPage, **REFUSALS},
    )
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return the events of a run, newest first: started, moved, changed, stopped, repaired; and who caused them."""
        return answer(journal_page(access_run(run), read_query(request, JournalQuery)))
