"""Rate limits of what allauth leaves open, and every refusal of the sign-in in words."""

import json
import logging
from collections.abc import Callable
from typing import Any, Final

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from webapp.core.errors import REDIS_AWAY, Unavailable

RATES: Final = {
    "headless:browser:socialaccount:redirect_to_provider": "20/m/ip",
    "headless:browser:account:verify_email": "30/m/ip",
    "headless:browser:usersessions:sessions": "60/m/ip",
    "openid_callback": "30/m/ip",
}
"""By the name of the address. What allauth counts itself is in its settings."""

WORDS: Final = {
    403: ("forbidden", "This is not open to you. Ask who runs this installation for an invitation."),
    409: ("conflict", "This is done already, or its time is over. Reload the page."),
    429: ("too_many_requests", "Too many attempts. Wait a minute and try again."),
}
UNREADABLE: Final = {
    "code": "incorrect_code",
    "message": "This is no passkey's answer. Try again.",
    "param": "credential",
}
WAIT_S: Final = 60
logger = logging.getLogger(__name__)


def allow(request: HttpRequest, action: str, rate: str) -> bool:
    """Count one attempt at `action` and return whether it is within `rate`, such as `20/m/ip`. For any view."""
    return bool(ratelimit.consume(request, app="punctual", action=action, config={action: rate}, limit_get=True))


class SignInLimits:
    """Middleware: counts the addresses in `RATES`, and gives allauth's bare refusals a sentence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, with words."""
        response = self.get_response(request)
        return with_words(response) if request.path.startswith("/_allauth/") else response

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponseBase | None:
        """Refuse what comes too often."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        try:
            if name not in RATES or allow(request, name, RATES[name]):
                return None
        except REDIS_AWAY as error:
            return unavailable(error)
        return JsonResponse({"status": 429}, status=429)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """Refuse what cannot be counted, and a passkey's credential that cannot be read; allauth lets both through."""
        if request.path.startswith("/_allauth/") and isinstance(exception, REDIS_AWAY):
            return unavailable(exception)
        name = request.resolver_match.view_name if request.resolver_match else ""
        if "webauthn" not in name or not isinstance(exception, ValueError | TypeError | KeyError | AttributeError):
            return None
        logger.warning("A credential of a passkey cannot be read.", exc_info=exception)
        return JsonResponse({"status": 400, "errors": [UNREADABLE]}, status=400)


def unavailable(error: Exception) -> HttpResponse:
    """Return the refusal of what cannot be counted: without limits nobody signs in, for anybody could guess."""
    logger.error("Redis cannot be reached: %s", error)
    refusal = Unavailable()
    body = {"status": refusal.status, "errors": [{"code": refusal.code, "message": refusal.message}]}
    return JsonResponse(body, status=refusal.status, headers={"Retry-After": str(WAIT_S)})


def with_words(response: HttpResponseBase) -> HttpResponseBase:
    """Return `response`, or, for a bare refusal in JSON, one that says in `errors` what to do."""
    if response.status_code not in WORDS or not isinstance(response, HttpResponse):
        return response
    if response.headers.get("Content-Type", "").startswith("application/json"):
        body = json.loads(response.content)
        if not body.get("errors"):
            code, message = WORDS[response.status_code]
            response.content = json.dumps({**body, "errors": [{"code": code, "message": message}]}).encode()
            response.headers.pop("Content-Length", None)
    if response.status_code == 429:
        response.headers["Retry-After"] = str(WAIT_S)
    return response
