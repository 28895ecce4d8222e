"""The time simulator over HTTP; nothing is stored."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from streaming.definition.strict import Strict
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

B = TypeVar("B", bound=Strict)


def _documented(operation: str, body: type[Strict], answered: type[Strict]) -> Callable[..., Any]:
    """What the API's file says of a question about a sample."""
    responses = {200: answered, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS}
    return extend_schema(operation_id=operation, request=body, responses=responses)


def _answered(request: Request, body: type[B], tell: Callable[[B], str]) -> HttpResponse:
    """The JSON that `tell` makes of what was sent, as it is: it is long, and was checked where it was made."""
    said = tell(read_body(request, body, most_bytes=MOST_BODY_BYTES))
    return HttpResponse(said, content_type="application/json")


class SimulateView(TenantView):
    """A query on a sample."""

    @_documented("queries_simulate", SimulationBody, SimulationShown)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a query on a sample by the reference and tell all that happens, and why; 422 with all faults."""
        return _answered(request, SimulationBody, simulating.simulation_text)


class CompareView(TenantView):
    """A sample under each late policy."""

    @_documented("queries_compare", ComparisonBody, PolicyComparison)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample under drop, adjust, shift and keep; each row of the results beside what it is today."""
        return _answered(request, ComparisonBody, simulating.comparison_text)


class WhatIfView(TenantView):
    """A sample with other delays."""

    @_documented("queries_what_if", WhatIfBody, WhatIf)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample with each delay at which something changes: what it keeps, and how long results wait."""
        return _answered(request, WhatIfBody, simulating.what_if_text)
