"""`/metrics`: the metrics of the installation, with those of every organisation."""

import hmac
from collections.abc import Callable
from typing import Final

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from webapp.core.http.authentication import SCHEME
from webapp.core.http.process_metrics import REGISTRY
from webapp.runs.lifecycle.liveness import impatient_redis
from webapp.telemetry.exposition import metrics_response
from webapp.telemetry.families import MetricFamilies
from webapp.telemetry.gathering import gather_all
from webapp.telemetry.metrics import OF_BINDINGS, REDIS_MEMORY, RUNNERS
from webapp.telemetry.samples import add_binding

PATH: Final = "/metrics"


class InstallationMetrics:
    """Answers `/metrics` before hosts and TLS are checked, because a monitoring system uses the machine's address.

    Every request needs the token, also one of this machine: a tenant's download stream or a proxy may have sent it.
    If the installation has no token, there is nothing here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a scrape; pass other requests on."""
        if request.path != PATH or request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        if not settings.METRICS_TOKEN:
            return HttpResponse("There is nothing here.\n", status=404, content_type="text/plain")
        if not _has_token(request):
            sentence = (
                "Send Authorization: Bearer TOKEN, with the token in PUNCTUAL_METRICS_TOKEN, or without this variable "
                "in the file metrics_token in the data folder.\n"
            )
            refused = HttpResponse(sentence, status=401, content_type="text/plain")
            refused.headers["WWW-Authenticate"] = "Bearer"
            return refused
        return metrics_response(request, installation_metrics(), REGISTRY)


def installation_metrics() -> MetricFamilies:
    """Return the metrics of all bindings, of runners and of Redis."""
    families = MetricFamilies((*OF_BINDINGS, RUNNERS, REDIS_MEMORY))
    gathered = gather_all()
    for each in gathered.bindings:
        add_binding(families, each)
    families.add(RUNNERS, {}, gathered.runners)
    families.add(REDIS_MEMORY, {}, _redis_memory())
    return families


def _has_token(request: HttpRequest) -> bool:
    scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return scheme.lower() == SCHEME and hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())


def _redis_memory() -> float | None:
    """Return the used part of Redis' memory; None without a limit, or if it does not answer."""
    try:
        with impatient_redis() as connection:
            memory = connection.info("memory")
    except redis.exceptions.RedisError:
        return None
    most = memory.get("maxmemory", 0)
    return memory["used_memory"] / most if most else None
