"""Access checked again while a long answer is sent: would the same request still be allowed?"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from webapp.accounts.access import OrganisationEntry, check_rights, enter
from webapp.accounts.actors import IMPERSONATED_UNTIL
from webapp.accounts.permissions import RouteRule
from webapp.accounts.tokens import TokenAuthentication
from webapp.core.context import organisation_context
from webapp.core.errors import ApiError
from webapp.core.http.authentication import SessionAuthentication

LOOKED_AT: Final = frozenset({"HTTP_AUTHORIZATION", "REMOTE_ADDR"})
"""Headers that identify the caller, in addition to the session."""


@dataclass(frozen=True)
class AccessGrant:
    """The way that a request got access to an organisation: session or token, address, and rule.

    `holder` is the id of the person; None for a service account. No database rows are kept, only what finds them again.
    """

    organisation: UUID
    slug: str
    holder: UUID | None
    rule: RouteRule
    meta: dict[str, str]
    session: str | None


def visit_of(request: Request, entry: OrganisationEntry, rule: RouteRule) -> AccessGrant:
    """Return how `request` got access: `entry` under `rule`."""
    meta = {str(name): str(value) for name, value in request.META.items() if name in LOOKED_AT}
    return AccessGrant(
        organisation=entry.organisation.pk,
        slug=entry.organisation.slug,
        holder=None if entry.person is None else entry.person.pk,
        rule=rule,
        meta=meta,
        session=request._request.session.session_key,
    )


def still_allowed(visit: AccessGrant) -> bool:
    """Return whether the same request would be allowed now, judged by the code that judged it first.

    The session must still exist, belong to this person and be no impersonation that is over. A token must be valid,
    also for its network. Person, membership, service account and organisation must exist, and the role must still
    suffice.
    """
    with organisation_context(None):
        request = Request(_again(visit), authenticators=[TokenAuthentication(), SessionAuthentication()])
        try:
            if not request.user.is_authenticated or _impersonation_is_over(request):
                return False
            entry = enter(request, visit.slug)
            check_rights(entry, visit.rule)
        except ApiError:
            return False
    holder = None if entry.person is None else entry.person.pk
    return (entry.organisation.pk, holder) == (visit.organisation, visit.holder)


def _impersonation_is_over(request: Request) -> bool:
    until = request._request.session.get(IMPERSONATED_UNTIL)
    return until is not None and until <= timezone.now().isoformat()


def _again(visit: AccessGrant) -> HttpRequest:
    """Return a GET request with the headers and session of the first one; session and person are read again."""
    request: Any = HttpRequest()
    request.method = "GET"
    request.META = dict(visit.meta)
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(visit.session)
    request.user = get_user(request)
    return request  # type: ignore[no-any-return]
