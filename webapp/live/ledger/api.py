"""The ledger of a binding over HTTP, and the public keys of its signed files."""

from datetime import UTC
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from streaming.definition.faults import FaultCode
from webapp.accounts.access import TenantView
from webapp.core.api import AnyRepresentation, answer, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, fault
from webapp.live.api import REFUSALS
from webapp.live.budget_counts import budget_of
from webapp.live.budgets import BUDGET_DAYS, BudgetStatus
from webapp.live.figures import PeriodCounts
from webapp.live.freshness_budgets import freshness_budget_of
from webapp.live.gathering import gather_one
from webapp.live.home_bodies import shown_freshness
from webapp.live.ledger.bodies import (
    FreshnessLevelResponse,
    LedgerCounts,
    LedgerDayResponse,
    LedgerDelivery,
    LedgerKey,
    LedgerKeysResponse,
    LedgerQuery,
    LedgerResponse,
    LedgerSpan,
    LossBudgetResponse,
)
from webapp.live.ledger.counting import Ledger, LedgerDay, difference_in, ledger_of
from webapp.live.ledger.signatures import public_keys
from webapp.live.ledger.signed_file import signed_file
from webapp.live.queries import LiveDelivery
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of

_PARAMETERS: Final = [
    OpenApiParameter("days", int, enum=[7, 30, 90], description="So many days in UTC until today; default 30."),
    OpenApiParameter("first", OpenApiTypes.DATE, description="Instead: the first day of a range of at most 92 days."),
    OpenApiParameter("last", OpenApiTypes.DATE, description="The last day of that range."),
]


class LedgerView(TenantView):
    """The ledger of a binding."""

    @extend_schema(
        operation_id="home_binding_ledger",
        parameters=_PARAMETERS,
        responses={200: LedgerResponse, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return a binding's rows by day, newest first: received, by outcome, results, repaired, and what is unknown.

        The outcomes of a day add up to the received rows; `difference` is zero unless they don't. A row counts on the
        day on which its batch was reported. A day without any known report has no counts.
        """
        return answer(_response(_requested(request, binding)))


class LedgerFileView(TenantView):
    """The ledger of a binding as a signed file."""

    content_negotiation_class = AnyRepresentation

    @extend_schema(
        operation_id="home_binding_ledger_file",
        parameters=_PARAMETERS,
        responses={(200, "text/csv"): OpenApiTypes.BINARY, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str, binding: UUID) -> HttpResponse:
        """Send the ledger as CSV. The first cell of each line is its kind: `definition` explains a column.

        The last line has an Ed25519 signature of all bytes before it, by a key at `/api/ledger-keys/`.
        """
        ledger = _requested(request, binding)
        name = f"ledger-{ledger.binding.name}-{ledger.first}-{ledger.last}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return HttpResponse(signed_file(ledger, slug), content_type="text/csv; charset=utf-8", headers=headers)


class LossBudgetView(TenantView):
    """The loss budget of a binding."""

    @extend_schema(operation_id="home_binding_budget", responses={200: LossBudgetResponse, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return how many rows of the last 30 days may be missing from results, and how many already are.

        The days are those of the ledger. A repair refunds those of its rows that were lost on these days. Spans whose
        reports may be missing don't count.
        """
        found, now = access_binding(binding), timezone.now()
        return answer(_shown_budget(budget_of(found, gather_one(found.pk, now), now), ticks_of(now)))


class FreshnessBudgetView(TenantView):
    """The freshness budget of a binding."""

    @extend_schema(operation_id="home_binding_freshness", responses={200: FreshnessLevelResponse, **REFUSALS})
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return in how many minutes of 30 days results may be late, and in how many they were; null without a level.

        A minute is judged by the level that was in force in it. Minutes that may lack reports don't count.
        """
        found, now = access_binding(binding), timezone.now()
        status = freshness_budget_of(found, gather_one(found.pk, now), now)
        return answer(FreshnessLevelResponse(now=ticks_of(now), days=BUDGET_DAYS, budget=shown_freshness(status)))


class LedgerKeysView(APIView):
    """The public keys of signed ledgers."""

    authentication_classes: Any = ()
    permission_classes: Any = (AllowAny,)

    @extend_schema(operation_id="ledger_keys", responses={200: LedgerKeysResponse}, auth=[])
    def get(self, request: Request) -> Response:
        """Return the public keys of this installation; anybody may read them."""
        keys = [LedgerKey(algorithm="ed25519", public_key=each) for each in public_keys()]
        return answer(LedgerKeysResponse(keys=keys))


def _requested(request: Request, binding: UUID) -> Ledger:
    """Return the ledger of the requested days. Raises `Faulty` for invalid ones."""
    found, now = access_binding(binding), timezone.now()
    today = now.astimezone(UTC).date()
    first, last = read_query(request, LedgerQuery).within(today)
    if last > today:
        words = f"The day {last} is after today in UTC, which is {today}."
        raise Faulty([fault(FaultCode.BAD_SHAPE, words, "Choose an earlier last day.", field="last")])
    return ledger_of(found, first, last, now)


def _shown_budget(status: BudgetStatus, now: int) -> LossBudgetResponse:
    budget = status.budget
    return LossBudgetResponse(
        now=now,
        days=BUDGET_DAYS,
        state=status.state,
        completeness=budget.completeness,
        received=budget.received,
        lost=budget.lost,
        repaired=budget.repaired,
        rows=budget.rows,
        left=budget.left,
        used_up_at=status.used_up_at,
        unknown_s=budget.unknown_s,
    )


def _response(ledger: Ledger) -> LedgerResponse:
    binding, query = ledger.binding, ledger.binding.query_version.query
    return LedgerResponse(
        now=ledger.now,
        first=str(ledger.first),
        last=str(ledger.last),
        binding=str(binding.pk),
        name=binding.name,
        query=str(query.pk),
        query_name=query.name,
        days=[_shown_day(each) for each in ledger.days],
        total=_shown_counts(ledger.total),
        repaired=ledger.repaired,
        unknown_days=sum(each.knowledge == "unknown" for each in ledger.days),
        deliveries=[_shown_delivery(each) for each in (() if ledger.live is None else ledger.live.deliveries)],
    )


def _shown_day(each: LedgerDay) -> LedgerDayResponse:
    return LedgerDayResponse(
        day=str(each.day),
        knowledge=each.knowledge,
        unknown=[LedgerSpan(begin=begin, end=end) for begin, end in each.unknown],
        counts=None if each.counts is None else _shown_counts(each.counts),
        repaired=each.repaired,
    )


def _shown_counts(counts: PeriodCounts) -> LedgerCounts:
    return LedgerCounts(
        received=counts.received,
        outcomes=dict(counts.outcomes),
        difference=difference_in(counts),
        results=counts.results,
    )


def _shown_delivery(delivery: LiveDelivery) -> LedgerDelivery:
    seen = delivery.seen
    return LedgerDelivery(
        node=delivery.node,
        state=None if seen is None else seen.state,
        waiting_rows=None if seen is None else seen.waiting_rows,
        waiting_exact=seen is not None and seen.waiting_exact,
        refused_requests=None if seen is None else seen.refused_requests,
        deleted_rows=None if seen is None else seen.lost_rows,
    )
