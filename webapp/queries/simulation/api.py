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
from webapp.queries.api import REFUSALS
from webapp.queries.simulation import simulating
from webapp.queries.simulation.bodies import (
    MOST_BODY_BYTES,
    ComparisonBody,
    SimulationBody,
    SimulationResponse,
    WhatIfBody,
)

B = TypeVar("B", bound=Strict)


def _documented(operation: str, body: type[Strict], answered: type[Strict]) -> Callable[..., Any]:
    """Return the API description of a request about a sample."""
    responses = {200: answered, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS}
    return extend_schema(operation_id=operation, request=body, responses=responses)


def _answered(request: Request, body: type[B], write: Callable[[B], str]) -> HttpResponse:
    """Answer with the JSON that `write` makes of the body, unchanged: it is long, and already validated."""
    text = write(read_body(request, body, most_bytes=MOST_BODY_BYTES))
    return HttpResponse(text, content_type="application/json")


class SimulateView(TenantView):
    """A query on a sample."""

    @_documented("queries_simulate", SimulationBody, SimulationResponse)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a query on a sample with the reference and return all events, with reasons; 422 with all errors."""
        return _answered(request, SimulationBody, simulating.simulation_text)


class CompareView(TenantView):
    """A sample under each late policy."""

    @_documented("queries_compare", ComparisonBody, PolicyComparison)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample under drop, adjust, shift and keep; return each row of the results next to the present one."""
        return _answered(request, ComparisonBody, simulating.comparison_text)


class WhatIfView(TenantView):
    """A sample with other delays."""

    @_documented("queries_what_if", WhatIfBody, WhatIf)
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Run a sample with each delay that changes something: the rows it keeps, and how long results wait."""
        return _answered(request, WhatIfBody, simulating.what_if_text)
