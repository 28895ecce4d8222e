"""Security headers on every answer."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


def content_security_policy(nonce: str | None = None) -> str:
    """Return the policy of a page; its scripts may add style sheets with `nonce`, or none without it.

    Scripts come only from files of this origin. Style attributes in HTML are refused, so that a name chosen by a user
    cannot imitate something else; scripts may still set `element.style`, as canvas, editor and charts do.
    """
    styles = "style-src 'self'" if nonce is None else f"style-src 'self' 'nonce-{nonce}'"
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self'",
            styles,
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            " ".join(("form-action 'self'", *settings.FORM_TARGETS)),
            "frame-ancestors 'none'",
        )
    )


HEADERS = {
    "Content-Security-Policy": content_security_policy(),
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""In addition to Django's SecurityMiddleware: HSTS, nosniff, Referrer-Policy, Cross-Origin-Opener-Policy."""


class SecurityHeaders:
    """Adds headers that restrict the browser on our pages, unless a view has set them itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with the headers set; caches never store answers of the API."""
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.path.startswith(("/api/", "/_allauth/")):
            response.headers.setdefault("Cache-Control", "no-store")
        return response
