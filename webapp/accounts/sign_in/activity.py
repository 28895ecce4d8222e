"""When each session was last seen, to the minute."""

import logging
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from redis.exceptions import RedisError

EVERY_S: Final = 60
logger = logging.getLogger(__name__)


class LastSeen:
    """Middleware: notes address, browser and time of a session, at most once a minute.

    allauth's own writes a row for every request, and every answer of the API would wait for SQLite's one writer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Note the session, then answer."""
        key = request.session.session_key
        if key and _is_due(key) and request.user.is_authenticated:
            from allauth.usersessions.models import UserSession  # models are not loaded with the middleware

            UserSession.objects.create_from_request(request)
        return self.get_response(request)


def _is_due(key: str) -> bool:
    try:
        return bool(cache.add(f"seen:{sha256(key.encode()).hexdigest()}", "", EVERY_S))  # a key opens the session
    except RedisError as error:  # pages are to be read even while Redis is away
        logger.warning("Sessions are not noted while Redis is away: %s", error)
        return False
