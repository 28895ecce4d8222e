"""The live page of a run over HTTP: an event stream, and pages of results and quarantine."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.db import connection
from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import FaultCode
from streaming.definition.strict import Strict
from streaming.wire.messages import ResultRow
from streaming.wire.progress import ProgressReport
from webapp.accounts.access import TenantView
from webapp.accounts.access_recheck import still_allowed, visit_of
from webapp.core.api import answer, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.monitoring.events import EventCursor, event_stream
from webapp.monitoring.logs import LogChoice, LogCursor, LogPage, log_page
from webapp.monitoring.rows_page import (
    BEFORE,
    LIMIT,
    REFUSALS,
    RUNS,
    RowRepair,
    RowsPageQuery,
    rows_page,
    shown_mark,
)
from webapp.monitoring.seats import SeatedStream, StreamSlot
from webapp.runs.access import access_run
from webapp.runs.lifecycle.state_events import RunState, state_of
from webapp.runs.repairs.repairs import RepairedRows, repaired_rows


class ResultResponse(ResultRow):
    """A result row with a stable id, so that pages neither skip nor repeat a row.

    `run` emitted it; null for rows written before runs were distinguished. `repaired`: the repair that retracted
    or added the row; null if no repair concerns it.
    """

    id: str
    run: str | None
    repaired: RowRepair | None = None


class ResultPage(Strict):
    """Results, newest first; `next` is the `before` of the next page, null at the oldest. A page may be short."""

    rows: list[ResultResponse]
    next: str | None


class RunEvents(Strict):
    """The data of the two kinds of server-sent events: `progress` and `state`."""

    progress: ProgressReport
    state: RunState


class EventStreamRenderer(JSONRenderer):
    """Accepts a browser's EventSource; refusals are JSON all the same."""

    media_type = "text/event-stream"
    format = "event-stream"


class ResultsView(TenantView):
    """The committed results of a run, or of all runs of its binding."""

    @extend_schema(
        operation_id="runs_results",
        parameters=[BEFORE, LIMIT, RUNS],
        responses={200: ResultPage, 422: ErrorEnvelope} | REFUSALS,
    )
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return a page of results, newest first."""
        found = access_run(run)
        rows, following = rows_page(found, "results", read_query(request, RowsPageQuery))
        repaired = repaired_rows(found.binding_id)
        shown = [ResultResponse.model_validate({**row, "repaired": _mark(row, repaired)}) for row in rows]
        return answer(ResultPage(rows=shown, next=following))


def _mark(row: Mapping[str, Any], repaired: RepairedRows) -> RowRepair | None:
    """Return the repair that retracted a row, or else the one that added it."""
    gone = repaired.results.get(row["id"])
    return shown_mark(gone or repaired.repairs.get(row.get("repair") or ""), taken_back=gone is not None)


LEVELS: Final = {
    "info": frozenset({"info", "warning", "error"}),
    "warning": frozenset({"warning", "error"}),
    "error": frozenset({"error"}),
}
"""The levels that each requested level includes."""


class LogQuery(Strict):
    """The parameters of a page of the log."""

    after: str | None = None
    level: Literal["info", "warning", "error"] | None = None
    text: Annotated[str, Field(max_length=200)] = ""


class LogsView(TenantView):
    """The log of a run."""

    @extend_schema(
        operation_id="runs_logs",
        parameters=[
            OpenApiParameter("after", str, description="The `next` of the previous page."),
            OpenApiParameter(
                "level", str, enum=list(LEVELS), description="Only lines of this level or a more severe one."
            ),
            OpenApiParameter("text", str, description="Only lines that contain this text, ignoring case."),
        ],
        responses={200: LogPage, 422: ErrorEnvelope} | REFUSALS,
    )
    def get(self, request: Request, slug: str, run: UUID) -> Response:
        """Return what the runner logged about this run and its binding, and the run's journal, oldest first."""
        found, asked = access_run(run), read_query(request, LogQuery)
        cursor = LogCursor.parse(asked.after)
        if cursor is None:
            remedy = "Leave `after` out, or pass the `next` of the previous page."
            raise Faulty([fault(FaultCode.BAD_SHAPE, "after: this isn't a cursor.", remedy, field="after")])
        levels = None if asked.level is None else LEVELS[asked.level]
        return answer(log_page(found, cursor, LogChoice(levels, asked.text)))


class EventsView(TenantView):
    """The event stream of a run."""

    renderer_classes = (EventStreamRenderer, JSONRenderer)

    @extend_schema(
        operation_id="runs_events",
        parameters=[
            OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER, description="The last event received."),
            OpenApiParameter("after", str, description="The `entry` of the history that the page already has."),
        ],
        responses={(200, "text/event-stream"): RunEvents, 429: ErrorEnvelope} | REFUSALS,
    )
    def get(self, request: Request, slug: str, run: UUID) -> HttpResponseBase:
        """Send the reports after the last one that the client has, then each new report and each change of state.

        A client without a position gets the newest report first. Reports come without rows. The stream ends after five
        minutes, and within 15 seconds when its reader has lost the right to read it. 429 while too many are open.
        """
        found = access_run(run)
        last = request.headers.get("Last-Event-ID")
        cursor = EventCursor.parse(last) if last else EventCursor.after(request.query_params.get("after"))
        allowed = partial(still_allowed, visit_of(request, self.entry, self.rule))
        events = event_stream(str(found.organisation_id), cursor=cursor, state=state_of(found), allowed=allowed)
        if not connection.in_atomic_block:
            connection.close()  # the stream lives for minutes and needs the database only for moments
        seat = StreamSlot(
            found.organisation_id, self.entry.token.id if self.entry.token else self.user.pk if self.user else None
        )
        seat.take()
        return SeatedStream(events, seat)
