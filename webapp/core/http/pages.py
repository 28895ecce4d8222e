"""The single page of the browser application, for every address outside of the API."""

import secrets
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from webapp.core.http.assets import built_page
from webapp.core.http.security import content_security_policy

NONCE: Final = b"__CSP_NONCE__"
"""Placeholder for the nonce in the built page."""
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Punctual</title>
<p>The pages of Punctual are not built yet. Run <code>make up</code>,
or <code>npm install &amp;&amp; npm run build</code> in <code>frontend/</code>,
and start the server again.</p></html>"""


@require_safe
def openapi_file(_: HttpRequest) -> HttpResponse:
    """Return the description of the API. It is public: it contains no stored data."""
    response = HttpResponse(settings.OPENAPI_FILE.read_bytes(), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    return response


@require_safe
@ensure_csrf_cookie
def application_page(_: HttpRequest) -> HttpResponse:
    """Return the built page with the CSRF cookie set, or 503 with a sentence if it was not built.

    Every answer has its own nonce for style sheets that the page's scripts add: an injected one cannot know it.
    """
    page = built_page(settings.FRONTEND)
    if page is None:
        return HttpResponse(NOT_BUILT, status=503)
    nonce = secrets.token_urlsafe(16)
    response = HttpResponse(page.replace(NONCE, nonce.encode()))
    response.headers["Content-Security-Policy"] = content_security_policy(nonce)
    response.headers["Cache-Control"] = "no-cache"
    return response
