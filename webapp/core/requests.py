"""Every request has an id and, until its sign-in is known, nobody behind it."""

import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from webapp.core.context import Actor, acting, answering, organisation_context

HEADER = "X-Request-ID"


class RequestIds:
    """Gives each request an id of our own, in the answer's header too; closes every context before and after it.

    An id that a client sends is not taken: who reads the audit log must be able to trust it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the id in the header."""
        name = uuid.uuid4().hex
        nobody = Actor("system", None, "nobody signed in", address=request.META.get("REMOTE_ADDR") or None)
        with answering(name), acting(nobody), organisation_context(None):
            response = self.get_response(request)
        response.headers[HEADER] = name
        return response
