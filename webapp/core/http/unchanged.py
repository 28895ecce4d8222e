"""Answers that a page already has are not sent again: a request with their tag gets 304."""

from typing import Any

from django.http import HttpRequest
from django.middleware.http import ConditionalGetMiddleware


class UnchangedAnswers(ConditionalGetMiddleware):
    """Tags the API's answers to reads by their content.

    No cache stores such answers (`no-store`); our pages keep those that they poll in memory, and compare
    (`frontend/src/lib/api/unchanged.ts`). The answer is computed all the same: rights are checked each time.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        """Return the answer with its tag, or 304 if it is unchanged."""
        if not request.path.startswith("/api/") or response.streaming:
            return response
        return super().process_response(request, response)
