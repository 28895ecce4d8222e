"""Views for persons who are signed in in the browser; tokens are refused."""

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.views import APIView

from webapp.accounts.access import TenantView
from webapp.accounts.actors import actor_of
from webapp.accounts.models import User
from webapp.accounts.sign_in.limits import allow
from webapp.accounts.tokens import TokenInUse
from webapp.core.context import act_as
from webapp.core.errors import Busy, ErrorEnvelope, Forbidden

REFUSALS: Final[dict[int, Any]] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class TenantPersonView(TenantView):
    """A view of an organisation that the permission matrix closes to tokens."""

    @property
    def person(self) -> User:
        """Return the person signed in."""
        assert self.user is not None, "the permission matrix lets a token in here"  # nosec B101 # for the type checker only
        return self.user


class PersonView(APIView):
    """A view outside of organisations."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the sign-in, and record the actor. Raises `Forbidden` for a token."""
        super().initial(request, *args, **kwargs)
        if isinstance(request.auth, TokenInUse):
            raise Forbidden("A token may not do this. Sign in in the browser and do it there.")
        act_as(actor_of(request))

    @property
    def person(self) -> User:
        """Return the person signed in."""
        assert isinstance(self.request.user, User)  # nosec B101 # for the type checker only
        return self.request.user


def check_rate(request: Request, action: str, rate: str) -> None:
    """Count one attempt at `action`. Raises `Busy` above `rate`, for example `20/m/ip`."""
    if not allow(request._request, action, rate):
        raise Busy("Too many attempts. Wait a few minutes and try again.")
