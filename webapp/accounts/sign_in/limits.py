"""Rate limits for the addresses that allauth leaves open, and a sentence for every refusal of the sign-in."""

import json
import logging
from collections.abc import Callable
from typing import Any, Final

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from webapp.accounts.sign_in.known_devices import remember_device
from webapp.core.errors import REDIS_AWAY, Unavailable

RATES: Final = {
    "headless:browser:socialaccount:redirect_to_provider": "20/m/ip",
    "headless:browser:account:verify_email": "30/m/ip",
    "headless:browser:usersessions:sessions": "60/m/ip",
    "openid_callback": "30/m/ip",
}
"""By the name of the address. allauth's settings hold the limits that it counts itself."""

WORDS: Final = {
    403: ("forbidden", "You need an invitation for this. Ask your administrator for one."),
    409: ("conflict", "This is already done, or it has expired. Reload the page."),
    429: ("too_many_requests", "Too many attempts. Wait a minute and try again."),
}
UNREADABLE: Final = {
    "code": "incorrect_code",
    "message": "This isn't a passkey's response. Try again.",
    "param": "credential",
}
WAIT_S: Final = 60
logger = logging.getLogger(__name__)


def allow(request: HttpRequest, action: str, rate: str) -> bool:
    """Count one attempt at `action` and return whether it is within `rate`, for example `20/m/ip`. For any view."""
    return bool(ratelimit.consume(request, app="punctual", action=action, config={action: rate}, limit_get=True))


class SignInLimits:
    """Middleware: counts the addresses in `RATES`, and adds a sentence to allauth's bare refusals."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, with a sentence, and remember the device of a person who has signed in."""
        response = self.get_response(request)
        remember_device(request, response)
        return with_words(response) if request.path.startswith("/_allauth/") else response

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponseBase | None:
        """Refuse requests above the rate."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        try:
            if name not in RATES or allow(request, name, RATES[name]):
                return None
        except REDIS_AWAY as error:
            return unavailable(error)
        return JsonResponse({"status": 429}, status=429)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """Refuse requests that cannot be counted, and unreadable credentials of passkeys; allauth handles neither."""
        if request.path.startswith("/_allauth/") and isinstance(exception, REDIS_AWAY):
            return unavailable(exception)
        name = request.resolver_match.view_name if request.resolver_match else ""
        if "webauthn" not in name or not isinstance(exception, ValueError | TypeError | KeyError | AttributeError):
            return None
        logger.warning("A credential of a passkey cannot be read.", exc_info=exception)
        return JsonResponse({"status": 400, "errors": [UNREADABLE]}, status=400)


def unavailable(error: Exception) -> HttpResponse:
    """Return the refusal while Redis is unreachable: without limits nobody may sign in, or anybody could guess."""
    logger.error("Redis cannot be reached: %s", error)
    refusal = Unavailable()
    body = {"status": refusal.status, "errors": [{"code": refusal.code, "message": refusal.message}]}
    return JsonResponse(body, status=refusal.status, headers={"Retry-After": str(WAIT_S)})


def with_words(response: HttpResponseBase) -> HttpResponseBase:
    """Return `response`; a bare refusal in JSON gets a sentence in `errors` that says what to do."""
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
