"""The live page over HTTP."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.alerts.models import AlertState, Incident, Transition, TurnCursor
from webapp.alerts.rules.evaluation import Phase
from webapp.alerts.services.incidents import open_incidents
from webapp.alerts.turns.deciding import title as title_of
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope, Faulty, faults_of
from webapp.live.budget_counts import budgets_of
from webapp.live.budgets import BudgetState, BudgetStatus
from webapp.live.freshness_budgets import freshness_budgets_of
from webapp.live.gathering import Gathered, gather, lags
from webapp.live.home import (
    DeliveryCounts,
    LiveRow,
    Tiles,
    alerts_of,
    by_name,
    counts_of,
    deliveries_of,
    row_of,
    tiles_of,
    worst_first,
)
from webapp.live.home_bodies import (
    HomeAlerts,
    HomeBudget,
    HomeBudgets,
    HomeDeliveries,
    HomeIdle,
    HomeIncident,
    HomeQuery,
    HomeResponse,
    HomeRow,
    HomeTiles,
    LabelCount,
    shown_freshness,
)
from webapp.live.queries import LiveAlert
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.lifecycle.starting import ticks_of

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}
PAGE: Final = 50
"""Rows in a response: it stays below 50 kB."""
LONGEST_SENTENCE: Final = 240
"""Characters of a sentence in a row; the query's own page has the whole message."""
MOST_LABELS: Final = 30
MOST_INCIDENTS: Final = 10


class HomeView(TenantView):
    """The live queries of an organisation."""

    @extend_schema(
        operation_id="home_get",
        parameters=[
            OpenApiParameter("tag", str, description="Only queries with this tag."),
            OpenApiParameter("owner", str, description="Only queries of this owner, by address."),
            OpenApiParameter("name", str, description="Only queries whose name contains this text."),
            OpenApiParameter("order", str, enum=["worst", "name"], description="The order; default: worst first."),
            OpenApiParameter("skip", int, description=f"The rows of earlier pages; a page has {PAGE}."),
        ],
        responses={200: HomeResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the live queries, worst first, each with a sentence why, and the sums of all."""
        raw = request.query_params.dict()
        try:
            asked = HomeQuery.model_validate(raw, strict=False)
        except ValidationError as error:
            raise Faulty(faults_of(error, raw)) from None
        now = timezone.now()
        return answer(_Page(asked, gather(now), now).response())


class _Page:
    """One page of the response: the rows that the filters leave, in their order."""

    def __init__(self, asked: HomeQuery, gathered: Gathered, now: datetime) -> None:
        self._gathered, self._now = gathered, now
        budgets = budgets_of(gathered.queries, now)
        levels, at = freshness_budgets_of(gathered.queries, now), ticks_of(now)
        self._every = [
            row_of(query, budgets[query.binding], levels.get(query.binding), at) for query in gathered.queries
        ]
        wanted = [row for row in self._every if _is_wanted(row, asked)]
        self._listed = sorted(wanted, key=worst_first if asked.order == "worst" else by_name)
        self._page = self._listed[asked.skip : asked.skip + PAGE]

    def response(self) -> HomeResponse:
        """Return the response; reads the lags of this page's rows alone."""
        lines = lags([row.query.binding for row in self._page], self._now)
        cursor = TurnCursor.objects.first()
        ended = Transition.objects.filter(before=Phase.FIRING).exclude(after=Phase.FIRING).first()
        return HomeResponse(
            now=ticks_of(self._now),
            total=len(self._every),
            listed=len(self._listed),
            rows=[_shown_row(row, lines[row.query.binding]) for row in self._page],
            tiles=_shown_tiles(tiles_of(self._listed, ticks_of(self._now))),
            incidents=self._incidents(),
            tags=_labels(counts_of(self._every, lambda query: query.tags)),
            owners=_labels(counts_of(self._every, lambda query: [query.owner] if query.owner else [])),
            idle=HomeIdle(**self._gathered.idle),
            decided_at=None if cursor is None else cursor.until,
            ended_at=None if ended is None else ended.at,
        )

    def _incidents(self) -> list[HomeIncident]:
        """Return by binding the firing rules, or an open incident: first those that page, then the oldest."""
        known = open_incidents()
        found = [_of_organisation(row, known) for row in AlertState.objects.filter(binding=None, phase=Phase.FIRING)]
        for row in self._listed:
            firing = sorted(
                (each for each in row.query.alerts if each.phase == Phase.FIRING),
                key=lambda each: (each.level != "page", each.since or 0),
            )
            if firing or row.query.binding in known:
                found.append(_incident(row, firing, known.get(row.query.binding)))
        return sorted(found, key=lambda each: (not each.paging, each.since or 0))[:MOST_INCIDENTS]


def _is_wanted(row: LiveRow, asked: HomeQuery) -> bool:
    query = row.query
    return (
        (not asked.tag or asked.tag in query.tags)
        and (not asked.owner or asked.owner == query.owner)
        and asked.name.casefold() in query.name.casefold()
    )


def _shown_row(row: LiveRow, line: list[int | None]) -> HomeRow:
    query, first = row.query, row.findings[0] if row.findings else None
    return HomeRow(
        binding=str(query.binding),
        name=query.name,
        query=str(query.query),
        version=query.version,
        tags=list(query.tags),
        owner=query.owner,
        run=str(query.run.id),
        observed=query.run.state.observed,
        condition=row.condition,
        sentence="" if first is None else _cut(first.sentence),
        since=None if first is None else first.since,
        others=max(0, len(row.findings) - 1),
        lag_s=_seconds(row.lag),
        lags_s=line,
        rate=row.rate,
        recent=dict(query.recent.outcomes),
        received_of_day=query.day.received,
        lost_of_day=row.lost_of_day,
        budget=_shown_budget(row.budget),
        freshness=shown_freshness(row.freshness),
        deliveries=_shown_deliveries(deliveries_of(query)),
        alerts=_shown_alerts(alerts_of(query)),
    )


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[: LONGEST_SENTENCE - 1]}…"


def _shown_tiles(tiles: Tiles) -> HomeTiles:
    worst = tiles.worst
    return HomeTiles(
        conditions={condition.value: count for condition, count in tiles.conditions.items()},
        rate=tiles.rate,
        unknown_rates=tiles.unknown_rates,
        received_of_day=tiles.received_of_day,
        lost_of_day=tiles.lost_of_day,
        worst_lag_s=None if worst is None else _seconds(worst.lag),
        worst_lag_name=None if worst is None else worst.query.name,
        median_lag_s=_seconds(tiles.median_lag),
        unknown_lags=tiles.unknown_lags,
        budgets=_shown_budgets(tiles),
        deliveries=_shown_deliveries(tiles.deliveries),
        alerts=_shown_alerts(tiles.alerts),
    )


def _shown_budget(status: BudgetStatus) -> HomeBudget:
    budget = status.budget
    return HomeBudget(
        state=status.state,
        completeness=budget.completeness,
        rows=budget.rows,
        left=budget.left,
        used_up_at=status.used_up_at,
        unknown_s=budget.unknown_s,
    )


def _shown_budgets(tiles: Tiles) -> HomeBudgets:
    first = tiles.next_budget
    return HomeBudgets(
        **{state.value: tiles.budgets.get(state, 0) for state in BudgetState},
        today=tiles.today,
        next_name=None if first is None else first.query.name,
        next_at=None if first is None else first.budget.used_up_at,
    )


def _shown_deliveries(counts: DeliveryCounts) -> HomeDeliveries:
    return HomeDeliveries.model_validate(vars(counts))


def _shown_alerts(counts: Mapping[str, int]) -> HomeAlerts:
    counted = Counter(counts)
    return HomeAlerts(firing=counted["firing"], pending=counted["pending"], unknown=counted["unknown"])


def _labels(counts: Sequence[tuple[str, int]]) -> list[LabelCount]:
    return [LabelCount(label=label, count=count) for label, count in counts[:MOST_LABELS]]


def _incident(row: LiveRow, firing: Sequence[LiveAlert], incident: Incident | None) -> HomeIncident:
    """Return the firing rules of a binding, or its `incident` if none fires."""
    title, since, paging = "", None, False
    if firing:
        title, since, paging = firing[0].title, firing[0].since, firing[0].level == "page"
    elif incident is not None:
        title, since = incident.title, incident.begin
    untaken = not firing or any(each.taken_by is None for each in firing)
    return HomeIncident(
        incident=None if incident is None else str(incident.pk),
        binding=str(row.query.binding),
        name=row.query.name,
        run=str(row.query.run.id),
        title=title,
        paging=paging,
        since=since,
        firing=len(firing),
        taken_by=_taker(incident) or (None if untaken else firing[0].taken_by),
    )


def _taker(incident: Incident | None) -> str | None:
    return None if incident is None else incident.taken_by or None


def _of_organisation(row: AlertState, known: Mapping[UUID | None, Incident]) -> HomeIncident:
    incident = known.get(None)
    return HomeIncident(
        incident=None if incident is None else str(incident.pk),
        binding=None,
        name="the organisation",
        run=None,
        title=title_of(row.rule),
        paging=row.level == "page",
        since=row.since,
        firing=1,
        taken_by=_taker(incident),
    )


def _seconds(ticks: int | None) -> float | None:
    return None if ticks is None else round(ticks / TICKS_PER_S, 1)
