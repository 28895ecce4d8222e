"""Probes: does this process live (`/healthz`), and can it do its work (`/readyz`).

Anybody may send them, so the answer is only `ok` or `not ok`; the log has the reason.
"""

import logging
from collections.abc import Callable
from typing import Final

import redis
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from webapp.core.database.checks import migrated

logger = logging.getLogger(__name__)

ALIVE: Final = "/healthz"
READY: Final = "/readyz"
LONGEST_S: Final = 2
"""Longest wait for Redis."""


class HealthAnswers:
    """Answers both addresses before any other middleware.

    Probes use the address of the machine, without TLS and without a session, so none of that is refused here.
    `/healthz` does not query the database, because restarting the process would not repair it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._migrated = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a probe with 200 or 503; pass other requests on."""
        if request.path not in (ALIVE, READY) or request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        ok = request.path == ALIVE or (self._database_is_ready() and _redis_answers())
        answered = HttpResponse("ok\n" if ok else "not ok\n", status=200 if ok else 503, content_type="text/plain")
        answered.headers["Cache-Control"] = "no-store"
        return answered

    def _database_is_ready(self) -> bool:
        """Return whether the database answers and no migration is pending; once none is, none will be for it."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            self._migrated = self._migrated or migrated(connection)
        except Error as error:
            logger.warning("not ready: the database does not answer: %s", error)
            return False
        if not self._migrated:
            logger.warning("not ready: migrations are pending")
        return self._migrated


def _redis_answers() -> bool:
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=LONGEST_S, socket_connect_timeout=LONGEST_S
        ) as client:
            client.ping()
    except redis.RedisError as error:
        logger.warning("not ready: Redis does not answer: %s", error)
        return False
    return True
