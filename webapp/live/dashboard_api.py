"""The page of a binding over HTTP: verdict and figures over all its runs and versions."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.db.models import Min
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.wire.progress import InputCounts, LaneProgress
from webapp.accounts.access import TenantView
from webapp.alerts.rules.evaluation import Phase
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope, Faulty, faults_of
from webapp.live.api import REFUSALS
from webapp.live.conditions import LiveFinding, findings
from webapp.live.dashboard_bodies import (
    DashboardDelivery,
    DashboardFinding,
    DashboardInput,
    DashboardLane,
    DashboardQuery,
    DashboardResponse,
    DashboardRun,
    DashboardStep,
    DashboardVerdict,
)
from webapp.live.details import detail_steps
from webapp.live.details_bodies import DetailsResponse, details_response
from webapp.live.gathering import gather_one
from webapp.live.history import RANGES, BindingHistory, RunBand, TimeRange, history_of
from webapp.live.queries import LiveDelivery, LiveQuery
from webapp.live.repaired import repaired_rows
from webapp.live.verdict import verdict_of
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding, Run

_USUAL_S: Final = 7_200
_SECONDS: Final = "The range until now. Default: the shortest one with all runs of the binding, at most two hours."
RANGE_PARAMETERS: Final = [
    OpenApiParameter("seconds", int, enum=list(RANGES), description=_SECONDS),
    OpenApiParameter("begin", int, description="Instead: the first tick of a range, at most 90 days long."),
    OpenApiParameter("end", int, description="The tick after that range."),
]


class DashboardView(TenantView):
    """The figures of a binding over all its runs and versions."""

    @extend_schema(
        operation_id="home_binding_get",
        parameters=RANGE_PARAMETERS,
        responses={200: DashboardResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return the verdict on a binding's results, and its outcomes, lags, lanes and deliveries over time."""
        found, now = access_binding(binding), timezone.now()
        return answer(_dashboard(found, requested_range(found, request, now), now))


class DetailsView(TenantView):
    """The charts of a binding over all its runs and versions."""

    @extend_schema(
        operation_id="home_binding_details",
        parameters=RANGE_PARAMETERS,
        responses={200: DetailsResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return distances of rows, lanes and parts of the lag over time."""
        found, now = access_binding(binding), timezone.now()
        within = requested_range(found, request, now).for_details(ticks_of(now))
        return answer(details_response(within, detail_steps(found.pk, within)))


def requested_range(binding: Binding, request: Request, now: datetime) -> TimeRange:
    """Return the requested range. Raises `Faulty` for an invalid one."""
    raw = request.query_params.dict()
    try:
        asked = DashboardQuery.model_validate(
            {name: int(value) if value.isdecimal() and len(value) < 20 else value for name, value in raw.items()}
        )
    except ValidationError as error:
        raise Faulty(faults_of(error, raw)) from None
    if asked.begin is None or asked.end is None:
        return TimeRange.until(ticks_of(now), asked.seconds or _usual_seconds(binding, now))
    return TimeRange.between(asked.begin, asked.end, ticks_of(now))


def _usual_seconds(binding: Binding, now: datetime) -> int:
    """Return the length of the shortest range that has all runs of `binding`, at most _USUAL_S."""
    first = Run.objects.filter(binding=binding).aggregate(Min("created_at"))["created_at__min"]
    age = 0 if first is None else (now - first).total_seconds()
    return next((seconds for seconds in RANGES if age <= seconds < _USUAL_S), _USUAL_S)


def _dashboard(binding: Binding, within: TimeRange, now: datetime) -> DashboardResponse:
    live, at = gather_one(binding.pk, now), ticks_of(now)
    found = [] if live is None else findings(live, at)
    run = None if live is None else live.run
    history = history_of(binding.pk, within, run, at)
    query = binding.query_version.query
    return DashboardResponse(
        now=at,
        seconds=within.seconds,
        begin=history.begin,
        end=history.end,
        step=history.step,
        binding=str(binding.pk),
        name=binding.name,
        query=str(query.pk),
        query_name=query.name,
        version=binding.query_version.number,
        tags=query.tags,
        owner=None if live is None else live.owner,
        run=None if run is None else str(run.id),
        observed=None if run is None else run.state.observed,
        changed_at=None if run is None else run.changed_at,
        reported_at=None if run is None else run.reported_at,
        verdict=DashboardVerdict.model_validate(vars(verdict_of(history, run, found, at))),
        findings=[_shown_finding(each) for each in found],
        steps=_shown_steps(history),
        runs=[_shown_run(each) for each in history.runs],
        older_runs=history.missing,
        inputs=_shown_inputs({} if run is None else run.inputs),
        deliveries=_shown_deliveries(live),
        alerts=0 if live is None else sum(each.phase == Phase.FIRING for each in live.alerts),
        repaired_rows=_repaired(binding, history),
    )


def _repaired(binding: Binding, history: BindingHistory) -> int:
    """Return how many rows that had been in no result were repaired in the range."""
    begin, end = (datetime.fromtimestamp(tick / TICKS_PER_S, UTC) for tick in (history.begin, history.end))
    return sum(rows for _, rows in repaired_rows(binding, begin, end))


def _shown_finding(each: LiveFinding) -> DashboardFinding:
    return DashboardFinding(condition=each.condition, since=each.since, sentence=each.sentence)


def _shown_steps(history: BindingHistory) -> list[DashboardStep]:
    return [
        DashboardStep(at=each.at, knowledge=each.knowledge, outcomes=dict(each.counts.outcomes), lag=each.lag)
        for each in history.steps
    ]


def _shown_run(band: RunBand) -> DashboardRun:
    return DashboardRun(run=str(band.id), number=band.number, version=band.version, begin=band.begin, end=band.end)


def _shown_inputs(inputs: Mapping[str, InputCounts]) -> list[DashboardInput]:
    return [
        DashboardInput(
            name=name,
            cti=each.cti,
            largest_start=each.largest_start,
            ended=each.ended,
            delay=each.delay,
            lane_wait=each.lane_wait,
            lanes=None if each.lanes is None else _shown_lanes(each.lanes),
            other_lanes=0 if each.other_lanes is None else each.other_lanes.lanes,
        )
        for name, each in inputs.items()
    ]


def _shown_lanes(lanes: Sequence[LaneProgress]) -> list[DashboardLane]:
    """Return the lanes, first the one that delays the input most."""
    ordered = sorted(lanes, key=lambda lane: (lane.cti is not None, lane.cti or 0))
    return [DashboardLane.model_validate(each.model_dump(exclude={"largest_start"})) for each in ordered]


def _shown_deliveries(live: LiveQuery | None) -> list[DashboardDelivery]:
    return [] if live is None else [_shown_delivery(each) for each in live.deliveries]


def _shown_delivery(delivery: LiveDelivery) -> DashboardDelivery:
    seen = delivery.seen
    return DashboardDelivery(
        node=delivery.node,
        state=None if seen is None else seen.state,
        waiting_rows=0 if seen is None else seen.waiting_rows,
        waiting_exact=seen is not None and seen.waiting_exact,
        refused_requests=0 if seen is None else seen.refused_requests,
        since=None if seen is None else seen.failing_since,
        message=None if seen is None else seen.message,
    )
