"""Request rates: by person over all of their tokens and sessions, by token, and by address for visitors.

Redis counts, so that all server processes count together; while Redis is unreachable nothing is counted.
"""

import time
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from webapp.accounts.models import User
from webapp.accounts.tokens import TokenInUse
from webapp.core.errors import REDIS_AWAY, ApiError

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which loads this module

WINDOW_S: Final = 10
"""Requests are counted over this many seconds, so that a page may send all of its requests at once."""


class TooManyRequests(ApiError):
    """A person, a token or an address sent more requests than allowed."""

    status = 429
    code = "too_many_requests"

    def __init__(self, who: str, most: int, retry_after_s: int) -> None:
        super().__init__(
            f"More than {most:,} requests of {who} came within {WINDOW_S} s. Try again in {retry_after_s} s, and send "
            "fewer at once."
        )
        self.retry_after_s = retry_after_s


class RequestRates(BaseThrottle):
    """Refuses requests above the rate, before a view does anything."""

    def allow_request(self, request: Request, view: "APIView") -> bool:  # noqa: ARG002 - the framework's signature
        """Count the request. Raises `TooManyRequests`."""
        most = settings.REQUESTS_PER_SECOND * WINDOW_S
        if not most:
            return True
        window, into_window = divmod(now_s(), WINDOW_S)
        for who, key in _counted(request):
            if _count(f"requests:{key}:{window}") > most:
                raise TooManyRequests(who, most, WINDOW_S - into_window)
        return True


def now_s() -> int:
    """Return the seconds since 1970."""
    return int(time.time())


def _counted(request: Request) -> list[tuple[str, str]]:
    if isinstance(request.auth, TokenInUse):
        token = request.auth
        holder = "this service account" if token.person is None else "this person"
        return [("this token", token.id), (holder, token.holder)]
    if isinstance(request.user, User):
        return [("this person", str(request.user.pk))]
    return [("this address", str(request.META.get("REMOTE_ADDR")))]


def _count(key: str) -> int:
    try:
        cache.add(key, 0, timeout=2 * WINDOW_S)
        return int(cache.incr(key))
    except (*REDIS_AWAY, ValueError):  # the window ended between the two calls
        return 0
