"""The metrics of an organisation over HTTP."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request

from streaming.definition.faults import Fault, FaultCode, nearest
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.accounts.limits.previews import OF_PERSON
from webapp.accounts.limits.quotas import usages
from webapp.core.api import AnyRepresentation, read_query
from webapp.core.errors import ErrorEnvelope, Faulty, NotFound, fault
from webapp.core.http.process_metrics import PREFIX, MetricDefinition
from webapp.telemetry.exposition import OPENMETRICS, PLAIN, metrics_response
from webapp.telemetry.families import MetricFamilies
from webapp.telemetry.gathering import gather_own
from webapp.telemetry.metrics import OF_ORGANISATION, QUOTA
from webapp.telemetry.samples import add_binding

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope, 422: ErrorEnvelope}


class MetricsQuery(Strict):
    """The part of the metrics to return: of one binding, by name, and some metrics only, separated by commas."""

    binding: Annotated[str | None, Field(max_length=63)] = None
    include: Annotated[str | None, Field(max_length=4_000)] = None

    def wanted(self) -> list[MetricDefinition]:
        """Return the metrics to include. Raises `Faulty` for unknown names."""
        known = {each.name.removeprefix(PREFIX): each for each in OF_ORGANISATION}
        if self.include is None:
            return list(known.values())
        names = [each.strip().removeprefix(PREFIX) for each in self.include.split(",") if each.strip()]
        if unknown := [name for name in names if name not in known]:
            raise Faulty([_unknown(name, known) for name in unknown])
        return [metric for name, metric in known.items() if name in names]


def _unknown(name: str, known: Iterable[str]) -> Fault:
    remedy = nearest(name, known, "Use names of deploy/telemetry/METRICS.md.")
    return fault(FaultCode.BAD_SHAPE, f"include: there is no metric {name!r}.", remedy, field="include")


class MetricsView(TenantView):
    """The metrics of an organisation, for Prometheus and systems that read its formats."""

    content_negotiation_class = AnyRepresentation

    @extend_schema(
        operation_id="metrics_get",
        parameters=[
            OpenApiParameter("binding", str, description="The name of a binding: only its metrics."),
            OpenApiParameter(
                "include", str, description="Names of metrics, separated by commas, with or without `punctual_`."
            ),
        ],
        responses={(200, PLAIN): OpenApiTypes.STR, (200, OPENMETRICS): OpenApiTypes.STR, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Return the newest samples of every binding, as OpenMetrics if the client prefers it, else Prometheus text."""
        asked = read_query(request, MetricsQuery)
        wanted = asked.wanted()
        gathered = gather_own(asked.binding)
        if asked.binding is not None and not gathered.bindings:
            raise NotFound
        families = MetricFamilies(wanted)
        for each in gathered.bindings:
            add_binding(families, each)
        if QUOTA in wanted and asked.binding is None:
            _add_quotas(families, slug)
        return metrics_response(request._request, families)


def _add_quotas(families: MetricFamilies, slug: str) -> None:
    """Add the used part of each quota of the organisation; the limit of each person is not among them."""
    for usage in usages():
        if usage.limit and usage.quota.name != OF_PERSON:
            families.add(QUOTA, {"organisation": slug, "quota": usage.quota.name}, usage.used / usage.limit)
