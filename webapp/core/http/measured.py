"""Counts and times the requests of this process (`webapp.core.http.process_metrics`)."""

import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponseBase

from webapp.core.http.process_metrics import request_duration, requests

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MeasuredRequests:
    """Counts each request under its route, never under its address, which could name anything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request and count it."""
        began = time.perf_counter()
        response = self.get_response(request)
        method = str(request.method) if request.method in METHODS else "other"
        match = request.resolver_match
        requests.labels(method, "none" if match is None else match.route, str(response.status_code)).inc()
        request_duration.labels(method).observe(time.perf_counter() - began)
        return response
