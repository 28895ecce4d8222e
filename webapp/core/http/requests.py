"""The id of every request; until its sign-in is known, its actor is nobody."""

import logging
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from webapp.core.context import Actor, acting, answering, organisation_context, request_id

HEADER = "X-Request-ID"
_KEY = "punctual_id"


class RequestIds:
    """Gives each request an id of our own, also in the answer's header; closes every context before and after it.

    An id from a client is ignored: readers of the audit log must be able to trust it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the id in the header."""
        name = uuid.uuid4().hex
        vars(request)[_KEY] = name
        nobody = Actor("system", None, "nobody signed in", address=request.META.get("REMOTE_ADDR") or None)
        with answering(name), acting(nobody), organisation_context(None):
            response = self.get_response(request)
        response.headers[HEADER] = name
        return response


class RequestOfLine(logging.Filter):
    """Adds the id of its request to each line of the log, `-` without one.

    Django logs refusals after the request's context has ended, but passes the request.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Set `request_id` and let the line pass."""
        about = getattr(record, "request", None)
        record.request_id = request_id() or getattr(about, _KEY, None) or "-"
        return True
