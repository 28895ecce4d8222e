"""Compression of the API's answers to a third of their size, for browsers that accept gzip."""

from typing import Any

from django.http import HttpRequest
from django.middleware.gzip import GZipMiddleware


class CompressedAnswers(GZipMiddleware):
    """Compresses the API's answers to GET requests.

    Not compressed are event streams, which must be sent as they are made; answers to writes, which may show a secret
    once; and sign-in, because its answers contain secrets of a second factor. The size reveals something about a secret
    next to words of an attacker (BREACH), so Django adds up to 100 random bytes to compressed answers.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        """Return the answer, compressed if allowed."""
        if request.method != "GET" or not request.path.startswith("/api/") or response.streaming:
            return response
        return super().process_response(request, response)
