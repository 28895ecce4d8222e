"""The time when each session was last seen, to the minute."""

import logging
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from redis.exceptions import RedisError

from webapp.core.disk import is_short

EVERY_S: Final = 60
logger = logging.getLogger(__name__)


class LastSeen:
    """Middleware: records address, browser and time of a session, at most once a minute.

    allauth's own writes a row for every request, and every answer of the API would wait for SQLite's one writer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Record the session, then answer. On a full disk nothing is recorded: reads are answered without a write."""
        key = request.session.session_key
        if key and _is_due(key) and not is_short() and request.user.is_authenticated:
            from allauth.usersessions.models import UserSession  # models are not loaded with the middleware

            UserSession.objects.create_from_request(request)
        return self.get_response(request)


def _is_due(key: str) -> bool:
    try:
        return bool(cache.add(f"seen:{sha256(key.encode()).hexdigest()}", "", EVERY_S))  # the key opens the session
    except RedisError as error:  # pages stay readable while Redis is unreachable
        logger.warning("Sessions are not recorded while Redis is unreachable: %s", error)
        return False
