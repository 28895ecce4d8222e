"""Who is asking: the session cookie."""

from rest_framework import authentication
from rest_framework.request import Request


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session with its CSRF check; names a scheme, so that nobody signed in is a 401 and not a 403."""

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Return the scheme."""
        return "Session"
