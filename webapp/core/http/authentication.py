"""Authentication of a request: the session cookie, or a bearer token in the header."""

from abc import abstractmethod
from typing import Any

from rest_framework import authentication
from rest_framework.request import Request

from webapp.core.errors import ApiError

SCHEME = "bearer"


class BadToken(ApiError):
    """The bearer token is unknown or no longer valid. `message` says what to do."""

    status = 401
    code = "not_signed_in"


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session with its CSRF check; names a scheme, so that a missing sign-in is a 401 and not a 403."""

    def enforce_csrf(self, request: Request) -> None:
        """Check the token of the header. Raises `PermissionDenied`.

        Django's own request is used: the framework's would read a JSON body, of any size and depth, to find a form
        field in it before any view has limited it.
        """
        super().enforce_csrf(getattr(request, "_request", request))

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Return the scheme."""
        return "Session"


class BearerAuthentication(authentication.BaseAuthentication):
    """A token in `Authorization: Bearer`, and nowhere else, because logs and histories store addresses and bodies.

    A header of this scheme decides alone: a bad token is refused even if the request has a good session. There is no
    CSRF check, because browsers never send this header automatically.
    """

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return the person and the token; None without the header. Raises `BadToken`."""
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != SCHEME:
            return None
        return self.identify(token.strip(), request.META.get("REMOTE_ADDR", ""))

    @abstractmethod
    def identify(self, token: str, address: str) -> tuple[Any, Any]:
        """Return the person and the token for the text of the header, sent from `address`. Raises `BadToken`."""

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        """Return the scheme."""
        return "Bearer"
