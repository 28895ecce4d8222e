"""The page of an incident over HTTP, and its export as Markdown."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.alerts.api.incidents import incident_response
from webapp.alerts.models import Incident
from webapp.alerts.services.incidents import access_incident
from webapp.core.api import AnyRepresentation, answer
from webapp.live.api import REFUSALS
from webapp.live.incidents.bodies import (
    IncidentChart,
    IncidentFiguresResponse,
    IncidentLane,
    IncidentLanes,
    IncidentPageResponse,
    IncidentSpan,
    IncidentStep,
    TimelineEntryResponse,
)
from webapp.live.incidents.figures import CONTEXT, IncidentFigures, figures_of, outcomes_of
from webapp.live.incidents.markdown import incident_as_markdown
from webapp.live.incidents.timeline import TimelineEntry, timeline_of
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding
from webapp.runs.states import IN_NO_RESULT

_MARKDOWN: Final = "text/markdown; charset=utf-8"


@dataclass(frozen=True)
class GatheredIncident:
    """An incident as of tick `now`, with all that its page and its export have."""

    incident: Incident
    now: int
    figures: IncidentFigures | None
    timeline: list[TimelineEntry]
    left_out: bool


def gather_incident(incident: UUID, now: datetime) -> GatheredIncident:
    """Return an incident with its figures and timeline. Raises `NotFound`."""
    found, at = access_incident(incident), ticks_of(now)
    figures = None if found.binding is None else figures_of(found, found.binding, now)
    loss = None if figures is None or figures.loss is None else figures.loss.at
    begin = found.begin if figures is None else figures.span[0]
    end = at if found.resolved_at is None else found.resolved_at
    timeline, left_out = timeline_of(found, max(0, begin - CONTEXT), end, at, loss)
    return GatheredIncident(found, at, figures, timeline, left_out)


class IncidentView(TenantView):
    """One incident."""

    @extend_schema(operation_id="incidents_get", responses={200: IncidentPageResponse, **REFUSALS})
    def get(self, request: Request, slug: str, incident: UUID) -> Response:
        """Return an incident with its figures and its timeline."""
        found = gather_incident(incident, timezone.now())
        figures, binding = found.figures, found.incident.binding
        return answer(
            IncidentPageResponse(
                now=found.now,
                incident=incident_response(found.incident),
                figures=None if figures is None or binding is None else _shown_figures(figures, binding),
                timeline=[_shown_entry(each) for each in found.timeline],
                left_out=found.left_out,
            )
        )


class IncidentFileView(TenantView):
    """An incident as a file."""

    content_negotiation_class = AnyRepresentation

    @extend_schema(operation_id="incidents_file", responses={(200, "text/markdown"): OpenApiTypes.BINARY, **REFUSALS})
    def get(self, request: Request, slug: str, incident: UUID) -> HttpResponse:
        """Send an incident as Markdown: its figures, lost rows over time and timeline, without tokens."""
        found = gather_incident(incident, timezone.now())
        name = f"incident-{found.incident.number}.md"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        content = incident_as_markdown(found.incident, found.figures, found.timeline, found.now, found.left_out)
        return HttpResponse(content, content_type=_MARKDOWN, headers=headers)


def _shown_figures(figures: IncidentFigures, binding: Binding) -> IncidentFiguresResponse:
    live, by_lane, around = figures.live, figures.by_lane, figures.around
    known = live is not None and not live.run.is_silent and live.run.state.ended_at is None
    return IncidentFiguresResponse(
        begin=figures.span[0],
        end=figures.span[1],
        received=figures.counts.received,
        lost=figures.lost,
        outcomes=dict(outcomes_of(figures.counts)),
        repaired=figures.repaired,
        lost_recently=live.recent.of(IN_NO_RESULT) if live is not None and known else None,
        largest_lag=figures.largest_lag,
        unknown=[IncidentSpan(begin=begin, end=end) for begin, end in figures.unknown],
        loss_at=None if figures.loss is None else figures.loss.at,
        by_lane=IncidentLanes(
            begin=by_lane.begin,
            end=by_lane.end,
            lanes=[IncidentLane(input=each.input, lane=each.lane, dropped=each.dropped) for each in by_lane.lanes],
        ),
        chart=IncidentChart(
            begin=around.begin,
            end=around.end,
            step=around.step,
            steps=[
                IncidentStep(at=each.at, knowledge=each.knowledge, lost=each.counts.of(IN_NO_RESULT))
                for each in around.steps
            ],
        ),
        budget_state=figures.budget.state,
        budget_rows=figures.budget.budget.rows,
        budget_left=figures.budget.budget.left,
        run=None if live is None else str(live.run.id),
        query=str(binding.query_version.query_id),
    )


def _shown_entry(each: TimelineEntry) -> TimelineEntryResponse:
    return TimelineEntryResponse(
        mark=each.mark,
        at=each.at,
        end=each.end,
        kind=each.kind,
        who=each.who or None,
        text=each.text,
        remark=each.remark,
        before_loss=each.before_loss,
        run=each.run,
    )
