"""The time simulator over HTTP; nothing is stored."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from streaming.simulator.comparing import PolicyComparison
from streaming.simulator.what_if import WhatIf
from webapp.accounts.access import TenantView
from webapp.core.api import read_body
from webapp.core.errors import ErrorEnvelope
from webapp.queries import simulating
from webapp.queries.api import REFUSALS
from webapp.queries.simulation_bodies import (
    MOST_BODY_BYTES,
    ComparisonBody,
    SimulationBody,
    SimulationShown,
    WhatIfBody,
)


class SimulateView(TenantView):
    """A query on a sample."""

    @extend_schema(
        operation_id="queries_simulate",
        request=SimulationBody,
        responses={200: SimulationShown, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a query on a sample by the reference and tell all that happens, and why; 422 with all faults."""
        body = read_body(request, SimulationBody, most_bytes=MOST_BODY_BYTES)
        return HttpResponse(simulating.simulation_text(body), content_type="application/json")


class CompareView(TenantView):
    """A sample under each late policy."""

    @extend_schema(
        operation_id="queries_compare",
        request=ComparisonBody,
        responses={200: PolicyComparison, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample under drop, adjust, shift and keep; each row of the results beside what it is today."""
        body = read_body(request, ComparisonBody, most_bytes=MOST_BODY_BYTES)
        return HttpResponse(simulating.comparison_text(body), content_type="application/json")


class WhatIfView(TenantView):
    """A sample with other delays."""

    @extend_schema(
        operation_id="queries_what_if",
        request=WhatIfBody,
        responses={200: WhatIf, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample with each delay at which something changes: what it keeps, and how long results wait."""
        body = read_body(request, WhatIfBody, most_bytes=MOST_BODY_BYTES)
        return HttpResponse(simulating.what_if_text(body), content_type="application/json")
