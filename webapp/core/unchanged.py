"""What a page has read already is not sent again: who asks for it with its tag hears that it is unchanged (304)."""

from typing import Any

from django.http import HttpRequest
from django.middleware.http import ConditionalGetMiddleware


class UnchangedAnswers(ConditionalGetMiddleware):
    """Tags what the API answers to reading by its content.

    No cache keeps such answers (`no-store`); our pages keep those that they ask for again and again in memory, and
    compare (`frontend/src/lib/unchanged.ts`). The answer is made all the same: rights are checked each time.
    """

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        """Return the answer with its tag, or that it is unchanged."""
        if not request.path.startswith("/api/") or response.streaming:
            return response
        return super().process_response(request, response)
